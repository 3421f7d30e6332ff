//go:build linux

package main

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// generate writes n bytes of text in lines of 76 columns, as base64 would.
func generate(n int) int {
	line := strings.Repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk", 2)[:76] + "\n"
	buf := []byte(strings.Repeat(line, 850))
	for n > 0 {
		m, err := unix.Write(1, buf[:min(n, len(buf))])
		if err != nil {
			return 3
		}
		n -= m
	}
	return 0
}

// echo writes back what it reads, in raw mode, until it reads a q.
func echo() int {
	t, err := unix.IoctlGetTermios(0, unix.TCGETS)
	if err != nil {
		return 3
	}
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(0, unix.TCSETS, t); err != nil {
		return 3
	}
	if _, err := os.Stdout.WriteString(ready); err != nil {
		return 3
	}
	var b [4096]byte
	for {
		n, err := unix.Read(0, b[:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n <= 0:
			return 0
		}
		for _, c := range b[:n] {
			if c == 'q' {
				return 0
			}
		}
		if _, err := unix.Write(1, b[:n]); err != nil {
			return 0
		}
	}
}
