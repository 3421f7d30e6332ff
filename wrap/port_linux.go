package wrap

import (
	"cmp"
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// netPort is a pollPort that waits to read in the runtime's poller, so that it
// needs no thread and the scheduler knows that it waits. A thread that waits in
// a system call keeps the scheduler's watchdog awake instead: a keystroke and
// its echo then cost three times the processor time and thirty context switches
// instead of four.
//
// What the poller gets is not the descriptor but an epoll instance with nothing
// but the descriptor's input in it. The poller itself always asks for output
// too, and would wake each time that the terminal has taken something.
type netPort struct {
	*pollPort
	epoll *os.File
	ep    int // its descriptor
	raw   syscall.RawConn
	try   func(uintptr) bool
	timed bool
	deaf  bool // input is not reported to the poller

	// of the read under way
	buf []byte
	n   int
	err error
}

const inputEdge = unix.EPOLLIN | unix.EPOLLET&0xffffffff

// pollOnly makes all ports wait as they do on macOS. Tests set it.
var pollOnly bool

// newPort makes a port of a descriptor that does not block.
func newPort(fd int, may func() bool) (port, error) {
	pp, err := newPollPort(fd, true, may)
	if err != nil || pollOnly {
		return pp, err
	}
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return pp, nil
	}
	if unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: inputEdge, Fd: int32(fd)}) != nil || unix.SetNonblock(ep, true) != nil {
		unix.Close(ep)
		return pp, nil
	}
	file := os.NewFile(uintptr(ep), "epoll")
	raw, err := file.SyscallConn()
	if err != nil || file.SetReadDeadline(time.Time{}) != nil { // the poller does not take it
		file.Close()
		return pp, nil
	}
	p := &netPort{pollPort: pp, epoll: file, ep: ep, raw: raw}
	p.try = func(uintptr) bool { // made here once; in read it would be allocated each time
		if may != nil && !may() {
			// What is there is somebody else's, who mostly takes it at once. Look again
			// while it is there: when it becomes ours nothing wakes us.
			if n, err := unix.IoctlGetInt(fd, unix.TIOCINQ); err == nil && n > 0 {
				p.within(lookAgain)
			}
			return false
		}
		p.n, p.err = readNow(fd, p.buf)
		return p.err != unix.EAGAIN
	}
	return p, nil
}

func (p *netPort) read(b []byte) (int, error) {
	if p.deaf { // in the midst of a flood there is mostly something
		if p.may == nil || p.may() {
			if n, err := readNow(p.fd, b); err != unix.EAGAIN {
				return n, err
			}
		}
		p.deaf = false
		p.listen(inputEdge)
	}
	p.buf = b
	err := p.raw.Read(p.try)
	p.buf = nil
	if err == nil && !p.timed {
		return p.n, p.err
	}
	p.timed = false
	_ = p.epoll.SetReadDeadline(time.Time{})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, errInterrupted
	}
	return p.n, cmp.Or(err, p.err)
}

func (p *netPort) quiet() {
	if !p.deaf {
		p.deaf = true
		p.listen(0)
	}
}

func (p *netPort) listen(events uint32) {
	ev := unix.EpollEvent{Events: events, Fd: int32(p.fd)}
	_ = unix.EpollCtl(p.ep, unix.EPOLL_CTL_MOD, p.fd, &ev)
}

func (p *netPort) interruptRead() { _ = p.epoll.SetReadDeadline(time.Unix(1, 0)) }

func (p *netPort) within(d time.Duration) {
	p.timed = true
	_ = p.epoll.SetReadDeadline(time.Now().Add(d))
}

// openTerminal opens the terminal anew, for an open file description of our own
// that does not block. It returns a port to read from and a descriptor to write
// to, -1 if there is none that does not block.
func openTerminal(may func() bool) (port, int, error) {
	names := []string{"/dev/tty", "/proc/self/fd/0"}
	if pollOnly {
		names = nil
	}
	for _, name := range names {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		if onTerminal(fd) {
			p, err := newPort(fd, may)
			return p, fd, err
		}
		unix.Close(fd)
	}
	// As in a session without a controlling terminal, on another user's terminal.
	p, err := newPollPort(stdin, false, may)
	return p, -1, err
}

// poll waits for fds, timeout in milliseconds, for ever if it is negative.
func poll(fds []unix.PollFd, timeout int) (int, error) { return unix.Poll(fds, timeout) }

// readNow reads from a descriptor that does not block. b must not be empty.
//
// readNow and writeNow do not tell the scheduler. A system call that takes
// longer than 20 µs, as it does on a busy machine, would lose its processor to
// another thread, and in a flood of output the futex calls for that cost more
// than the copying.
func readNow(fd int, b []byte) (int, error) {
	return now(syscall.SYS_READ, fd, b)
}

// writeNow writes to a descriptor that does not block. b must not be empty.
func writeNow(fd int, b []byte) (int, error) {
	return now(syscall.SYS_WRITE, fd, b)
}

func now(call uintptr, fd int, b []byte) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
			continue
		}
		return -1, errno
	}
}

// foregroundGroup returns the foreground process group of the terminal fd. It
// may be asked for with each output, so it does not tell the scheduler either:
// that would wake the scheduler's watchdog each time.
func foregroundGroup(fd int) (int, error) {
	var g int32
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), unix.TIOCGPGRP, uintptr(unsafe.Pointer(&g)))
	if errno != 0 {
		return 0, errno
	}
	return int(g), nil
}
