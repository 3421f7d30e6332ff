package wrap

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"fwrap/wrap/monitor"
)

// The tests run a small world of real processes: a shell with job control on a
// terminal, which starts the relay as its job, which runs a command. All three
// are this test binary. They tell the test what they see as lines on one pipe,
// and are told what to do by a pipe each, so that nothing on the terminal can
// hide a result.
const (
	roleVar = "WRAP_TEST_ROLE"
	optsVar = "WRAP_TEST_OPTIONS" // of the relay

	fdEvents = 3
	fdShell  = 4
	fdRelay  = 5
	fdChild  = 6
)

// deadline is how long a test waits for what must happen. It is long, since it
// is only ever reached by a failure.
const deadline = 30 * time.Second

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "shell":
		os.Exit(shellMain())
	case "relay":
		os.Exit(relayMain())
	case "child":
		os.Exit(childMain())
	}
	os.Exit(m.Run())
}

// withRole returns the environment with another role. Of a variable that is
// there twice the first would count.
func withRole(role string) []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, roleVar+"=") })
	return append(env, roleVar+"="+role)
}

// say writes one event. A pipe takes a short line whole.
func say(format string, a ...any) {
	_, _ = unix.Write(fdEvents, fmt.Appendf(nil, format+"\n", a...))
}

// orders calls do for each line of the descriptor.
func orders(fd int, do func(verb, arg string)) {
	sc := bufio.NewScanner(os.NewFile(uintptr(fd), "orders"))
	for sc.Scan() {
		verb, arg, _ := strings.Cut(sc.Text(), " ")
		if s, err := strconv.Unquote(arg); err == nil {
			arg = s
		}
		do(verb, arg)
	}
}

// shellMain is a session leader with one job, the relay.
func shellMain() int {
	signal.Ignore(syscall.SIGTTOU)
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	fg := os.Getenv("WRAP_TEST_JOB") != "background"
	pid, err := syscall.ForkExec(os.Args[0], []string{os.Args[0]}, &syscall.ProcAttr{
		Env:   withRole("relay"),
		Files: []uintptr{0, 1, 2, fdEvents, ^uintptr(0), fdRelay, fdChild},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: fg, Ctty: 0},
	})
	if err != nil {
		say("shell failed %v", err)
		return 1
	}
	say("shell job %d", pid)
	go func() { // as bash does when its terminal goes
		<-hup
		_ = syscall.Kill(-pid, syscall.SIGHUP)
	}()
	modes, _ := term.GetState(0)
	go orders(fdShell, func(verb, arg string) {
		switch verb {
		case "fg":
			_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, pid)
			_ = syscall.Kill(-pid, syscall.SIGCONT)
		case "stty":
			cmd := exec.Command("stty", strings.Fields(arg)...)
			cmd.Stdin = os.Stdin
			say("shell stty %v", cmd.Run())
		case "quiet-fg": // as bash does for a job that runs
			_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, pid)
		case "bg":
			_ = syscall.Kill(-pid, syscall.SIGCONT)
		}
	})
	same := func() bool {
		now, err := term.GetState(0)
		return err == nil && *now == *modes
	}
	for {
		var ws syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &ws, syscall.WUNTRACED, nil); err != nil {
			continue
		}
		kept := same()
		_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, unix.Getpgrp())
		if sig, st := monitor.DecodeStop(ws); st == monitor.StateStopped {
			say("shell stopped %d modes-kept=%v", int(sig), kept)
			continue
		}
		say("shell ended %v modes-kept=%v", statusOf(ws), kept)
		return 0
	}
}

// relayMain is the program under test.
func relayMain() int {
	unix.CloseOnExec(fdRelay)
	opts := strings.Fields(os.Getenv(optsVar))
	has := func(o string) bool { return slices.Contains(opts, o) }
	pollOnly = has("poll")
	var mu sync.Mutex
	var tapped []byte
	o := Options{
		Path:        os.Args[0],
		Argv:        []string{"child"},
		Pure:        has("pure"),
		ResetAlways: has("reset"),
		Env: func(tty string) []string {
			return append(withRole("child"), "FWRAP_TTY="+tty)
		},
	}
	if has("missing") {
		o.Path = "/nonexistent/command"
	}
	if has("osc") {
		o.OSCNumbers = []int{7501}
		o.OSC = func(_ int, data []byte) Verdict {
			say("relay osc %q", data)
			return Verdict{Drop: true}
		}
	}
	o.Tap = Tap{
		Started: func(pid int, tty string) { say("relay started %d %s", pid, tty) },
		Output: func(p []byte) {
			if has("panic") {
				panic("in the tap")
			}
			mu.Lock()
			defer mu.Unlock()
			tapped = append(tapped, p...)
		},
		Input:     func(k InputKind) { say("relay input %d", k) },
		Focus:     func(in bool) { say("relay focus %v", in) },
		Resize:    func(w Winsize) { say("relay resize %d %d %d %d", w.Rows, w.Cols, w.X, w.Y) },
		Stopped:   func(sig syscall.Signal) { say("relay stopped %d", int(sig)) },
		Continued: func(fg bool) { say("relay continued %v", fg) },
		Exited: func(st Status) {
			mu.Lock()
			defer mu.Unlock()
			say("relay tapped %d %q", len(tapped), tapped[:min(len(tapped), 1000)])
			say("relay exited %v", st)
		},
	}
	s, err := Start(o)
	if err != nil {
		say("relay failed %v", err)
		return ExitCode(err)
	}
	go orders(fdRelay, func(verb, arg string) {
		switch verb {
		case "prefix":
			s.SetTitlePrefix(arg)
			say("relay prefix")
		case "inject":
			say("relay inject %v", s.Inject([]byte(arg)))
		case "answer":
			say("relay answer %v", s.Answer([]byte(arg)))
		}
	})
	st, err := s.Wait()
	if err != nil {
		say("relay error %v", err)
	}
	return st.Raise()
}

