package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/detect"
)

var update = flag.Bool("update", false, "write the golden files anew")

const hooks = "../../testdata/hooks/"

// golden compares got with a file, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", path, got)
	}
}

// heard is what a report tells, in full.
func heard(r detect.Report, ok bool) string {
	s := say(r, ok)
	if r.Question.Text != "" {
		s += fmt.Sprintf(" %q", r.Question.Text)
	}
	if len(r.Question.Options) > 0 {
		s += fmt.Sprintf(" %q", r.Question.Options)
	}
	if r.Note != "" {
		s += fmt.Sprintf(" note %q", r.Note)
	}
	return s
}

// Recorded sessions, as their hooks' payloads came.
func TestReplayLogs(t *testing.T) {
	for _, version := range []string{"2.1.197", "2.1.332"} {
		for _, name := range []string{"log", "log2"} {
			t.Run(version+"/"+name, func(t *testing.T) {
				data, err := os.ReadFile(hooks + "claude-" + version + "/" + name + ".jsonl")
				if err != nil {
					t.Fatal(err)
				}
				var c Claude
				var out strings.Builder
				var start float64
				for l := range bytes.Lines(data) {
					var entry struct {
						T       float64
						Payload json.RawMessage
						Screen  string
					}
					if err := json.Unmarshal(l, &entry); err != nil {
						t.Fatal(err)
					}
					if start == 0 {
						start = entry.T
					}
					if entry.Payload == nil {
						first, _, _ := strings.Cut(entry.Screen, "\n")
						fmt.Fprintf(&out, "%7.1f      # %s\n", entry.T-start, first)
						continue
					}
					e, err := ReadEvent(bytes.NewReader(entry.Payload))
					if err != nil {
						t.Fatal(err)
					}
					r, ok := c.Event(e)
					fmt.Fprintf(&out, "%7.1f %s -> %s\n", entry.T-start, short(e), heard(r, ok))
				}
				golden(t, "claude-"+version+"-"+name+".golden", out.String())
			})
		}
	}
}

// short is the event without its ids, which differ from run to run.
func short(e Event) string {
	e.Prompt = ""
	if e.Agent != "" {
		e.Agent = "sub"
	}
	return e.String()
}

// The event sequences of single scenes.
func TestReplaySequences(t *testing.T) {
	files, err := filepath.Glob(hooks + "sequences/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var c Claude
			var out strings.Builder
			for s := bufio.NewScanner(f); s.Scan(); {
				l := strings.TrimSpace(s.Text())
				if strings.HasPrefix(l, "=====") {
					c = Claude{}
					fmt.Fprintln(&out, l)
					continue
				}
				at, rest, _ := strings.Cut(l, " ")
				if step, ok := strings.CutPrefix(rest, "STEP "); ok {
					fmt.Fprintf(&out, "%7s      # %s\n", at, step)
					continue
				}
				event, fields, _ := strings.Cut(strings.TrimPrefix(rest, "EVENT "), " ")
				payload := fmt.Sprintf(`{"hook_event_name":%q,%s`, event, strings.TrimPrefix(strings.ReplaceAll(fields, `"sid"`, `"session_id"`), "{"))
				e, err := ReadEvent(strings.NewReader(payload))
				if err != nil {
					t.Fatalf("%s: %v", l, err)
				}
				r, ok := c.Event(e)
				fmt.Fprintf(&out, "%7s %s -> %s\n", at, short(e), heard(r, ok))
			}
			golden(t, filepath.Join("sequences", name+".golden"), out.String())
		})
	}
}

// Each event's payload gives up what it has.
func TestReadEvent(t *testing.T) {
	read := func(t *testing.T, name string) Event {
		t.Helper()
		f, err := os.Open(hooks + "claude-2.1.332/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		e, err := ReadEvent(f)
		if err != nil {
			t.Fatal(err)
		}
		if e.Session == "" {
			t.Errorf("%s: no session", name)
		}
		return e
	}
	tests := []struct{ name, tool, text, what string }{
		{"SessionStart", "", "", "startup"},
		{"SessionEnd", "", "", "prompt_input_exit"},
		{"UserPromptSubmit", "", "", ""},
		{"PreToolUse-Bash", "Bash", "curl http://127.0.0.1:1/", ""},
		{"PermissionRequest-Edit", "Edit", "/home/u/projects/demo/hello.py", ""},
		{"PreToolUse-AskUserQuestion", "AskUserQuestion", "Which database should the service use?", ""},
		{"Notification-idle_prompt", "", "Claude is waiting for your input", "idle_prompt"},
		{"Notification-permission_prompt", "", "Claude Code needs your approval for the plan", "permission_prompt"},
		{"Elicitation", "", "Which environment should be deployed?", ""},
		{"ElicitationResult", "", "", "cancel"},
		{"StopFailure", "", "API Error: 400 mock: prompt is not acceptable", "unknown"},
		{"PreCompact", "", "", "manual"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := read(t, tt.name)
			name, _, _ := strings.Cut(tt.name, "-")
			if e.Name != name || e.Tool != tt.tool || e.Text != tt.text || e.What != tt.what {
				t.Errorf("%+v", e)
			}
			if b, err := json.Marshal(e); err != nil || bytes.ContainsRune(b, '\n') || len(b) > 1000 {
				t.Errorf("%d bytes %v", len(b), err)
			}
		})
	}
	if e := read(t, "PreToolUse-AskUserQuestion"); strings.Join(e.Options, ",") != "PostgreSQL,SQLite,MySQL" {
		t.Errorf("options %q", e.Options)
	}
	if e := read(t, "Stop"); !e.HasTasks || len(e.Tasks) != 1 || e.Tasks[0] != (Task{"a85915a792c22067a", "subagent", "running"}) {
		t.Errorf("tasks %+v", e.Tasks)
	}
	// A permission and its tool's other events have the same key, which is
	// the only thing they share.
	pre, asked, post := read(t, "PreToolUse-Edit"), read(t, "PermissionRequest-Edit"), read(t, "PostToolUse-Edit")
	if pre.Key == "" || pre.Key != asked.Key || asked.Key != post.Key || asked.Call != "" || pre.Call != post.Call {
		t.Errorf("keys %q %q %q, calls %q %q %q", pre.Key, asked.Key, post.Key, pre.Call, asked.Call, post.Call)
	}
	if other := read(t, "PermissionRequest-Bash"); other.Key == asked.Key {
		t.Error("another tool has the same key")
	}
}

