package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/testdata/ptyrun"
)

// speaker is a terminal that reads OSC 7501 itself.
type speaker struct{ ptyrun.Xterm }

const (
	ask7501    = "\x1b]7501;?\x1b\\\x1b[c" // as Claude Code 2.1.332 asks
	answer7501 = "\x1b]7501;?\x1b\\"
)

func (s speaker) Reply(q ptyrun.Query, d detect.Snapshot) []byte {
	if q == "]7501;?" {
		return []byte(answer7501)
	}
	return s.Xterm.Reply(q, d)
}

// status7501 is a report.
func status7501(pairs string) string { return "\x1b]7501;" + pairs + "\x1b\\" }

// encoded is a text as OSC 7501 carries it.
func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// states returns the states in the log, each with its kind.
func (r *rig) states() (list []string) {
	for line := range strings.Lines(r.logged()) {
		if _, rest, ok := strings.Cut(line, "msg=state state="); ok {
			f := strings.Fields(rest)
			s := f[0]
			if k := strings.TrimPrefix(f[1], "kind="); k != `""` {
				s += "/" + k
			}
			if n := len(list); n == 0 || list[n-1] != s {
				list = append(list, s)
			}
		}
	}
	return list
}

// until waits until the last state is this one.
func (r *rig) until(t *testing.T, state string) {
	t.Helper()
	r.eventually(t, state, func() bool {
		list := r.states()
		return len(list) > 0 && list[len(list)-1] == state
	})
}

// reported returns the reports in what the terminal has got.
func (r *rig) reported() (list []string) {
	for _, s := range strings.Split(string(r.Output()), "\x1b]7501;")[1:] {
		body, _, _ := strings.Cut(s, "\x1b")
		body, _, _ = strings.Cut(body, "\a")
		if body != "?" {
			list = append(list, body)
		}
	}
	return list
}

// killAgent kills the process that the puppet is.
func (r *rig) killAgent(t *testing.T) {
	t.Helper()
	pid := 0
	r.eventually(t, "a session that is registered", func() bool {
		list, _ := filepath.Glob(filepath.Join(r.dir, "run", "fwrap", "*.json"))
		for _, f := range list {
			var s struct{ Child int }
			if b, err := os.ReadFile(f); err == nil && json.Unmarshal(b, &s) == nil && s.Child > 0 {
				pid = s.Child
			}
		}
		return pid > 0
	})
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// TestAnswered: an agent that asks for OSC 7501 is answered once, whatever the
// terminal does, and the terminal sees what it would see without fwrap.
func TestAnswered(t *testing.T) {
	reports := []string{
		"state=working:app=claude-code",
		"state=blocked:kind=permission:app=claude-code:msg=" + encoded("approve Bash: make deploy"),
		"id=t1:title=" + encoded("tests") + ":state=working",
	}
	for _, tt := range []struct {
		name     string
		terminal ptyrun.Terminal
		flags    []string
		answers  int // that the agent gets
		sees     []string
	}{
		{"by a silent terminal", ptyrun.Xterm{}, nil, 1, nil},
		{"by a mute terminal", nil, nil, 1, nil},
		{"by one that speaks itself", speaker{}, nil, 1, append(slices.Clone(reports), "state=clear")},
		{"pure, by one that speaks", speaker{}, []string{"--pure"}, 1, reports},
		{"pure, by a silent terminal", ptyrun.Xterm{}, []string{"--pure"}, 0, reports},
		{"not by fwrap", speaker{}, []string{"--sources=screen"}, 1, reports},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, rigOptions{term: tt.terminal, flags: tt.flags})
			r.agent.Rests() // it is up
			r.Until("the prompt", limit, ptyrun.Shows("The website is live"))
			r.agent.Say(ask7501)
			done := func() bool {
				got := r.agent.Got()
				return strings.Count(got, "]7501;?") >= tt.answers && (tt.terminal == nil || strings.Contains(got, "\x1b[?64"))
			}
			defer func() {
				if t.Failed() {
					t.Logf("the agent got %q", r.agent.Got())
				}
			}()
			r.eventually(t, "the answers to both queries", done)
			for _, rep := range reports {
				r.agent.Say(status7501(rep))
			}
			r.agent.Say("\x1b]2;behind them\a")
			r.wrote(t, "behind them")
			if got := r.agent.Got(); strings.Count(got, "7501") != tt.answers {
				t.Errorf("the agent got %q", got)
			}
			if !slices.Contains(tt.flags, "--pure") && tt.flags == nil {
				r.until(t, "blocked/permission")
			}
			r.killAgent(t)
			if status := r.Wait(limit); status != 128+int(syscall.SIGKILL) {
				t.Errorf("status %d", status)
			}
			if got := r.reported(); !slices.Equal(got, tt.sees) {
				t.Errorf("the terminal got %q, want %q", got, tt.sees)
			}
		})
	}
}

