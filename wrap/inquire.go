package wrap

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// OnTerminal reports whether both files are terminals: whether a command that
// gets them can be wrapped at all.
func OnTerminal(in, out *os.File) bool {
	return term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd()))
}

// Size returns a terminal's size in cells, 80x24 where it does not say.
func Size(f *os.File) (cols, rows int) {
	if ws, err := winsize(int(f.Fd())); err == nil && ws.Cols > 0 && ws.Rows > 0 {
		return int(ws.Cols), int(ws.Rows)
	}
	return 80, 24
}

// IsControllingTerminal reports whether device ("/dev/pts/7") is this process's
// controlling terminal. /dev/tty says so without a name: the two must agree in
// the session that they lead.
func IsControllingTerminal(device string) bool {
	ctty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer ctty.Close()
	dev, err := os.OpenFile(device, os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer dev.Close()
	// TIOCGSID and TIOCGPGRP fail on a terminal that is not the caller's own
	// controlling terminal (tty_ioctl(4)), so that success is the answer.
	a, err := unix.IoctlGetInt(int(ctty.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return false
	}
	b, err := unix.IoctlGetInt(int(dev.Fd()), unix.TIOCGPGRP)
	return err == nil && a == b
}

// TTYName returns the device of the terminal on f, as far as /dev/fd tells; "" if
// it does not.
func TTYName(f *os.File) string {
	name, err := os.Readlink(fmt.Sprintf("/dev/fd/%d", f.Fd()))
	if err != nil || name == "" || name[0] != '/' {
		return ""
	}
	return name
}

// MakeRaw puts a terminal into raw mode and returns what gives it its modes back.
func MakeRaw(f *os.File) (restore func(), err error) {
	fd := int(f.Fd())
	old, err := term.MakeRaw(fd)
	if err != nil {
		return nil, fmt.Errorf("set raw mode: %w", err)
	}
	return func() { _ = term.Restore(fd, old) }, nil
}

// ForegroundGroup returns the foreground process group of the command's
// terminal. When the session is over there is none: the error is ENOTTY then.
func (s *Session) ForegroundGroup() (int, error) {
	return foregroundGroup(s.out.master)
}

// AwaitReply has the input looked through, for 10 s, for replies of the number
// that [Options.ReplyNumber] names.
func (s *Session) AwaitReply() {
	if s.in.replies != nil {
		s.in.replies.await(time.Now())
	}
}
