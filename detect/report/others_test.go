package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestCodexNotify(t *testing.T) {
	data, err := os.ReadFile(hooks + "codex-notify.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var c Codex
	var got []string
	for l := range bytes.Lines(data) {
		r, ok := c.Notify(bytes.TrimSpace(l))
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
		if r, ok := c.Notify(tt.data); heard(r, ok) != tt.want {
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
	for _, tt := range []struct{ word, text, want string }{
		{"working", "", "working"},
		{"working", "make\nall", `working note "make all"`},
		{"blocked", "Deploy now?", `blocked/question "Deploy now?"`},
		{"idle", "", "idle"},
		{"done", "3 files", `idle note "3 files"`},
	} {
		r, err := Plain(tt.word, tt.text)
		if err != nil || heard(r, true) != tt.want || !r.Hold {
			t.Errorf("%s %q: %s %v", tt.word, tt.text, heard(r, true), err)
		}
	}
	for _, word := range []string{"", "Working", "none", "busy"} {
		if _, err := Plain(word, ""); err == nil {
			t.Errorf("%q is taken", word)
		}
	}
}

func TestSessionFile(t *testing.T) {
	const head = `{"pid":4711,"sessionId":"77b3682e","cwd":"/home/u/projects/demo","startedAt":1796070759720,"procStart":"123456","kind":"interactive","entrypoint":"cli"`
	for status, want := range map[string]string{"busy": "working", "idle": "idle", "waiting": "blocked", "shell": "idle/shell", "new": "-"} {
		f, err := ReadSessionFile([]byte(head + `,"status":"` + status + `","updatedAt":1,"statusUpdatedAt":1796070764121}`))
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := f.Report(); heard(r, ok) != want {
			t.Errorf("%s: %s, want %s", status, heard(r, ok), want)
		}
		if f.PID != 4711 || f.Session != "77b3682e" || f.ProcStart != "123456" || !f.Updated.Equal(time.UnixMilli(1796070764121)) {
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
		c.Notify(data)
		c.OSC9(data)
		if s, err := ReadSessionFile(data); err == nil {
			s.Report()
		}
	})
}
