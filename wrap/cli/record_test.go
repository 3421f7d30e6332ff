package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fwrap/detect/cast"
	"fwrap/testdata/ptyrun"
)

// limit is for anything that a program under test does by itself.
const limit = 30 * time.Second

// mineRules are the rules of an agent "mine", which agentScript plays.
const mineRules = `
commands = ["mine"]
[[rules]]
id = "ask"
state = "blocked"
kind = "permission"
any = ['Shall I\?']
not = ['So be it']
[[rules]]
id = "busy"
state = "working"
any = ['Working…']
not = ['Shall I\?', 'So be it']
`

// agentScript works, asks, and ends by itself or, with "die", by a signal.
const agentScript = `#!/bin/sh
echo 'Working…'
read go
echo 'Shall I?'
stty -echo
read answer
stty echo
echo 'So be it'
read go
[ "$1" != die ] || kill -KILL $$
exit 3
`

// desk is a person's home with an agent "mine" in PATH.
type desk struct {
	dir, bin string
	env      []string
}

func newDesk(t *testing.T, rules string) *desk {
	t.Helper()
	d := &desk{dir: t.TempDir()}
	d.bin = filepath.Join(d.dir, "bin")
	for name, text := range map[string]string{
		"bin/mine":                         agentScript,
		"config/fwrap/manifests/mine.toml": rules,
	} {
		file := filepath.Join(d.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d.env = []string{
		"PATH=" + d.bin + ":" + os.Getenv("PATH"), "HOME=" + d.dir, "TERM=xterm-256color", "LANG=C.UTF-8",
		"XDG_CONFIG_HOME=" + filepath.Join(d.dir, "config"), "XDG_RUNTIME_DIR=" + filepath.Join(d.dir, "run"),
		"FWRAP_NOTIFY=off", "FWRAP_LOG=" + d.log(), "FWRAP_TEST_SELF=1",
	}
	return d
}

func (d *desk) log() string { return filepath.Join(d.dir, "log") }

// start runs fwrap, which this test binary is, on a terminal.
func (d *desk) start(t *testing.T, args ...string) *ptyrun.Program {
	t.Helper()
	return d.startSize(t, 80, 24, args...)
}

func (d *desk) startSize(t *testing.T, cols, rows int, args ...string) *ptyrun.Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return ptyrun.Start(t, ptyrun.Options{Dir: d.dir, Env: d.env, Cols: cols, Rows: rows}, append([]string{self}, args...)...)
}

// run runs fwrap without a terminal.
func (d *desk) run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	b, _ := cmd.CombinedOutput()
	return string(b), cmd.ProcessState.ExitCode()
}

// TestRecordSession records a session that ends by itself, and one whose agent
// is killed: the recording is whole, has the states and the sizes, is replayed
// by explain with no flag, and holds nothing that was typed.
func TestRecordSession(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		status int
		typed  bool
	}{
		{"verb", []string{"record", "s.cast", "mine"}, 3, false},
		{"flag, killed", []string{"--record", "s.cast", "mine", "die"}, 128 + int(syscall.SIGKILL), false},
		{"with input", []string{"record", "--record-input", "s.cast", "--", "mine"}, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, mineRules)
			p := d.start(t, c.args...)
			p.Until("work", limit, ptyrun.Title("⏳"))
			p.Send("\r")
			// A replay looks at the screen at its own pace: nobody answers at once.
			p.Held("question", time.Second, limit, ptyrun.Title("🔐"))
			p.Resize(90, 30)
			p.Send("sesame\r")
			p.Until("end", limit, ptyrun.All(ptyrun.Shows("So be it"), ptyrun.Title("💤")))
			p.Send("\r")
			if got := p.Wait(limit); got != c.status {
				t.Errorf("status %d, want %d\n%s", got, c.status, p.Describe())
			}
			file := filepath.Join(d.dir, "s.cast")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("the file is %v, %v", fi.Mode(), err)
			}
			h, list := events(t, data)
			if h.Width != 80 || h.Height != 24 || h.Env[agentEnv] != "mine" || h.Command != "mine" {
				t.Errorf("header %+v", h)
			}
			var marks []string
			sizes, input := "", ""
			for _, e := range list {
				switch e.Code {
				case cast.Marker:
					marks = append(marks, strings.TrimPrefix(e.Data, markPrefix))
				case cast.Resize:
					sizes += e.Data
				case cast.Input:
					input += e.Data
				}
			}
			all := strings.Join(marks, "; ")
			if !strings.Contains(all, "working, by mine/busy; blocked permission, by mine/ask; idle") {
				t.Errorf("the markers are %s", all)
			}
			if sizes != "90x30" {
				t.Errorf("the sizes are %q", sizes)
			}
			if want := map[bool]string{true: "\rsesame\r\r"}[c.typed]; input != want {
				t.Errorf("the input is %q, want %q", input, want)
			}
			if strings.Contains(string(data), "sesame") != c.typed {
				t.Errorf("what was typed: recorded %v, want %v", !c.typed, c.typed)
			}
			out, code := d.run(t, "explain", "s.cast")
			if code != 0 || !strings.Contains(out, "blocked (permission)  mine/ask") {
				t.Errorf("explain: status %d\n%s", code, out)
			}
			if out, code := d.run(t, "record", "s.cast", "mine"); code != exitOwn || !strings.Contains(out, "hint: ") {
				t.Errorf("without a terminal: status %d\n%s", code, out)
			}
			if p := d.start(t, "record", "s.cast", "mine"); p.Wait(limit) != exitOwn || !strings.Contains(ptyrun.Text(p.Screen()), "overwrites no file") {
				t.Errorf("a second time\n%s", p.Describe())
			}
		})
	}
}

