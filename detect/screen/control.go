package screen

import "fwrap/wrap/seq"

// token does what one piece of the stream says.
func (s *Screen) token(tok *seq.Token) {
	if tok.Kind == seq.Text {
		s.text(tok.Raw)
		return
	}
	s.ntail = 0
	if tok.Kind == seq.C0 {
		s.control(tok.Raw[0])
		s.last = 0
		return
	}
	isString := tok.Kind != seq.CSI && tok.Kind != seq.Esc
	switch {
	case isString:
		if tok.Kind == seq.OSC && tok.End && !tok.Aborted && !tok.Overflow {
			s.osc(tok.Body)
		}
	case !tok.End:
		return
	case tok.Aborted:
		// CAN and SUB are controls. What else aborts a sequence must count for
		// nothing: where a write ends before it, there is no token for it.
		if b := tok.Raw[len(tok.Raw)-1]; b != 0x18 && b != 0x1a {
			return
		}
	case tok.Overflow:
	case tok.Kind == seq.Esc:
		s.escape(tok.Body)
	default:
		if c, ok := seq.ParseCSI(tok.Body); ok && !c.Colon {
			s.csi(&c)
		}
	}
	s.last = 0
	if s.cleared {
		s.cleared = false
		s.tape.clear(s)
	}
}

// control executes a C0 byte.
func (s *Screen) control(b byte) {
	switch b {
	case '\b':
		s.move(s.x-1, s.y)
	case '\t':
		if !s.pending {
			s.x = s.tabs.next(s.x, s.grid.cols-1)
		}
	case '\n', '\v', '\f':
		if s.newline {
			s.x = 0
		}
		s.pending = false
		if s.index() {
			s.grid.unwrap(s.y)
		}
	case '\r':
		s.x, s.pending = 0, false
	case 0x0e: // SO
		s.sets.shift = 1
	case 0x0f: // SI
		s.sets.shift = 0
	}
}

// escape executes ESC and what follows: intermediates and a final byte.
func (s *Screen) escape(body []byte) {
	if len(body) == 2 {
		switch body[0] {
		case '(', ')', '*', '+':
			s.sets.g[body[0]-'('] = body[1]
		case '#':
			if body[1] == '8' { // DECALN
				s.setMargins(margins{0, s.grid.rows - 1})
				s.grid.fill()
				s.moveAbs(0, 0)
			}
		case '%': // a change of the encoding
			s.sets.shift, s.sets.g[0] = 0, 0
		}
		return
	}
	if len(body) != 1 {
		return
	}
	switch body[0] {
	case '7': // DECSC
		s.save()
	case '8': // DECRC
		s.restore()
	case 'D': // IND
		s.move(s.x, s.y)
		s.index()
	case 'E': // NEL
		s.move(0, s.y)
		s.index()
	case 'M': // RI
		s.move(s.x, s.y)
		if m := s.region(); s.y == m.top {
			s.grid.scrollDown(m.top, 1)
		} else {
			s.move(s.x, s.y-1)
		}
	case 'H': // HTS
		if !s.pending {
			s.tabs.set(s.x)
		}
	case 'n', 'o': // LS2, LS3
		s.sets.shift = int(body[0]-'n') + 2
	case 'c': // RIS
		s.reset()
	}
}
