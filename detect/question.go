package detect

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Reading says how to read a dialog's question and its options off the screen.
//
// The patterns look at the rows without the borders of boxes and with words
// that were wrapped joined again, so ^ and $ are the ends of what the agent
// wrote as one line, whatever the window's width.
type Reading struct {
	Region  Region     // where to read; Whole means the rule's own region
	Text    []*Pattern // each that matches adds its groups, or itself if it has none
	Options []*Pattern // a line that one matches has options: its groups, or itself
	Except  []*Pattern // lines that are no options
}

// Bounds on what is read from an untrusted screen; notifications cut further.
const (
	maxQuestion = 600 // bytes
	maxOption   = 200 // bytes
	maxOptions  = 24
)

// read returns the question; region is the rule's.
func (q *Reading) read(sc *scene, region Region) Question {
	out := Question{}
	if q == nil {
		return out
	}
	if q.Region != Whole {
		region = q.Region
	}
	sc.place()
	lines := sc.lines(sc.spans[region])
	text := strings.Join(lines, "\n")
	var parts []string
	for _, p := range q.Text {
		m := p.find(text)
		if m == nil {
			continue
		}
		if len(m) == 2 {
			parts = append(parts, text[m[0]:m[1]])
			continue
		}
		for i := 2; i+1 < len(m); i += 2 {
			if m[i] >= 0 {
				parts = append(parts, text[m[i]:m[i+1]])
			}
		}
	}
	said := map[string]bool{"": true}
	for _, p := range parts {
		if p = oneLine(p); said[p] {
			continue
		}
		said[p] = true
		if out.Text != "" {
			out.Text += " · "
		}
		out.Text += p
	}
	out.Text = cut(out.Text, maxQuestion)
	for _, line := range lines {
		if len(out.Options) == maxOptions {
			break
		}
		if matchAny(q.Except, line) {
			continue
		}
		for _, p := range q.Options {
			m := p.find(line)
			if m == nil {
				continue
			}
			if len(m) == 2 {
				m = append(m, m...)
			}
			if isFirst(line) {
				// A plan or an answer above the dialog has a list of its own.
				out.Options = nil
			}
			for i := 2; i+1 < len(m) && len(out.Options) < maxOptions; i += 2 {
				if m[i] < 0 {
					continue
				}
				if o := cut(oneLine(line[m[i]:m[i+1]]), maxOption); o != "" {
					out.Options = append(out.Options, o)
				}
			}
			break
		}
	}
	return out
}

// lines returns the rows with borders off and wrapped rows joined.
func (sc *scene) lines(sp span) []string {
	var out []string
	for y := sp.first; y < sp.end; y++ {
		text := strings.TrimRight(unframe(sc.rows[y]), " ")
		if n := len(out); n > 0 && y > sp.first && text != "" {
			switch {
			case sc.wrapped(y - 1):
				out[n-1] += text
				continue
			case sc.goesOn(y - 1):
				text = strings.TrimLeft(text, " ")
				if !sc.cutsWord(y-1, text) {
					out[n-1] += " "
				}
				out[n-1] += text
				continue
			}
		}
		out = append(out, text)
	}
	return out
}

// goesOn reports whether row y+1 is where the agent wrapped row y: the next
// word would not have fitted.
func (sc *scene) goesOn(y int) bool {
	row, next := unframe(sc.rows[y]), strings.TrimLeft(unframe(sc.rows[y+1]), " ")
	row = strings.TrimRight(row, " ")
	if row == "" || next == "" || startsLine(next) {
		return false
	}
	word, _, _ := strings.Cut(next, " ")
	need := 1 + Width(word)
	if sc.cutsWord(y, next) {
		need = 1
	}
	if c, n := utf8.DecodeRuneInString(next); isUnspaced(c) {
		need = Width(next[:n]) // between such characters a line may end anywhere
	}
	return Width(row)+need > sc.limit(y)
}

// limit returns the last column that the agent's text in row y may have.
func (sc *scene) limit(y int) int {
	// Dialogs keep up to three columns of padding at the right.
	const padding = 3
	limit := sc.snap.Cols
	if strings.TrimRight(unframe(sc.rows[y]), " ") != sc.rows[y] {
		limit -= 2 // a border and its space
	}
	return limit - padding
}

// cutsWord reports whether no space belongs between row y and the next: the
// word that the agent broke there is longer than a row, as paths are, or both
// sides are of a script without spaces.
func (sc *scene) cutsWord(y int, next string) bool {
	row := strings.TrimRight(unframe(sc.rows[y]), " ")
	a, _ := utf8.DecodeLastRuneInString(row)
	if c, _ := utf8.DecodeRuneInString(next); isUnspaced(a) && isUnspaced(c) {
		return true
	}
	last := row[strings.LastIndexByte(row, ' ')+1:]
	word, _, _ := strings.Cut(next, " ")
	indent := len(row) - len(strings.TrimLeft(row, " "))
	return Width(row) >= sc.limit(y) && strings.ContainsAny(last, "/\\") && Width(last)+Width(word) > sc.limit(y)-indent
}

// isUnspaced reports whether c is of a script that puts no spaces between
// words, so that a line may end behind any of its characters. Korean does.
func isUnspaced(c rune) bool {
	return isWide(c) && c >= 0x2e80 && (c < 0xac00 || c > 0xd7a3) && (c < 0x1f000 || c >= 0x20000)
}

// startsLine reports whether text is the beginning of a line of its own: an
// option, a bullet, a check box.
func startsLine(text string) bool {
	switch text[0] {
	case '-', '*', '+', '>':
		return len(text) > 1 && text[1] == ' '
	case '[', '(': // a check box or a radio button
		_, n := utf8.DecodeRuneInString(text[1:])
		return len(text) > 1+n && (text[1+n] == ']' || text[1+n] == ')')
	}
	for _, mark := range []string{"❯", "›", "●", "•", "☐", "☒", "✔", "⎿", "▸", "◯", "○", "→"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n > 0 && n < 3 && n < len(text) && (text[n] == '.' || text[n] == ')')
}

// isFirst reports whether line is the first of a numbered list, perhaps behind
// a cursor.
func isFirst(line string) bool {
	line = strings.TrimLeft(line, " ")
	if _, n := utf8.DecodeRuneInString(line); n > 1 {
		line = strings.TrimLeft(line[n:], " ")
	} else if strings.HasPrefix(line, ">") {
		line = strings.TrimLeft(line[1:], " ")
	}
	return strings.HasPrefix(line, "1. ") || strings.HasPrefix(line, "1) ")
}

// oneLine makes text one line without line drawing, control characters or
// more than one space at a time.
func oneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for _, c := range text {
		if c <= ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || isFrame(c) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(c)
	}
	return b.String()
}

// cut shortens text to at most n bytes at a character's boundary.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	n -= len("…")
	for n > 0 && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}

func itoa(n int) string { return strconv.Itoa(n) }
