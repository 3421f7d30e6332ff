package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
)

// notify takes a notice as it comes, and again as it is sent on.
func notify(c *Codex, data []byte) (detect.Report, bool) {
	n, err := ReadNotice(data)
	if err != nil {
		return detect.Report{}, false
	}
	wire, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	again, err := ReadNotice(wire)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(n) {
		panic(fmt.Sprintf("%s comes back as %+v, %v", wire, again, err))
	}
	return c.Notify(again)
}

func TestCodexNotify(t *testing.T) {
	data, err := os.ReadFile(hooks + "codex-notify.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var c Codex
	var got []string
	for l := range bytes.Lines(data) {
		r, ok := notify(&c, bytes.TrimSpace(l))
		got = append(got, heard(r, ok))
	}
	const end, title = `idle note "Done mock."`, "-"
	if want := []string{end, title, title, end, end, title}; strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("%q", got)
	}

	turn := func(thread, cwd string) []byte {
		return fmt.Appendf(nil, `{"type":"agent-turn-complete","thread-id":%q,"cwd":%q,"input-messages":["hi"],"last-assistant-message":"ok"}`, thread, cwd)
	}
	c = Codex{}
	tests := []struct {
		data []byte
		want string
	}{
		{turn("t1", "/a"), `idle note "ok"`},
		{turn("t2", "/b"), "-"}, // another session of a shared daemon
		{turn("t2", "/a"), `idle note "ok"`},
		{turn("t1", "/b"), "-"},
		{[]byte(`{"type":"agent-turn-complete","thread-id":"t9","cwd":"/a","input-messages":["Generate a concise, single-line task title of"]}`), "-"},
		{turn("t9", "/a"), "-"}, // once a title's thread, always
		{[]byte(`{"type":"something-else","thread-id":"t1"}`), "-"},
		{[]byte(`not json`), "-"},
		{[]byte(`{"type":"agent-turn-complete"`), "-"},
		{nil, "-"},
	}
	for _, tt := range tests {
		if r, ok := notify(&c, tt.data); heard(r, ok) != tt.want {
			t.Errorf("%s: %s, want %s", tt.data, heard(r, ok), tt.want)
		}
	}
}

func TestCodexOSC9(t *testing.T) {
	var c Codex
	for in, want := range map[string]string{
		"Approval requested: touch /etc/zz":      `blocked/permission "touch /etc/zz"`,
		"Codex wants to edit src/main.rs":        `blocked/permission "Codex wants to edit src/main.rs"`,
		"Approval requested by github":           `blocked/question "MCP input: github"`,
		"Plan mode prompt: Implement this plan?": `blocked/plan "Implement this plan?"`,
		"Question requested: Which database?":    `blocked/question "Which database?"`,
		"Question requested":                     `blocked/question "Question requested"`,
		"Questions requested: 3":                 `blocked/question "Questions requested: 3"`,
		"Agent turn complete":                    `idle note "Agent turn complete"`,
		"Done mock.":                             `idle note "Done mock."`,
		"The answer\x1b[31m is \u202e42":         `idle note "The answer[31m is 42"`,
		"4;3":                                    "-",
		"4;1;50":                                 "-",
		"":                                       "-",
	} {
		if r, ok := c.OSC9([]byte(in)); heard(r, ok) != want {
			t.Errorf("%q: %s, want %s", in, heard(r, ok), want)
		}
	}
}

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ word, kind, text, want string }{
		{"working", "", "", "working"},
		{"working", "", "make\nall", `working note "make all"`},
		{"working", "compacting", "", "working/compacting"},
		{"blocked", "", "Deploy now?", `blocked "Deploy now?"`},
		{"blocked", "permission", "ls", `blocked/permission "ls"`},
		{"idle", "", "", "idle"},
		{"idle", "error", "no network", `idle/error note "no network"`},
		{"done", "", "3 files", `idle note "3 files"`},
		{"none", "", "", "none"},
	} {
		r, err := Plain(tt.word, tt.kind, tt.text)
		if err != nil || heard(r, true) != tt.want || !r.Hold {
			t.Errorf("%s %q: %s %v", tt.word, tt.text, heard(r, true), err)
		}
	}
	for _, w := range [][2]string{{"", ""}, {"Working", ""}, {"busy", ""}, {"working", "permission"}, {"blocked", "error"}, {"idle", "x"}, {"none", "error"}} {
		if r, err := Plain(w[0], w[1], ""); err == nil {
			t.Errorf("%q is taken as %v", w, r)
		}
	}
}

