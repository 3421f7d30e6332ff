package screen

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestSkip(t *testing.T) {
	var flood bytes.Buffer
	flood.WriteString("\x1b]2;the title\a\x1b]9;4;1;50\a")
	for i := range 20000 {
		fmt.Fprintf(&flood, "\x1b[3%dmline %d\x1b[0m\r\n", i%8, i)
	}
	b := flood.Bytes()
	whole, skipped := New(80, 24), New(80, 24)
	whole.Write(b)
	cut := len(b) - 8<<10
	skipped.Skip(b[:cut])
	skipped.Write(b[cut:])
	w, s := whole.Snapshot(), skipped.Snapshot()
	if got, want := strings.Join(s.Rows, "\n"), strings.Join(w.Rows, "\n"); got != want {
		t.Errorf("the end of a flood gives\n%s\nwant\n%s", got, want)
	}
	if s.Title != w.Title || s.Progress != w.Progress || s.Cursor != w.Cursor {
		t.Errorf("got %q %v %v, want %q %v %v", s.Title, s.Progress, s.Cursor, w.Title, w.Progress, w.Cursor)
	}
}

func TestSkipKeepsModes(t *testing.T) {
	s := New(80, 24)
	s.Write([]byte("main"))
	s.Skip([]byte("\x1b[?1049htext that is not drawn\x1b[5;5H"))
	s.Write([]byte("\x1b[Halt"))
	if snap := s.Snapshot(); !snap.Alt || snap.Rows[0] != "alt" {
		t.Errorf("alternate screen %v, row %q", snap.Alt, snap.Rows[0])
	}
	s.Skip([]byte("\x1b[?1049l"))
	if snap := s.Snapshot(); snap.Alt || snap.Rows[0] != "main" {
		t.Errorf("alternate screen %v, row %q", snap.Alt, snap.Rows[0])
	}
}

func BenchmarkSkip(b *testing.B) {
	p := bytes.Repeat([]byte("\x1b[32mok\x1b[0m a line of some ordinary text, coloured\r\n"), 20000)
	s := New(120, 32)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		s.Skip(p)
	}
}
