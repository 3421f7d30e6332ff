package screen

import (
	"slices"
	"unicode/utf8"
)

// read returns the rows, right-trimmed, and which of them go on in the next
// (nil if none does). Rows that have not changed are not read again.
func (g *grid) read() (rows []string, wrapped []bool) {
	g.flush()
	rows = make([]string, g.rows)
	for y := range g.lines {
		l := &g.lines[y]
		if !l.fresh {
			if g.buf = g.readRow(g.buf[:0], y, l.end); string(g.buf) != l.text {
				l.text = string(g.buf)
			}
			l.fresh = true
		}
		rows[y] = l.text
		if l.cont && y > 0 {
			if wrapped == nil {
				wrapped = make([]bool, g.rows)
			}
			wrapped[y-1] = true
		}
	}
	g.dirty = false
	return rows, wrapped
}

// readRow appends the first end cells of row y without trailing blanks. Half a
// wide glyph, which something was drawn over, is a blank.
func (g *grid) readRow(buf []byte, y, end int) []byte {
	buf = slices.Grow(buf, end)
	used := 0
	for x := 0; x < end; x++ {
		r := g.vt.Cell(x, y).Char
		switch {
		case r == ' ' || r == 0 || r == filler:
			buf = append(buf, ' ')
			continue
		case r < utf8.RuneSelf:
			buf = append(buf, byte(r))
		case runeWidth(r) < 2:
			buf = utf8.AppendRune(buf, r)
		case x+1 < g.cols && g.vt.Cell(x+1, y).Char == filler:
			buf = utf8.AppendRune(buf, r)
			x++
		default:
			buf = append(buf, ' ')
			continue
		}
		used = len(buf)
	}
	return buf[:used]
}
