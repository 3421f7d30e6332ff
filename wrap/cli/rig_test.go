package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fwrap/testdata/notifyspy"
	"fwrap/testdata/ptyrun"
	"fwrap/testdata/puppet"
)

// rig is fwrap around a puppet on a terminal, with a session bus of its own.
type rig struct {
	*ptyrun.Program
	agent *puppet.Agent
	bus   *notifyspy.Bus
	dir   string
}

// rigOptions say what is special about a rig.
type rigOptions struct {
	env    []string
	flags  []string
	config string // config.toml
	mode   notifyspy.Mode
	term   ptyrun.Terminal
	// wrap gives the command line that is started; nil: fwrap's own.
	wrap func(argv []string) []string
}

// rigEnv is an environment in which nothing of the machine's is known.
func rigEnv(dir string, more ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
		"TERM=xterm-256color", "LANG=C.UTF-8", "FWRAP_TEST_SELF=1", "FWRAP_LOG=" + filepath.Join(dir, "log"),
	}
	return append(env, more...)
}

func newRig(t *testing.T, o rigOptions) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{dir: dir, agent: puppet.New(t)}
	var err error
	// A socket's path must be short, and a test's own directory is not.
	short, err := os.MkdirTemp("", "rig")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	if r.bus, err = notifyspy.Start(short, notifyspy.Options{Mode: o.mode}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.bus.Close)
	if o.config != "" {
		if err := os.MkdirAll(filepath.Join(dir, "fwrap"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "fwrap", "config.toml"), []byte(o.config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			b, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Logf("fwrap's log:\n%s", b)
		}
	})
	argv := append([]string{os.Args[0]}, o.flags...)
	argv = append(argv, "--agent", "claude", r.agent.Path)
	if o.wrap != nil {
		argv = o.wrap(argv)
	}
	env := rigEnv(dir, append([]string{"DBUS_SESSION_BUS_ADDRESS=" + r.bus.Address()}, o.env...)...)
	r.Program = ptyrun.Start(t, ptyrun.Options{Dir: dir, Env: env, Cols: 100, Rows: 30, Terminal: o.term}, argv...)
	return r
}

// notices returns what was shown on the desktop, in order.
func (r *rig) notices() []notifyspy.Call {
	var list []notifyspy.Call
	for _, c := range r.bus.Calls() {
		if c.Method == "Notify" {
			list = append(list, c)
		}
	}
	return list
}

// desktop waits until n notices have been shown.
func (r *rig) desktop(t *testing.T, n int) []notifyspy.Call {
	t.Helper()
	if !r.bus.Wait(limit, func() bool { return len(r.notices()) >= n }) {
		t.Fatalf("%d notices on the desktop, want %d\n%s", len(r.notices()), n, r.Describe())
	}
	return r.notices()
}

// wrote waits until the terminal has got s.
func (r *rig) wrote(t *testing.T, s string) {
	t.Helper()
	r.eventually(t, "output with "+s, func() bool { return strings.Contains(string(r.Output()), s) })
}

// eventually waits until a condition holds.
func (r *rig) eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	eventually(t, limit, what, ok, func() string { return r.Describe() })
}

func eventually(t *testing.T, limit time.Duration, what string, ok func() bool, describe func() string) {
	t.Helper()
	end := time.Now().Add(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("no %s within %v\n%s", what, limit, describe())
		}
		<-tick.C
	}
}

// logged returns what fwrap has logged.
func (r *rig) logged() string {
	b, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	return string(b)
}

// entries counts what is in the directory of sessions.
func (r *rig) entries() int {
	list, _ := os.ReadDir(filepath.Join(r.dir, "run", "fwrap"))
	return len(list)
}
