package wrap

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

const (
	stdin  = 0
	stdout = 1
	stderr = 2
)

// terminal is the person's own terminal, standard input and output of this
// process. Its rules:
//
//   - The open file description is shared with the shell and with whatever else
//     the person runs, so O_NONBLOCK is never set on it.
//   - Its modes are touched only while this process is in its foreground process
//     group; otherwise they are the shell's or another job's.
//   - Modes change at once (TCSANOW): waiting for output to drain could wait for
//     ever behind XOFF, and flushing would eat what was typed ahead.
type terminal struct {
	mu    sync.Mutex
	user  *term.State // the person's modes, to be given back
	ours  *term.State // what raw mode made of them
	given *term.State // what the command's terminal has been given
	raw   atomic.Bool // we set raw mode and have not given the modes back
}

// onTerminal reports whether fd is the same terminal as standard input.
func onTerminal(fd int) bool {
	if !term.IsTerminal(stdin) || !term.IsTerminal(fd) {
		return false
	}
	var a, b unix.Stat_t
	if unix.Fstat(stdin, &a) != nil || unix.Fstat(fd, &b) != nil {
		return false
	}
	if a.Rdev == b.Rdev {
		return true
	}
	// One may have been opened as /dev/tty, a device of its own. TIOCGPGRP is
	// answered only for the controlling terminal, and there is but one.
	_, errA := unix.IoctlGetInt(stdin, unix.TIOCGPGRP)
	_, errB := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return errA == nil && errB == nil
}

// foreground reports whether this process may read the terminal and set its
// modes. Where the terminal is not the controlling one there is no job control
// that could forbid it.
func (t *terminal) foreground() bool {
	g, err := unix.IoctlGetInt(stdin, unix.TIOCGPGRP)
	if err != nil {
		return errors.Is(err, syscall.ENOTTY)
	}
	return g == unix.Getpgrp()
}

// makeRaw sets raw mode if this process is in the foreground and reports
// whether it is.
func (t *terminal) makeRaw() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.foreground() {
		t.raw.Store(false)
		return false
	}
	now, err := term.GetState(stdin)
	if err != nil {
		return false
	}
	// The person may have changed the modes while the job was stopped. zsh gives
	// a continued job the modes it was stopped with: those would be ours.
	if !t.raw.Load() && (t.ours == nil || *now != *t.ours) {
		t.user = now
	}
	if _, err := term.MakeRaw(stdin); err != nil {
		return false
	}
	t.raw.Store(true)
	t.ours, _ = term.GetState(stdin)
	return true
}

// passModes gives the command's terminal, whose master is pty, the person's modes
// if they are not those that it was given last: they are other ones after a
// change while the job was stopped, and where the job was started in the
// background while the shell's line editor had the terminal.
func (t *terminal) passModes(pty int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.user == nil || t.given != nil && *t.user == *t.given {
		return
	}
	if term.Restore(pty, t.user) == nil {
		t.given = t.user
	}
}

// restore gives the person's modes back, if they were taken and if this process
// is still in the foreground: else the shell has long set its own, and ours
// would be stale (sudo issue 552).
func (t *terminal) restore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.raw.Load() && t.foreground() && t.user != nil {
		_ = term.Restore(stdin, t.user)
	}
	t.raw.Store(false)
}

// copyModes gives terminal to the modes of terminal from, all flags, control
// characters and speeds, and returns them.
func copyModes(from, to int) (*term.State, error) {
	state, err := term.GetState(from)
	if err != nil {
		return nil, err
	}
	return state, term.Restore(to, state)
}

// winsize returns the size of the terminal fd, pixels included: whole structs
// are copied, since sudo's copy of rows and columns alone leaves garbage in the
// rest.
func winsize(fd int) (Winsize, error) {
	w, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil {
		return Winsize{}, err
	}
	return Winsize{Rows: w.Row, Cols: w.Col, X: w.Xpixel, Y: w.Ypixel}, nil
}

func setWinsize(fd int, w Winsize) error {
	return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: w.Rows, Col: w.Cols, Xpixel: w.X, Ypixel: w.Y})
}

// writeAll writes b to fd. Someone who shares the description may have set
// O_NONBLOCK on it, so EAGAIN can happen where it should not.
func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		switch {
		case n > 0:
			b = b[n:]
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			p := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
			if _, err := poll(p[:], -1); err != nil && err != unix.EINTR {
				return err
			}
		case err != nil:
			return err
		default:
			return unix.EIO
		}
	}
	return nil
}
