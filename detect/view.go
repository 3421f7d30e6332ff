package detect

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// scene is a snapshot with what was worked out of it, once for all rules.
type scene struct {
	snap   *Snapshot
	layout *Layout
	rows   []string // as drawn, with plain spaces, without the blank ones at the end
	box    span
	placed bool
	spans  [regions]span
	views  [regions]*view
}

// view is a region's text, as drawn and with its paragraphs on one line each.
type view struct {
	drawn  string
	first  int    // row of the first line of drawn; -1 if it is not of the screen
	flow   func() // lays flowed out, once; nil: it is, or there is none
	flowed string
	starts []flowStart
}

// flowStart says which row the flowed text comes from, from an offset on.
type flowStart struct{ offset, row int }

func newScene(s *Snapshot, l *Layout) *scene {
	sc := &scene{snap: s, layout: l, rows: s.Rows, box: noBox}
	// Ink puts no-break spaces after prompts and between words that belong
	// together; patterns should not have to know where.
	for i, row := range sc.rows {
		if strings.Contains(row, "\u00a0") || strings.Contains(row, "\u202f") || strings.HasSuffix(row, " ") {
			if &sc.rows[0] == &s.Rows[0] {
				sc.rows = append([]string(nil), s.Rows...)
			}
			row = strings.ReplaceAll(row, "\u00a0", " ")
			row = strings.ReplaceAll(row, "\u202f", " ")
			sc.rows[i] = strings.TrimRight(row, " ")
		}
	}
	for len(sc.rows) > 0 && sc.rows[len(sc.rows)-1] == "" {
		sc.rows = sc.rows[:len(sc.rows)-1]
	}
	return sc
}

// place finds the parts of the screen that regions are anchored on.
func (sc *scene) place() {
	if sc.placed {
		return
	}
	sc.placed = true
	n := len(sc.rows)
	sc.spans[Whole] = span{0, n}
	sc.box = sc.layout.findBox(sc.rows)
	sep := sc.layout.lastSeparator(sc.rows)
	if sc.box != noBox {
		in := sc.box
		for _, b := range sc.layout.Boxes {
			if b.Top != nil && in.first == sc.box.first && in.end-in.first > 1 && b.Top.match(sc.rows[in.first]) {
				in.first++
			}
			if b.Bottom != nil && in.end == sc.box.end && in.end-in.first > 1 && b.Bottom.match(sc.rows[in.end-1]) {
				in.end--
			}
		}
		sc.spans[InBox] = in
		sc.spans[AboveBox] = span{0, sc.box.first}
		sc.spans[BelowBox] = span{sc.box.end, n}
		for y := sc.box.first - 1; y >= 0; y-- {
			if sc.layout.isItem(sc.rows[y]) {
				sc.spans[LastItem] = span{y, sc.box.first}
				break
			}
		}
	}
	if sc.box == noBox || sep >= sc.box.end {
		end := n
		for end > sep+1 && (sc.rows[end-1] == "" || matchAny(sc.layout.Trailing, sc.rows[end-1])) {
			end--
		}
		sc.spans[Dialog] = span{sep + 1, end}
	}
	for y := n - 1; y >= 0; y-- {
		if sc.rows[y] == "" {
			break
		}
		sc.spans[LastBlock] = span{y, n}
	}
	if y := sc.snap.Cursor.Y; y >= 0 && y < n {
		sc.spans[AtCursor] = span{y, y + 1}
	}
	for r := range sc.spans {
		sp := &sc.spans[r]
		for !sp.empty() && sc.rows[sp.first] == "" {
			sp.first++
		}
		for !sp.empty() && sc.rows[sp.end-1] == "" {
			sp.end--
		}
	}
}

// view returns the region's text, or nil if the screen has no such region.
func (sc *scene) view(r Region) *view {
	if v := sc.views[r]; v != nil {
		return v
	}
	var v *view
	switch r {
	case Title:
		if sc.snap.Title == "" {
			return nil
		}
		v = &view{drawn: sc.snap.Title, first: -1}
	case ProgressBar:
		v = &view{drawn: sc.snap.Progress.String(), first: -1}
	default:
		sc.place()
		sp := sc.spans[r]
		if sp.empty() {
			return nil
		}
		v = &view{drawn: strings.Join(sc.rows[sp.first:sp.end], "\n"), first: sp.first}
		v.flow = func() { sc.flow(v, sp) }
	}
	sc.views[r] = v
	return v
}

// hasBox reports whether an input box is the last thing on the screen.
func (sc *scene) hasBox() bool {
	sc.place()
	return sc.box != noBox && sc.spans[Dialog].empty()
}