// TestRecordKilled kills fwrap itself in the middle of a flood: what is in the
// file by then is whole lines.
func TestRecordKilled(t *testing.T) {
	t.Parallel()
	d := newDesk(t, mineRules)
	p := d.start(t, "record", "s.cast", "sh", "-c", "while :; do echo 'a line of the flood ✳'; done")
	p.Until("flood", limit, ptyrun.Shows("a line"))
	file := filepath.Join(d.dir, "s.cast")
	for end := time.Now().Add(limit); ; <-time.After(10 * time.Millisecond) {
		if fi, err := os.Stat(file); err == nil && fi.Size() > 100<<10 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the recording does not grow")
		}
	}
	if err := syscall.Kill(p.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.Wait(limit)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, list := events(t, data); len(list) == 0 || data[len(data)-1] != '\n' {
		t.Errorf("%d events, the end is %q", len(list), data[max(0, len(data)-50):])
	}
}

// TestRecordUnknown records a command that no rules know: as it is, no states.
func TestRecordUnknown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, mineRules)
	p := d.start(t, "record", "s.cast", "sh", "-c", "echo hello; exit 5")
	if got := p.Wait(limit); got != 5 {
		t.Errorf("status %d\n%s", got, p.Describe())
	}
	data, err := os.ReadFile(filepath.Join(d.dir, "s.cast"))
	if err != nil {
		t.Fatal(err)
	}
	h, list := events(t, data)
	if h.Env[agentEnv] != "" || strings.Contains(string(data), "exit 5") || len(list) == 0 {
		t.Errorf("%s", data)
	}
	for _, e := range list {
		if e.Code != cast.Output {
			t.Errorf("%c %q", e.Code, e.Data)
		}
	}
	if p := d.start(t, "record", "t.cast", "no-such-program"); p.Wait(limit) != exitNotFound {
		t.Errorf("%s", p.Describe())
	}
	if _, err := os.Stat(filepath.Join(d.dir, "t.cast")); err == nil {
		t.Error("a command that is not there left a recording")
	}
}

// TestRecordShell records a shell in which an agent is started later: its
// recording says by a marker whose rules apply.
func TestRecordShell(t *testing.T) {
	t.Parallel()
	d := newDesk(t, mineRules)
	p := d.start(t, "record", "s.cast", "sh", "-i")
	p.Send("mine\r")
	p.Until("work", limit, ptyrun.Title("⏳"))
	p.Send("\r")
	p.Held("question", time.Second, limit, ptyrun.Title("🔐"))
	p.Send("yes\r")
	p.Until("end", limit, ptyrun.Shows("So be it"))
	p.Send("\r")
	p.Send("exit 4\r")
	if got := p.Wait(limit); got != 4 {
		t.Errorf("status %d\n%s", got, p.Describe())
	}
	if out, code := d.run(t, "explain", "s.cast"); code != 0 || !strings.Contains(out, "fwrap: agent mine") || !strings.Contains(out, "mine/ask") {
		t.Errorf("explain: status %d\n%s", code, out)
	}
}

// TestRecordNested: inside of another fwrap there is nothing to record.
func TestRecordNested(t *testing.T) {
	t.Parallel()
	d := newDesk(t, mineRules)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := d.start(t, "--agent", "mine", "sh", "-c", strconv.Quote(self)+" record s.cast mine")
	if got := p.Wait(limit); got != exitOwn || !strings.Contains(ptyrun.Text(p.Screen()), "another fwrap") {
		t.Errorf("status %d\n%s", got, p.Describe())
	}
}