func TestSessionFile(t *testing.T) {
	// Written by 2.1.332; the status and what follows it change.
	const head = `{"pid":27371,"sessionId":"77b3682e","cwd":"/home/u/projects/demo","startedAt":1796077037958,"procStart":"288088","version":"2.1.332","peerProtocol":1,` +
		`"peerFeatures":["notify_idle"],"kind":"interactive","entrypoint":"cli","asksForConvertedSkills":null,"name":"demo-2f","nameSource":"derived","nameSince":1796077037958`
	for status, want := range map[string]string{
		`"busy"`: "working", `"idle"`: "idle", `"shell"`: "idle/shell", `"new"`: "-",
		`"waiting","waitingFor":"permission prompt"`: "blocked/permission",
		`"waiting","waitingFor":"sandbox request"`:   "blocked/permission",
		`"waiting","waitingFor":"input needed"`:      "blocked/question",
		`"waiting","waitingFor":"dialog open"`:       "-", // /model, too
		`"waiting"`:                                  "-",
	} {
		f, err := ReadSessionFile([]byte(head + `,"status":` + status + `,"updatedAt":1,"statusUpdatedAt":1796070764121}`))
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := f.Report(); heard(r, ok) != want {
			t.Errorf("%s: %s, want %s", status, heard(r, ok), want)
		}
		if f.PID != 27371 || f.Session != "77b3682e" || f.ProcStart != "288088" || f.Kind != "interactive" || !f.Updated.Equal(time.UnixMilli(1796070764121)) {
			t.Errorf("%+v", f)
		}
	}
	for _, s := range []string{``, `{}`, head, head + `}`, head + `,"status":""}`, `[1]`, `{"status":"busy"}x`} {
		if f, err := ReadSessionFile([]byte(s)); err == nil {
			t.Errorf("%q gave %+v", s, f)
		}
	}
	f, err := ReadSessionFile([]byte(`{"status":"busy","statusUpdatedAt":"2026-11-30T20:11:00Z"}`))
	if err != nil || f.Updated.Unix() != time.Date(2026, 11, 30, 20, 11, 0, 0, time.UTC).Unix() {
		t.Errorf("%+v %v", f, err)
	}
}

func FuzzOthers(f *testing.F) {
	f.Add([]byte(`{"type":"agent-turn-complete","thread-id":"t","cwd":"/a","input-messages":["x"]}`))
	f.Add([]byte(`{"pid":1,"status":"busy","statusUpdatedAt":1e12}`))
	f.Add([]byte("Approval requested: x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Codex
		notify(&c, data)
		c.OSC9(data)
		if s, err := ReadSessionFile(data); err == nil {
			s.Report()
		}
	})
}

