package monitor

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Name is the monitor's argv[0], by which it is recognised: an environment
// variable would have to be kept from the command, and an option could be
// somebody's argument.
const Name = "fwrap: monitor"

// The monitor's descriptors. That none above 2 is used leaves those that the
// caller has passed down where they are.
const (
	Back   = 0 // socket to the wrapper
	Slave  = 1 // the command's terminal, the monitor's controlling one
	Stderr = 2 // the command's standard error: the same terminal, or a redirection
)

// Messages from the monitor to the wrapper: one byte and a 32-bit value, little
// end first.
const (
	Started     = 'P' // process id of the command
	NoExec      = 'E' // errno of execve
	Stopped     = 'S' // the signal that stopped the command
	Exited      = 'X' // wait status of the command
	MessageSize = 5
)

// Orders from the wrapper to the monitor, which follow the [Launch]: one byte.
const (
	Foreground = 'F' // give the command its terminal and continue it
	Background = 'B' // keep the terminal and continue the command
)

// Is reports whether argv is that of a monitor.
func Is(argv []string) bool { return len(argv) > 0 && argv[0] == Name }

// init makes this process the monitor, if it is to be one, before the rest of
// the program is initialised. Packages are initialised in the order of their
// paths as far as their imports allow (Go spec, "Program initialization"), and
// this one imports little: nothing that needs unicode or reflect, so not even
// strings. What comes later is two thirds of the time that the program takes to
// come up, and that would be part of each start of a command.
func init() {
	if Is(os.Args) {
		// The goroutine that initialises is bound to its thread.
		go func() { os.Exit(run()) }()
		select {}
	}
}

// run waits for a Launch and sees the command through. It returns the exit
// status of this process, which nobody reads.
//
// It waits in the runtime's poller wherever it can. A thread that waits in a
// system call keeps the scheduler's watchdog awake for its first 10 ms, in which
// the command is starting.
func run() int {
	m := &monitor{wrapper: os.Getppid(), self: syscall.Getpgrp()}
	if err := syscall.SetNonblock(Back, true); err != nil {
		return failure
	}
	syscall.CloseOnExec(Back)
	m.back = os.NewFile(Back, "wrapper")
	l, err := readLaunch(m.back)
	if err != nil {
		return failure // the wrapper has come to nothing
	}
	pid, err := m.start(l)
	if err != nil {
		errno, ok := err.(syscall.Errno)
		if !ok {
			errno = syscall.EINVAL
		}
		m.send(NoExec, uint32(errno))
		return failure
	}
	m.pid = pid
	m.tty.Store(int32(pid))
	m.send(Started, uint32(pid))
	m.catchSignals()
	// A command that ends at once must not wait for this.
	time.AfterFunc(releaseAfter, ReleaseImage)
	go m.obey()
	return m.watch()
}

const failure = 1

// releaseAfter is how long after the command's start the monitor gives memory
// back: one wakeup, when nobody waits for it.
const releaseAfter = 300 * time.Millisecond

type monitor struct {
	waiter
	back    *os.File     // socket to the wrapper
	wrapper int          // process id
	self    int          // own process group
	pid     int          // of the command, and its process group
	tty     atomic.Int32 // the group that had the terminal last, other than self
	stopped atomic.Bool  // the command is stopped and no order to continue has come
}

// catchSignals keeps the monitor alive when somebody signals all of fwrap's
// processes: the wrapper passes the signal on, and what the command makes of it
// counts. Signals that the caller ignores stay ignored, since the command
// inherits that. SIGTSTP and its kin need nothing: they do not stop a process
// of an orphaned group, and the monitor's is. But SIGTTOU is ignored, since
// tcsetpgrp from the background would be restarted for ever if it were caught.
//
// It comes after the fork: an ignored signal stays ignored in the command, and
// each of these calls takes two switches of threads.
func (m *monitor) catchSignals() {
	signal.Ignore(syscall.SIGTTOU)
	m.listen()
	sink := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM} {
		if !signal.Ignored(sig) {
			signal.Notify(sink, sig)
		}
	}
}

// Script is what execvp does with an executable text file that has no #!: it
// hands it to the shell. It returns the shell's path and its argument vector.
func Script(path string, argv []string) (string, []string) {
	const shell = "/bin/sh"
	if path != "" && path[0] == '-' {
		path = "./" + path
	}
	return shell, append([]string{shell, path}, argv[1:]...)
}

