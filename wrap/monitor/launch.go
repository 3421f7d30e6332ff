package monitor

import (
	"errors"
	"io"
)

// Launch is what the monitor is to start.
type Launch struct {
	// Foreground gives the command the terminal before it is executed.
	Foreground bool
	// Path is the file to execute, Argv its whole argument vector and Env its
	// environment ("NAME=value"); each reaches it byte for byte.
	Path string
	Argv []string
	Env  []string
}

// errLaunch says that what came over the socket is no launch. It comes from the
// same program, so this is never seen.
var errLaunch = errors.New("malformed launch")

// maxLaunch bounds a launch: more than execve takes anywhere.
const maxLaunch = 64 << 20

// Encode puts l into the bytes that the monitor reads: the length of the rest, a byte for the foreground,
// and the path, the arguments and the variables, each string behind its length
// and each list behind its count. Numbers have 32 bits.
func (l Launch) Encode() []byte {
	b := make([]byte, 4, 16<<10)
	fg := byte(0)
	if l.Foreground {
		fg = 1
	}
	b = append(b, fg)
	for _, list := range [][]string{{l.Path}, l.Argv, l.Env} {
		b = appendNumber(b, uint32(len(list)))
		for _, s := range list {
			b = append(appendNumber(b, uint32(len(s))), s...)
		}
	}
	appendNumber(b[:0], uint32(len(b)-4))
	return b
}

// readLaunch reads one launch and nothing that comes after it.
func readLaunch(r io.Reader) (Launch, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Launch{}, err
	}
	size := numberAt(head[:])
	if size < 1 || size > maxLaunch {
		return Launch{}, errLaunch
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(r, b); err == io.EOF {
		return Launch{}, io.ErrUnexpectedEOF
	} else if err != nil {
		return Launch{}, err
	}
	ok := true
	number := func() (n int) {
		if ok = ok && len(b) >= 4; ok {
			n, b = int(numberAt(b)), b[4:]
		}
		return n
	}
	strs := func() (list []string) {
		for n := number(); ok && len(list) < n; {
			size := number()
			if ok = ok && len(b) >= size; ok {
				list, b = append(list, string(b[:size])), b[size:]
			}
		}
		return list
	}
	l := Launch{Foreground: b[0] != 0}
	b = b[1:]
	path := strs()
	l.Argv, l.Env = strs(), strs()
	if !ok || len(path) != 1 || len(b) > 0 {
		return Launch{}, errLaunch
	}
	l.Path = path[0]
	return l, nil
}

// appendNumber and numberAt are what encoding/binary has; that needs reflect.
func appendNumber(b []byte, n uint32) []byte {
	return append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

func numberAt(b []byte) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}
