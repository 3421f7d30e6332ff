package wrap

import (
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	// outputSize is the buffer between the command and the terminal. There is no
	// other, so a slow terminal slows the command as it would without us.
	outputSize = 32 << 10
	// bulk is the size from which on a read says that the command is in the
	// middle of something: a pty gives at most 4 KiB at a time. Then more is
	// read before a write, up to gather. Smaller ones are written at once.
	bulk = 2 << 10
	// gather is two reads' worth. While we write, the kernel's work queue fills the
	// pty's read buffer anew; who reads on sooner waits for that each time. With 28
	// KiB a flood took a quarter longer than with 8 or 12, with one read at a time
	// a sixth.
	gather = 8 << 10
	// maxDrain bounds what is read after the command's end, since something that
	// it has left in the background may go on writing for ever. A pty buffers
	// less than 1 MiB (TTYB_DEFAULT_MEM_LIMIT in Linux is 640 KiB).
	maxDrain = 1 << 20
	// patience is how many reads an own sequence waits for the command to
	// pause, before it goes between two of them.
	patience = 16
)

// errTerminal says that the terminal takes no more output.
var errTerminal = errors.New("terminal is gone")

// output carries bytes from the command to the terminal. All but the atomics
// and the queue belongs to the pump's goroutine, and to the conductor when that
// has ended.
type output struct {
	master int // descriptor of pty

	keepModes bool // modes that the command left on are not reset
	pty       port
	quick     int // the terminal, without blocking; -1 if there is no such descriptor
	tty       *terminal
	edit      editor
	tap       *tapper
	buf       []byte

	prefix atomic.Pointer[string] // of titles
	inject queue
	hold   atomic.Bool        // no own sequences: this process stops, or is in the background
	pauses chan chan struct{} // each is closed when the command has paused
	quit   atomic.Bool        // end when there is no more to read
	abort  atomic.Bool        // end at once

	deferred bool // own sequences could not be sent; do not try again for now
	drained  int
	waited   int // reads since own sequences were seen to wait
}

// run is the pump. It ends when the command's side of the pty is closed, or as
// quit and abort say.
func (o *output) run() error {
	for !o.abort.Load() {
		n, err := o.read()
		switch {
		case n > 0:
			if err := o.emit(o.buf[:n]); err != nil {
				return err
			}
			o.deferred = false
			if o.quit.Load() {
				if o.drained += n; o.drained > maxDrain {
					return nil
				}
			}
			if o.overdue() {
				if err := o.sendOwn(); err != nil {
					return err
				}
			}
		case err == errInterrupted:
			o.deferred = false
		case err == unix.EAGAIN:
			if done, err := o.pause(); done || err != nil {
				return err
			}
		default:
			// Linux says EIO when no one has the other side open, macOS 0.
			return nil
		}
	}
	return nil
}

// read waits for output, unless somebody wants to know when there is none. It
// reads once if the command has written little, and on to gather if it has
// written much.
func (o *output) read() (n int, err error) {
	if o.wanted() {
		n, err = o.pty.readNow(o.buf)
	} else {
		n, err = o.pty.read(o.buf)
	}
	for n >= bulk && n+4<<10 <= gather {
		m, err := o.pty.readNow(o.buf[n:gather])
		if m <= 0 || err != nil {
			break // whatever it is, the next read says it again
		}
		if n += m; m < bulk {
			break
		}
	}
	return n, err
}

// wanted reports whether there is something to do when the command pauses.
func (o *output) wanted() bool {
	return o.quit.Load() || len(o.pauses) > 0 || !o.deferred && !o.inject.empty()
}

// pause is called when the command has written nothing more for now.
func (o *output) pause() (done bool, err error) {
	if o.quit.Load() {
		// Linux moves what was written by a work queue. A poll waits for that.
		p := [1]unix.PollFd{{Fd: int32(o.master), Events: unix.POLLIN}}
		n, err := poll(p[:], 0)
		if n > 0 && p[0].Revents&unix.POLLIN != 0 || err == unix.EINTR {
			return false, nil
		}
		return true, nil
	}
	select {
	case ask := <-o.pauses:
		close(ask)
	default:
	}
	o.deferred = true // until there is more output or a reason to try again
	return false, o.sendOwn()
}

// emit writes what the command has written, then shows it to the tap. That it
// has been read the tap hears before anyone can see it and act on it.
func (o *output) emit(p []byte) error {
	o.tap.read()
	prefix := ""
	if s := o.prefix.Load(); s != nil {
		prefix = *s
	}
	if err := o.write(o.edit.edit(p, prefix)); err != nil {
		return err
	}
	o.tap.output(p)
	return nil
}

// write writes to the terminal, first on the description that does not block:
// the scheduler need not know of that. Where the terminal is slower than the
// command, a write that blocks is the better one for the rest, since the kernel
// then takes all of it.
func (o *output) write(b []byte) error {
	if len(b) > bulk {
		o.pty.quiet()
	}
	if o.quick >= 0 && len(b) > 0 {
		n, err := writeNow(o.quick, b)
		if n == len(b) {
			return nil
		}
		if err == nil {
			b = b[n:]
		}
	}
	o.pty.quiet()
	if err := writeAll(stdout, b); err != nil {
		return fmt.Errorf("%w: write: %w", errTerminal, err)
	}
	return nil
}

// overdue reports whether own sequences have waited long enough for a pause.
func (o *output) overdue() bool {
	if o.inject.empty() {
		o.waited = 0
		return false
	}
	o.waited++
	return o.waited > patience
}

// sendOwn writes the queued own sequences if this is the place and time for it.
func (o *output) sendOwn() error {
	if o.inject.empty() || o.hold.Load() || !o.edit.safe() || !o.tty.foreground() {
		return nil
	}
	o.waited = 0
	return o.write(o.inject.take())
}

// finish writes what remains when the pump has ended: the rest of a sequence
// that was held back, then, if the terminal is ours to write to, the own
// sequences and the reset of modes. If the command died within a sequence, CAN
// ends it, so that it does not swallow what follows.
func (o *output) finish(reset bool) error {
	own := o.inject.close()
	b := o.edit.finish()
	if !o.edit.pure && o.tty.foreground() {
		if reset && !o.keepModes {
			own = append(own, o.edit.modes.reset()...)
		}
		if len(own) > 0 && !o.edit.scan.Ground() {
			b = append(b, 0x18)
		}
		b = append(b, own...)
	}
	if len(b) == 0 {
		return nil
	}
	return o.write(b)
}
