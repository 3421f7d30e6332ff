//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ready is what the echo role writes when it is. No wrapper writes it.
const ready = "ready\x05"

// terminal is the outer pty: this program is the terminal emulator.
type terminal struct {
	master int
	slave  string
}

func newTerminal() (terminal, error) {
	m, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return terminal{}, err
	}
	if err := unix.IoctlSetPointerInt(m, unix.TIOCSPTLCK, 0); err != nil {
		return terminal{}, err
	}
	n, err := unix.IoctlGetInt(m, unix.TIOCGPTN)
	if err != nil {
		return terminal{}, err
	}
	if err := unix.IoctlSetWinsize(m, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80, Xpixel: 800, Ypixel: 480}); err != nil {
		return terminal{}, err
	}
	return terminal{m, "/dev/pts/" + strconv.Itoa(n)}, nil
}

// start starts argv as the session leader on the terminal.
func (t terminal) start(argv ...string) (*exec.Cmd, error) {
	f, err := os.OpenFile(t.slave, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := exec.Command(argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = f, f, f
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return c, c.Start()
}

func (t terminal) read(b []byte) (int, error) {
	for {
		n, err := unix.Read(t.master, b)
		if err != unix.EINTR && err != unix.EAGAIN {
			return n, err
		}
	}
}

// readable waits until the terminal has got something.
func (t terminal) readable(d time.Duration) bool {
	p := []unix.PollFd{{Fd: int32(t.master), Events: unix.POLLIN}}
	for until := time.Now().Add(d); time.Now().Before(until); {
		if n, _ := unix.Poll(p, int(time.Until(until)/time.Millisecond)+1); n > 0 {
			return true
		}
	}
	return false
}

// drain reads what nobody wants until the terminal is hung up.
func (t terminal) drain() chan struct{} {
	end := make(chan struct{})
	go func() {
		defer close(end)
		var b [4096]byte
		for {
			if n, err := t.read(b[:]); err != nil || n <= 0 {
				return
			}
		}
	}()
	return end
}

// close ends the program and the terminal. A reader that is left behind would
// steal from the next terminal of the same number, so the terminal stays open
// then.
func (t terminal) close(c *exec.Cmd, end chan struct{}) {
	done := make(chan struct{})
	go func() { _ = c.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(3 * time.Second):
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		<-done
	}
	select {
	case <-end:
		unix.Close(t.master)
	case <-time.After(time.Second):
	}
}

// flood is the throughput of mb MiB of text.
type flood struct {
	rate float64 // MB/s
	lost int     // bytes missing, or added if negative
	cpu  float64 // milliseconds per MB of all that was started and waited for
}

func measureFlood(wrapper []string, mb int) (flood, error) {
	t, err := newTerminal()
	if err != nil {
		return flood{}, err
	}
	defer unix.Close(t.master)
	before := childTime()
	c, err := t.start(slices.Concat(wrapper, []string{self, "-role", "generate", "-n", strconv.Itoa(mb << 20)})...)
	if err != nil {
		return flood{}, err
	}
	buf := make([]byte, 64<<10)
	total, lines := 0, 0
	var first time.Time
	for {
		n, err := t.read(buf)
		if err != nil || n <= 0 {
			break
		}
		if total == 0 {
			first = time.Now()
		}
		total += n
		lines += bytes.Count(buf[:n], []byte("\n"))
	}
	took := time.Since(first)
	if err := c.Wait(); err != nil {
		return flood{}, err
	}
	return flood{
		rate: float64(mb<<20) / 1e6 / took.Seconds(),
		lost: mb<<20 - (total - lines), // the terminal makes CR LF of each LF
		cpu:  (childTime() - before) / (float64(mb<<20) / 1e6),
	}, nil
}

// childTime returns the processor time of all that was waited for, in
// milliseconds.
func childTime() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &r)
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e6
}

