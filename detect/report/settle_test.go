package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/detect/manifest"
	"fwrap/detect/report"
	"fwrap/detect/screen"
)

// wordRules reads screens that consist of one word.
func wordRules(t *testing.T) *detect.Rules {
	t.Helper()
	m, err := manifest.Load("word.toml", []byte(`
[[rules]]
state = "blocked"
any = ['BLOCKED']
[[rules]]
state = "working"
kind = "background"
any = ['BACKGROUND']
[[rules]]
state = "working"
any = ['WORKING']
[[rules]]
state = "idle"
any = ['IDLE']
`))
	if err != nil {
		t.Fatal(err)
	}
	return m.Rules
}

// The recorded hooks of whole sessions beside a screen that shows what the
// person saw: what hooks do not tell (Yes, No, Esc) the screen ends, and
// nothing that comes late undoes it.
func TestHooksAndScreen(t *testing.T) {
	rules := wordRules(t)
	for _, file := range []string{"2.1.197/log", "2.1.197/log2", "2.1.332/log", "2.1.332/log2"} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile("../../testdata/hooks/claude-" + file + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			hooks := &report.Hooks{}
			start := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
			tl := detect.New(detect.Config{Screen: screen.New(80, 24), Rules: rules, Settler: hooks})
			tl.Alive(start, true)
			type paint struct {
				at   time.Time
				text string
			}
			var paints []paint
			// advance lets time pass to now, painting what is due.
			var advance func(now time.Time)
			advance = func(now time.Time) {
				for len(paints) > 0 && !paints[0].at.After(now) {
					p := paints[0]
					paints = paints[1:]
					advance(p.at)
					tl.Write(p.at, []byte("\x1b[2J\x1b[H"+p.text))
				}
				for {
					due, ok := tl.Next()
					if !ok || due.After(now) {
						break
					}
					tl.Tick(due)
				}
			}
			checks := 0
			want := func(now time.Time, label, state string, kinds ...detect.Kind) {
				checks++
				advance(now)
				st := tl.Status()
				ok := st.State.String() == state
				if len(kinds) > 0 {
					ok = ok && st.Kind == kinds[0]
				}
				if !ok {
					t.Errorf("%.1f s, %s: %v/%s by %s, want %s %v", now.Sub(start).Seconds(), label, st.State, st.Kind, st.Source, state, kinds)
				}
				if state == "blocked" && st.Question.Text == "" {
					t.Errorf("%s: nothing is said of what is asked", label)
				}
			}
			var zero float64
			asked := 0
			for l := range bytes.Lines(data) {
				var entry struct {
					T       float64
					Payload json.RawMessage
					Screen  string
				}
				if err := json.Unmarshal(l, &entry); err != nil {
					t.Fatal(err)
				}
				if zero == 0 {
					zero = entry.T
				}
				now := start.Add(time.Duration((entry.T - zero) * float64(time.Second)))
				advance(now)
				if entry.Payload != nil {
					e, err := report.ReadEvent(bytes.NewReader(entry.Payload))
					if err != nil {
						t.Fatal(err)
					}
					wire, err := json.Marshal(e)
					if err != nil {
						t.Fatal(err)
					}
					if r, ok := hooks.Take(report.Message{From: "claude", Event: wire}); ok {
						tl.Report(now, r)
					}
					continue
				}
				label, _, _ := strings.Cut(entry.Screen, "\n")
				show := func(after time.Duration, text string) { paints = append(paints, paint{now.Add(after), text}) }
				has := func(s string) bool { return strings.Contains(label, s) }
				second := now.Add(time.Second)
				switch {
				case has("dialog visible"):
					tl.Write(now, []byte("\x1b[2J\x1b[HBLOCKED"))
					asked++
					want(now.Add(300*time.Millisecond), label, "blocked")
				case has("dialog has waited"):
					want(now, label, "blocked")
				case has("ready"), has("visible: "), has("compact done"), has("16 s later"):
					show(0, "IDLE")
				case has(">> prompt"), has(">> /compact"):
					show(500*time.Millisecond, "WORKING")
				case has("x1b"), has("Esc"), has("by digit"):
					show(300*time.Millisecond, "IDLE")
				case has("answered"):
					show(300*time.Millisecond, "WORKING")
				case has("answer streams"), has("tool runs"):
					want(now, label, "working")
				case has("main turn over"):
					show(0, "BACKGROUND")
					want(second, label, "working", detect.Background)
				case has("compact running"):
					want(now, label, "working", detect.Compacting)
				case has("4 s later"), has("idle: waiting"), has("idle over"):
					want(now, label, "idle")
				}
			}
			if checks < 5 || asked == 0 {
				t.Errorf("%d checks, %d dialogs", checks, asked)
			}
			now := start.Add(time.Hour)
			tl.Alive(now, false)
			hooks.Exit()
			want(now, "exit", "none")
		})
	}
}
