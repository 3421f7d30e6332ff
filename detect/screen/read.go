package screen

import (
	"slices"
	"unicode/utf8"
)

// read returns the rows, right-trimmed, and which of them go on in the next
// (nil if none does), see goesOn. Rows that have not changed are not read again.
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
		if l.cont && y > 0 && g.goesOn(rows[y-1], rows[y]) {
			if wrapped == nil {
				wrapped = make([]bool, g.rows)
			}
			wrapped[y-1] = true
		}
	}
	g.dirty = false
	return rows, wrapped
}

// goesOn reports whether the text of a row that the terminal wrapped goes on in
// the next without a blank in between, so that a word is cut in two. Where
// there is a blank the rows are as good as two lines: it would be lost, as rows
// are trimmed.
func (g *grid) goesOn(row, next string) bool {
	first, _ := utf8.DecodeRuneInString(next)
	if next == "" || first == ' ' {
		return false
	}
	used := 0
	for _, r := range row {
		used += runeWidth(r)
	}
	return used == g.cols || used == g.cols-1 && runeWidth(first) == 2
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