// startEcho starts the echo role and waits until it is ready.
func startEcho(wrapper []string) (terminal, *exec.Cmd, error) {
	t, err := newTerminal()
	if err != nil {
		return t, nil, err
	}
	c, err := t.start(slices.Concat(wrapper, []string{self, "-role", "echo"})...)
	if err != nil {
		return t, nil, err
	}
	var got []byte
	b := make([]byte, 256)
	for t.readable(10 * time.Second) {
		n, err := t.read(b)
		if err != nil {
			return t, c, fmt.Errorf("the program is gone: %w", err)
		}
		if got = append(got, b[:n]...); bytes.Contains(got, []byte(ready)) {
			return t, c, nil
		}
	}
	return t, c, errors.New("the program did not get ready")
}

// errNotRaw says that the echo was not the program's.
var errNotRaw = errors.New("not a raw relay")

// measureEcho returns how long n keys took to come back, in microseconds.
func measureEcho(wrapper []string, n int, gap time.Duration) ([]float64, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t, c, err := startEcho(wrapper)
	if err != nil {
		return nil, err
	}
	time.Sleep(300 * time.Millisecond) // let what was started come to rest
	const warmup = 50
	var b [64]byte
	var took []float64
	wrong := 0
	for i := range n + warmup {
		start := time.Now()
		if _, err := unix.Write(t.master, []byte{2}); err != nil { // a cooked terminal would show ^B
			return nil, err
		}
		if !t.readable(5 * time.Second) {
			return nil, errors.New("a key did not come back")
		}
		if k, _ := t.read(b[:]); (k != 1 || b[0] != 2) && i > 5 {
			wrong++
		}
		if i >= warmup {
			took = append(took, float64(time.Since(start).Nanoseconds())/1e3)
		}
		if gap > 0 {
			time.Sleep(gap)
		}
	}
	_, _ = unix.Write(t.master, []byte("q"))
	t.close(c, t.drain())
	if wrong > n/10 {
		return nil, errNotRaw
	}
	slices.Sort(took)
	return took, nil
}

// measureStart returns how long /bin/true took n times, in milliseconds.
func measureStart(wrapper []string, n int) ([]float64, error) {
	var took []float64
	for range n {
		t, err := newTerminal()
		if err != nil {
			return nil, err
		}
		start := time.Now()
		c, err := t.start(slices.Concat(wrapper, []string{"/bin/true"})...)
		if err != nil {
			return nil, err
		}
		end := t.drain()
		if err := c.Wait(); err != nil {
			return nil, err
		}
		took = append(took, float64(time.Since(start).Microseconds())/1e3)
		select {
		case <-end:
			unix.Close(t.master)
		case <-time.After(time.Second):
		}
	}
	slices.Sort(took)
	return took, nil
}

// rest is what a wrapper costs while nothing happens, and what a key costs it.
type rest struct {
	procs    int
	rss      float64 // MB
	wakeups  float64 // a second
	cpu      float64 // milliseconds a second
	keyCPU   float64 // microseconds a key
	switches float64 // context switches a key
}

func measureRest(wrapper []string, secs int) (rest, error) {
	t, c, err := startEcho(wrapper)
	if err != nil {
		return rest{}, err
	}
	end := t.drain()
	time.Sleep(1500 * time.Millisecond)
	pids := wrapperPids(c.Process.Pid)
	a := usageOf(pids)
	const keys = 100
	for range keys {
		_, _ = unix.Write(t.master, []byte("x"))
		time.Sleep(20 * time.Millisecond)
	}
	b := usageOf(pids)
	time.Sleep(1500 * time.Millisecond)
	before := usageOf(pids)
	time.Sleep(time.Duration(secs) * time.Second)
	after := usageOf(pids)
	_, _ = unix.Write(t.master, []byte("q"))
	t.close(c, end)
	return rest{
		procs:    len(pids),
		rss:      float64(after.rss) / 1024,
		wakeups:  float64(after.switches-before.switches) / float64(secs),
		cpu:      (after.cpu - before.cpu) / float64(secs),
		keyCPU:   (b.cpu - a.cpu) * 1e3 / keys,
		switches: float64(b.switches-a.switches) / keys,
	}, nil
}
