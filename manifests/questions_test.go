package manifests_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/detect"
)

// TestQuestionsOfAgents: who is told that an agent asks is told what, and what
// the choices are.
func TestQuestionsOfAgents(t *testing.T) {
	want := map[string]struct{ text, option string }{
		"codex permission-shell":    {"Would you like to run the following command? · touch marker-file && echo written", "Yes, proceed"},
		"codex permission-edit":     {"Would you like to make the following edits?", "Yes, proceed"},
		"codex plan-approval":       {"Implement this plan?", "Yes, implement this plan"},
		"codex question":            {"Which database should the loader use?", "SQLite"},
		"gemini permission-edit":    {"Edit hello.txt", "Allow once"},
		"qwen permission-edit":      {"Edit hello.txt · Apply this change?", "Yes, allow once"},
		"opencode permission-edit":  {"Permission required · → Edit hello.txt", "Allow once"},
		"opencode permission-write": {"Permission required · → Edit notes.md", "Allow once"},
		"opencode question":         {"Which database should the loader use?", "SQLite"},
		"cline permission-write":    {"Cline needs permission · editor · /home/go/", "Approve"},
		"codex trust":               {"Trust this folder? · /home/go/", "Trust and continue"},
		"codex hook-trust":          {"Hooks need review", "Review hooks"},
		"gemini permission-shell":   {"Shell ", ""},
		"gemini permission-write":   {"WriteFile Writing to notes.md · Apply this change?", "Allow once"},
		"gemini question":           {"Which database should the loader use?", "SQLite"},
		"gemini plan-approval":      {"Ready to start implementation?", "Yes, automatically accept edits"},
		"gemini trust":              {"Do you trust the files in this folder?", "Trust folder (work-gemini)"},
		"copilot permission-shell":  {"Do you want to run this command?", "Yes"},
		"copilot permission-edit":   {"Do you want to edit /home/go/", "Yes"},
		"copilot permission-write":  {"Do you want to create /home/go/", "Yes"},
		"copilot question":          {"Which database should the loader use?", "SQLite"},
		"copilot plan-approval":     {"Plan Ready for Review", "Accept plan and continue in Autopilot execution mode"},
		"qwen permission-shell":     {"Shell touch marker-file && echo written (Create the", "Yes, allow once"},
		"qwen permission-write":     {"WriteFile Writing to notes.md · Apply this change?", "Yes, allow once"},
		"qwen question":             {"Which database should the loader use?", "SQLite"},
		"qwen plan-approval":        {"Would you like to proceed?", "Yes, restore previous mode (default)"},
		"opencode permission-shell": {"Permission required · # ", "Allow once"},
		"kilo permission-shell":     {"Permission required · # Create the marker file · $ touch marker-file && echo written", "Allow once"},
		"kilo permission-edit":      {"Permission required · → Edit hello.txt", "Allow always"},
		"kilo permission-write":     {"Permission required · → Edit notes.md", "Reject"},
		"kilo question":             {"Which database should the loader use?", "SQLite"},
		"kilo reject-reason":        {"Reject permission · Tell Kilo what to do differently", ""},
		"cline permission-shell":    {"Cline needs permission · run_commands · $ ", "Approve"},
		"cline permission-edit":     {"Cline needs permission · editor · /home/go/", "Deny"},
		"pi permission-shell":       {"Dangerous command: · touch marker-file && echo written · Allow?", "No"},
		"pi permission-edit":        {"Dangerous command: · /var/tmp/", "Yes"},
		"pi permission-write":       {"Dangerous command: · /var/tmp/", "Yes"},
		"cn permission-shell":       {"Bash(touch marker-file && echo written) · Would you like to continue?", "Continue"},
		"cn permission-edit":        {"Edit(hello.txt) · Would you like to continue?", "Continue + don't ask again"},
		"cn permission-write":       {"Write(notes.md) · Would you like to continue?", "No, and tell Continue what to do differently"},
		"cn question":               {"Which database should the loader use?", "Postgres"},
		"kimi permission-shell":     {"Run this command? · touch marker-file && echo written", "Approve for this session"},
		"kimi question":             {"Which database should the loader use?", "Postgres"},
		"kimi question-review":      {"Ready to submit your answers?", "Submit"},
		"kimi trust":                {"Trust this folder? · /var/tmp/", "Don't trust"},
		"grok permission-shell":     {"Create the marker file", "Yes, proceed"},
		"grok permission-edit":      {"Allow Edit to /var/tmp/", "Yes"},
		"grok permission-write":     {"Allow Edit to /var/tmp/", "Yes, allow all edits during this session"},
		"grok question":             {"Which database should the loader use?", "Postgres"},
		"cline question":            {"Which database should the loader use?", "Postgres"},
	}
	for _, agent := range agents(t) {
		if agent == "claude" { // see TestQuestions
			continue
		}
		rules := load(t, agent).Rules
		for _, c := range captures(t, agent) {
			if c.State != "blocked" {
				continue
			}
			s := c.replayed(t, 1<<20)
			q := rules.Match(&s).Question
			w, ok := want[agent+" "+c.Kind]
			if !ok {
				t.Errorf("%s: nothing is said here of what a dialog of the kind %s asks; it is read as %q", c.Name, c.Kind, q)
			}
			if strings.Contains(c.Name, "tworun") {
				w.text = strings.ReplaceAll(w.text, "touch marker-file && echo written", "rm -f marker-file && git push origin main")
			}
			if strings.HasPrefix(c.Name, "grok/0.") { // another program of the name
				w.text, w.option = "Do you want to proceed with this operation?", "No, with feedback"
			}
			if !strings.HasPrefix(q.Text, w.text) {
				t.Errorf("%s: the question is read as %q, want %q", c.Name, q.Text, w.text)
			}
			if options := strings.Join(q.Options, "\n"); w.option != "" && !strings.Contains("\n"+options+"\n", "\n"+w.option+"\n") {
				t.Errorf("%s: the options are read as %q, without %q", c.Name, q.Options, w.option)
			}
		}
	}
}

// A manifest is checked with the versions of which there is a recording. Where
// there is none, every example says where it is from.
func TestOrigins(t *testing.T) {
	for _, agent := range agents(t) {
		m := load(t, agent)
		for _, v := range m.CheckedWith {
			if _, err := os.Stat(filepath.Join(captureDir, agent, v)); err != nil {
				t.Errorf("%s.toml says it was checked with %s, of which there is no recording: %v", agent, v, err)
			}
		}
		if len(m.CheckedWith) > 0 {
			continue
		}
		for _, e := range m.Examples {
			if e.Origin == "" {
				t.Errorf("%s:%d: the example has no origin", e.File, e.Line)
			}
		}
	}
}

// What nobody has looked at must not raise an alarm.
func TestGenericNeverBlocks(t *testing.T) {
	for _, r := range load(t, "generic").Rules.List {
		if r.State == detect.Blocked {
			t.Errorf("generic says blocked by %s", r.ID)
		}
	}
}
