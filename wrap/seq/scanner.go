package seq

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// MaxBody is the longest body, in bytes, that a [Scanner] keeps. OSC 7501
// needs 4096; titles, hyperlinks and notifications need less.
const MaxBody = 4096

// Kind is what a [Token] is.
type Kind uint8

const (
	Text Kind = iota // printable characters in UTF-8, possibly cut by the end of the slice
	C0               // one control byte: 0x00-0x1F other than ESC, or 0x7F (DEL)
	Esc              // ESC [intermediates] final: ESC 7, ESC ( B
	CSI              // ESC [ … final
	OSC              // ESC ] … BEL or ST
	DCS              // ESC P … ST
	APC              // ESC _ … ST
	PM               // ESC ^ … ST
	SOS              // ESC X … ST
	Name             // ESC k … ST: the window name of screen and tmux
)

var kindNames = [...]string{"Text", "C0", "Esc", "CSI", "OSC", "DCS", "APC", "PM", "SOS", "Name"}

// String returns the kind's name as it is spelled in this package.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(?)"
}

// Token is a piece of the stream: a run of text, a control byte, or a sequence
// or that part of one which lies in the slice given to [Scanner.Next].
//
// The Raw of all tokens in their order is the stream, exactly.
//
// A C0 byte inside a CSI or Esc sequence is executed by terminals at once, so
// it comes as a token of its own between two parts of the sequence. Apart from
// those, a token with Start set while a sequence is open says that the open one
// was aborted: where nothing of it was left in the slice, there is no token
// that could carry its Aborted.
type Token struct {
	Kind Kind
	// Start: Raw begins the token. Always set for Text and C0.
	//
	// A sequence of which only the ESC has been seen is an Esc; its next part
	// has the Kind that it turned out to be.
	Start bool
	// End: Raw completes the token, or the sequence was aborted. Always set for
	// Text and C0.
	End bool
	// Aborted: ended by CAN or SUB (the last byte of Raw), or by an ESC or a
	// character that has no place in it (not in Raw). Terminals ignore it.
	Aborted bool
	// Overflow: the body was longer than [MaxBody] and is not given.
	Overflow bool
	// BEL: an OSC ended by BEL and not by ST.
	BEL bool
	// LateESC: the ESC that begins this sequence was the last byte of an
	// earlier slice and was given out in the Raw of a string, whose terminator
	// it might have been. Raw begins after it.
	LateESC bool
	// Raw is the token's bytes; it aliases the slice given to Next.
	Raw []byte
	// Body is set at the End of a sequence that was not aborted: what stands
	// between introducer and terminator, joined over slices. For Esc and CSI it
	// has parameters, intermediates and the final byte ("?25h", "(B"), for
	// strings their content ("0;title"). It is valid until the next call.
	Body []byte
}

type state uint8

const (
	ground      state = iota
	escape            // after ESC
	escapeInter       // after ESC and intermediates
	control           // after ESC [
	str               // in OSC, DCS, APC, PM, SOS, Name
	strEscape         // in one of these after ESC, where a slice ended
)

const (
	so  = 0x0e
	si  = 0x0f
	bel = 0x07
	can = 0x18
	sub = 0x1a
	esc = 0x1b
)

// Scanner cuts a stream into tokens. Its zero value stands at the beginning of
// a stream. It holds at most [MaxBody] bytes.
type Scanner struct {
	state state
	kind  Kind
	over  bool
	ntail uint8
	tail  [utf8.UTFMax - 1]byte // the beginning of a character that a slice has cut
	buf   []byte                // the open sequence's body so far
}

// Next returns the first token in p and how many bytes of p it takes, which is
// at least 1. p must not be empty. Call it again with the rest until p is used
// up, then with the next slice of the stream.
func (s *Scanner) Next(p []byte) (tok Token, n int) {
	if s.state != ground {
		return s.sequence(p, false)
	}
	switch b := p[0]; {
	case b == esc:
		// Most sequences are a CSI that lies in one slice.
		if len(p) > 2 && p[1] == '[' {
			for i, c := range p[2:] {
				if c >= 0x40 && c < 0x7f {
					s.ntail = 0
					return Token{Kind: CSI, Start: true, End: true, Raw: p[:i+3], Body: p[2 : i+3]}, i + 3
				}
				if c < 0x20 || c >= 0x7f || i == MaxBody-1 {
					break
				}
			}
		}
		return s.sequence(p, true)
	case b < 0x20 || b == 0x7f:
		s.ntail = 0
		return Token{Kind: C0, Start: true, End: true, Raw: p[:1]}, 1
	}
	n = textLen(p)
	if n < len(p) {
		s.ntail = 0
	} else if s.ntail > 0 || p[n-1] >= 0x80 {
		s.cut(p)
	}
	return Token{Kind: Text, Start: true, End: true, Raw: p[:n]}, n
}