// childMain is a command that does as it is told.
func childMain() int {
	unix.CloseOnExec(fdChild)
	sigs := make(chan os.Signal, 16)
	signal.Notify(sigs, syscall.SIGHUP, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGUSR1, syscall.SIGINT)
	go func() {
		for sig := range sigs {
			w, _ := winsize(0)
			say("child signal %d %d %d %d %d", int(sig.(syscall.Signal)), w.Rows, w.Cols, w.X, w.Y)
		}
	}()
	w, _ := winsize(0)
	say("child ready %d %d %d %d", w.Rows, w.Cols, w.X, w.Y)
	say("child env %s", os.Getenv("FWRAP_TTY"))
	orders(fdChild, func(verb, arg string) {
		switch verb {
		case "write":
			_ = writeAll(1, []byte(arg))
			say("child wrote")
		case "flood":
			n, _ := strconv.Atoi(arg)
			for n > 0 {
				k := min(n, 4096)
				_ = writeAll(1, bytes.Repeat([]byte("x"), k))
				n -= k
			}
			say("child wrote")
		case "raw":
			_, err := term.MakeRaw(0)
			say("child raw %v", err)
		case "read":
			n, _ := strconv.Atoi(arg)
			b := make([]byte, n)
			got := 0
			for got < n {
				k, err := unix.Read(0, b[got:])
				if err == unix.EINTR {
					continue
				}
				if err != nil || k <= 0 {
					break
				}
				got += k
			}
			say("child read %q", b[:got])
		case "kill":
			n, _ := strconv.Atoi(arg)
			_ = defaultAction(syscall.Signal(n))
			_ = syscall.Kill(os.Getpid(), syscall.Signal(n))
		case "tty":
			g, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
			say("child foreground %v %v", g == unix.Getpgrp(), err)
		case "modes":
			st, err := term.GetState(0)
			say("child modes %v %v", err, *st)
		case "parent":
			say("child parent %d", os.Getppid())
		case "fds":
			say("child fds %v", openFiles())
		case "exit":
			n, _ := strconv.Atoi(arg)
			os.Exit(n)
		}
	})
	return 99
}

// openFiles lists the descriptors that this process was given.
func openFiles() []int {
	var fds []int
	for fd := range 64 {
		var st unix.Stat_t
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 && unix.Fstat(fd, &st) == nil {
			fds = append(fds, fd)
		}
	}
	return fds
}

// rig is the test's side of that world.
type rig struct {
	t      *testing.T
	outer  *os.File // the terminal, its master
	fd     int      // of outer, whose Fd would make it block
	orders [3]*os.File
	proc   *exec.Cmd

	mu     sync.Mutex
	news   *sync.Cond
	events []string
	out    []byte
	job    int // process id of the relay
}

