package wrap

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	inputSize = 16 << 10
	// lookAgain is how often the pump looks whether the terminal has become ours
	// while input is waiting there that is not. It looks only then: a shell that
	// brings a running job to the foreground tells the job nothing.
	lookAgain = 200 * time.Millisecond
	// answerTime is how long an answer may wait for its place. Whoever asked has
	// given up by then.
	answerTime = 5 * time.Second
)

// input carries bytes from the terminal to the command.
type input struct {
	master int
	tty    *terminal
	wakeup waker
	tap    *tapper
	focus  *atomic.Bool // the command has asked for focus reports
	pure   bool
	keys   keys
	buf    []byte

	answers queue
	asked   atomic.Int64 // when the oldest answer in the queue was put, UnixNano
	quit    atomic.Bool
	regain  chan struct{} // the terminal has become ours without a word
}

// run is the pump. It ends with nil when told to quit, with errTerminal when
// the terminal has been hung up.
func (in *input) run() error {
	for !in.quit.Load() {
		ours := in.tty.raw.Load()
		timeout := in.answer()
		ready, hup, err := in.wait(unix.POLLIN, stdin, timeout)
		if err != nil {
			return err
		}
		switch {
		case in.quit.Load():
			return nil
		case !ready && !hup:
			continue
		case !in.tty.raw.Load():
			if !hup {
				in.background()
				continue
			}
		case !ours:
			continue
		}
		n, err := unix.Read(stdin, in.buf)
		switch {
		case err == unix.EINTR, err == unix.EAGAIN:
			continue
		case err == unix.EIO && !in.tty.foreground() && !in.hungUp():
			// Not ours any more, and no job control that could have stopped us.
			in.tty.raw.Store(false)
			continue
		case err != nil:
			return fmt.Errorf("%w: read: %w", errTerminal, err)
		case n <= 0:
			return fmt.Errorf("%w: end of input", errTerminal)
		}
		if err := in.forward(in.buf[:n]); err != nil {
			return nil // the command's side is closed; its end is reported elsewhere
		}
		a := in.keys.feed(in.buf[:n], time.Now(), in.focus.Load(), in.tap.focus)
		for k := InputKey; k <= InputMouse; k++ {
			if a&(1<<k) != 0 {
				in.tap.input(k)
			}
		}
	}
	return nil
}

// wait waits until fd is ready, has hung up or was asked for by the waker.
func (in *input) wait(events int16, fd int, timeout time.Duration) (ready, hup bool, err error) {
	fds := [2]unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: int32(in.wakeup.r), Events: unix.POLLIN}}
	ms := -1
	if timeout >= 0 {
		ms = int((timeout + time.Millisecond - 1) / time.Millisecond)
	}
	if _, err := poll(fds[:], ms); err != nil && err != unix.EINTR {
		return false, false, fmt.Errorf("waiting for input: %w", err)
	}
	if fds[1].Revents != 0 {
		in.wakeup.clear()
	}
	r := fds[0].Revents
	return r&events != 0, r&^events != 0, nil
}

// background is called when there is input and the terminal is not ours. The
// input is the shell's, which mostly takes it at once.
func (in *input) background() {
	if in.tty.foreground() {
		select {
		case in.regain <- struct{}{}:
		default:
		}
	}
	_, _, _ = in.wait(0, -1, lookAgain)
}

// hungUp reports whether the terminal itself is gone.
func (in *input) hungUp() bool {
	_, err := winsize(stdin)
	return err != nil
}

// forward writes input to the command. While the command does not read, this
// waits, and nothing else waits for this.
func (in *input) forward(b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(in.master, b)
		switch {
		case n > 0:
			b = b[n:]
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			if _, _, err := in.wait(unix.POLLOUT, in.master, -1); err != nil {
				return err
			}
			if in.quit.Load() {
				return nil
			}
		default:
			return err
		}
	}
	return nil
}

// answer puts in what is queued, if that can be. It returns how long to wait
// before it is tried again, negative for no time set.
func (in *input) answer() time.Duration {
	if in.answers.empty() {
		return -1
	}
	now := time.Now()
	if now.Sub(time.Unix(0, in.asked.Load())) > answerTime {
		in.answers.take()
		return -1
	}
	ok, wait := in.keys.safe(now)
	if !ok {
		return wait
	}
	_ = in.forward(in.answers.take())
	return -1
}
