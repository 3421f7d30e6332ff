//go:build linux || darwin

package process

import "golang.org/x/sys/unix"

// foregroundGroup asks the terminal driver. On a pty's master both kernels
// answer for the slave side (Linux tty_io.c tiocgpgrp; XNU tty_dev.c ptyioctl),
// so that the caller need not be of the terminal's session.
func foregroundGroup(fd uintptr) (int, error) {
	return unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
}

// Leader describes the leader of this process's session: the shell of a
// terminal's window, or whatever else has opened the terminal.
func Leader() (Process, error) {
	pid, err := unix.Getsid(0)
	if err != nil {
		return Process{}, err
	}
	return Lookup(pid)
}
