package screen

import (
	"bytes"

	"fwrap/wrap/seq"
)

// Skip looks through p without drawing it, at a small part of the cost: modes,
// the alternate screen, title and progress take effect, text and cursor movement
// do not. It is for a flood of output whose end alone is drawn: on the main
// screen it leaves the cursor in the bottom line if p had line feeds, as
// output that scrolls does. What the skipped part drew and the end does not
// draw over is missing from the screen.
func (s *Screen) Skip(p []byte) {
	scrolled := false
	ok := s.try(func() {
		for len(p) > 0 {
			if s.sc.Ground() {
				n := passable(p)
				scrolled = scrolled || bytes.IndexByte(p[:n], '\n') >= 0
				if p = p[n:]; len(p) == 0 {
					return
				}
			}
			tok, n := s.sc.Next(p)
			p = p[n:]
			if tok.Kind == seq.C0 {
				scrolled = scrolled || tok.Raw[0] == '\n'
			} else if tok.Kind != seq.Text {
				s.skipped(&tok)
			}
		}
	})
	if !ok {
		s.rebuild()
	}
	s.last, s.ntail, s.cleared = 0, 0, false
	if scrolled && !s.alt {
		s.move(0, s.grid.rows-1)
	}
	s.tape.start(s)
}

// passable returns how much of p, which starts between sequences, is text and
// complete CSI sequences that change no mode: what makes up a flood, found
// without the scanner's care. A character that p's end cuts is not in it.
func passable(p []byte) int {
	n := 0
	for {
		i := bytes.IndexByte(p[n:], 0x1b)
		if i < 0 {
			return max(n, len(p)-4)
		}
		n += i
		end := n + 1
		if end == len(p) || p[end] != '[' {
			return n
		}
		for end++; end < len(p) && p[end] >= ' ' && p[end] < '@'; end++ {
		}
		if end == len(p) || p[end] < '@' || p[end] > '~' || p[end] == 'h' || p[end] == 'l' || p[end] == 'r' {
			return n
		}
		n = end + 1
	}
}

// skipped does what outlasts the output around it.
func (s *Screen) skipped(tok *seq.Token) {
	if !tok.End || tok.Aborted || tok.Overflow {
		return
	}
	switch tok.Kind {
	case seq.OSC:
		s.osc(tok.Body)
	case seq.Esc:
		// Character sets, DECSC and DECRC, RIS.
		if bytes.IndexByte([]byte("()78c"), tok.Body[0]) >= 0 {
			s.escape(tok.Body)
		}
	case seq.CSI:
		c, ok := seq.ParseCSI(tok.Body)
		if ok && !c.Colon && (c.Final == 'h' || c.Final == 'l' || c.Final == 'r') {
			s.csi(&c)
		}
	}
}

// Title returns the title as the program last set it, see [Screen.Snapshot].
func (s *Screen) Title() string { return s.title }
