package session

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseReport(t *testing.T) {
	for _, c := range []struct {
		args string // split at spaces; _ stands for a space in a word
		want reportArgs
		bad  string
	}{
		{"working", reportArgs{from: "script", state: "working"}, ""},
		{"done", reportArgs{from: "script", state: "idle"}, ""},
		{"error tests failed", reportArgs{from: "script", state: "idle", kind: "error", text: "tests failed"}, ""},
		{"clear", reportArgs{from: "script", state: "none"}, ""},
		{"--kind question blocked Deploy to_prod?", reportArgs{from: "script", state: "blocked", kind: "question", text: "Deploy to prod?"}, ""},
		{"blocked --kind=plan --text=x", reportArgs{from: "script", state: "blocked", kind: "plan", text: "x"}, ""},
		{"--from aider idle", reportArgs{from: "aider", state: "idle"}, ""},
		{"-- working", reportArgs{from: "script", state: "working"}, ""},
		{"blocked -- --force?", reportArgs{from: "script", state: "blocked", text: "--force?"}, ""},
		{"--from claude", reportArgs{from: "claude"}, ""},
		{"--from copilot --event agentStop", reportArgs{from: "copilot", event: "agentStop"}, ""},
		{"--from=codex {\"type\":1}", reportArgs{from: "codex", payload: `{"type":1}`}, ""},
		{"--from codex -- notify-send -u low {\"type\":1}", reportArgs{from: "codex", payload: `{"type":1}`, then: []string{"notify-send", "-u", "low", `{"type":1}`}}, ""},

		{"", reportArgs{}, "usage"},
		{"busy", reportArgs{}, "no state"},
		{"--from", reportArgs{}, "needs a value"},
		{"--nope working", reportArgs{}, "unknown flag"},
		{"--from codex -- {}", reportArgs{}, "usage"},
		{"--from codex x -- y {}", reportArgs{}, "usage"},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "_", " ")
		}
		got, err := parseReport(args)
		if c.bad != "" {
			if err == nil || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%q: %v, want an error with %q", c.args, err, c.bad)
			}
			if got.then != nil {
				t.Errorf("%q: runs %q", c.args, got.then)
			}
			continue
		}
		if err != nil || got.from != c.want.from || got.state != c.want.state || got.kind != c.want.kind ||
			got.text != c.want.text || got.payload != c.want.payload || got.event != c.want.event || !slices.Equal(got.then, c.want.then) {
			t.Errorf("%q: %+v, %v, want %+v", c.args, got, err, c.want)
		}
	}
	a, err := parseReport([]string{"blocked", strings.Repeat("é", maxText)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (Message{From: a.from, State: a.state, Text: a.text}).Line(); err != nil {
		t.Errorf("a text that had to be cut: %v", err)
	}
}

// reporter runs the client in a process of its own, as an agent would.
func reporter(t *testing.T, sock string, stdin io.Reader, args ...string) (string, time.Duration) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = []string{"FWRAP_TEST_AS=reporter", "FWRAP_SOCK=" + sock, "GORACE=atexit_sleep_ms=0"}
	cmd.Stdin = stdin
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		t.Errorf("%q: %v", args, err) // a broken pipe of the writer, or a status
	}
	return string(out), took
}

// patience is what starting the test binary may take on a loaded machine,
// beside the client's own limit.
const patience = 5 * time.Second

