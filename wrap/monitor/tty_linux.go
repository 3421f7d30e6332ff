package monitor

import (
	"syscall"
	"unsafe"
)

// foregroundGroup returns the foreground process group of the terminal fd.
func foregroundGroup(fd int) (int, error) {
	var g int32
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&g))); errno != 0 {
		return 0, errno
	}
	return int(g), nil
}

// setForegroundGroup is tcsetpgrp.
func setForegroundGroup(fd, group int) error {
	g := int32(group)
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCSPGRP, uintptr(unsafe.Pointer(&g))); errno != 0 {
		return errno
	}
	return nil
}