// TestUnasked: reports of an agent that does not ask pass, as Codex's do.
func TestUnasked(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{term: ptyrun.Xterm{}})
	r.agent.Rests()
	r.agent.Say(status7501("state=working:app=codex") + status7501("state=done:app=codex"))
	r.wrote(t, status7501("state=done:app=codex"))
	r.until(t, "idle")
	r.killAgent(t)
	r.Wait(limit)
	if got := r.reported(); !slices.Equal(got, []string{"state=working:app=codex", "state=done:app=codex", "state=clear"}) {
		t.Errorf("%q", got)
	}
}

// hostile returns reports that must not be believed, all of which would make
// the agent wait for the person to sign in.
func hostile() (list []string) {
	const rec = "\x1b]7501;state=blocked:kind=auth"
	msg := encoded("FORGED")
	list = []string{
		rec + ":msg=QQ\x1b\\", rec + ":msg=" + msg + "=\x1b\\", rec + ":msg=" + encoded("two\nlines") + "\a",
		rec + ":msg=" + encoded("\x1b[31m") + "\x1b\\", rec + ":msg=" + encoded("\xff\xfe") + "\x1b\\",
		rec + ":msg=" + strings.Repeat("QUFB", 700) + "\x1b\\", rec + ":id=" + strings.Repeat("a/", 8) + "a\x1b\\",
		rec + ":id=/a\x1b\\", rec + ":id=a//b\x1b\\", rec + ":id=" + strings.Repeat("a", 33) + "\x1b\\",
		rec + ":state=\x1b\\", rec + ":state=signing-in\x1b\\", rec + ":title=" + encoded(strings.Repeat("x", 400)) + "\x1b\\",
		"\x1b]7501;kind=auth:state\x1b\\", "\x1b]7501;\x1b\\", "\x1b]7501\a", "\x1b]7501;;;;\a", "\x1b]07501x;state=blocked:kind=auth\a",
		"\x1b]75010;state=blocked:kind=auth\a", "\x1b]7501;?state=blocked:kind=auth\a",
		rec + "\x18", rec + "\x1a", rec + "\x1b[m", rec + ":x=" + strings.Repeat("y", 5000) + "\x1b\\",
		"\x1bP" + rec[1:] + "\x1b\\", "\x1b_7501;state=blocked:kind=auth\x1b\\", "7501;state=blocked:kind=auth\a",
		"\x1b]" + strings.Repeat("7501;", 3000) + "\a", "\x1b]7501;state=blocked\x1b]7501;kind=auth\a",
	}
	return list
}

// TestHostileOutput: ten thousand reports that are malformed, oversized or
// contradict each other leave a session that works and believes the last.
func TestHostileOutput(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{term: ptyrun.Xterm{}})
	r.agent.Rests()
	r.until(t, "idle")
	bad := hostile()
	var b strings.Builder
	for i := range 10000 {
		b.WriteString(bad[i%len(bad)] + "\x1b\\")
		switch i % 50 {
		case 10:
			b.WriteString(status7501(fmt.Sprintf("id=n%d:state=working", i)))
		case 20:
			b.WriteString(status7501("state=working:progress=101") + status7501("state=clear") + status7501("state=idle"))
		case 30:
			b.WriteString(status7501("state=done:state=working"))
		}
	}
	sent := time.Now()
	for _, piece := range slices.Collect(slices.Chunk([]byte(b.String()), 32<<10)) {
		r.agent.Say(string(piece))
	}
	r.agent.Say(status7501("state=clear") + status7501("state=blocked:kind=question:msg="+encoded("Which one?")) + "\x1b]2;all of it\a")
	r.wrote(t, "all of it")
	r.until(t, "blocked/question")
	t.Logf("%d bytes of reports in %v", b.Len(), time.Since(sent).Round(time.Millisecond))
	if s := r.logged(); strings.Contains(s, "auth") || strings.Contains(s, "panic") {
		t.Error("something was believed, or something broke")
	}
	r.agent.Say(status7501("state=done"))
	r.until(t, "idle")
	r.Send("x")
	r.eventually(t, "the key", func() bool { return strings.HasSuffix(r.agent.Got(), "x") })
}

