package seq

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// scan feeds the slices one after the other and returns the tokens as text, one
// each: kind, flags, raw and body.
func scan(t *testing.T, s *Scanner, slices ...string) []string {
	t.Helper()
	var out []string
	for _, slice := range slices {
		for p := []byte(slice); len(p) > 0; {
			tok, n := s.Next(p)
			if n < 1 || n != len(tok.Raw) || !bytes.Equal(tok.Raw, p[:n]) {
				t.Fatalf("Next(%q) = %q, %d", p, tok.Raw, n)
			}
			out = append(out, show(tok))
			p = p[n:]
		}
	}
	return out
}

func show(tok Token) string {
	s := fmt.Sprintf("%v %q", tok.Kind, tok.Raw)
	if tok.Kind == Text || tok.Kind == C0 {
		if !tok.Start || !tok.End {
			s += " without start or end"
		}
		return s
	}
	for _, f := range []struct {
		on   bool
		name string
	}{
		{tok.Start, "start"}, {tok.End, "end"}, {tok.Aborted, "aborted"},
		{tok.Overflow, "overflow"}, {tok.BEL, "bel"}, {tok.LateESC, "late"},
	} {
		if f.on {
			s += " " + f.name
		}
	}
	if tok.Body != nil {
		s += fmt.Sprintf(" %q", tok.Body)
	}
	return s
}

