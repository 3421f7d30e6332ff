package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"fwrap/testdata/ptyrun"
)

// shellRig is a wrapped shell in which agents are started by their names. They
// are scripts that show one file after the other, as a test tells them.
type shellRig struct {
	*ptyrun.Program
	t    *testing.T
	dir  string
	fifo *os.File
	n    int
}

// shellAgent is such a script. It runs its cat as a child, so that the process
// keeps its name.
const shellAgent = `#!/bin/sh
while IFS= read -r f; do
	[ "$f" != quit ] || exit 0
	cat "$f"
done <"$STRINGS"
`

func newShellRig(t *testing.T, env ...string) *shellRig {
	t.Helper()
	r := &shellRig{t: t, dir: t.TempDir()}
	bin := filepath.Join(r.dir, "bin")
	for _, dir := range []string{bin, filepath.Join(r.dir, "run")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"claude", "codex"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(shellAgent), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(os.Args[0], filepath.Join(bin, "fwrap")); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(r.dir, "strings")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.fifo, err = os.OpenFile(fifo, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.fifo.Close()
		if t.Failed() {
			t.Logf("fwrap's log:\n%s", r.logged())
		}
	})
	e := rigEnv(r.dir, append([]string{"PS1=$ ", "SHELL=/bin/bash", "STRINGS=" + fifo, "DBUS_SESSION_BUS_ADDRESS="}, env...)...)
	e[0] = "PATH=" + bin + ":" + os.Getenv("PATH")
	r.Program = ptyrun.Start(t, ptyrun.Options{Dir: r.dir, Env: e, Cols: 100, Rows: 30},
		os.Args[0], "bash", "--norc", "--noprofile", "-i")
	r.Until("the shell's prompt", limit, ptyrun.Matches(`^\$ *$`))
	return r
}

func (r *shellRig) logged() string {
	b, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	return string(b)
}

