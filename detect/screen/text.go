package screen

import (
	"unicode/utf8"
)

// text draws a run without controls. A character that it ends in the middle of
// waits for the next run; a broken one is left out.
func (s *Screen) text(b []byte) {
	for s.ntail > 0 && len(b) > 0 {
		if b[0]&0xc0 != 0x80 {
			s.ntail = 0
			break
		}
		s.tail[s.ntail] = b[0]
		s.ntail++
		b = b[1:]
		if t := s.tail[:s.ntail]; utf8.FullRune(t) {
			s.ntail = 0
			if r, n := utf8.DecodeRune(t); n == len(t) {
				s.print(r)
			}
		}
	}
	for len(b) > 0 {
		if n := asciiLen(b); n > 0 {
			s.ascii(b[:n])
			b = b[n:]
			continue
		}
		if !utf8.FullRune(b) {
			s.ntail = copy(s.tail[:], b)
			return
		}
		r, n := utf8.DecodeRune(b)
		if n > 1 {
			s.print(r)
		}
		b = b[n:]
	}
}

func asciiLen(b []byte) int {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}

// ascii is print for a run of ASCII.
func (s *Screen) ascii(b []byte) {
	if s.insert || s.sets.lineDrawing() {
		for _, c := range b {
			s.print(rune(c))
		}
		return
	}
	s.last = rune(b[len(b)-1])
	for len(b) > 0 {
		s.ready(1)
		n := min(len(b), s.grid.cols-s.x)
		s.grid.put(s.x, s.y, b[:n])
		s.advance(n)
		if b = b[n:]; s.noWrap && len(b) > 1 {
			b = b[len(b)-1:] // each one replaces the one before
		}
	}
}

// print draws one character.
func (s *Screen) print(r rune) {
	if r < utf8.RuneSelf {
		r = s.sets.mapped(r)
	}
	if r == filler {
		r = utf8.RuneError
	}
	// Characters without a width (combining marks, joiners, variation
	// selectors) are left out: rules have no use for them, and terminals do not
	// agree on the cells that the sequences take.
	w := runeWidth(r)
	if w == 0 || w > s.grid.cols {
		return
	}
	s.last = r
	if !s.ready(w) {
		return
	}
	if s.insert {
		s.grid.insertCells(s.x, s.y, w)
	}
	s.grid.putRune(s.x, s.y, r, w)
	s.advance(w)
}

// ready brings the cursor to where a glyph of w cells goes. It reports false
// if there is no place for it.
func (s *Screen) ready(w int) bool {
	switch {
	case s.pending && s.noWrap:
		s.pending = false
		return w == 1
	case s.pending:
	case s.x+w > s.grid.cols:
		if s.noWrap {
			return false
		}
		s.grid.erase(s.y, s.x, s.grid.cols)
	default:
		if s.x == 0 {
			s.grid.unwrap(s.y)
		}
		return true
	}
	s.x, s.pending = 0, false
	if s.index() {
		s.grid.lines[s.y].cont = true
	}
	return true
}

func (s *Screen) advance(w int) {
	if s.x += w; s.x >= s.grid.cols {
		s.x, s.pending = s.grid.cols-1, true
	}
}

// A repetition of eight bytes can ask for a screenful. A flood of them is drawn
// as far as the bytes that came with it allow.
const creditPerByte = 64

func (s *Screen) earn(bytes int) {
	most := 1<<16 + 2*s.grid.cols*s.grid.rows
	s.credit = min(s.credit+creditPerByte*bytes, most)
}

// repeat is REP: n times the character before, if one stands right before.
func (s *Screen) repeat(n int) {
	r := s.last
	if r == 0 {
		return
	}
	// Once the character has filled the screen, each further row of it changes
	// nothing, so that only the place in the row counts.
	perRow := max(1, s.grid.cols/max(1, runeWidth(r)))
	if most := (s.grid.rows + 2) * perRow; n > most {
		n = most + (n-most)%perRow
	}
	n = min(n, s.credit)
	s.credit -= n
	for range n {
		s.print(r)
		s.grid.flushLong()
	}
}

// mapped returns what an ASCII character is drawn as.
func (c *charsets) mapped(r rune) rune {
	if r >= 0x60 && r <= 0x7e && c.lineDrawing() {
		return decGraphics[r-0x60]
	}
	return r
}

// decGraphics is the DEC special graphics set from 0x60 on (VT100 User Guide,
// table 3-9). At 0x5F it has a blank, which xterm.js draws as it is.
var decGraphics = [...]rune{
	'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}
