package wrap

import (
	"time"

	"golang.org/x/sys/unix"
)

// poll waits for fds, timeout in milliseconds, for ever if it is negative. It
// is built on select, because macOS's poll(2) "does not support devices", which
// is what terminals are. A descriptor that has hung up counts as readable.
func poll(fds []unix.PollFd, timeout int) (int, error) {
	var r, w unix.FdSet
	top := -1
	for i := range fds {
		f := &fds[i]
		f.Revents = 0
		if f.Fd < 0 {
			continue
		}
		if f.Fd >= unix.FD_SETSIZE {
			return 0, unix.EINVAL
		}
		if f.Events&unix.POLLIN != 0 {
			r.Set(int(f.Fd))
			top = max(top, int(f.Fd))
		}
		if f.Events&unix.POLLOUT != 0 {
			w.Set(int(f.Fd))
			top = max(top, int(f.Fd))
		}
	}
	var tv *unix.Timeval
	if timeout >= 0 {
		t := unix.NsecToTimeval(int64(timeout) * int64(time.Millisecond))
		tv = &t
	}
	n, err := unix.Select(top+1, &r, &w, nil, tv)
	if err != nil || n == 0 {
		return n, err
	}
	n = 0
	for i := range fds {
		f := &fds[i]
		if f.Fd < 0 {
			continue
		}
		if f.Events&unix.POLLIN != 0 && r.IsSet(int(f.Fd)) {
			f.Revents |= unix.POLLIN
		}
		if f.Events&unix.POLLOUT != 0 && w.IsSet(int(f.Fd)) {
			f.Revents |= unix.POLLOUT
		}
		if f.Revents != 0 {
			n++
		}
	}
	return n, nil
}

// newPort makes a port of a descriptor that does not block. kqueue, and with it
// the runtime's poller, does not work for all terminal devices.
func newPort(fd int, may func() bool) (port, error) { return newPollPort(fd, true, may) }

// openTerminal makes a port of standard input. Not all ways to wait for a
// device work for /dev/tty on macOS, so it is not opened anew, and there is no
// descriptor to write to that does not block.
func openTerminal(may func() bool) (port, int, error) {
	p, err := newPollPort(stdin, false, may)
	return p, -1, err
}

// readNow reads from a descriptor that does not block.
func readNow(fd int, b []byte) (int, error) {
	for {
		n, err := unix.Read(fd, b)
		if err != unix.EINTR {
			return n, err
		}
	}
}

// writeNow writes to a descriptor that does not block.
func writeNow(fd int, b []byte) (int, error) { return unix.Write(fd, b) }

// foregroundGroup returns the foreground process group of the terminal fd.
func foregroundGroup(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCGPGRP) }