// says returns the agents that came and the states in the log.
func (r *shellRig) says() (list []string) {
	for line := range strings.Lines(r.logged()) {
		if _, name, ok := strings.Cut(line, "msg=agent name="); ok {
			list = append(list, strings.TrimSpace(name))
		}
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

// until waits until what the log says ends so.
func (r *shellRig) until(want ...string) {
	r.t.Helper()
	end := strings.Join(want, ", ")
	eventually(r.t, limit, fmt.Sprintf("%q in %q", end, r.says()), func() bool {
		return strings.HasSuffix(strings.Join(r.says(), ", "), end)
	}, r.Describe)
}

// file writes a file for an agent, or for cat, and returns its name.
func (r *shellRig) file(text string) string {
	r.t.Helper()
	r.n++
	name := filepath.Join(r.dir, fmt.Sprintf("screen%d", r.n))
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return name
}

// tell has the agent show a text.
func (r *shellRig) tell(text string) {
	r.t.Helper()
	fmt.Fprintln(r.fifo, r.file(text))
}

func (r *shellRig) quit() { fmt.Fprintln(r.fifo, "quit") }

// line enters a line into the shell and waits for a mark that it prints.
func (r *shellRig) line(s string) {
	r.t.Helper()
	r.n++
	r.Send(fmt.Sprintf("%s; echo mark''%d\r", s, r.n))
	r.Until("the shell's next prompt", limit, ptyrun.Matches(fmt.Sprintf(`^mark%d$`, r.n)))
}

const shellRule = "────────────────────────────────────────────────────────────"

// screens of Claude Code, on the main screen.
var (
	shellRests = strings.ReplaceAll("\x1b[2J\x1b[H\n● The website is live.\n\n"+shellRule+"\n❯ \n"+shellRule+"\n  ? for shortcuts\n", "\n", "\r\n")
	shellAsks  = strings.ReplaceAll("\x1b[2J\x1b[H❯ deploy the website\n\n"+shellRule+"\n Bash command\n\n   make deploy\n   Publish it\n\n"+
		" Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend\n", "\n", "\r\n")
)

// TestAgentInShell: agents in a wrapped shell have states, one after the other,
// and nothing that looks like one has.
func TestAgentInShell(t *testing.T) {
	t.Parallel()
	r := newShellRig(t)
	r.line("echo $FWRAP_TTY$FWRAP_SOCK.")
	r.Until("no variables of fwrap's", limit, ptyrun.Matches(`^\.$`))

	// A recording of a screen and one with reports, shown to nobody in particular.
	screen := r.file(shellAsks)
	reports := r.file(status7501("state=blocked:kind=permission:app=claude-code") + status7501("state=working") + shellAsks)
	r.line("cat " + screen + " " + reports)
	if says := r.says(); len(says) != 0 {
		t.Errorf("before an agent: %q", says)
	}
	if strings.Contains(string(r.Output()), "\x1b[22;0t") {
		t.Error("the title is touched before an agent has come")
	}

	r.Send("claude\r")
	r.tell(shellRests)
	r.until("claude", "idle")
	r.tell(shellAsks)
	r.until("idle", "blocked/permission")
	r.quit() // with its dialog still on the screen
	r.until("blocked/permission", "none")
	n := len(r.says())
	for _, l := range []string{"echo hello", "cat " + screen, "cat " + reports, "sleep 1", "cat " + screen} {
		r.line(l)
	}
	if says := r.says(); len(says) != n {
		t.Errorf("after the agent: %q", says[n:])
	}

	r.Send("codex\r")
	r.tell(status7501("state=working:app=codex") + "\r\n• Working\r\n")
	r.until("codex", "working")
	r.tell(status7501("state=blocked:kind=question:app=codex"))
	r.until("working", "blocked/question")
	r.tell(status7501("state=done:app=codex"))
	r.until("blocked/question", "idle")
	r.quit()
	r.until("idle", "none")

	// Another of the first, to which the second's word means nothing.
	r.Send("claude\r")
	r.tell(shellRests)
	r.until("claude", "idle")
	r.quit()
	r.until("idle", "none")

	r.line("true")
	titles := func() (push, pop int) {
		out := string(r.Output())
		return strings.Count(out, "\x1b[22;0t"), strings.Count(out, "\x1b[23;0t")
	}
	eventually(t, limit, "title given back for the third agent", func() bool { _, pop := titles(); return pop >= 3 }, r.Describe)
	if push, pop := titles(); push != 3 || pop != 3 {
		t.Errorf("the title was remembered %d times and given back %d times for three agents", push, pop)
	}
	r.Send("exit 7\r")
	if status := r.Wait(limit); status != 7 {
		t.Errorf("status %d", status)
	}
}

// TestNested: fwrap in a shell that is wrapped already steps aside, and in a
// terminal that was opened in there it does not.
func TestNested(t *testing.T) {
	t.Parallel()
	r := newShellRig(t)
	r.Send("fwrap claude\r")
	r.tell(shellRests)
	r.until("claude", "idle")
	r.tell("\x1b]2;my title\a" + shellAsks)
	r.until("idle", "blocked/permission")
	r.quit()
	r.until("none")
	if got := strings.Join(r.says(), ", "); got != "claude, idle, blocked/permission, none" {
		t.Errorf("%q", got)
	}
	if n := strings.Count(string(r.Output()), "\x1b[22;0t"); n != 1 {
		t.Errorf("the title was remembered %d times", n)
	}
	if list, _ := os.ReadDir(filepath.Join(r.dir, "run", "fwrap")); len(list) > 3 {
		t.Errorf("%d entries in the directory of sessions", len(list))
	}
	// script(1) opens a terminal of its own.
	script := "script -qec 'fwrap codex' /dev/null"
	if runtime.GOOS == "darwin" {
		script = "script -q /dev/null fwrap codex"
	}
	r.Send(script + "\r")
	r.tell(status7501("state=working:app=codex"))
	r.until("codex", "working")
	r.quit()
	r.until("none")
}
