package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// maxReply bounds what is read of a terminal's replies.
const maxReply = 64 << 10

// ErrBackground says that the terminal is another job's.
var ErrBackground = errors.New("the terminal is in use by another job")

// Ask writes queries to the terminal and returns what has come back when done
// says that it is all, or when limit has passed: a terminal may say nothing.
// Meanwhile the terminal is in raw mode. Keys that are pressed meanwhile are
// in the result and lost; what was typed ahead is left alone by not asking: the
// result is empty then, with an error.
//
// A session sends no queries; this is for verbs that have the terminal to
// themselves.
func Ask(in, out *os.File, queries []byte, limit time.Duration, done func(got []byte) bool) ([]byte, error) {
	fd := int(in.Fd())
	if g, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err == nil && g != unix.Getpgrp() {
		return nil, ErrBackground
	}
	restore, err := MakeRaw(in)
	if err != nil {
		return nil, err
	}
	defer restore()
	if ready(fd, 0) {
		return nil, errors.New("something was typed ahead")
	}
	if err := writeAll(int(out.Fd()), queries); err != nil {
		return nil, fmt.Errorf("ask the terminal: %w", err)
	}
	var got bytes.Buffer
	buf := make([]byte, 4<<10)
	for end := time.Now().Add(limit); !done(got.Bytes()) && got.Len() < maxReply; {
		left := time.Until(end)
		if left <= 0 {
			break
		}
		if !ready(fd, left) {
			continue
		}
		n, err := unix.Read(fd, buf)
		switch {
		case n > 0:
			got.Write(buf[:n])
		case err == unix.EINTR, err == unix.EAGAIN:
		case err != nil:
			return got.Bytes(), fmt.Errorf("read the terminal's reply: %w", err)
		default:
			return got.Bytes(), fmt.Errorf("read the terminal's reply: %w", errTerminal)
		}
	}
	return got.Bytes(), nil
}

// ready reports whether fd has something to read within the time given.
func ready(fd int, within time.Duration) bool {
	p := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := poll(p[:], int((within+time.Millisecond-1)/time.Millisecond))
	return err == nil && n > 0
}
