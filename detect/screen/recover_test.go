package screen

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

// faulty is an emulator that panics when it is told to draw a character, or
// read or resized after its fuse has been lit.
type faulty struct {
	terminal
	on            string
	read, resized *bool
}

func (f faulty) Write(p []byte) (int, error) {
	if f.on != "" && bytes.Contains(p, []byte(f.on)) {
		panic("cannot draw " + f.on)
	}
	return f.terminal.Write(p)
}

func (f faulty) Cell(x, y int) vt10x.Glyph {
	if *f.read {
		*f.read = false
		panic("cannot read")
	}
	return f.terminal.Cell(x, y)
}

func (f faulty) Resize(cols, rows int) {
	if *f.resized {
		*f.resized = false
		panic("cannot resize")
	}
	f.terminal.Resize(cols, rows)
}

func newFaulty(cols, rows int, on string) (s *Screen, read, resized *bool) {
	read, resized = new(bool), new(bool)
	return newScreen(cols, rows, func(cols, rows int) terminal {
		return faulty{newVT10x(cols, rows), on, read, resized}
	}), read, resized
}

func rowsOf(s *Screen) string { return strings.TrimRight(strings.Join(s.Snapshot().Rows, "|"), "|") }

func TestPanicInWrite(t *testing.T) {
	s, _, _ := newFaulty(20, 4, "☠")
	s.Write([]byte("lost\x1b[2J\x1b[H\x1b]0;title\aone\r\ntwo\r\n"))
	s.Write([]byte("bad ☠ bad"))
	if s.Resets() != 1 || s.Fault() != "cannot draw ☠" {
		t.Errorf("%d resets, %q", s.Resets(), s.Fault())
	}
	s.Write([]byte("three"))
	if got := rowsOf(s); got != "one|two|three" {
		t.Errorf("the screen is %q", got)
	}
	if s.Snapshot().Title != "title" {
		t.Errorf("the title is %q", s.Snapshot().Title)
	}
}

// After a panic within a piece what follows is still read from where a
// sequence begins.
func TestPanicWithinSequence(t *testing.T) {
	s, _, _ := newFaulty(20, 4, "☠")
	s.Write([]byte("one\r\n"))
	s.Write([]byte("☠\x1b]0;ti"))
	s.Write([]byte("tle\atwo"))
	if got := rowsOf(s); got != "one|two" {
		t.Errorf("the screen is %q", got)
	}
}

func TestPanicKeepsModes(t *testing.T) {
	s, _, _ := newFaulty(20, 4, "☠")
	s.Write([]byte("main\x1b[?1049h\x1b[2;3r\x1b[3Ha"))
	s.Write([]byte("☠"))
	s.Write([]byte("\nb"))
	if got := s.Snapshot(); !got.Alt || rowsOf(s) != "|a| b" {
		t.Errorf("alternate screen %v, %q", got.Alt, rowsOf(s))
	}
	s.Write([]byte("\x1b[?1049lmain again"))
	if got := s.Snapshot(); got.Alt || rowsOf(s) != "    main again" {
		t.Errorf("alternate screen %v, %q", got.Alt, rowsOf(s))
	}
}

// What is kept for drawing anew is bounded; beyond it the screen starts blank.
func TestPanicAfterMuch(t *testing.T) {
	s, _, _ := newFaulty(20, 4, "☠")
	for range 3 * maxTape / 1000 {
		s.Write(bytes.Repeat([]byte("0123456789"), 100))
		if len(s.tape.bytes) > maxTape {
			t.Fatalf("%d bytes are kept", len(s.tape.bytes))
		}
	}
	s.Write([]byte("☠"))
	s.Write([]byte("\x1b[2J\x1b[Hnew"))
	if got := rowsOf(s); got != "new" || s.Resets() != 1 {
		t.Errorf("the screen is %q after %d resets", got, s.Resets())
	}
}

func TestPanicInSnapshot(t *testing.T) {
	s, read, _ := newFaulty(20, 4, "")
	s.Write([]byte("one\r\ntwo"))
	*read = true
	if got := rowsOf(s); got != "one|two" || s.Resets() != 1 {
		t.Errorf("the screen is %q after %d resets", got, s.Resets())
	}
	// Within a write: the start of a synchronised update reads the screen.
	*read = true
	s.Write([]byte("!\x1b[?2026h"))
	s.Write([]byte("?"))
	if got := rowsOf(s); got != "one|two?" || s.Resets() != 2 {
		t.Errorf("the screen is %q after %d resets", got, s.Resets())
	}
}

func TestPanicInResize(t *testing.T) {
	s, _, resized := newFaulty(20, 4, "")
	s.Write([]byte("\x1b[?1049hone"))
	*resized = true
	s.Resize(30, 5)
	s.Write([]byte("\x1b[5;28Hxyz"))
	got := s.Snapshot()
	if got.Cols != 30 || len(got.Rows) != 5 || !got.Alt || strings.TrimSpace(got.Rows[4]) != "xyz" {
		t.Errorf("%+v", got)
	}
	if s.Resets() != 1 {
		t.Errorf("%d resets", s.Resets())
	}
}

// Even an emulator that panics at all times does no harm.
func TestPanicAlways(t *testing.T) {
	s, read, _ := newFaulty(20, 4, "x")
	for range 50 {
		s.Write([]byte("x\x1b[2Jx"))
		*read = true
		s.Resize(20+s.Resets()%3, 4)
		s.Snapshot()
	}
	if s.Resets() < 50 {
		t.Errorf("%d resets", s.Resets())
	}
}
