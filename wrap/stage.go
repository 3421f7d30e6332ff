package wrap

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"fwrap/wrap/monitor"
)

// Stage is a pty and the monitor on it, waiting for their command. What the
// caller has to find out before the command can start is done while the
// monitor's process comes up, which takes about as long.
type Stage struct {
	name    string // device of the pty
	master  int    // does not block
	back    int    // socket to the monitor
	monitor int    // process id
	used    bool   // by a session, or closed

	modes *term.State // of the pty

	sigs   chan os.Signal
	once   sync.Once     // for begin
	begin  chan struct{} // closed when catch is to let go of the signals
	handed chan struct{} // closed when it has
}

// Prepare opens a pty with the modes of this process's terminal, starts the
// monitor on it and begins to catch signals. It leaves the terminal alone. The
// error is [ErrNoTerminal] or another; the command can then still be run by
// [Exec].
func Prepare() (*Stage, error) {
	if !onTerminal(stdout) {
		return nil, ErrNoTerminal
	}
	st := &Stage{sigs: make(chan os.Signal, 64), begin: make(chan struct{}), handed: make(chan struct{})}
	go st.catch()
	if err := st.open(); err != nil {
		st.releaseSignals()
		return nil, err
	}
	return st, nil
}

// catch begins to listen, each signal of which takes two switches of threads.
// Until there is a session a signal is for this process, as it would have been
// for the command that is to take its place: the person's configuration may lie
// on a file system that hangs.
func (st *Stage) catch() {
	defer close(st.handed)
	catchSignals(st.sigs)
	for {
		select {
		case <-st.begin:
			return
		case sig := <-st.sigs:
			switch sig {
			case syscall.SIGWINCH, syscall.SIGCONT:
			case syscall.SIGTSTP:
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			default:
				os.Exit(Status{Signal: sig.(syscall.Signal)}.Raise())
			}
		}
	}
}

// handOver ends that; signals then stay in sigs for whoever reads it.
func (st *Stage) handOver() {
	st.once.Do(func() { close(st.begin) })
	<-st.handed
}

func (st *Stage) releaseSignals() {
	st.handOver()
	signal.Stop(st.sigs)
}

// open makes the pty and the monitor.
func (st *Stage) open() error {
	slave, err := st.openPty()
	if err != nil {
		return err
	}
	defer slave.Close()
	if err := st.startMonitor(slave.Fd()); err != nil {
		unix.Close(st.master)
		return err
	}
	return nil
}

// Close gives the pty and the monitor back, unless a command was started.
func (st *Stage) Close() {
	if st.used {
		return
	}
	st.used = true
	st.releaseSignals()
	unix.Close(st.back)
	unix.Close(st.master)
	reap(st.monitor)
}

// openPty opens a pty with the person's modes, as the command would have found
// them.
func (st *Stage) openPty() (slave *os.File, err error) {
	m, slave, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("opening a pty: %w", err)
	}
	defer m.Close()
	defer func() {
		if err != nil {
			slave.Close()
		}
	}()
	if st.modes, err = copyModes(stdin, int(slave.Fd())); err != nil {
		return nil, fmt.Errorf("copying terminal modes: %w", err)
	}
	st.name = slave.Name()
	st.master, err = unix.FcntlInt(m.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("opening a pty: %w", err)
	}
	if err := unix.SetNonblock(st.master, true); err != nil {
		unix.Close(st.master)
		return nil, fmt.Errorf("opening a pty: %w", err)
	}
	return slave, nil
}

// startMonitor executes this program again as the monitor. Its environment is
// not the command's, which it hears of later: it has no garbage that would be
// worth a wakeup, and no use for the file of the time zone.
func (st *Stage) startMonitor(slave uintptr) error {
	ours, theirs, err := socketpair()
	if err != nil {
		return fmt.Errorf("making a socket pair: %w", err)
	}
	defer unix.Close(theirs)
	errFd := slave
	if !onTerminal(stderr) {
		errFd = stderr // redirected: the command gets it as it is
	}
	pid, err := syscall.ForkExec(ownProgram(), []string{monitor.Name}, &syscall.ProcAttr{
		Env:   append([]string{"GOGC=off", "TZ="}, os.Environ()...),
		Files: []uintptr{uintptr(theirs), slave, errFd},
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: monitor.Slave},
	})
	if err != nil {
		unix.Close(ours)
		return fmt.Errorf("starting the monitor: %w", err)
	}
	st.back, st.monitor = ours, pid
	return nil
}

// reap waits for a monitor that ends by itself or is of no more use.
func reap(pid int) {
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// ownProgram returns the path of the file that this process runs. The link in
// /proc is right even after an upgrade has replaced the file, but leads to a
// process that is called "exe".
func ownProgram() string {
	const link = "/proc/self/exe"
	path, err := os.Executable()
	if err != nil {
		return link
	}
	now, err := os.Stat(path)
	if run, err2 := os.Stat(link); err2 == nil && (err != nil || !os.SameFile(now, run)) {
		return link
	}
	return path
}
