package monitor

import "golang.org/x/sys/unix"

// foregroundGroup returns the foreground process group of the terminal fd.
func foregroundGroup(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCGPGRP) }

// setForegroundGroup is tcsetpgrp.
func setForegroundGroup(fd, group int) error {
	return unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, group)
}