func TestHooks(t *testing.T) {
	raw := func(v any) json.RawMessage {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var h Hooks
	tests := []struct {
		m    Message
		want string
	}{
		{Message{From: "claude", Seq: 5, Event: raw(Event{Name: "UserPromptSubmit", Session: "s", Prompt: "p"})}, "working"},
		{Message{From: "claude", Seq: 5, Event: raw(Event{Name: "Stop", Session: "s", Prompt: "p"})}, "-"},
		{Message{From: "claude", Seq: 6, Event: raw(Event{Name: "Stop", Session: "s", Prompt: "p", HasTasks: true, Tasks: []Task{{"a", "subagent", "running"}}})}, "working/background"},
		{Message{From: "claude", Event: json.RawMessage(`{"event":7}`)}, "-"},
		{Message{From: "claude", Event: json.RawMessage(`[]`)}, "-"},
		{Message{From: "gemini", Event: raw(Event{Name: "Stop"})}, "-"},
		{Message{From: "codex", Event: json.RawMessage(`{"type":"agent-turn-complete","thread-id":"t","last-assistant-message":"ok"}`)}, `idle note "ok"`},
		{Message{From: "codex", Event: json.RawMessage(`{}`)}, "-"},
		{Message{From: "build", Seq: 2, State: "working"}, "working"},
		{Message{From: "build", Seq: 1, State: "idle"}, "-"},
		{Message{From: "other", Seq: 1, State: "blocked", Text: "go on?"}, `blocked "go on?"`},
		{Message{From: "build", State: "nonsense"}, "-"},
		{Message{From: "build", Seq: 3, State: "none"}, "none"},
		{Message{}, "-"},
	}
	for _, tt := range tests {
		if r, ok := h.Take(tt.m); heard(r, ok) != tt.want {
			t.Errorf("%+v: %s, want %s", tt.m, heard(r, ok), tt.want)
		}
	}
	// A turn that the screen has ended leaves its subagents.
	h.Take(Message{From: "claude", Event: raw(Event{Name: "UserPromptSubmit", Session: "s", Prompt: "p2"})})
	if got := say(h.Settle(false), true); got != "working/background" {
		t.Errorf("settled with a subagent left: %s", got)
	}
	file := SessionFile{WaitingFor: "permission prompt"}
	for _, tt := range []struct {
		session, status string
		ms              int64
		want            string
	}{{"s", "busy", 10, "working/background"}, {"s", "busy", 10, "-"}, {"s", "idle", 9, "-"}, {"t", "idle", 20, "-"}, {"s", "waiting", 20, "blocked/permission"}, {"s", "new", 30, "-"}, {"", "shell", 30, "idle/shell"}} {
		file.Session, file.Status, file.Updated = tt.session, tt.status, time.UnixMilli(tt.ms)
		if r, ok := h.SessionFile(file); heard(r, ok) != tt.want {
			t.Errorf("%+v: %s, want %s", file, heard(r, ok), tt.want)
		}
	}
	// The file is read after the hook that has told of a dialog.
	h.Take(Message{From: "claude", Seq: 100e6, Event: raw(Event{Name: "PreToolUse", Session: "s", Prompt: "p2", Tool: "AskUserQuestion", Text: "Which?"})})
	for _, tt := range []struct {
		status string
		ms     int64
		want   string
	}{{"busy", 90, "-"}, {"waiting", 95, "blocked/permission"}, {"busy", 101, "working"}} {
		file.Session, file.Status, file.Updated = "s", tt.status, time.UnixMilli(tt.ms)
		if r, ok := h.SessionFile(file); heard(r, ok) != tt.want {
			t.Errorf("%+v: %s, want %s", file, heard(r, ok), tt.want)
		}
	}
	h.Exit()
	h.Take(Message{From: "build", State: "working"})
	if got := heard(h.Settle(true), true); got != "working" || !h.Settle(true).Hold {
		t.Errorf("a plain word, settled: %s", got)
	}
	if got := heard(h.Settle(false), true); got != "idle/interrupted" {
		t.Errorf("a plain word, settled: %s", got)
	}
	if r, ok := h.Take(Message{From: "claude", Event: raw(Event{Name: "SessionStart", Session: "new", What: "startup"})}); heard(r, ok) != "idle" {
		t.Errorf("after the process's end: %s", heard(r, ok))
	}
	for i := range 1000 {
		h.Take(Message{From: fmt.Sprint(i), Seq: 1, State: "idle"})
	}
	if len(h.seq) > maxSenders {
		t.Errorf("%d senders are kept", len(h.seq))
	}
}
