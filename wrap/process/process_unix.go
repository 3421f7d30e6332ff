//go:build linux || darwin

package process

import "golang.org/x/sys/unix"

// foregroundGroup asks the terminal driver. On a pty's master both kernels
// answer for the slave side (Linux tty_io.c tiocgpgrp; XNU tty_dev.c ptyioctl),
// so that the caller need not be of the terminal's session.
func foregroundGroup(fd uintptr) (int, error) {
	return unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
}
