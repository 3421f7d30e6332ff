package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever agents were recorded to send is something that their spec asks for,
// and an agent that is said to be proven has a recording.
func TestRecordedEvents(t *testing.T) {
	for _, agent := range strings.Fields("claude codex qwen copilot opencode kilo droid aider") {
		s := spec(t, agent)
		b, err := os.ReadFile(filepath.Join("testdata", "payloads", agent+".jsonl"))
		if agent != "claude" && (err == nil) != (s.Proven != "") {
			t.Errorf("%s is said to be proven with %q; recording: %v", agent, s.Proven, err)
		}
		if err != nil {
			continue
		}
		seen := map[string]bool{}
		for line := range strings.Lines(string(b)) {
			var r struct {
				Event   string
				Payload struct {
					Name  string `json:"hook_event_name"`
					Type  string
					Event string
				}
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%s: %v", agent, err)
			}
			name := r.Event
			for _, n := range []string{r.Payload.Name, r.Payload.Type, r.Payload.Event} {
				if name == "" {
					name = n
				}
			}
			seen[name] = true
			switch s.Method {
			case Settings, SettingsVariable, PluginDir:
				if !slices.ContainsFunc(s.Events, func(e Event) bool { return e.Name == name }) {
					t.Errorf("%s: nobody asked for %q", agent, name)
				}
			case ConfigPlugin:
				if !strings.Contains(opencodePlugin, `"`+name+`"`) {
					t.Errorf("%s: nobody asked for %q", agent, name)
				}
			}
		}
		if len(seen) == 0 {
			t.Errorf("%s: an empty recording", agent)
		}
	}
}
