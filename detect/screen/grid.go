package screen

import (
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// filler stands in the second cell of a wide glyph, as vt10x gives every rune
// one cell. It is a noncharacter; one in the input is drawn as U+FFFD.
const filler = '\U0010FFFE'

// terminal is what is used of vt10x.Terminal. There is one goroutine, so that
// its getters, which don't lock, may be called.
type terminal interface {
	io.Writer
	Resize(cols, rows int)
	Cell(x, y int) vt10x.Glyph
	Cursor() vt10x.Cursor
}

func newVT10x(cols, rows int) terminal {
	// vt10x's replies to queries go to its writer, which is io.Discard unless
	// one is given.
	return vt10x.New(vt10x.WithSize(cols, rows))
}

// grid holds the cells of both screens. It writes to vt10x in commands that
// name their place, so that it always knows vt10x's cursor, and remembers
// which rows have changed since they were last read.
//
// All coordinates are counted from 0 and must lie on the screen; counts are at
// least 1.
type grid struct {
	vt         terminal
	cols, rows int
	out        []byte // commands not yet given to vt10x
	buf        []byte // for reading a row

	alt         bool
	top, bottom int // vt10x's scroll region, rows included

	// vt10x's cursor once out is written. With pend it has printed in the last
	// column and would wrap before the next character.
	x, y int
	pend bool

	lines  []line // of the shown screen
	hidden []line // of the other
	dirty  bool   // something has changed since the screen was last read
}

// line is what is known of a row besides its cells.
type line struct {
	text  string // the row as it was last read
	fresh bool   // text holds
	cont  bool   // the terminal wrapped the row above into this one
	end   int    // from this column on all cells are blank
}

func newGrid(vt terminal, cols, rows int) grid {
	g := grid{vt: vt, cols: cols, rows: rows, bottom: rows - 1, dirty: true}
	g.lines = make([]line, 2*rows)
	g.lines, g.hidden = g.lines[:rows:rows], g.lines[rows:]
	return g
}

// flush gives vt10x what is waiting.
func (g *grid) flush() {
	if len(g.out) > 0 {
		g.vt.Write(g.out)
		g.out = g.out[:0]
	}
}

// flushLong is flush if there is much waiting.
func (g *grid) flushLong() {
	if len(g.out) >= 2*pieceSize {
		g.flush()
	}
}

func (g *grid) csi(n int, final byte) {
	g.out = append(g.out, "\x1b["...)
	if n != 1 || final == 'J' || final == 'K' {
		g.out = strconv.AppendInt(g.out, int64(n), 10)
	}
	g.out = append(g.out, final)
}

// at puts vt10x's cursor to x, y by the shortest way: vt10x's time goes by the
// byte.
func (g *grid) at(x, y int) {
	if y == g.y+1 && g.y != g.bottom && y < g.rows {
		g.out = append(g.out, '\n')
		g.y, g.pend = y, false
	}
	switch {
	case x == g.x && y == g.y && !g.pend:
	case y == g.y && x == 0:
		g.out = append(g.out, '\r')
	case y == g.y && x == g.x-1:
		g.out = append(g.out, '\b')
	case y == g.y:
		g.csi(x+1, 'G')
	case x == 0:
		g.csi(y+1, 'H')
	default:
		g.out = append(g.out, "\x1b["...)
		g.out = strconv.AppendInt(g.out, int64(y+1), 10)
		g.out = append(g.out, ';')
		g.out = strconv.AppendInt(g.out, int64(x+1), 10)
		g.out = append(g.out, 'H')
	}
	g.x, g.y, g.pend = x, y, false
}

func (g *grid) touch(y int) *line {
	l := &g.lines[y]
	l.fresh, g.dirty = false, true
	return l
}

func (g *grid) printed(cells int) {
	l := g.touch(g.y)
	l.end = max(l.end, g.x+cells)
	if g.x += cells; g.x >= g.cols {
		g.x, g.pend = g.cols-1, true
	}
}

// put writes b, that many characters of one cell each.
func (g *grid) put(x, y int, b []byte) {
	g.at(x, y)
	g.out = append(g.out, b...)
	g.printed(len(b))
}

// putRune writes a glyph of the given width, 1 or 2.
func (g *grid) putRune(x, y int, r rune, width int) {
	g.at(x, y)
	g.out = utf8.AppendRune(g.out, r)
	if width == 2 {
		g.out = utf8.AppendRune(g.out, filler)
	}
	g.printed(width)
}

// erase blanks the cells x0 to x1-1 of row y. A row that loses its last cell
// no longer goes on in the one below.
func (g *grid) erase(y, x0, x1 int) {
	l := &g.lines[y]
	if x1 >= g.cols {
		g.unwrap(y + 1)
	}
	if x0 >= l.end {
		return
	}
	l = g.touch(y)
	switch {
	case x1 < l.end:
		g.at(x0, y)
		g.csi(x1-x0, 'X')
	case x0 == 0 && g.y == y:
		g.csi(2, 'K')
		l.end = 0
	default:
		g.at(x0, y)
		g.out = append(g.out, "\x1b[K"...)
		l.end = x0
	}
}

// eraseRows blanks the rows y0 to y1-1.
func (g *grid) eraseRows(y0, y1 int) {
	used := 0
	for _, l := range g.lines[y0:y1] {
		if l.end > 0 {
			used++
		}
	}
	if y1-y0 == g.rows && used > g.rows/4 {
		g.csi(2, 'J')
		clear(g.lines)
		g.dirty = true
		return
	}
	for y := y0; y < y1; y++ {
		g.erase(y, 0, g.cols)
		g.unwrap(y)
	}
}

// unwrap says that row y does not go on from the one above.
func (g *grid) unwrap(y int) {
	if y < g.rows && g.lines[y].cont {
		g.lines[y].cont = false
		g.dirty = true
	}
}

// insertCells moves the cells from x on to the right and blanks n.
func (g *grid) insertCells(x, y, n int) {
	l := &g.lines[y]
	if x >= l.end {
		return
	}
	l = g.touch(y)
	g.at(x, y)
	g.csi(min(n, g.cols-x), '@')
	l.end = min(l.end+n, g.cols)
}

// deleteCells takes n cells away at x; blanks come in from the right.
func (g *grid) deleteCells(x, y, n int) {
	g.unwrap(y + 1)
	l := &g.lines[y]
	if x >= l.end {
		return
	}
	l = g.touch(y)
	g.at(x, y)
	g.csi(min(n, g.cols-x), 'P')
	l.end = max(l.end-n, x)
}

// scrollUp takes n rows away at row y and puts blank ones in above the bottom
// of the scroll region, which y must be in.
func (g *grid) scrollUp(y, n int) {
	n = min(n, g.bottom-y+1)
	switch {
	case y == g.top && n == 1 && g.y == g.bottom:
		g.out = append(g.out, '\n')
		g.pend = false
	case y == g.top:
		g.csi(n, 'S')
	default:
		g.at(g.x, y)
		g.csi(n, 'M')
	}
	region := g.lines[y : g.bottom+1]
	copy(region, region[n:])
	clear(region[len(region)-n:])
	g.scrolled(y)
}

// scrollDown puts n blank rows in at row y; rows fall out at the bottom of the
// scroll region, which y must be in.
func (g *grid) scrollDown(y, n int) {
	n = min(n, g.bottom-y+1)
	if y == g.top {
		g.csi(n, 'T')
	} else {
		g.at(g.x, y)
		g.csi(n, 'L')
	}
	region := g.lines[y : g.bottom+1]
	copy(region[n:], region)
	clear(region[:n])
	g.unwrap(y + n)
	g.scrolled(y)
}

func (g *grid) scrolled(y int) {
	g.unwrap(y)
	g.unwrap(g.bottom + 1)
	g.dirty = true
}

// setRegion sets the rows that scrolling moves.
func (g *grid) setRegion(top, bottom int) {
	if top == g.top && bottom == g.bottom {
		return
	}
	g.out = append(g.out, "\x1b["...)
	g.out = strconv.AppendInt(g.out, int64(top+1), 10)
	g.out = append(g.out, ';')
	g.out = strconv.AppendInt(g.out, int64(bottom+1), 10)
	g.out = append(g.out, 'r')
	g.top, g.bottom = top, bottom
	g.x, g.y, g.pend = 0, 0, false
}

// swap changes between the screens. The alternate one is blank when it is
// entered: vt10x clears it when it is left.
func (g *grid) swap() {
	if g.alt {
		g.out = append(g.out, "\x1b[?1047l"...)
		clear(g.lines)
	} else {
		g.out = append(g.out, "\x1b[?1047h"...)
	}
	g.alt = !g.alt
	g.lines, g.hidden = g.hidden, g.lines
	g.dirty = true
}

// fill writes E into all cells (DECALN).
func (g *grid) fill() {
	g.out = append(g.out, "\x1b#8"...)
	for y := range g.lines {
		g.lines[y] = line{end: g.cols}
	}
	g.dirty = true
}

// resize does as vt10x does: rows that don't fit are dropped from the bottom as
// far as the cursor's, then from the top, and no text is reflowed. The scroll
// region becomes the screen.
func (g *grid) resize(cols, rows, cursorY int) {
	g.at(0, cursorY)
	g.flush()
	g.vt.Resize(cols, rows)
	g.lines = resizeLines(g.lines, cols, rows, cursorY, cols == g.cols)
	g.hidden = resizeLines(g.hidden, cols, rows, cursorY, cols == g.cols)
	g.cols, g.rows = cols, rows
	g.top, g.bottom = 0, rows-1
	g.x, g.y, g.pend = 0, min(cursorY, rows-1), false
	g.dirty = true
}

func resizeLines(old []line, cols, rows, cursorY int, sameWidth bool) []line {
	lines := make([]line, rows)
	copy(lines, old[max(0, cursorY-rows+1):])
	for y := range lines {
		lines[y].fresh = false
		lines[y].end = min(lines[y].end, cols)
		lines[y].cont = lines[y].cont && sameWidth
	}
	return lines
}
