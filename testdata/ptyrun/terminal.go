package ptyrun

import (
	"fmt"

	"fwrap/detect"
)

// Query is a control sequence by which a program may ask its terminal
// something, without its ESC: "[c", "[6n", "]11;?".
type Query string

// Terminal answers queries.
type Terminal interface {
	// Reply returns what the terminal sends for q, or nothing. The screen is
	// the one after the write in which the query stood.
	Reply(q Query, screen detect.Snapshot) []byte
}

// Xterm answers as xterm does without any option: device attributes, name and
// version, the cursor's place, colours.
type Xterm struct{}

// Reply implements [Terminal].
func (Xterm) Reply(q Query, s detect.Snapshot) []byte {
	switch q {
	case "[c", "[0c":
		return []byte("\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c")
	case "[>c", "[>0c":
		return []byte("\x1b[>41;379;0c")
	case "[>q", "[>0q":
		return []byte("\x1bP>|XTerm(379)\x1b\\")
	case "[5n":
		return []byte("\x1b[0n")
	case "[6n":
		return fmt.Appendf(nil, "\x1b[%d;%dR", s.Cursor.Y+1, s.Cursor.X+1)
	case "]10;?":
		return []byte("\x1b]10;rgb:ffff/ffff/ffff\x1b\\")
	case "]11;?":
		return []byte("\x1b]11;rgb:0000/0000/0000\x1b\\")
	}
	return nil
}

// scanner finds CSI and OSC sequences in a stream that is cut anywhere. It is
// no more than queries need: what is too long for one is not kept.
type scanner struct {
	state byte // 0, or the byte that began the sequence: ESC, '[', ']'
	body  []byte
}

const longestQuery = 64

func (s *scanner) scan(b []byte) (found []Query) {
	for _, c := range b {
		switch {
		case c == 0x1b:
			// Either a new sequence, or the first half of the ST that ends a string.
			if s.state == ']' {
				found = s.found(found)
			}
			s.state, s.body = 0x1b, s.body[:0]
		case s.state == 0x1b:
			s.state = 0
			if c == '[' || c == ']' {
				s.state, s.body = c, append(s.body, c)
			}
		case s.state == '[' && c >= 0x40 && c <= 0x7e:
			s.body = append(s.body, c)
			found = s.found(found)
		case s.state == ']' && c == '\a':
			found = s.found(found)
		case s.state != 0 && len(s.body) <= longestQuery:
			s.body = append(s.body, c)
		}
	}
	return found
}

func (s *scanner) found(list []Query) []Query {
	s.state = 0
	if len(s.body) > longestQuery {
		return list
	}
	return append(list, Query(s.body))
}
