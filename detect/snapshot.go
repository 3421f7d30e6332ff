package detect

import "slices"

// Snapshot is a terminal's screen at one moment, as the rules see it.
// A Snapshot is a value of its own: its maker does not write to it again.
type Snapshot struct {
	Cols int
	// Rows are the screen's lines from top to bottom, one for every row of the
	// terminal, right-trimmed, wide characters once, no control characters.
	Rows []string
	// Wrapped[i] says that row i was filled to the last column and row i+1
	// goes on with it because the terminal wrapped it. May be nil.
	Wrapped  []bool
	Cursor   Cursor
	Alt      bool     // the alternate screen is shown
	Title    string   // OSC 0 or 2, as the program last set it
	Progress Progress // OSC 9;4
}

// Cursor is the cursor's place, counted from 0.
type Cursor struct {
	X, Y    int
	Visible bool
}

// Progress is the last OSC 9;4 (ConEmu, Windows Terminal) that the program sent.
type Progress struct {
	State   int // 0 none, 1 normal, 2 error, 3 indeterminate, 4 paused
	Percent int // 0..100, of states 1, 2 and 4
}

// Screen is a terminal emulator that the timeline feeds and reads.
// detect/screen has the one that is used; tests may bring a simple one.
type Screen interface {
	// Write draws p. It takes any bytes, split anywhere.
	Write(p []byte)
	// Resize sets the size in cells.
	Resize(cols, rows int)
	// Snapshot returns the screen as it stands; inside a synchronised update
	// (DEC mode 2026) the screen as it stood before it.
	Snapshot() Snapshot
	// Synchronized reports whether a synchronised update is open.
	Synchronized() bool
}

// equal reports whether two snapshots show the same.
func (s *Snapshot) equal(o *Snapshot) bool {
	return s.Cols == o.Cols && s.Alt == o.Alt && s.Title == o.Title &&
		s.Progress == o.Progress && s.Cursor == o.Cursor &&
		slices.Equal(s.Rows, o.Rows) && slices.Equal(s.Wrapped, o.Wrapped)
}
