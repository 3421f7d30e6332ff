package wrap

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigaction is the kernel's struct __sigaction, which has a trampoline that
// libSystem's struct hides. With SIG_DFL it is not used.
type sigaction struct {
	handler uintptr
	tramp   uintptr
	mask    uint32
	flags   int32
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
	_, _, errno := syscall.RawSyscall(syscall.SYS_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&sa)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// unblock does nothing: golang.org/x/sys has no pthread_sigmask for darwin. A
// signal that the caller had blocked then ends this process with 128+N.
func unblock(syscall.Signal) {}

// socketpair returns two connected stream sockets that no child inherits.
func socketpair() (a, b int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return 0, 0, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	return fds[0], fds[1], nil
}

// pipe returns the two ends of a pipe that no child inherits and no read or
// write of which blocks.
func pipe() (r, w int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		return 0, 0, err
	}
	for _, fd := range p {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, true); err != nil {
			return 0, 0, err
		}
	}
	return p[0], p[1], nil
}

// ignoredInKernel reports whether sig is ignored. os/signal knows that only of
// those signals that the runtime looks at when it starts.
func ignoredInKernel(sig syscall.Signal) bool {
	var sa struct { // libSystem's struct sigaction: no trampoline on the way out
		handler uintptr
		mask    uint32
		flags   int32
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&sa)))
	return errno == 0 && sa.handler == sigIgn
}

const sigIgn = 1 // SIG_IGN

// replace makes fd another descriptor of what from is, closed on exec.
func replace(fd, from int) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Dup2(from, fd); err != nil {
		return err
	}
	unix.CloseOnExec(fd)
	return nil
}
