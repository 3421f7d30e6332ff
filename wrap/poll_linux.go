package wrap

import "golang.org/x/sys/unix"

// poll waits for fds, timeout in milliseconds, for ever if it is negative.
func poll(fds []unix.PollFd, timeout int) (int, error) { return unix.Poll(fds, timeout) }
