package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/detect"
	"fwrap/testdata/notifyspy"
	"fwrap/testdata/ptyrun"
)

// answering is a terminal that answers doctor's queries, each as given.
type answering map[ptyrun.Query]string

func (t answering) Reply(q ptyrun.Query, _ detect.Snapshot) []byte { return []byte(t[q]) }

const da1 = "\x1b[?62;c"

var (
	modern = answering{"[>q": "\x1bP>|kitty(0.46.0)\x1b\\", "[?1004$p": "\x1b[?1004;2$y", "]7501;?": "\x1b]7501;?\x1b\\", "[c": da1}
	plain  = answering{"[c": da1}
)

func TestReadAnswers(t *testing.T) {
	for _, tt := range []struct {
		name, got string
		want      terminalAnswer
	}{
		{"all", "\x1bP>|kitty(0.46.0)\x1b\\\x1b[?1004;2$y\x1b]7501;?\x1b\\" + da1, terminalAnswer{true, "kitty(0.46.0)", "yes", "yes"}},
		{"no more than it must", da1, terminalAnswer{true, "", "unknown", "no"}},
		{"a mode that it does not know", "\x1b[?1004;0$y" + da1, terminalAnswer{true, "", "no", "no"}},
		{"a mode that is off for good", "\x1b[?1004;4$y" + da1, terminalAnswer{true, "", "no", "no"}},
		{"not all yet", "\x1bP>|foot(1.13)\x1b\\\x1b[?1004", terminalAnswer{false, "foot(1.13)", "unknown", "unknown"}},
		{"keys between", "x\x1b[A\x1bP>|foot\x1b\\y" + da1, terminalAnswer{true, "foot", "unknown", "no"}},
		{"a name that would do something", "\x1bP>|\x07\x1b\\" + da1, terminalAnswer{true, `\x07`, "unknown", "no"}},
		{"nothing", "", terminalAnswer{false, "", "unknown", "unknown"}},
	} {
		if got := readAnswers([]byte(tt.got)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// doctorOn runs doctor between two looks at the terminal's modes.
func doctorOn(t *testing.T, term ptyrun.Terminal, bus notifyspy.Mode, args string, env ...string) *ptyrun.Program {
	t.Helper()
	dir, err := os.MkdirTemp("", "doctor")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b, err := notifyspy.Start(dir, notifyspy.Options{Mode: bus})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := `before=$(stty -g); "$0" doctor ` + args + `; echo "exit $?"; [ "$before" = "$(stty -g)" ] && echo same modes`
	return ptyrun.Start(t, ptyrun.Options{Cols: 140, Rows: 100, Terminal: term,
		Env: rigEnv(dir, append([]string{"DBUS_SESSION_BUS_ADDRESS=" + b.Address()}, env...)...)},
		"sh", "-c", script, os.Args[0])
}

// TestDoctorAsksTheTerminal: it asks, waits no longer than it must, and leaves
// the modes as they were.
func TestDoctorAsksTheTerminal(t *testing.T) {
	for _, tt := range []struct {
		name string
		term ptyrun.Terminal
		bus  notifyspy.Mode
		env  []string
		want []string
	}{
		{"modern", modern, notifyspy.OK, nil, []string{
			`^  answers as +kitty\(0\.46\.0\)$`, `^  reports focus +yes$`, `^  reads OSC 7501 +yes$`,
			`^  desktop +yes +chosen +local desktop; notifyspy 1$`, `^Nothing is wrong\.$`, `^exit 0$`}},
		{"plain", plain, notifyspy.Absent, nil, []string{
			`^  answers as +no name$`, `^  reports focus +unknown$`, `^  reads OSC 7501 +no$`,
			`^  desktop +no +chosen .*nobody on the session bus shows notifications`, `^Note: .*so they go through the terminal`, `^exit 0$`}},
		{"silent", nil, notifyspy.Hang, nil, []string{`^  asked +no: it does not answer within 1.5s$`, `^exit 0$`}},
		{"over ssh, where only the terminal itself says what it is", modern, notifyspy.OK, []string{"SSH_TTY=/dev/pts/9"}, []string{
			`^  reached by +ssh$`, `^  bell +yes +chosen`, `^Wrong: the terminal is kitty, which its environment does not tell`,
			`set channel = "osc99" in \[notify\]`, `^exit 1$`}},
		{"dumb", modern, notifyspy.OK, []string{"TERM=dumb"}, []string{`^  asked +no: TERM=dumb$`, `^exit 0$`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := doctorOn(t, tt.term, tt.bus, "", tt.env...)
			p.Until("end", limit, ptyrun.Shows("same modes"))
			for _, want := range tt.want {
				if !ptyrun.Matches(want)(p.Screen()) {
					t.Errorf("no %q\n%s", want, p.Describe())
				}
			}
		})
	}
}

// TestDoctorSend: each channel that can work is tried, the person is asked, and
// what was shown is taken away again.
func TestDoctorSend(t *testing.T) {
	t.Parallel()
	p := doctorOn(t, modern, notifyspy.OK, "--send --delay 0s")
	for _, c := range []struct{ name, answer string }{
		{"desktop", "n"}, {"osc99", "n"}, {"osc777", "y"}, {"osc9", "n"}, {"bell", "y"},
	} {
		p.Until("question about "+c.name, limit, ptyrun.Matches(c.name+` +in 0s … did you see or hear it\? \[y/n\]`))
		p.Send(c.answer + "\r")
	}
	p.Until("end", limit, ptyrun.Shows("same modes"))
	out := string(p.Output())
	for _, want := range []string{"\x1b]99;", "\x1b]777;notify;", "\x1b]9;", "\a", `channel = "osc777"`, "exit 0"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q\n%s", want, p.Describe())
		}
	}
	q := doctorOn(t, modern, notifyspy.Absent, "--send --delay 0s")
	q.Until("question", limit, ptyrun.Shows("[y/n]"))
	q.Send("n\r")
	for range 3 {
		q.Send("n\r")
	}
	q.Until("end", limit, ptyrun.All(ptyrun.Shows("same modes"), ptyrun.Shows("exit 1")))
}

// TestDoctorInTmux: what is wrong with tmux is said with the line that helps.
func TestDoctorInTmux(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "findings")
	env := rigEnv(dir, "TERM=xterm-kitty", "SSH_CONNECTION=1.2.3.4 5 6.7.8.9 22", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
	p := ptyrun.Start(t, ptyrun.Options{Dir: dir, Cols: 100, Rows: 30, Env: env}, s.args("new", "-s", "s", "sh")...)
	p.Until("shell", limit, ptyrun.Shows("[s]"))
	examine := func() checkup {
		t.Helper()
		os.Remove(file)
		p.Send("'" + os.Args[0] + "' doctor --json > '" + file + ".new'; mv '" + file + ".new' '" + file + "'\r")
		var c checkup
		eventually(t, limit, "findings", func() bool {
			b, err := os.ReadFile(file)
			return err == nil && json.Unmarshal(b, &c) == nil
		}, p.Describe)
		return c
	}
	s.run("set", "-g", "allow-passthrough", "off")
	c := examine()
	if c.OK || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Hint, "~/.tmux.conf: set -g allow-passthrough o") &&
		!strings.Contains(c.Problems[0].Hint, "~/.tmux.conf: set -g allow-passthrough all") {
		t.Errorf("problems %+v", c.Problems)
	}
	if c.Tmux == nil || c.Tmux.Passthrough != "off" || c.Tmux.Term != "xterm-kitty" || c.Terminal.Mux != "tmux" || !c.Terminal.SSH {
		t.Errorf("tmux %+v, terminal %+v", c.Tmux, c.Terminal)
	}
	s.run("set", "-g", "allow-passthrough", "on")
	c = examine()
	for _, w := range c.Channels {
		if (w.Rank == 1) != (w.Channel == "osc99") {
			t.Errorf("%+v", w)
		}
	}
	if !c.OK && !strings.Contains(c.Problems[0].What, "only from the window that is shown") {
		t.Errorf("problems %+v", c.Problems)
	}
}