func TestNext(t *testing.T) {
	long := strings.Repeat("x", MaxBody)
	csi := strings.Repeat("1", MaxBody-1)
	tests := []struct {
		name   string
		slices []string
		want   []string
	}{
		{"text", []string{"héllo, wörld"}, []string{`Text "héllo, wörld"`}},
		{"text and controls", []string{"ab\r\nc\x7f"}, []string{`Text "ab"`, `C0 "\r"`, `C0 "\n"`, `Text "c"`, `C0 "\x7f"`}},
		{"csi", []string{"a\x1b[1;31mb"}, []string{`Text "a"`, `CSI "\x1b[1;31m" start end "1;31m"`, `Text "b"`}},
		{"csi cut", []string{"\x1b", "[", "?2", "5h!"}, []string{
			`Esc "\x1b" start`, `CSI "["`, `CSI "?2"`, `CSI "5h" end "?25h"`, `Text "!"`}},
		{"csi with intermediate", []string{"\x1b[2 q"}, []string{`CSI "\x1b[2 q" start end "2 q"`}},
		{"control in csi", []string{"\x1b[1\n2H"}, []string{`CSI "\x1b[1" start`, `C0 "\n"`, `CSI "2H" end "12H"`}},
		{"control after esc", []string{"\x1b\r[H"}, []string{`Esc "\x1b" start`, `C0 "\r"`, `CSI "[H" end "H"`}},
		{"csi cancelled", []string{"\x1b[1\x18m"}, []string{`CSI "\x1b[1\x18" start end aborted`, `Text "m"`}},
		{"csi substituted, cut", []string{"\x1b[1", "\x1am"}, []string{`CSI "\x1b[1" start`, `CSI "\x1a" end aborted`, `Text "m"`}},
		{"csi aborted by esc", []string{"\x1b[1\x1b[m"}, []string{`CSI "\x1b[1" start end aborted`, `CSI "\x1b[m" start end "m"`}},
		{"csi aborted by esc, cut", []string{"\x1b[1", "\x1b[m"}, []string{`CSI "\x1b[1" start`, `CSI "\x1b[m" start end "m"`}},
		{"csi aborted by a character", []string{"\x1b[1éH"}, []string{`CSI "\x1b[1" start end aborted`, `Text "éH"`}},
		{"csi aborted by a character, cut", []string{"\x1b[1", "é"}, []string{`CSI "\x1b[1" start`, `Text "é"`}},
		{"esc", []string{"\x1b7\x1b(B\x1b#8"}, []string{`Esc "\x1b7" start end "7"`, `Esc "\x1b(B" start end "(B"`, `Esc "\x1b#8" start end "#8"`}},
		{"esc cut", []string{"\x1b(", "0x"}, []string{`Esc "\x1b(" start`, `Esc "0" end "(0"`, `Text "x"`}},
		{"esc esc", []string{"\x1b\x1b7"}, []string{`Esc "\x1b" start end aborted`, `Esc "\x1b7" start end "7"`}},
		{"st alone", []string{"\x1b\\"}, []string{`Esc "\x1b\\" start end "\\"`}},
		{"osc with bel", []string{"\x1b]0;t\a."}, []string{`OSC "\x1b]0;t\a" start end bel "0;t"`, `Text "."`}},
		{"osc with st", []string{"\x1b]0;t\x1b\\."}, []string{`OSC "\x1b]0;t\x1b\\" start end "0;t"`, `Text "."`}},
		{"osc cut in st", []string{"\x1b]0;t\x1b", "\\."}, []string{`OSC "\x1b]0;t\x1b" start`, `OSC "\\" end "0;t"`, `Text "."`}},
		{"osc cut", []string{"\x1b]0", ";", "t\a"}, []string{`OSC "\x1b]0" start`, `OSC ";"`, `OSC "t\a" end bel "0;t"`}},
		{"osc empty", []string{"\x1b]\a"}, []string{`OSC "\x1b]\a" start end bel ""`}},
		{"osc aborted by csi", []string{"\x1b]0;t\x1b[H"}, []string{`OSC "\x1b]0;t" start end aborted`, `CSI "\x1b[H" start end "H"`}},
		{"osc aborted by csi, cut", []string{"\x1b]0;t\x1b", "[H"}, []string{`OSC "\x1b]0;t\x1b" start`, `CSI "[H" start end late "H"`}},
		{"osc aborted by csi, cut before", []string{"\x1b]0;t", "\x1b[H"}, []string{`OSC "\x1b]0;t" start`, `CSI "\x1b[H" start end "H"`}},
		{"osc aborted by osc, cut twice", []string{"\x1b]0;t\x1b", "]", "9\a"}, []string{
			`OSC "\x1b]0;t\x1b" start`, `OSC "]" start late`, `OSC "9\a" end bel "9"`}},
		{"osc aborted, esc esc", []string{"\x1b]0\x1b", "\x1b7"}, []string{`OSC "\x1b]0\x1b" start`, `Esc "\x1b7" start end "7"`}},
		{"osc cancelled", []string{"\x1b]0;t\x18."}, []string{`OSC "\x1b]0;t\x18" start end aborted`, `Text "."`}},
		// Claude Code's title: the 9C within ✳ ends nothing.
		{"9c in title", []string{"\x1b]0;✳ Claude\a."}, []string{`OSC "\x1b]0;✳ Claude\a" start end bel "0;✳ Claude"`, `Text "."`}},
		{"8-bit controls are text", []string{"\x9b1m\x9c"}, []string{`Text "\x9b1m\x9c"`}},
		{"newline in osc", []string{"\x1b]0;a\nb\a"}, []string{`OSC "\x1b]0;a\nb\a" start end bel "0;a\nb"`}},
		{"bel in dcs", []string{"\x1bPa\ab\x1b\\"}, []string{`DCS "\x1bPa\ab\x1b\\" start end "a\ab"`}},
		{"apc, pm, sos, name", []string{"\x1b_a\x1b\\\x1b^b\x1b\\\x1bXc\x1b\\\x1bkd\x1b\\"}, []string{
			`APC "\x1b_a\x1b\\" start end "a"`, `PM "\x1b^b\x1b\\" start end "b"`,
			`SOS "\x1bXc\x1b\\" start end "c"`, `Name "\x1bkd\x1b\\" start end "d"`}},
		{"longest body", []string{"\x1b]" + long + "\a"}, []string{fmt.Sprintf("OSC %q start end bel %q", "\x1b]"+long+"\a", long)}},
		{"longest body, cut", []string{"\x1b]" + long, "\a"}, []string{fmt.Sprintf("OSC %q start", "\x1b]"+long), fmt.Sprintf(`OSC "\a" end bel %q`, long)}},
		{"too long", []string{"\x1b]x" + long + "\a"}, []string{fmt.Sprintf("OSC %q start end overflow bel", "\x1b]x"+long+"\a")}},
		{"longest csi", []string{"\x1b[" + csi + "m."}, []string{fmt.Sprintf("CSI %q start end %q", "\x1b["+csi+"m", csi+"m"), `Text "."`}},
		{"csi too long", []string{"\x1b[1" + csi + "m."}, []string{fmt.Sprintf("CSI %q start end overflow", "\x1b[1"+csi+"m"), `Text "."`}},
		{"too long, cut", []string{"\x1b]" + long, "x", "\x1b[", "m"}, []string{
			fmt.Sprintf("OSC %q start", "\x1b]"+long), `OSC "x"`, `CSI "\x1b[" start`, `CSI "m" end "m"`}},
		{"too long, cut in st", []string{"\x1b]x" + long + "\x1b", "\\"}, []string{
			fmt.Sprintf("OSC %q start", "\x1b]x"+long+"\x1b"), `OSC "\\" end overflow`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Scanner
			got := scan(t, &s, tt.slices...)
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(tt.want, "\n\t"))
			}
		})
	}
}