// maxParagraph is about how many bytes of a paragraph are laid out as one line.
// No agent says anything as long to the person, while a large window full of
// rows without a blank one would be one line of 30 kB, on which regexps are slow.
const maxParagraph = 4096

// flow lays each paragraph of the rows out as one line, so that a phrase is
// found however narrow the window is. Borders of boxes are left out.
func (sc *scene) flow(v *view, sp span) {
	var b strings.Builder
	b.Grow(len(v.drawn))
	open, begun := false, 0
	for y := sp.first; y < sp.end; y++ {
		text := strings.TrimSpace(unframe(sc.rows[y]))
		if text == "" {
			open = false
			continue
		}
		open = open && b.Len()-begun < maxParagraph
		switch {
		case !open && b.Len() > 0:
			b.WriteByte('\n')
			begun = b.Len()
		case open && !sc.wrapped(y-1):
			b.WriteByte(' ')
		}
		open = true
		v.starts = append(v.starts, flowStart{b.Len(), y})
		b.WriteString(text)
	}
	v.flowed = b.String()
}

// wrapped reports whether the terminal broke row y so that row y+1 goes on
// with it.
func (sc *scene) wrapped(y int) bool {
	return y >= 0 && y < len(sc.snap.Wrapped) && sc.snap.Wrapped[y]
}

// match reports whether the pattern matches in the region.
func (v *view) match(p *Pattern) bool {
	if p.match(v.drawn) {
		return true
	}
	if v.flow != nil {
		v.flow()
		v.flow = nil
	}
	return v.flowed != "" && p.match(v.flowed)
}

// where returns the row that the pattern's first match begins in, or -1.
func (v *view) where(p *Pattern) int {
	if v.first < 0 {
		return -1
	}
	if m := p.find(v.drawn); m != nil {
		return v.first + strings.Count(v.drawn[:skipSpace(v.drawn, m)], "\n")
	}
	if m := p.find(v.flowed); m != nil {
		at, row := skipSpace(v.flowed, m), v.first
		for _, s := range v.starts {
			if s.offset > at {
				break
			}
			row = s.row
		}
		return row
	}
	return -1
}

// skipSpace returns the offset of the first character of a match that is drawn.
func skipSpace(text string, m []int) int {
	at := m[0]
	for at < m[1] && (text[at] == ' ' || text[at] == '\n') {
		at++
	}
	return at
}

// String writes the progress as patterns of the region "progress" see it.
func (p Progress) String() string {
	switch p.State {
	case 1:
		return fmt.Sprintf("normal %d", p.Percent)
	case 2:
		return fmt.Sprintf("error %d", p.Percent)
	case 3:
		return "indeterminate"
	case 4:
		return fmt.Sprintf("paused %d", p.Percent)
	}
	return "none"
}

// unframe takes the borders off a row of a box: "│ text  │". A row of nothing
// but line drawing becomes blank.
func unframe(row string) string {
	rest := strings.TrimLeft(row, " ")
	lead := len(row) - len(rest)
	if rest == "" || rest[0] != 0xe2 { // all line drawing begins with this byte
		return unscroll(row)
	}
	if c, _ := utf8.DecodeRuneInString(rest); !isFrame(c) {
		return unscroll(row)
	}
	r := []rune(rest)
	line := true
	for _, c := range r {
		if !isFrame(c) && c != ' ' {
			line = false
			break
		}
	}
	if line {
		return ""
	}
	if !isSide(r[0]) {
		return row
	}
	r[0] = ' '
	if n := len(r) - 1; n > 0 && isSide(r[n]) {
		r = r[:n]
	}
	return row[:lead] + string(r)
}

// unscroll takes a scrollbar off the end of a row. Qwen Code and OpenTUI's
// programs draw one beside the conversation when it is longer than the screen.
func unscroll(row string) string {
	n := len(row) - 3 // all line drawing has three bytes
	if n < 1 || row[n] != 0xe2 || row[n-1] != ' ' {
		return row
	}
	if c, _ := utf8.DecodeRuneInString(row[n:]); !isSide(c) && c != '▄' && c != '▀' {
		return row
	}
	return strings.TrimRight(row[:n], " ")
}

// isFrame reports whether c is of the blocks Box Drawing or Block Elements, or
// the upper-eighth line that Claude Code heads menus with.
func isFrame(c rune) bool { return c >= 0x2500 && c <= 0x259f }

// isSide reports whether c draws the side of a box.
func isSide(c rune) bool {
	switch c {
	case '│', '┃', '║', '┆', '┊', '╎', '▌', '▎', '▏', '▍', '▐', '█':
		return true
	}
	return false
}
