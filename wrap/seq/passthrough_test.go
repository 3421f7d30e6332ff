package seq

import (
	"strings"
	"testing"
)

func TestTmuxPassthrough(t *testing.T) {
	for _, tt := range []struct{ name, stream, osc string }{
		{"BEL", "\x1bPtmux;\x1b\x1b]9;hi\a\x1b\\", "9;hi"},
		{"ST", "\x1bPtmux;\x1b\x1b]7501;?\x1b\x1b\\\x1b\\", "7501;?"},
		{"no OSC", "\x1bPtmux;\x1b\x1b[5n\x1b\\", ""},
		{"two", "\x1bPtmux;\x1b\x1b]9;hi\a\x1b\x1b]9;ho\a\x1b\\", ""},
		{"more behind it", "\x1bPtmux;\x1b\x1b]9;hi\ax\x1b\\", ""},
		{"unfinished", "\x1bPtmux;\x1b\x1b]9;hi\x1b\\", ""},
		{"nothing", "\x1bPtmux;\x1b\\", ""},
		{"another DCS", "\x1bPtmu;]9;hi\x1b\\", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for n := 1; n <= len(tt.stream); n++ {
				var s Scanner
				var body string
				for rest := tt.stream + "x"; rest != ""; {
					p := rest[:min(n, len(rest))]
					rest = rest[len(p):]
					for len(p) > 0 {
						tok, k := s.Next([]byte(p))
						p = p[k:]
						if tok.Kind == DCS && tok.End {
							body = string(tok.Body)
						}
						if tok.Kind == Text && string(tok.Raw) != "x" {
							t.Fatalf("by %d: text %q", n, tok.Raw)
						}
					}
				}
				if want := strings.TrimSuffix(strings.TrimPrefix(tt.stream, "\x1bP"), "\x1b\\"); body != want {
					t.Fatalf("by %d: body %q, want %q", n, body, want)
				}
				osc, ok := TmuxOSC([]byte(body))
				if string(osc) != tt.osc || ok != (tt.osc != "") {
					t.Fatalf("by %d: %q, %v", n, osc, ok)
				}
			}
		})
	}
}