func TestGround(t *testing.T) {
	tests := []struct {
		slices []string
		want   bool
	}{
		{nil, true},
		{[]string{"a"}, true},
		{[]string{"✳"}, true},
		{[]string{"\xe2"}, false},
		{[]string{"\xe2", "\x9c"}, false},
		{[]string{"\xe2", "\x9c", "\xb3"}, true},
		{[]string{"a\xe2\x9c", "\xb3"}, true},
		{[]string{"\xf0\x9f\x98"}, false},
		{[]string{"\xf0\x9f", "\x98\x80"}, true},
		{[]string{"\xe2\x9c", "\n"}, true}, // the character is broken off
		{[]string{"\xe2\x9c", "a"}, true},
		{[]string{"\xe2\x9c\xf0"}, false},
		{[]string{"\x80\x80\x80"}, true}, // stray bytes begin nothing
		{[]string{"\xff"}, true},
		{[]string{"\x1b"}, false},
		{[]string{"\x1b["}, false},
		{[]string{"\x1b[1\n"}, false},
		{[]string{"\x1b[m"}, true},
		{[]string{"\x1b("}, false},
		{[]string{"\x1b]0;"}, false},
		{[]string{"\x1b]0;\x1b"}, false},
		{[]string{"\x1b]0;\x1b", "\\"}, true},
		{[]string{"\x1b]0;\x18"}, true},
		{[]string{"\xe2\x1b[m"}, true},
	}
	for _, tt := range tests {
		var s Scanner
		scan(t, &s, tt.slices...)
		if got := s.Ground(); got != tt.want {
			t.Errorf("after %q Ground() = %v", tt.slices, got)
		}
	}
}

func TestPartialAndReset(t *testing.T) {
	var s Scanner
	if s.Partial() != nil {
		t.Error("a string is open at the start")
	}
	scan(t, &s, "a\x1b]0;ti", "tle")
	if got := string(s.Partial()); got != "0;title" {
		t.Errorf("Partial() = %q", got)
	}
	scan(t, &s, "\x1b")
	if got := string(s.Partial()); got != "0;title" {
		t.Errorf("Partial() before the terminator's end = %q", got)
	}
	scan(t, &s, "\\")
	if s.Partial() != nil {
		t.Errorf("Partial() after the end = %q", s.Partial())
	}
	scan(t, &s, "\x1b]0;x", strings.Repeat("y", 3*MaxBody))
	if got := len(s.Partial()); got != MaxBody {
		t.Errorf("%d bytes of an endless string are kept", got)
	}
	if got := cap(s.buf); got > 2*MaxBody {
		t.Errorf("the buffer has grown to %d", got)
	}
	s.Reset()
	if !s.Ground() || s.Partial() != nil {
		t.Error("Reset leaves a sequence open")
	}
	if got := scan(t, &s, "\x1b[m"); got[0] != `CSI "\x1b[m" start end "m"` {
		t.Errorf("after Reset: %s", got)
	}
}

func TestClone(t *testing.T) {
	var s Scanner
	scan(t, &s, "\x1b]0;one", " two")
	c := s.Clone()
	scan(t, &s, "\a\x1b]2;xxxxxxx", "y")
	if got := scan(t, &c, " three\a"); got[0] != `OSC " three\a" end bel "0;one two three"` {
		t.Errorf("the clone goes on with %s", got)
	}
}

func TestKindString(t *testing.T) {
	if Text.String() != "Text" || Name.String() != "Name" || Kind(200).String() != "Kind(?)" {
		t.Error(Text, Name, Kind(200))
	}
}

// Text needs no copying and a sequence within one slice needs none either.
func TestNoAllocations(t *testing.T) {
	p := []byte("some text\r\n\x1b[1;31mred\x1b[m\x1b]0;title\a│ ❯ \x1b(B")
	var s Scanner
	if n := testing.AllocsPerRun(100, func() {
		for q := p; len(q) > 0; {
			_, n := s.Next(q)
			q = q[n:]
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