func TestClient(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	if out, _ := reporter(t, s.Socket(), nil, "blocked", "--kind", "question", "Go on?"); out != "then [] err <nil>\n" {
		t.Errorf("plain: %s", out)
	}
	big := `{"tool":"` + strings.Repeat("x", 2<<20) + `"}`
	if out, took := reporter(t, s.Socket(), strings.NewReader(big), "--from", "claude"); out != "then [] err <nil>\n" || took > patience {
		t.Errorf("2 MB: %s after %v", out, took)
	}
	if out, _ := reporter(t, s.Socket(), nil, "--from", "codex", `{"type":"agent-turn-complete"}`); out != "then [] err <nil>\n" {
		t.Errorf("an argument: %s", out)
	}
	if out, _ := reporter(t, s.Socket(), nil, "--from", "codex", "--", "say", "-v", `{"type":"x"}`); out != `then ["say" "-v" "{\"type\":\"x\"}"] err <nil>`+"\n" {
		t.Errorf("chained: %s", out)
	}
	got := h.all()
	if len(got) != 4 {
		t.Fatalf("%d reports, want 4", len(got))
	}
	if m := got[0]; m.State != "blocked" || m.Kind != "question" || m.Text != "Go on?" || m.From != "script" {
		t.Errorf("%+v", m)
	}
	var e struct {
		Agent  string
		Length int
	}
	if err := json.Unmarshal(got[1].Event, &e); err != nil || e.Agent != "claude" || e.Length != len(big) {
		t.Errorf("%+v, %v", e, err)
	}
	if got[2].From != "codex" || got[3].From != "codex" {
		t.Errorf("%+v", got[2:])
	}
}

// Whatever is wrong, the client ends soon, has read what was written to it, and
// still names the command to run.
func TestClientNeverFails(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	mute, err := net.Listen("unix", filepath.Join(filepath.Dir(s.Socket()), "mute"))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	big := func() io.Reader { return bytes.NewReader(make([]byte, 2<<20)) }
	for _, c := range []struct {
		what, sock string
		stdin      io.Reader
		args       []string
		want       string
	}{
		{"no socket", "", big(), []string{"--from", "claude"}, "FWRAP_SOCK is not set"},
		{"socket gone", filepath.Dir(s.Socket()) + "/gone", strings.NewReader(`{}`), []string{"--from", "claude"}, "connect"},
		{"socket that does not answer", mute.Addr().String(), strings.NewReader(`{}`), []string{"--from", "claude"}, ""},
		{"plain with a payload", s.Socket(), big(), []string{"working"}, "<nil>"},
		{"no JSON", s.Socket(), big(), []string{"--from", "claude"}, "not an object"},
		{"empty", s.Socket(), nil, []string{"--from", "claude"}, "not an object"},
		{"wrong word", s.Socket(), big(), []string{"sleeping"}, "no state"},
		{"chained, no socket", "", nil, []string{"--from", "codex", "--", "say", "{}"}, `then ["say" "{}"] err FWRAP_SOCK`},
		{"chained, socket gone", "/nonexistent", nil, []string{"--from", "codex", "--", "say", "{}"}, `then ["say" "{}"]`},
	} {
		out, took := reporter(t, c.sock, c.stdin, c.args...)
		if !strings.Contains(out, c.want) || !strings.HasPrefix(out, "then ") {
			t.Errorf("%s: %s, want %q", c.what, out, c.want)
		}
		if took > patience {
			t.Errorf("%s: took %v", c.what, took)
		}
	}
	if n := len(h.all()); n != 1 {
		t.Errorf("%d reports were taken, want the plain one", n)
	}
}

// A stdin that is never closed ends with the limit.
func TestClientOpenStdin(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	for _, args := range [][]string{{"--from", "claude"}, {"idle"}} {
		c := Client{Args: args, Stdin: r, Sock: s.Socket(), Digest: firstKilobyte}
		start := time.Now()
		_, err := c.Run()
		if took := time.Since(start); took < Limit/2 || took > Limit+patience {
			t.Errorf("%q: %v, %v", args, took, err)
		}
	}
	if got := h.all(); len(got) != 1 || got[0].State != "idle" {
		t.Errorf("a plain report does not wait for stdin: %+v", got)
	}
}

// A regular file or a terminal on stdin is not the hook's to read: the loop of
// a script that reports would lose its input.
func TestClientLeavesFilesAlone(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("one\ntwo\n")
	f.Seek(0, io.SeekStart)
	c := Client{Args: []string{"working"}, Stdin: f, Sock: s.Socket()}
	if _, err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if at, _ := f.Seek(0, io.SeekCurrent); at != 0 {
		t.Errorf("%d bytes were read", at)
	}
}
