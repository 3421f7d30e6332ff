package wrap

import (
	"encoding/binary"
	"errors"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// monitorName is the monitor's argv[0], by which it is recognised: an
// environment variable would have to be kept from the command, and an option
// could be somebody's argument. The rest of its argv is the mode, the path and
// the command's own argv; its environment, directory, descriptors from 3 on and
// signal dispositions are the command's.
const monitorName = "fwrap: monitor"

const (
	modeForeground = "fg"
	modeBackground = "bg"
)

// Monitor's descriptors. That none above 2 is used leaves those that the caller
// has passed down where they are.
const (
	monBack   = 0 // socket to the wrapper
	monSlave  = 1 // the command's terminal, the monitor's controlling one
	monStderr = 2 // the command's standard error: the same terminal, or a redirection
)

// Messages from the monitor to the wrapper: one byte and a 32-bit value.
const (
	msgStarted  = 'P' // process id of the command
	msgNoExec   = 'E' // errno of execve
	msgStopped  = 'S' // the signal that stopped the command
	msgExited   = 'X' // wait status of the command
	messageSize = 5
)

// Orders from the wrapper to the monitor: one byte.
const (
	orderForeground = 'F' // give the command its terminal and continue it
	orderBackground = 'B' // keep the terminal and continue the command
)

// IsMonitor reports whether this process was started as a monitor by [Start].
// The caller then returns what [Monitor] returns, before it does anything else:
// the time until then is part of starting a command.
func IsMonitor(argv []string) bool { return len(argv) >= 4 && argv[0] == monitorName }

// Monitor leads the session on the command's terminal and starts and watches
// the command. It returns the exit status of this process, which nobody reads.
//
// It exists because the process group of a session leader is orphaned, and the
// kernel throws SIGTSTP, SIGTTIN and SIGTTOU away for orphaned groups: a command
// that led the session itself could not be stopped by Ctrl-Z. And because a
// session leader's end is a hangup for the terminal's foreground group: by
// taking the terminal itself before it ends, the monitor lets what the command
// has left in the background live on. Both are as in sudo's exec_monitor.c.
func Monitor() int {
	m := &monitor{wrapper: os.Getppid(), self: unix.Getpgrp()}
	unix.CloseOnExec(monBack)
	m.catchSignals()
	mode, path, argv := os.Args[1], os.Args[2], os.Args[3:]

	pid, err := m.start(mode == modeForeground, path, argv)
	if err != nil {
		errno := syscall.EINVAL // syscall.ForkExec's own, for a NUL in argv
		errors.As(err, &errno)
		m.send(msgNoExec, uint32(errno))
		return ExitFailure
	}
	m.pid = pid
	m.tty.Store(int32(pid))
	// Not before the command was forked: an ignored signal stays ignored in it.
	// And not caught: tcsetpgrp from the background would be restarted for ever.
	signal.Ignore(syscall.SIGTTOU)
	m.send(msgStarted, uint32(pid))
	// A command that ends at once must not wait for this.
	time.AfterFunc(releaseAfter, releaseImage)
	debug.SetGCPercent(-1) // nothing is allocated from here on; the forced GC would wake us
	go m.obey()
	return m.watch()
}

type monitor struct {
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
// of an orphaned group, and the monitor's is.
func (m *monitor) catchSignals() {
	sink := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM} {
		if !signal.Ignored(sig) {
			signal.Notify(sink, sig)
		}
	}
}

// start starts the command in a process group of its own, which it makes the
// terminal's foreground group before it executes the command, so that no first
// read or tcsetattr of the command can come too early.
func (m *monitor) start(foreground bool, path string, argv []string) (int, error) {
	attr := &syscall.ProcAttr{
		Env:   syscall.Environ(),
		Files: []uintptr{monSlave, monSlave, monStderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Foreground: foreground, Ctty: monSlave},
	}
	pid, err := syscall.ForkExec(path, argv, attr)
	if err == syscall.ENOEXEC {
		p, a := scriptOf(path, argv)
		pid, err = syscall.ForkExec(p, a, attr)
	}
	return pid, err
}

// watch reports what becomes of the command until it is over.
func (m *monitor) watch() int {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(m.pid, &ws, syscall.WUNTRACED|syscall.WCONTINUED, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil || pid != m.pid:
			return ExitFailure
		}
		switch sig, state := decodeStop(ws); state {
		case stateStopped:
			m.stopped.Store(true)
			m.note()
			m.send(msgStopped, uint32(sig))
		case stateContinued:
			// Not by our order: somebody has sent the command SIGCONT, so the
			// wrapper, which stopped with it, must go on as well.
			if m.stopped.CompareAndSwap(true, false) && os.Getppid() == m.wrapper {
				_ = syscall.Kill(m.wrapper, syscall.SIGCONT)
			}
		default:
			m.take()
			m.send(msgExited, uint32(ws))
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
		n, err := unix.Read(monBack, b[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			m.kill(syscall.SIGHUP)
			m.kill(syscall.SIGCONT)
			return
		}
		m.note()
		if b[0] == orderForeground {
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
	if g, err := unix.IoctlGetInt(monSlave, unix.TIOCGPGRP); err == nil && g > 0 && g != m.self {
		m.tty.Store(int32(g))
	}
}

// give hands the terminal to the group that had it last, if the monitor has it
// now. If a job of the command has it, it stays with that.
func (m *monitor) give() {
	if g, err := unix.IoctlGetInt(monSlave, unix.TIOCGPGRP); err != nil || g != m.self {
		return
	}
	if unix.IoctlSetPointerInt(monSlave, unix.TIOCSPGRP, int(m.tty.Load())) != nil {
		_ = unix.IoctlSetPointerInt(monSlave, unix.TIOCSPGRP, m.pid)
	}
}

// take makes the monitor the terminal's foreground group.
func (m *monitor) take() {
	_ = unix.IoctlSetPointerInt(monSlave, unix.TIOCSPGRP, m.self)
}

func (m *monitor) send(kind byte, value uint32) {
	var b [messageSize]byte
	b[0] = kind
	binary.LittleEndian.PutUint32(b[1:], value)
	_ = writeAll(monBack, b[:])
}

type waitState uint8

const (
	stateEnded waitState = iota
	stateStopped
	stateContinued
)

// decodeStop reads a wait status. On macOS syscall.WaitStatus takes a command
// that SIGSTOP has stopped for one that was continued.
func decodeStop(ws syscall.WaitStatus) (syscall.Signal, waitState) {
	if ws == 0xffff { // Linux
		return 0, stateContinued
	}
	if ws&0x7f != 0x7f {
		return 0, stateEnded
	}
	sig := syscall.Signal(ws >> 8 & 0xff)
	if sig == syscall.SIGCONT { // macOS
		return 0, stateContinued
	}
	return sig, stateStopped
}

// statusOf turns the wait status of an ended command into a Status.
func statusOf(ws syscall.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Signal: ws.Signal()}
	}
	return Status{Code: ws.ExitStatus()}
}
