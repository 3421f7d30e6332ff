//go:build realterminal

package realterminal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fwrap/testdata/notifyspy"
	"fwrap/testdata/puppet"
)

// limit is how long a test waits: kitty draws by software here.
const limit = 30 * time.Second

var fwrapBin string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fwrap-bin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	fwrapBin = filepath.Join(dir, "fwrap")
	if out, err := exec.Command("go", "build", "-o", fwrapBin, "fwrap").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build fwrap: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// stage is a display, a session bus and a puppet, for one test.
type stage struct {
	t     *testing.T
	dir   string // short, for sockets
	env   []string
	bus   *notifyspy.Bus
	agent *puppet.Agent
	out   output // of all programs that were started
}

// newStage prepares everything but the display.
func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "stage")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &stage{t: t, dir: dir, agent: puppet.New(t)}
	if s.bus, err = notifyspy.Start(dir, notifyspy.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.bus.Close)
	for _, d := range []string{"run", "home"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/home", "XDG_CONFIG_HOME=" + dir + "/home", "XDG_RUNTIME_DIR=" + dir + "/run",
		"LANG=C.UTF-8", "LIBGL_ALWAYS_SOFTWARE=1", "SHELL=/bin/sh",
		"DBUS_SESSION_BUS_ADDRESS=" + s.bus.Address(), "FWRAP_LOG=" + s.log(),
	}
	t.Cleanup(func() {
		if t.Failed() {
			b, _ := os.ReadFile(s.log())
			t.Logf("fwrap's log:\n%s", b)
			for _, c := range s.bus.Calls() {
				t.Logf("bus: %s %s id=%d app=%q %q %q", c.At.Format("15:04:05.000"), c.Method, c.ID, c.App, c.Summary, c.Body)
			}
			t.Logf("output:\n%s", s.out.String())
		}
	})
	return s
}

func (s *stage) log() string { return filepath.Join(s.dir, "log") }

// x starts a virtual X server.
func (s *stage) x() *stage {
	s.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	s.start([]*os.File{w}, "Xvfb", "-displayfd", "3", "-screen", "0", "1000x700x24", "-nolisten", "tcp",
		"-noreset") // else it starts anew whenever its last client, an xdotool, has gone
	w.Close()
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		s.t.Fatalf("the X server did not start: %v\n%s", err, s.out.String())
	}
	s.env = append(s.env, "DISPLAY=:"+strings.TrimSpace(number))
	return s
}

// start starts a program that ends with the test.
func (s *stage) start(files []*os.File, argv ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = s.env, s.dir+"/home"
	cmd.Stdout, cmd.Stderr = &s.out, &s.out
	cmd.ExtraFiles = files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		s.t.Fatalf("start %s: %v", argv[0], err)
	}
	s.t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		done := make(chan struct{})
		go func() { cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-done
		}
	})
	return cmd
}

// run runs a program to its end and returns what it printed.
func (s *stage) run(argv ...string) (string, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// fwrap is the command line of fwrap around the puppet. The variables hold for
// fwrap alone, not for the terminal around it.
func (s *stage) fwrap(vars ...string) []string {
	argv := append([]string{"env"}, vars...)
	return append(argv, fwrapBin, "--hooks", "never", "--agent", "claude", s.agent.Path)
}

// remote are variables by which fwrap believes to be far from the desktop.
const remote = "SSH_TTY=/dev/pts/99"

// until waits for a condition.
func (s *stage) until(what string, ok func() bool) {
	s.t.Helper()
	end := time.Now().Add(limit)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(end) {
			s.t.Fatalf("no %s within %v", what, limit)
		}
		<-tick.C
	}
}

// works has the puppet work until fwrap has seen that.
func (s *stage) works() {
	s.t.Helper()
	s.agent.Works()
	s.logged("state=working")
}

// logged waits until fwrap has logged text that often, once if not said.
func (s *stage) logged(text string, times ...int) {
	s.t.Helper()
	n := 1
	if len(times) > 0 {
		n = times[0]
	}
	s.until(text+" in fwrap's log", func() bool {
		b, _ := os.ReadFile(s.log())
		return strings.Count(string(b), text) >= n
	})
}

// told waits for the n-th notification on the desktop and returns it.
func (s *stage) told(n int) notifyspy.Call {
	s.t.Helper()
	if !s.bus.Wait(limit, func() bool { return len(s.notices()) >= n }) {
		s.t.Fatalf("%d notifications within %v, want %d", len(s.notices()), limit, n)
	}
	return s.notices()[n-1]
}

func (s *stage) notices() (list []notifyspy.Call) {
	for _, c := range s.bus.Calls() {
		if c.Method == "Notify" {
			list = append(list, c)
		}
	}
	return list
}

// quiet fails if more than n notifications come within the time given.
func (s *stage) quiet(n int, during time.Duration) {
	s.t.Helper()
	if s.bus.Wait(during, func() bool { return len(s.notices()) > n }) {
		s.t.Errorf("a notification too many: %+v", s.notices()[n])
	}
}

// window waits for the window of that instance name.
func (s *stage) window(name string) string {
	s.t.Helper()
	var id string
	s.until("window "+name, func() bool {
		out, err := s.run("xdotool", "search", "--onlyvisible", "--classname", "^"+name+"$")
		id = strings.TrimSpace(out)
		return err == nil && id != ""
	})
	id, _, _ = strings.Cut(id, "\n")
	return id
}

// property returns a property of a window as xprop prints it.
func (s *stage) property(window, name string) string {
	out, err := s.run("xprop", "-id", window, "-notype", name)
	if err != nil {
		s.t.Logf("xprop: %v %s", err, out)
	}
	return out
}

// urgent waits until the window asks for attention.
func (s *stage) urgent(window string) {
	s.t.Helper()
	s.until("urgency hint", func() bool {
		return strings.Contains(s.property(window, "WM_HINTS"), "urgency hint bit is set")
	})
}

// focus gives a window the keyboard.
func (s *stage) focus(window string) {
	s.t.Helper()
	if out, err := s.run("xdotool", "windowfocus", "--sync", window); err != nil {
		s.t.Fatalf("focus: %v %s", err, out)
	}
}

// output keeps what programs print.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

var _ io.Writer = (*output)(nil)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.buf.Len() < 1<<16 {
		o.buf.Write(p)
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