// every payload recorded must be readable.
func TestReadEventAll(t *testing.T) {
	files, _ := filepath.Glob(hooks + "claude-*/*.json")
	if len(files) < 70 {
		t.Fatalf("%d payloads", len(files))
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := ReadEvent(f)
		f.Close()
		if name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-"); err != nil || e.Name != name {
			t.Errorf("%s: %q %v", file, e.Name, err)
		}
	}
}

// endless is a payload with a tool's response of n megabytes.
func endless(n int) io.Reader {
	return io.MultiReader(
		strings.NewReader(`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"cat"},"tool_response":{"stdout":"`),
		io.LimitReader(xs{}, int64(n)<<20),
		strings.NewReader(`","list":[{"hook_event_name":"Stop","prompt_id":"x"}]},"prompt_id":"p"}`))
}

type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestReadEventLarge(t *testing.T) {
	allocs := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e, err := ReadEvent(endless(4))
			if err != nil || e.Name != "PostToolUse" || e.Prompt != "p" || e.Tool != "Bash" {
				b.Fatalf("%+v %v", e, err)
			}
		}
	})
	if n := allocs.AllocedBytesPerOp(); n > 256<<10 {
		t.Errorf("4 MB of payload took %d bytes of memory", n)
	}
}

func TestReadEventErrors(t *testing.T) {
	for _, s := range []string{
		``, `null`, `[]`, `"x"`, `{}`, `{"session_id":"x"}`, `[{"hook_event_name":"Stop"}]`, `{"hook_event_name":5}`,
		`{"hook_event_name":"Stop"`, `{"hook_event_name":"Stop"} x`, `{"hook_event_name":"` + strings.Repeat("S", 200) + `"}`,
		`{"hook_event_name":"Stop","agent_id":"` + strings.Repeat("a", 200) + `"}`, // or it would count as the main agent's
		`{"hook_event_name":"Stop","agent_id":7}`,
		`{"hook_event_name":"Stop","session_id":{"a":1}}`,
		strings.Repeat(`{"a":`, 600) + `1` + strings.Repeat(`}`, 600),
	} {
		if e, err := ReadEvent(strings.NewReader(s)); err == nil {
			t.Errorf("%.60q gave %+v", s, e)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadEvent(io.MultiReader(strings.NewReader(`{"hook_event_name":"Stop"}`), failing{broken})); !errors.Is(err, broken) {
		t.Errorf("a read error is lost: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzEvents(f *testing.F) {
	files, _ := filepath.Glob(hooks + "claude-2.1.332/*.json")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil {
			f.Add(b)
		}
	}
	f.Add([]byte(`{"hook_event_name":"Stop"}{`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Claude
		for line := range bytes.Lines(data) {
			e, err := ReadEvent(bytes.NewReader(line))
			if err != nil {
				continue
			}
			wire, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			var back Event
			if err := json.Unmarshal(wire, &back); err != nil || !back.Valid() {
				t.Fatalf("%s does not come back: %v", wire, err)
			}
			r, ok := c.Event(back)
			if !ok {
				continue
			}
			for _, s := range append([]string{r.Question.Text, r.Note}, r.Question.Options...) {
				if strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 }) || len(s) > detect.MaxText {
					t.Fatalf("text %q", s)
				}
			}
			c.Settle(len(line)%2 == 0)
		}
	})
}

func BenchmarkReadEvent2MB(b *testing.B) {
	b.SetBytes(2 << 20)
	for b.Loop() {
		if _, err := ReadEvent(endless(2)); err != nil {
			b.Fatal(err)
		}
	}
}
