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
