package wrap

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// errInterrupted ends a wait that somebody wants to have ended.
var errInterrupted = errors.New("interrupted")

// port is one side of the relay, a descriptor that can be waited for. One
// goroutine reads and one writes.
type port interface {
	// read waits until there is something and reads it. At the end it returns 0
	// or an error: Linux says EIO for a pty that has lost its other side.
	read(b []byte) (int, error)
	// readNow reads what is there, or returns EAGAIN.
	readNow(b []byte) (int, error)
	// write waits until something of b can be written and returns how much was.
	write(b []byte) (int, error)
	// interruptRead makes the read that waits, or else the next one, return
	// errInterrupted; interruptWrite does the same for write.
	interruptRead()
	interruptWrite()
	// quiet says that the next read will not be soon: what comes until then need
	// not wake anybody.
	quiet()
	// within makes the next read return errInterrupted after d at the latest.
	within(d time.Duration)
}

// lookAgain is how often a port looks whether it may read, while something is
// there to be read.
const lookAgain = 200 * time.Millisecond

// pollPort is a port that waits by a system call, in a thread of its own.
type pollPort struct {
	fd       int
	may      func() bool // reading is allowed now; nil for always
	rd, wr   waker
	timeout  time.Duration
	nonblock bool // reads and writes of fd do not block
}

func newPollPort(fd int, nonblock bool, may func() bool) (*pollPort, error) {
	rd, err := newWaker()
	if err != nil {
		return nil, err
	}
	wr, err := newWaker()
	if err != nil {
		rd.close()
		return nil, err
	}
	return &pollPort{fd: fd, may: may, rd: rd, wr: wr, nonblock: nonblock}, nil
}

func (p *pollPort) read(b []byte) (int, error) {
	timeout := -1
	if p.timeout > 0 {
		timeout = int((p.timeout + time.Millisecond - 1) / time.Millisecond)
		p.timeout = 0
	}
	for {
		fds := [2]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}, {Fd: int32(p.rd.r), Events: unix.POLLIN}}
		n, err := poll(fds[:], timeout)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, fmt.Errorf("poll: %w", err)
		case n == 0:
			return 0, errInterrupted
		case fds[1].Revents != 0:
			p.rd.clear()
			return 0, errInterrupted
		case p.may != nil && !p.may():
			// What is there is somebody else's, who mostly takes it at once.
			fds[0].Fd = -1
			if _, err := poll(fds[:], int(lookAgain/time.Millisecond)); err != nil && err != unix.EINTR {
				return 0, fmt.Errorf("poll: %w", err)
			}
			continue
		}
		if n, err := unix.Read(p.fd, b); err != unix.EAGAIN && err != unix.EINTR {
			return n, err
		}
	}
}

func (p *pollPort) readNow(b []byte) (int, error) {
	if !p.nonblock {
		return -1, unix.EAGAIN
	}
	return readNow(p.fd, b)
}

func (p *pollPort) write(b []byte) (int, error) {
	for {
		n, err := writeNow(p.fd, b)
		if err != unix.EAGAIN && err != unix.EINTR {
			return n, err
		}
		fds := [2]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}, {Fd: int32(p.wr.r), Events: unix.POLLIN}}
		if _, err := poll(fds[:], -1); err != nil && err != unix.EINTR {
			return 0, fmt.Errorf("poll: %w", err)
		}
		if fds[1].Revents != 0 {
			p.wr.clear()
			return 0, errInterrupted
		}
	}
}

func (p *pollPort) quiet()                 {}
func (p *pollPort) interruptRead()         { p.rd.wake() }
func (p *pollPort) interruptWrite()        { p.wr.wake() }
func (p *pollPort) within(d time.Duration) { p.timeout = d }

// waker ends another goroutine's wait in poll: a pipe to itself.
type waker struct{ r, w int }

func newWaker() (waker, error) {
	r, w, err := pipe()
	return waker{r, w}, err
}

// wake may be called by anyone. A full pipe is as good as one more byte.
func (k waker) wake() { _, _ = unix.Write(k.w, []byte{0}) }

// clear takes what wake has written.
func (k waker) clear() {
	var b [64]byte
	for {
		if n, err := unix.Read(k.r, b[:]); n < len(b) && err != unix.EINTR {
			return
		}
	}
}

func (k waker) close() {
	unix.Close(k.r)
	unix.Close(k.w)
}