// start starts the command in a process group of its own, which it makes the
// terminal's foreground group before it executes the command, so that no first
// read or tcsetattr of the command can come too early.
func (m *monitor) start(l Launch) (int, error) {
	attr := &syscall.ProcAttr{
		Env:   l.Env,
		Files: []uintptr{Slave, Slave, Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: l.Foreground, Ctty: Slave},
	}
	pid, err := syscall.ForkExec(l.Path, l.Argv, attr)
	if err == syscall.ENOEXEC {
		p, a := Script(l.Path, l.Argv)
		pid, err = syscall.ForkExec(p, a, attr)
	}
	return pid, err
}

// watch reports what becomes of the command until it is over.
func (m *monitor) watch() int {
	for {
		var ws syscall.WaitStatus
		if err := m.wait(m.pid, &ws); err != nil {
			return failure
		}
		switch sig, state := DecodeStop(ws); state {
		case StateStopped:
			m.stopped.Store(true)
			m.note()
			m.send(Stopped, uint32(sig))
		case StateContinued:
			// Not by our order: somebody has sent the command SIGCONT, so the
			// wrapper, which stopped with it, must go on as well.
			if m.stopped.CompareAndSwap(true, false) && os.Getppid() == m.wrapper {
				_ = syscall.Kill(m.wrapper, syscall.SIGCONT)
			}
		default:
			m.take()
			m.send(Exited, uint32(ws))
			return 0
		}
	}
}

// obey carries out the wrapper's orders. When the wrapper has died, the
// terminal is gone for the command: the kernel hangs it up with the master's
// last descriptor, and SIGCONT lets a stopped command hear of it.
func (m *monitor) obey() {
	for {
		var b [1]byte
		if n, err := m.back.Read(b[:]); n == 0 || err != nil {
			m.kill(syscall.SIGHUP)
			m.kill(syscall.SIGCONT)
			return
		}
		m.note()
		if b[0] == Foreground {
			m.give()
		} else {
			m.take()
		}
		m.stopped.Store(false)
		m.kill(syscall.SIGCONT)
	}
}

// kill signals the command and, if that is a shell with a job in front, the
// job.
func (m *monitor) kill(sig syscall.Signal) {
	if g := int(m.tty.Load()); g != m.pid {
		_ = syscall.Kill(-g, sig)
	}
	_ = syscall.Kill(-m.pid, sig)
}

// note remembers which group has the terminal, unless it is the monitor.
func (m *monitor) note() {
	if g, err := foregroundGroup(Slave); err == nil && g > 0 && g != m.self {
		m.tty.Store(int32(g))
	}
}

// give hands the terminal to the group that had it last, if the monitor has it
// now. If a job of the command has it, it stays with that.
func (m *monitor) give() {
	if g, err := foregroundGroup(Slave); err != nil || g != m.self {
		return
	}
	if setForegroundGroup(Slave, int(m.tty.Load())) != nil {
		_ = setForegroundGroup(Slave, m.pid)
	}
}

// take makes the monitor the terminal's foreground group.
func (m *monitor) take() {
	_ = setForegroundGroup(Slave, m.self)
}

func (m *monitor) send(kind byte, value uint32) {
	b := appendNumber([]byte{kind}, value)
	for {
		// Five bytes go into the socket at once or not at all.
		if _, err := syscall.Write(Back, b); err != syscall.EINTR {
			return
		}
	}
}

// WaitState is what has become of a process that was waited for.
type WaitState uint8

// The states of a process.
const (
	StateEnded WaitState = iota
	StateStopped
	StateContinued
)

// DecodeStop reads a wait status; sig is what has stopped the process. On macOS syscall.WaitStatus takes a command
// that SIGSTOP has stopped for one that was continued.
func DecodeStop(ws syscall.WaitStatus) (syscall.Signal, WaitState) {
	if ws == 0xffff { // Linux
		return 0, StateContinued
	}
	if ws&0x7f != 0x7f {
		return 0, StateEnded
	}
	sig := syscall.Signal(ws >> 8 & 0xff)
	if sig == syscall.SIGCONT { // macOS
		return 0, StateContinued
	}
	return sig, StateStopped
}
