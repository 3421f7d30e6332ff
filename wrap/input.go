package wrap

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	inputSize = 16 << 10
	// answerTime is how long an answer may wait for its place. Whoever asked has
	// given up by then.
	answerTime = 5 * time.Second
)

// input carries bytes from the terminal to the command.
type input struct {
	src   port // the terminal
	pty   port
	tty   *terminal
	tap   *tapper
	focus *atomic.Bool // the command has asked for focus reports
	pure  bool
	keys  keys
	buf   []byte

	replies *replies // nil: none are looked for
	answers queue
	asked   atomic.Int64 // when the oldest answer in the queue was put, UnixNano
	quit    atomic.Bool
	regain  chan struct{} // the terminal has become ours without a word
}

// run is the pump. It ends with nil when told to quit, with errTerminal when
// the terminal has been hung up.
func (in *input) run() error {
	for {
		in.answer()
		if in.quit.Load() {
			return nil
		}
		n, err := in.src.read(in.buf)
		switch {
		case n > 0:
		case err == errInterrupted, err == unix.EAGAIN, err == unix.EINTR:
			continue
		case err == unix.EIO && !in.tty.foreground() && !hungUp():
			// Not ours any more, and no job control that could have stopped us.
			in.tty.raw.Store(false)
			continue
		case err != nil:
			return fmt.Errorf("%w: read: %w", errTerminal, err)
		default:
			return fmt.Errorf("%w: end of input", errTerminal)
		}
		// An answer that was put before this came goes before it: Claude Code
		// 2.1.332 takes one to OSC 7501 only ahead of the terminal's to CSI c. The
		// poller may tell of input first although the interrupt came earlier.
		in.answer()
		now := time.Now()
		b := in.buf[:n]
		if in.replies != nil {
			b = in.replies.filter(now, b)
		}
		if err := in.forward(b); err != nil {
			return nil // the command's side is closed; its end is reported elsewhere
		}
		in.tap.typed(b)
		a := in.keys.feed(in.buf[:n], now, in.focus.Load(), in.tap.focus)
		for k := InputKey; k <= InputMouse; k++ {
			if a&(1<<k) != 0 {
				in.tap.input(k)
			}
		}
	}
}

// stop ends the pump, wherever it waits.
func (in *input) stop() {
	in.quit.Store(true)
	in.src.interruptRead()
	in.pty.interruptWrite()
}

// may reports whether the input is ours to read, when there is some. While we
// are in the background it is the shell's. A shell that brings a running job to
// the foreground tells the job nothing: then this is where we see it.
func (in *input) may() bool {
	switch {
	case in.tty.raw.Load():
		return true
	case in.tty.foreground():
		select {
		case in.regain <- struct{}{}:
		default:
		}
		return false
	}
	return hungUp()
}

// hungUp reports whether the terminal itself is gone.
func hungUp() bool {
	_, err := winsize(stdin)
	return err != nil
}

// forward writes input to the command. While the command does not read, this
// waits, and nothing else waits for this.
func (in *input) forward(b []byte) error {
	for len(b) > 0 {
		n, err := in.pty.write(b)
		switch {
		case n > 0:
			b = b[n:]
		case in.quit.Load():
			return nil
		case err != errInterrupted:
			return err
		}
	}
	return nil
}

// answer puts in what is queued, if that can be, or sees to it that it is tried
// again.
func (in *input) answer() {
	if in.answers.empty() {
		return
	}
	now := time.Now()
	if now.Sub(time.Unix(0, in.asked.Load())) > answerTime {
		in.answers.take()
		return
	}
	ok, wait := in.keys.safe(now)
	if !ok {
		in.src.within(wait)
		return
	}
	_ = in.forward(in.answers.take())
}
