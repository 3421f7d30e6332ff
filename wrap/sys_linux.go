package wrap

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigaction is the kernel's struct on amd64 and arm64.
type sigaction struct {
	handler  uintptr
	flags    uintptr
	restorer uintptr
	mask     uint64
}

// defaultAction gives sig the kernel's default action behind the runtime's
// back, which offers no way to do that: signal.Reset keeps the runtime's own
// handler, and that swallows SIGTSTP. signal.Ignore before and signal.Notify
// afterwards bring the runtime's handler back.
func defaultAction(sig syscall.Signal) error {
	if sig == syscall.SIGKILL || sig == syscall.SIGSTOP {
		return nil
	}
	var sa sigaction
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&sa)), 0, unsafe.Sizeof(sa.mask), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// unblock lets sig reach the calling thread although the caller of this process
// may have blocked it.
func unblock(sig syscall.Signal) {
	var set unix.Sigset_t
	n := uint(sig) - 1
	bits := uint(unsafe.Sizeof(set.Val[0])) * 8
	set.Val[n/bits] |= 1 << (n % bits)
	_ = unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, nil)
}

// socketpair returns two connected stream sockets that no child inherits.
func socketpair() (a, b int, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	return fds[0], fds[1], err
}

// pipe returns the two ends of a pipe that no child inherits and no read or
// write of which blocks.
func pipe() (r, w int, err error) {
	var p [2]int
	err = unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK)
	return p[0], p[1], err
}

// ignoredInKernel reports whether sig is ignored. os/signal knows that only of
// those signals that the runtime looks at when it starts.
func ignoredInKernel(sig syscall.Signal) bool {
	var sa sigaction
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&sa)), unsafe.Sizeof(sa.mask), 0, 0)
	return errno == 0 && sa.handler == sigIgn
}

const sigIgn = 1 // SIG_IGN

// replace makes fd another descriptor of what from is, closed on exec.
func replace(fd, from int) error { return unix.Dup3(from, fd, unix.O_CLOEXEC) }