// Plain returns how many bytes from the start of p are text and C0 controls
// without an ESC, SO or SI among them, and takes them as Next would, one by one:
// a flood of lines is hardly looked at. It returns 0 within a sequence.
func (s *Scanner) Plain(p []byte) int {
	if s.state != ground {
		return 0
	}
	n := len(p)
	for _, c := range [...]byte{esc, so, si} {
		if i := bytes.IndexByte(p[:n], c); i >= 0 {
			n = i
		}
	}
	run := p[:n] // the last text in it, or enough of that to see its end
	for i := n - 1; i >= max(0, n-(utf8.UTFMax-1)); i-- {
		if b := p[i]; b < 0x20 || b == 0x7f {
			s.ntail = 0
			run = p[i+1 : n]
			break
		}
	}
	switch {
	case len(run) == 0:
	case n < len(p):
		s.ntail = 0
	case s.ntail > 0 || p[n-1] >= 0x80:
		s.cut(run)
	}
	return n
}

// Ground reports whether the stream stands between complete sequences and
// complete characters, so that something could be put in between.
func (s *Scanner) Ground() bool { return s.state == ground && s.ntail == 0 }

// Partial returns what has been seen of the body of an open string (OSC, DCS,
// APC, PM, SOS, Name), at most [MaxBody] bytes of it, and nil when none is
// open. It is valid until the next call of Next.
func (s *Scanner) Partial() []byte {
	if s.state != str && s.state != strEscape {
		return nil
	}
	return s.buf
}

// Reset puts the scanner at the beginning of a stream.
func (s *Scanner) Reset() { *s = Scanner{buf: s.buf[:0]} }

// Clone returns a scanner that stands where s stands and shares nothing with it.
func (s *Scanner) Clone() Scanner {
	c := *s
	c.buf = append([]byte(nil), s.buf...)
	return c
}