// socket returns the session's report socket.
func (r *rig) socket(t *testing.T) string {
	t.Helper()
	var list []string
	r.eventually(t, "the report socket", func() bool {
		list, _ = filepath.Glob(filepath.Join(r.dir, "run", "fwrap", "*.report"))
		return len(list) == 1
	})
	return list[0]
}

// runReport runs fwrap report as an agent's hook does, and returns how long it
// took. It must be silent and succeed.
func runReport(t *testing.T, sock, stdin string, as *syscall.Credential, args ...string) time.Duration {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"report"}, args...)...)
	cmd.Env = []string{"FWRAP_TEST_SELF=1", "FWRAP_SOCK=" + sock, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	cmd.Stdin = strings.NewReader(stdin)
	if as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	}
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil || len(out) > 0 {
		t.Errorf("report %q: %v, printed %q", args, err, out)
	}
	return took
}

// hook is the payload of a hook of Claude Code's.
func hook(event string, more map[string]any) string {
	m := map[string]any{"session_id": "s", "hook_event_name": event, "prompt_id": "p"}
	for k, v := range more {
		m[k] = v
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// heard runs a hook until it is believed: where the machine has no time for it,
// a reporter gives up.
func heard(t *testing.T, r *rig, sock, payload, state string) {
	t.Helper()
	r.eventually(t, state, func() bool {
		took := runReport(t, sock, payload, nil, "--from", "claude")
		end := time.Now().Add(time.Second)
		for list := r.states(); time.Now().Before(end); list = r.states() {
			if len(list) > 0 && list[len(list)-1] == state {
				t.Logf("a hook with %d kB took %v", len(payload)>>10, took.Round(time.Millisecond))
				return true
			}
			<-time.After(5 * time.Millisecond)
		}
		return false
	})
}

// TestHostileHooks: payloads of megabytes and nonsense, reporters that hang and
// reporters of another user.
func TestHostileHooks(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigOptions{flags: []string{"--sources=hook,process", "--hooks=always"}, term: ptyrun.Xterm{}})
	sock := r.socket(t)
	heard(t, r, sock, hook("SessionStart", map[string]any{"source": "startup"}), "idle")
	heard(t, r, sock, hook("UserPromptSubmit", map[string]any{"prompt": strings.Repeat("x", 2<<20)}), "working")
	big := map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "make deploy",
		"extra": strings.Repeat(`"\`, 1<<17) + strings.Repeat("x", 1<<20)}}
	heard(t, r, sock, hook("PermissionRequest", big), "blocked/permission")
	states := r.states()

	auth := `,"hook_event_name":"Stop","session_id":"s","prompt_id":"p"`
	for _, payload := range []string{
		"", "{", "null", "[]", `"x"`, "{}" + auth, `{"a":1` + auth, `{"a":1` + auth + "}{", strings.Repeat("[", 1<<20),
		`{"x":"` + strings.Repeat("y", 2<<20), "\xff\xfe\x00", `{"hook_event_name":7,"session_id":"s"}`,
		strings.Replace(hook("Stop", nil), `"s"`, `"another"`, 1), // of another session
		strings.Replace(hook("Stop", nil), `"p"`, `"before"`, 1),  // of an older turn
		hook("Stop", map[string]any{"agent_id": "a1", "agent_type": "x"}),
		hook("SubagentStop", map[string]any{"agent_id": "a9"}),
		hook("Invented", nil), hook("Notification", map[string]any{"notification_type": "auth_success"}),
	} {
		runReport(t, sock, payload, nil, "--from", "claude")
	}
	for _, args := range [][]string{{"sleeping"}, {"--from", "somebody"}, {"--kind", "FORGED", "blocked"}, {"--nonsense"}, {}} {
		cmd := exec.Command(os.Args[0], append([]string{"report"}, args...)...)
		cmd.Env = []string{"FWRAP_TEST_SELF=1", "FWRAP_SOCK=" + sock}
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("report %q: %v, %s", args, err, out)
		}
	}

	// Lines that no reporter of fwrap's would send, and connections that do nothing.
	for _, line := range []string{
		"", "{}\n", "\x00\x00\n", strings.Repeat("x", 200<<10) + "\n", `{"v":2,"from":"claude","state":"idle"}` + "\n",
		`{"v":1,"from":"../x","state":"idle"}` + "\n", `{"v":1,"from":"claude","event":{"event":"Stop","session":"s","prompt":"` + strings.Repeat("p", 4000) + `"}}` + "\n",
		`{"v":1,"from":"x","state":"idle","event":{}}` + "\n",
	} {
		c, err := net.Dial("unix", sock)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close() // some wait for an end that does not come
		c.SetWriteDeadline(time.Now().Add(limit))
		c.Write([]byte(line))
	}
	for range 100 {
		if c, err := net.Dial("unix", sock); err == nil {
			defer c.Close()
		}
	}
	if os.Geteuid() == 0 {
		// Whoever may reach the socket is still asked who they are.
		for _, dir := range []string{filepath.Dir(sock), filepath.Dir(filepath.Dir(sock)), r.dir, filepath.Dir(r.dir)} {
			os.Chmod(dir, 0o755)
		}
		os.Chmod(sock, 0o666)
		copyOfSelf := filepath.Join(r.dir, "fwrap-copy")
		b, err := os.ReadFile(os.Args[0])
		if err != nil || os.WriteFile(copyOfSelf, b, 0o755) != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(copyOfSelf, "report", "idle")
		cmd.Env = []string{"FWRAP_TEST_SELF=1", "FWRAP_SOCK=" + sock}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("as another user: %v, %s", err, out)
		}
	}
	// All of that comes before this one, and none of it counts.
	heard(t, r, sock, hook("PostToolUse", big), "working")
	if got := r.states(); !slices.Equal(got, append(states, "working")) {
		t.Errorf("the states were %q, want %q and then working", got, states)
	}
	if s := r.logged(); strings.Contains(s, "panic") {
		t.Error("something broke")
	}
	r.Send("x")
	r.eventually(t, "the key", func() bool { return strings.HasSuffix(r.agent.Got(), "x") })
}

// TestReportLimit: what runs as an agent's hook gives up soon, silently, where
// nobody answers.
func TestReportLimit(t *testing.T) {
	dir, err := os.MkdirTemp("", "rig")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	mute, err := net.Listen("unix", filepath.Join(dir, "mute"))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	payload := hook("PostToolUse", map[string]any{"tool_name": "Bash", "tool_response": strings.Repeat("x", 2<<20)})
	// A process that does nothing is what starting one costs here and now.
	bare := quickest(func() time.Duration { return timed(t, exec.Command(os.Args[0], "report", "--help")) })
	for _, tt := range []struct{ name, sock string }{
		{"a socket that does not answer", mute.Addr().String()},
		{"no socket", ""},
		{"a socket that is gone", filepath.Join(dir, "gone")},
	} {
		took := quickest(func() time.Duration { return runReport(t, tt.sock, payload, nil, "--from", "claude") })
		t.Logf("%s: %v, of which %v for the process", tt.name, took.Round(time.Millisecond), bare.Round(time.Millisecond))
		if took-bare > 350*time.Millisecond {
			t.Errorf("%s: %v, and a process that does nothing takes %v", tt.name, took, bare)
		}
	}
}

// quickest is the least of five.
func quickest(run func() time.Duration) time.Duration {
	least := run()
	for range 4 {
		least = min(least, run())
	}
	return least
}

func timed(t *testing.T, cmd *exec.Cmd) time.Duration {
	t.Helper()
	cmd.Env = []string{"FWRAP_TEST_SELF=1", "GORACE=atexit_sleep_ms=0"}
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return time.Since(began)
}

// TestReportToState measures the time from a report's last byte to the state,
// for reports in the output and for those of hooks.
func TestReportToState(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags []string
		say   func(r *rig, sock net.Conn, working bool)
	}{
		{"OSC 7501", nil, func(r *rig, _ net.Conn, working bool) {
			state := "done"
			if working {
				state = "working"
			}
			r.agent.Say(status7501("state=" + state))
		}},
		{"hook", []string{"--sources=hook,process", "--hooks=always"}, func(_ *rig, c net.Conn, working bool) {
			state := "idle"
			if working {
				state = "working"
			}
			fmt.Fprintf(c, "{\"v\":1,\"from\":\"script\",\"state\":%q}\n", state)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, rigOptions{term: ptyrun.Xterm{}, flags: tt.flags})
			var conn net.Conn
			if tt.name == "hook" {
				var err error
				if conn, err = net.Dial("unix", r.socket(t)); err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
			}
			r.agent.Rests()
			r.Until("the prompt", limit, ptyrun.Shows("The website is live"))
			var took []time.Duration
			for i := range 61 {
				want := []string{"working", "idle"}[i%2]
				n := bytes.Count([]byte(r.logged()), []byte("msg=state"))
				began := time.Now()
				tt.say(r, conn, i%2 == 0)
				var at time.Time
				r.eventually(t, want, func() bool {
					lines := strings.Split(r.logged(), "\n")
					for _, l := range lines {
						if strings.Contains(l, "msg=state") {
							if n--; n < 0 && strings.Contains(l, "state="+want) {
								at, _ = time.Parse(time.RFC3339Nano, strings.TrimPrefix(strings.Fields(l)[0], "time="))
								return true
							}
						}
					}
					n = max(0, bytes.Count([]byte(r.logged()), []byte("msg=state"))-1)
					return false
				})
				if i > 0 { // the first compiles the rules
					took = append(took, max(0, at.Sub(began))+time.Millisecond) // the log cuts to milliseconds
				}
			}
			slices.Sort(took)
			median := took[len(took)/2]
			t.Logf("from the report's last byte to the state: median %v, 90%% %v, most %v", median, took[len(took)*9/10], took[len(took)-1])
			if median >= 50*time.Millisecond {
				t.Errorf("median %v, want under 50 ms", median)
			}
		})
	}
}

