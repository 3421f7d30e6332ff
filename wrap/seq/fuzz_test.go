package seq

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// FuzzScanner checks that the tokens' Raw is the stream, that no way of cutting
// the stream changes what is found in it, and Ground against a reference that
// reads one byte at a time and knows nothing but the grammar.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		"plain text\r\n", "\x1b[1;31mred\x1b[m", "\x1b]0;✳ Claude\a", "\x1b]8;;x\x1b\\", "\x1bPq\a\x1b\\",
		"\x1b]0;a\x1b[H", "\x1b[1\n2H", "\x1b\x1b\x1b", "\x1b]\x1b\x1b\\", "\xe2\x9c\xb3\xe2\x9c", "\xf0\x9f\x1b[m", "\x1b[é",
		"\x1bPtmux;\x1b\x1b]9;hi\a\x1b\\x", "\x1bPtmux;\x1b\x1b]9;hi\x1b\x1b\\\x1b\\x", "\x1bPtmu\x1b\x1b]9;hi\a",
		"\x1b(0lqk\x1b(B", "\x18\x1a\x7f", "\x1bkname\x1b\\", "\x1b]0;\x18",
	} {
		f.Add([]byte(s), uint8(1))
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		if len(stream) > 1<<16 {
			return
		}
		whole := events(t, stream, len(stream)+1)
		for _, n := range []int{1, int(size)%9 + 1} {
			if cut := events(t, stream, n); !bytes.Equal(whole, cut) {
				t.Fatalf("whole:\n%s\nby %d:\n%s", whole, n, cut)
			}
		}
	})
}

// events scans the stream in slices of n bytes and returns what a consumer that
// looks at complete tokens alone would see, with text joined.
func events(t *testing.T, stream []byte, n int) []byte {
	t.Helper()
	var (
		s    Scanner
		ref  reference
		out  bytes.Buffer
		text bool
		raw  []byte
	)
	for rest := stream; len(rest) > 0; {
		p := rest[:min(n, len(rest))]
		rest = rest[len(p):]
		for len(p) > 0 {
			tok, k := s.Next(p)
			if k < 1 || k != len(tok.Raw) {
				t.Fatalf("Next(%q) took %d, raw %q", p, k, tok.Raw)
			}
			p = p[k:]
			raw = append(raw, tok.Raw...)
			for _, b := range tok.Raw {
				ref.next(b)
			}
			if len(p) == 0 && s.Ground() != ref.ground() {
				t.Fatalf("Ground() = %v after %q", s.Ground(), raw)
			}
			switch {
			case tok.Kind == Text:
				if !text {
					out.WriteString("\nText ")
				}
				out.Write(tok.Raw)
				text = true
				continue
			case tok.Kind == C0:
				out.WriteString("\nC0 ")
				out.Write(tok.Raw)
			case tok.End && !tok.Aborted:
				out.WriteString("\n" + tok.Kind.String() + " ")
				out.Write(tok.Body)
				if tok.BEL {
					out.WriteString(" BEL")
				}
				if tok.Overflow {
					out.WriteString(" overflow")
				}
			}
			text = false
		}
	}
	if !bytes.Equal(raw, stream) {
		t.Fatalf("raw spans are %q", raw)
	}
	return out.Bytes()
}

// reference is the grammar once more, slow and plain.
type reference struct {
	in   string // "", "esc", "csi", "osc", "dcs", "string", "osc esc", "dcs esc", "string esc"
	body string // of a DCS
	char []byte
}

func (r *reference) ground() bool { return r.in == "" && len(r.char) == 0 }

func (r *reference) next(b byte) {
	isC0 := b < 0x20 || b == 0x7f
	switch r.in {
	case "":
		switch {
		case b == esc:
			r.in, r.char = "esc", nil
		case b < 0x80:
			r.char = nil
		default:
			r.char = append(r.char, b)
			for len(r.char) > 0 && utf8.FullRune(r.char) {
				_, n := utf8.DecodeRune(r.char)
				r.char = r.char[n:]
			}
		}
	case "osc", "dcs", "string":
		switch {
		case b == esc:
			r.in += " esc"
		case b == can, b == sub, b == bel && r.in == "osc":
			r.in = ""
		case r.in == "dcs" && len(r.body) < 5:
			r.body += string(rune(b))
		}
	case "osc esc", "dcs esc", "string esc":
		if b == '\\' {
			r.in = ""
			return
		}
		if r.in == "dcs esc" && r.body == "tmux;" {
			r.in = "dcs"
			return
		}
		r.in = "esc"
		r.next(b)
	default:
		switch {
		case b == esc:
			r.in = "esc"
		case b == can, b == sub:
			r.in = ""
		case isC0:
		case b >= 0x80:
			r.in = ""
			r.next(b)
		case r.in == "csi":
			if b >= 0x40 {
				r.in = ""
			}
		case b < 0x30:
			r.in = "esc inter"
		case r.in == "esc inter":
			r.in = ""
		case b == '[':
			r.in = "csi"
		case b == ']':
			r.in = "osc"
		case b == 'P':
			r.in, r.body = "dcs", ""
		case bytes.IndexByte([]byte("X^_k"), b) >= 0:
			r.in = "string"
		default:
			r.in = ""
		}
	}
}

// FuzzPlain checks that what Plain passes over at once is what Next would have
// taken piece by piece, and leaves the scanner in the same state.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{
		"a\r\nb\r\n\x1b[mc", "\xe2\x9c\xb3\xe2\x9c", "\xe2\x9c", "\n\xe2", "\x0eq\x0f", "x\x7f\xf0\x9f", "\xf0\x9f\x98", "\x80\x80\x80\x80", "\xe2\n\xe2\x9c\x1b[m",
	} {
		f.Add([]byte(s), uint8(1))
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		if len(stream) > 1<<12 {
			return
		}
		var fast, slow Scanner
		for rest := stream; len(rest) > 0; {
			p := rest[:min(int(size)%9+1, len(rest))]
			rest = rest[len(p):]
			for len(p) > 0 {
				n := fast.Plain(p)
				for k := 0; k < n; {
					tok, m := slow.Next(p[k:n])
					if tok.Kind != Text && tok.Kind != C0 || tok.Raw[0] == 0x0e || tok.Raw[0] == 0x0f {
						t.Fatalf("Plain(%q) passed over %q", p, tok.Raw)
					}
					k += m
				}
				if n == 0 {
					_, n = fast.Next(p)
					_, m := slow.Next(p)
					if n != m {
						t.Fatalf("Next(%q) took %d and %d", p, n, m)
					}
				}
				p = p[n:]
			}
			if fast.Ground() != slow.Ground() || !bytes.Equal(fast.tail[:fast.ntail], slow.tail[:slow.ntail]) {
				t.Fatalf("after %q: %+v, want %+v", stream[:len(stream)-len(rest)], fast, slow)
			}
		}
	})
}