// textLen returns how many bytes from the start of p are neither C0 nor DEL.
func textLen(p []byte) int {
	const lo, hi = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(p); i += 8 {
		x := binary.LittleEndian.Uint64(p[i:])
		del := x ^ 0x7f*lo
		// The lowest marked byte is exact: a borrow can only mark bytes above one
		// that is marked rightly.
		if m := ((x-0x20*lo)&^x | (del-lo)&^del) & hi; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(p); i++ {
		if b := p[i]; b < 0x20 || b == 0x7f {
			return i
		}
	}
	return len(p)
}

// controlLen returns how many bytes from the start of p are not C0.
func controlLen(p []byte) int {
	const lo, hi = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(p); i += 8 {
		x := binary.LittleEndian.Uint64(p[i:])
		if m := (x - 0x20*lo) &^ x & hi; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(p); i++ {
		if p[i] < 0x20 {
			return i
		}
	}
	return len(p)
}

// cut notes whether the slice's text p, after what is in tail, ends within a
// character.
func (s *Scanner) cut(p []byte) {
	var w [2 * (utf8.UTFMax - 1)]byte
	n := copy(w[:], s.tail[:s.ntail])
	if len(p) >= utf8.UTFMax-1 {
		p, n = p[len(p)-(utf8.UTFMax-1):], 0
	}
	n += copy(w[n:], p)
	s.ntail = 0
	for i := n - 1; i >= 0 && i >= n-(utf8.UTFMax-1); i-- {
		if utf8.RuneStart(w[i]) {
			if !utf8.FullRune(w[i:n]) {
				s.ntail = uint8(copy(s.tail[:], w[i:n]))
			}
			return
		}
	}
}

// sequence goes on with the open sequence, or begins one at p[0].
func (s *Scanner) sequence(p []byte, start bool) (Token, int) {
	tok := Token{Start: start}
	i := 0
	if start {
		s.begin()
		i = 1
	}
	from := i // where the body's part in p begins
	for i < len(p) {
		b := p[i]
		switch s.state {
		case str:
			i += s.strLen(p[i:])
			if i == len(p) {
				break
			}
			switch p[i] {
			case bel:
				tok.BEL = true
				return s.end(tok, p, from, i, i+1)
			case can, sub:
				return s.abort(tok, p[:i+1])
			}
			if i+1 == len(p) {
				// Whether this ESC begins the terminator, the next slice will say.
				s.keep(p[from:i])
				s.state = strEscape
				tok.Kind, tok.Raw = s.kind, p
				return tok, len(p)
			}
			if p[i+1] == '\\' {
				return s.end(tok, p, from, i, i+2)
			}
			if s.passthrough(p[from:i]) {
				i += 2
				continue
			}
			if i == 0 {
				return s.sequence(p, true)
			}
			return s.abort(tok, p[:i])
		case strEscape:
			if b == '\\' {
				return s.end(tok, p, 0, 0, 1)
			}
			if s.passthrough(nil) {
				s.keep([]byte{esc, b})
				s.state = str
				i++
				from = i
				continue
			}
			s.begin()
			tok.Start, tok.LateESC = true, true
		default:
			switch {
			case b >= 0x80:
				// As in xterm, a character ends the sequence and is printed.
				if i == 0 {
					s.state = ground
					return s.Next(p)
				}
				return s.abort(tok, p[:i])
			case b == esc:
				if i == 0 {
					return s.sequence(p, true)
				}
				return s.abort(tok, p[:i])
			case b == can || b == sub:
				return s.abort(tok, p[:i+1])
			case b < 0x20 || b == 0x7f:
				if i == 0 {
					return Token{Kind: C0, Start: true, End: true, Raw: p[:1]}, 1
				}
				s.keep(p[from:i])
				tok.Kind, tok.Raw = s.kind, p[:i]
				return tok, i
			}
			i++
			switch {
			case s.state == control:
				if b >= 0x40 {
					return s.end(tok, p, from, i, i)
				}
			case b < 0x30:
				s.state = escapeInter
			case s.state == escape && s.introduce(b):
				from = i
			default:
				return s.end(tok, p, from, i, i)
			}
		}
	}
	s.keep(p[from:])
	tok.Kind, tok.Raw = s.kind, p
	return tok, len(p)
}

// passthrough reports whether the open string, of whose body more is what is
// not kept yet, is meant for the terminal outside of tmux. In it an ESC that is
// not followed by a backslash is content: what is passed has its own doubled.
func (s *Scanner) passthrough(more []byte) bool {
	if s.kind != DCS {
		return false
	}
	n := min(len(s.buf), len(tmuxMark))
	return string(s.buf[:n]) == tmuxMark[:n] && len(more) >= len(tmuxMark)-n &&
		string(more[:len(tmuxMark)-n]) == tmuxMark[n:]
}

func (s *Scanner) begin() {
	s.state, s.kind, s.over, s.ntail = escape, Esc, false, 0
	s.buf = s.buf[:0]
}

// introduce takes the byte after ESC if it begins a CSI or a string.
func (s *Scanner) introduce(b byte) bool {
	switch b {
	case '[':
		s.state, s.kind = control, CSI
		return true
	case ']':
		s.kind = OSC
	case 'P':
		s.kind = DCS
	case '_':
		s.kind = APC
	case '^':
		s.kind = PM
	case 'X':
		s.kind = SOS
	case 'k':
		s.kind = Name
	default:
		return false
	}
	s.state = str
	return true
}

// strLen returns how far the open string goes on in p: up to ESC, CAN, SUB or,
// in an OSC, BEL. Other controls stay part of it.
func (s *Scanner) strLen(p []byte) int {
	for i := 0; ; i++ {
		i += controlLen(p[i:])
		if i == len(p) {
			return i
		}
		switch p[i] {
		case esc, can, sub:
			return i
		case bel:
			if s.kind == OSC {
				return i
			}
		}
	}
}

// keep adds to the open sequence's body.
func (s *Scanner) keep(b []byte) {
	if s.over {
		return
	}
	if free := MaxBody - len(s.buf); len(b) > free {
		b, s.over = b[:free], true
	}
	s.buf = append(s.buf, b...)
}

// end completes the sequence: p[from:to] is the last part of its body, and it
// takes n bytes of p.
func (s *Scanner) end(tok Token, p []byte, from, to, n int) (Token, int) {
	s.state = ground
	tok.Kind, tok.End, tok.Raw = s.kind, true, p[:n]
	if len(s.buf) == 0 && !s.over && to-from <= MaxBody {
		tok.Body = p[from:to]
		return tok, n
	}
	s.keep(p[from:to])
	if s.over {
		tok.Overflow = true
	} else {
		tok.Body = s.buf
	}
	return tok, n
}

func (s *Scanner) abort(tok Token, raw []byte) (Token, int) {
	s.state = ground
	tok.Kind, tok.End, tok.Aborted, tok.BEL, tok.Raw = s.kind, true, true, false, raw
	return tok, len(raw)
}