// TestNotSpokenFor: an agent that has asked whether it can report is not reported
// for, although its first report comes later than the terminal's answer.
func TestNotSpokenFor(t *testing.T) {
	for _, asks := range []bool{true, false} {
		var sent []string
		g := &statusGate{
			answer: func([]byte) bool { return true }, await: func() {},
			inject: func(seq []byte) bool { sent = append(sent, string(seq)); return true },
		}
		g.helps.Store(asks)
		if asks {
			g.output([]byte("?"))
		}
		g.reply([]byte("?"))
		g.emit([]byte(status7501("state=done")))
		if got := len(sent) > 0; got == asks {
			t.Errorf("asks %v: sent %q", asks, sent)
		}
	}
}

// TestAskedAtOnce: the first that a command writes may be its query.
func TestAskedAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "claude")
	// The dd is there before the query: it reads as soon as there is something.
	if err := os.WriteFile(script, []byte(`#!/bin/sh
printf '\033]7501;?\033\\\033[c'
stty raw -echo
dd bs=1 count=11 2>/dev/null | od -An -c
`), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		p := ptyrun.Start(t, ptyrun.Options{Dir: dir, Cols: 80, Rows: 24, Terminal: ptyrun.Xterm{},
			Env: rigEnv(dir, "DBUS_SESSION_BUS_ADDRESS=")}, os.Args[0], script)
		if status := p.Wait(limit); status != 0 {
			t.Fatalf("status %d", status)
		}
		if out := string(p.Output()); !strings.Contains(out, "7   5   0   1   ;   ?") {
			t.Fatalf("not answered: %q", out)
		}
	}
}
