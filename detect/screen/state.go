package screen

import (
	"math/bits"

	"fwrap/detect"
)

// state is all of the terminal but its cells. It is a plain value: a copy of it
// is where a rebuilt screen starts.
type state struct {
	// The cursor. With pending it has printed in the last column and stands
	// behind it: the next character wraps.
	x, y    int
	pending bool

	origin  bool // DECOM: rows are counted from the scroll region's top
	noWrap  bool // DECAWM is off
	insert  bool // IRM
	newline bool // LNM: line feed is also a carriage return
	hidden  bool // DECTCEM is off
	sync    bool // within a synchronised update

	alt     bool
	margins [2]margins // of the main and the alternate screen
	saved   [2]saved
	sets    charsets
	tabs    tabStops

	last rune // what REP repeats: the last character, 0 after anything else

	credit int // characters that REP may draw

	tail  [utf8Max]byte // a character that a write has cut
	ntail int

	title    string
	titles   titleStack
	progress detect.Progress
}

const utf8Max = 4

// margins is the scroll region: rows counted from 0, both included.
type margins struct{ top, bottom int }

// saved is what DECSC keeps.
type saved struct {
	x, y   int
	origin bool
	sets   charsets
}

// charsets are the sets designated as G0 to G3 by their final byte (0 is as
// good as 'B', ASCII), and which of them is in use.
type charsets struct {
	g     [4]byte
	shift int
}

// lineDrawing reports whether ASCII is drawn as DEC special graphics.
func (c *charsets) lineDrawing() bool { return c.g[c.shift] == '0' }

// tabStops has one bit for each column.
type tabStops [(maxSize + 63) / 64]uint64

func defaultTabs() (t tabStops) {
	for i := range t {
		t[i] = 0x0101010101010101
	}
	return t
}

func (t *tabStops) set(x int)   { t[x/64] |= 1 << (x % 64) }
func (t *tabStops) clear(x int) { t[x/64] &^= 1 << (x % 64) }

// next returns the first stop right of x, or the last column.
func (t *tabStops) next(x, last int) int {
	for x++; x < last; x = (x/64 + 1) * 64 {
		if w := t[x/64] >> (x % 64); w != 0 {
			return min(x+bits.TrailingZeros64(w), last)
		}
	}
	return last
}

// prev returns the first stop left of x, or the first column.
func (t *tabStops) prev(x int) int {
	for x--; x > 0; x = x/64*64 - 1 {
		if w := t[x/64] << (63 - x%64); w != 0 {
			return x - bits.LeadingZeros64(w)
		}
	}
	return 0
}

func (s *Screen) initial() state {
	m := margins{0, s.grid.rows - 1}
	return state{margins: [2]margins{m, m}, tabs: defaultTabs(), credit: 1 << 16}
}

// page is the index of the shown screen.
func (s *state) page() int {
	if s.alt {
		return 1
	}
	return 0
}

func (s *state) region() margins { return s.margins[s.page()] }

// save is DECSC: each screen has a place of its own.
func (s *state) save() {
	s.saved[s.page()] = saved{x: s.x, y: s.y, origin: s.origin, sets: s.sets}
}

// restore is DECRC. What has not been saved is at home, with all as at the
// start.
func (s *Screen) restore() {
	v := s.saved[s.page()]
	s.origin, s.sets = v.origin, v.sets
	s.move(v.x, v.y)
}

// move puts the cursor to x, y or the nearest place that it may stand at.
func (s *Screen) move(x, y int) {
	top, bottom := 0, s.grid.rows-1
	if s.origin {
		m := s.region()
		top, bottom = m.top, m.bottom
	}
	s.x = min(max(x, 0), s.grid.cols-1)
	s.y = min(max(y, top), bottom)
	s.pending = false
}

// moveAbs is move with rows counted from the top of the scroll region in
// origin mode.
func (s *Screen) moveAbs(x, y int) {
	if s.origin {
		y += s.region().top
	}
	s.move(x, y)
}

// setMargins sets the shown screen's scroll region.
func (s *Screen) setMargins(m margins) {
	s.margins[s.page()] = m
	s.grid.setRegion(m.top, m.bottom)
}

// index moves the cursor down, scrolling at the bottom margin. It reports
// whether the cursor is on another line than before.
func (s *Screen) index() bool {
	m := s.region()
	switch {
	case s.y == m.bottom:
		s.grid.scrollUp(m.top, 1)
	case s.y < s.grid.rows-1:
		s.y++
	default:
		return false
	}
	return true
}

// setAlt shows the alternate screen or the main one. Each has its own scroll
// region; the alternate one's is the screen whenever it is entered.
func (s *Screen) setAlt(on bool) {
	if on == s.alt {
		return
	}
	s.alt = on
	s.grid.swap()
	if on {
		s.margins[1] = margins{0, s.grid.rows - 1}
	}
	m := s.region()
	s.grid.setRegion(m.top, m.bottom)
	if on {
		s.cleared = true
	}
}

// reset is RIS. The title stays, as in xterm.
func (s *Screen) reset() {
	title := s.title
	s.setAlt(false)
	s.state = s.initial()
	s.state.title = title
	s.setMargins(s.region())
	s.grid.eraseRows(0, s.grid.rows)
	s.cleared = true
}

// softReset is DECSTR.
func (s *Screen) softReset() {
	s.hidden, s.insert, s.origin, s.noWrap, s.sync = false, false, false, false, false
	s.sets = charsets{}
	s.saved[s.page()] = saved{}
	s.setMargins(margins{0, s.grid.rows - 1})
}
