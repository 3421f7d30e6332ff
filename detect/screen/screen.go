package screen

import (
	"fwrap/detect"
	"fwrap/wrap/seq"
)

// maxSize is the greatest number of columns and of rows. A terminal that says
// it is larger is drawn as this large.
const maxSize = 500

// The size of a Screen that is told none.
const (
	defaultCols = 80
	defaultRows = 24
)

// pieceSize is how many bytes are drawn at a time. After a panic one piece is
// left out.
const pieceSize = 4096

// Screen is a terminal emulator without scrollback, colours or replies. It
// implements [detect.Screen].
//
// Its memory is bounded by its size, at most 500 by 500 cells, whatever is
// written to it. No input makes it panic or hang: a panic of the emulator
// behind it costs the content of the screen, not the program.
//
// It is for one goroutine at a time.
type Screen struct {
	state
	grid grid
	sc   seq.Scanner

	rows    []string // what grid.read last returned
	wrapped []bool
	held    detect.Snapshot // the screen before the synchronised update

	offset  int  // bytes of the piece being drawn that are done
	cleared bool // the token being drawn leaves a blank screen
	tape    tape
	resets  int
	fault   string
	newTerm func(cols, rows int) terminal
}

var _ detect.Screen = (*Screen)(nil)

// New returns a blank screen. A size of less than 1 is unknown and taken as 80
// columns or 24 rows, one of more than 500 as 500.
func New(cols, rows int) *Screen { return newScreen(cols, rows, newVT10x) }

func newScreen(cols, rows int, newTerm func(cols, rows int) terminal) *Screen {
	if cols < 1 {
		cols = defaultCols
	}
	if rows < 1 {
		rows = defaultRows
	}
	cols, rows = min(cols, maxSize), min(rows, maxSize)
	s := &Screen{newTerm: newTerm}
	s.grid = newGrid(newTerm(cols, rows), cols, rows)
	s.state = s.initial()
	s.tape.start(s)
	return s
}

// Write draws p. It takes any bytes, split anywhere.
func (s *Screen) Write(p []byte) {
	for len(p) > 0 {
		piece := p[:min(len(p), pieceSize)]
		p = p[len(piece):]
		if s.draw(piece) {
			s.tape.record(s, piece)
			continue
		}
		s.rebuild()
		for len(piece) > 0 { // keeps track of where sequences end
			_, n := s.sc.Next(piece)
			piece = piece[n:]
		}
	}
}

// Resize sets the size in cells. A size of less than 1 is ignored, one of more
// than 500 is taken as 500.
//
// Text is not reflowed: after a change of width the screen differs from the
// person's until the program has drawn it again.
func (s *Screen) Resize(cols, rows int) {
	if cols < 1 || rows < 1 {
		return
	}
	cols, rows = min(cols, maxSize), min(rows, maxSize)
	if cols == s.grid.cols && rows == s.grid.rows {
		return
	}
	grew := cols > s.grid.cols
	s.margins = [2]margins{{0, rows - 1}, {0, rows - 1}}
	if !s.try(func() { s.grid.resize(cols, rows, s.y) }) {
		s.resets++
		s.blank(cols, rows)
		s.prepare()
	}
	if s.pending && grew {
		s.x++
	}
	s.move(s.x, s.y)
	s.tape.start(s)
}

// Snapshot returns the screen as it stands; inside a synchronised update (DEC
// mode 2026) the screen as it stood before it, with the title and the progress
// of now. A title has at most 1 KiB, no control characters and no blanks at its
// end.
//
// A row has its characters as they were drawn: U+00A0, which Claude Code puts
// behind its prompt, stays U+00A0 and is not trimmed. Characters without a
// width are left out. A row is Wrapped only if it is cut within a word: rows
// that the terminal broke at a blank are two rows, joined by a blank as those
// are that the program broke.
func (s *Screen) Snapshot() detect.Snapshot {
	var snap detect.Snapshot
	if s.sync {
		snap = s.held
	} else if !s.try(func() { snap = s.live() }) {
		s.rebuild()
		snap = s.live()
	}
	snap.Title, snap.Progress = s.title, s.progress
	return snap
}

// live returns the screen as it stands.
func (s *Screen) live() detect.Snapshot {
	if s.grid.dirty {
		s.rows, s.wrapped = s.grid.read()
	}
	return detect.Snapshot{
		Cols:     s.grid.cols,
		Rows:     s.rows,
		Wrapped:  s.wrapped,
		Cursor:   detect.Cursor{X: s.x, Y: s.y, Visible: !s.hidden},
		Alt:      s.alt,
		Title:    s.title,
		Progress: s.progress,
	}
}

// Synchronized reports whether a synchronised update is open.
func (s *Screen) Synchronized() bool { return s.sync }

// EndSync ends an open synchronised update, as if the program had: Snapshot
// shows what has been drawn since. Terminals do so when an update lasts too
// long (xterm.js after 1 s), lest a program that died within one freeze the
// screen. A Screen knows no time, so its caller has to.
func (s *Screen) EndSync() { s.sync = false }

// Resets returns how often the emulator has panicked and was built anew.
// The screen may then be blank or wrong until the program draws it again.
func (s *Screen) Resets() int { return s.resets }

// Fault returns what the last of these panics said, for a log; it is empty if
// there was none.
func (s *Screen) Fault() string { return s.fault }
