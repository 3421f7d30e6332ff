package screen

import (
	"fmt"

	"fwrap/wrap/seq"
)

// maxTape bounds what is kept for drawing a screen anew, in bytes.
const maxTape = 128 << 10

// tape is what has been written since a moment when the screen was known:
// cleared at best, else blank where it was not.
type tape struct {
	bytes   []byte
	state   state       // at the start
	scanner seq.Scanner // at the start

	// In the piece being drawn the screen was cleared, which becomes the start
	// when the piece is done.
	cleared   bool
	clearedAt int
	next      state
}

// start begins the tape here.
func (t *tape) start(s *Screen) {
	t.bytes = t.bytes[:0]
	t.state, t.scanner = s.state, s.sc.Clone()
	t.cleared = false
}

// record adds a piece that has been drawn.
func (t *tape) record(s *Screen, piece []byte) {
	if t.cleared {
		t.cleared = false
		t.state, t.scanner = t.next, seq.Scanner{}
		t.bytes = append(t.bytes[:0], piece[t.clearedAt:]...)
		return
	}
	if len(t.bytes)+len(piece) > maxTape {
		t.start(s)
		return
	}
	t.bytes = append(t.bytes, piece...)
}

// clear notes that the screen is blank after what has been drawn of the piece.
func (t *tape) clear(s *Screen) {
	t.cleared, t.clearedAt, t.next = true, s.offset, s.state
}

// draw executes a piece. It reports false if the emulator panicked.
func (s *Screen) draw(piece []byte) bool {
	return s.try(func() {
		s.offset = 0
		for s.offset < len(piece) {
			tok, n := s.sc.Next(piece[s.offset:])
			s.offset += n
			s.earn(n)
			s.token(&tok)
			s.grid.flushLong()
		}
		s.grid.flush()
	})
}

// try reports whether do came to its end without a panic.
func (s *Screen) try(do func()) (ok bool) {
	defer func() {
		if !ok {
			s.fault = fmt.Sprint(recover())
		}
	}()
	do()
	return true
}

// rebuild takes a new emulator of the same size and draws the tape again; if
// that panics too, the screen starts blank.
func (s *Screen) rebuild() {
	s.resets++
	t := &s.tape
	s.blank(s.grid.cols, s.grid.rows)
	s.state, s.sc = t.state, t.scanner.Clone()
	s.prepare()
	for rest := t.bytes; len(rest) > 0; {
		piece := rest[:min(len(rest), pieceSize)]
		rest = rest[len(piece):]
		if !s.draw(piece) {
			s.blank(s.grid.cols, s.grid.rows)
			s.state, s.sc = t.state, seq.Scanner{}
			s.prepare()
			t.start(s)
			return
		}
	}
	t.cleared = false
}

// blank takes a new emulator of the given size.
func (s *Screen) blank(cols, rows int) {
	out := s.grid.out[:0]
	s.grid = newGrid(s.newTerm(cols, rows), cols, rows)
	s.grid.out = out
	s.rows, s.wrapped, s.cleared = nil, nil, false
}

// prepare brings a new grid to what the state says.
func (s *Screen) prepare() {
	if s.alt {
		s.grid.swap()
	}
	m := s.region()
	s.grid.setRegion(m.top, m.bottom)
}