// newRig starts shell, relay and command and waits for the command, unless
// options has "missing".
func newRig(t *testing.T, options string) *rig {
	t.Helper()
	r := &rig{t: t}
	slave := r.openTerminal()
	defer slave.Close()
	r.resize(Winsize{Rows: 31, Cols: 97, X: 970, Y: 620})
	r.news = sync.NewCond(&r.mu)
	evR, evW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	extra := []*os.File{evW}
	for i := range r.orders {
		rd, wr, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.orders[i] = wr
		extra = append(extra, rd)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.proc = exec.Command(exe)
	r.proc.Env = append(withRole("shell"), optsVar+"="+options, "GORACE=atexit_sleep_ms=0")
	if strings.Contains(options, "background") {
		r.proc.Env = append(r.proc.Env, "WRAP_TEST_JOB=background")
	}
	r.proc.Dir = filepath.Dir(exe)
	r.proc.Stdin, r.proc.Stdout, r.proc.Stderr = slave, slave, slave
	r.proc.ExtraFiles = extra
	r.proc.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := r.proc.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range extra {
		f.Close()
	}
	go func() {
		sc := bufio.NewScanner(evR)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			r.add(func() { r.events = append(r.events, sc.Text()) })
		}
		r.add(func() { r.events = append(r.events, "end") })
		evR.Close()
	}()
	go func() {
		b := make([]byte, 64<<10)
		for {
			n, err := r.outer.Read(b)
			r.add(func() { r.out = append(r.out, b[:n]...) })
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		for _, f := range r.orders {
			f.Close() // the command ends by that
		}
		if r.job > 0 {
			_ = syscall.Kill(r.job, syscall.SIGKILL)
		}
		_ = r.proc.Process.Kill()
		_ = r.proc.Wait()
		r.outer.Close()
	})
	job, err := strconv.Atoi(r.expect("shell job "))
	if err != nil {
		t.Fatal(err)
	}
	r.job = job
	if !strings.Contains(options, "missing") {
		r.expect("child ready ")
	}
	return r
}

// openTerminal makes a terminal whose reads end when it is closed.
func (r *rig) openTerminal() (slave *os.File) {
	r.t.Helper()
	m, slave, err := pty.Open()
	if err != nil {
		r.t.Fatal(err)
	}
	defer m.Close()
	if r.fd, err = unix.FcntlInt(m.Fd(), unix.F_DUPFD_CLOEXEC, 3); err != nil {
		r.t.Fatal(err)
	}
	if err := unix.SetNonblock(r.fd, true); err != nil {
		r.t.Fatal(err)
	}
	r.outer = os.NewFile(uintptr(r.fd), "terminal")
	return slave
}

func (r *rig) resize(w Winsize) {
	r.t.Helper()
	if err := setWinsize(r.fd, w); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) add(change func()) {
	r.mu.Lock()
	change()
	r.mu.Unlock()
	r.news.Broadcast()
}

// wait waits until cond, which is called with the lock held.
func (r *rig) wait(what string, cond func() bool) {
	r.t.Helper()
	late := false
	timer := time.AfterFunc(deadline, func() { r.add(func() { late = true }) })
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !cond() {
		if late {
			r.t.Fatalf("waited for %s\nevents: %q\noutput: %.2000q", what, r.events, r.out)
		}
		r.news.Wait()
	}
}

// expect waits for an event that begins with prefix, takes it off the list and
// returns the rest of it.
func (r *rig) expect(prefix string) (rest string) {
	r.t.Helper()
	r.wait("event "+prefix, func() bool {
		i := slices.IndexFunc(r.events, func(e string) bool { return strings.HasPrefix(e, prefix) })
		if i >= 0 {
			rest = strings.TrimPrefix(r.events[i], prefix)
			r.events = slices.Delete(r.events, i, i+1)
		}
		return i >= 0
	})
	return rest
}

// output waits until the terminal has got text, and returns all that it has.
func (r *rig) output(text string) (all string) {
	r.t.Helper()
	r.wait(fmt.Sprintf("output %q", text), func() bool {
		all = string(r.out)
		return strings.Contains(all, text)
	})
	return all
}

func (r *rig) shell(order string) { r.tell(0, order) }
func (r *rig) relay(order string) { r.tell(1, order) }
func (r *rig) child(order string) { r.tell(2, order) }

func (r *rig) tell(who int, order string) {
	r.t.Helper()
	if _, err := r.orders[who].WriteString(order + "\n"); err != nil {
		r.t.Fatal(err)
	}
}

// write has the command write s.
func (r *rig) write(s string) {
	r.t.Helper()
	r.child("write " + strconv.Quote(s))
	r.expect("child wrote")
}

func (r *rig) typed(s string) {
	r.t.Helper()
	if _, err := r.outer.WriteString(s); err != nil {
		r.t.Fatal(err)
	}
}

// modes returns the terminal's modes.
func (r *rig) modes() term.State {
	r.t.Helper()
	st, err := term.GetState(r.fd)
	if err != nil {
		r.t.Fatal(err)
	}
	return *st
}

// ended waits for the end and returns how the shell saw it.
func (r *rig) ended() string {
	r.t.Helper()
	s := r.expect("shell ended ")
	r.expect("end")
	return s
}

// everyPort runs test with the ports of this system and, on Linux, with those of
// macOS.
func everyPort(t *testing.T, test func(t *testing.T, options string)) {
	t.Run("native", func(t *testing.T) { test(t, "") })
	if runtime.GOOS == "linux" {
		t.Run("poll", func(t *testing.T) { test(t, "poll") })
	}
}
