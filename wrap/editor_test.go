package wrap

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"fwrap/wrap/seq"
)

// editAll feeds the slices to e and returns all that it gives out.
func editAll(e *editor, prefix string, slices ...string) string {
	var out bytes.Buffer
	for _, s := range slices {
		if s != "" {
			out.Write(e.edit([]byte(s), prefix))
		}
	}
	out.Write(e.finish())
	return out.String()
}

func TestEditorTitle(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"BEL", "a\x1b]0;title\ab", "a\x1b]0;● title\ab"},
		{"ST", "\x1b]2;title\x1b\\", "\x1b]2;● title\x1b\\"},
		{"claude", "\x1b]0;✳ Claude Code\a", "\x1b]0;● ✳ Claude Code\a"},
		{"empty", "\x1b]0;\a\x1b]2;\x1b\\", "\x1b]0;\a\x1b]2;\x1b\\"},
		{"icon name only", "\x1b]1;title\a", "\x1b]1;title\a"},
		{"other numbers", "\x1b]20;x\a\x1b]02;x\a\x1b]0x\a", "\x1b]20;x\a\x1b]02;x\a\x1b]0x\a"},
		{"aborted", "\x1b]0;\x18x", "\x1b]0;\x18x"},
		{"a CSI that looks alike", "\x1b[0;1m", "\x1b[0;1m"},
		{"several", "\x1b]0;a\a\x1b]0;b\a", "\x1b]0;● a\a\x1b]0;● b\a"},
		{"within another string", "\x1bP\x1b]0;a\a", "\x1bP\x1b]0;● a\a"},
		{"in a DCS", "\x1bP]0;a\x1b\\", "\x1bP]0;a\x1b\\"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := editAll(&editor{}, "● ", tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := editAll(&editor{}, "● ", strings.Split(tt.in, "")...); got != tt.want {
				t.Errorf("in runes: got %q, want %q", got, tt.want)
			}
			if got := editAll(&editor{}, "● ", bytewise(tt.in)...); got != tt.want {
				t.Errorf("in bytes: got %q, want %q", got, tt.want)
			}
			if got := editAll(&editor{pure: true}, "● ", tt.in); got != tt.in {
				t.Errorf("pure: got %q", got)
			}
			if got := editAll(&editor{}, "", tt.in); got != tt.in {
				t.Errorf("without a prefix: got %q", got)
			}
		})
	}
}

func bytewise(s string) []string {
	var b []string
	for i := range len(s) {
		b = append(b, s[i:i+1])
	}
	return b
}

// TestEditorHoldsNothingForTitles: with a prefix and no hook every byte of a
// slice comes out at once.
func TestEditorHoldsNothingForTitles(t *testing.T) {
	var e editor
	for _, s := range bytewise("x\x1b]0;title\x1b\\\x1b[1m\xe2\x9c\xb3") {
		if got := e.edit([]byte(s), "●"); !bytes.HasSuffix(got, []byte(s)) {
			t.Fatalf("edit(%q) = %q", s, got)
		}
	}
}

func TestEditorOSC(t *testing.T) {
	hook := func(num int, data []byte) Verdict {
		switch {
		case string(data) == "drop":
			return Verdict{Drop: true}
		case string(data) == "swap":
			return Verdict{Replace: []byte("\x1b]9;swapped\a")}
		case string(data) == "panic":
			panic("in the hook")
		}
		return Verdict{}
	}
	long := strings.Repeat("x", seq.MaxBody)
	for _, tt := range []struct{ name, in, want string }{
		{"pass", "a\x1b]7501;x\ab", "a\x1b]7501;x\ab"},
		{"drop", "a\x1b]7501;drop\ab", "ab"},
		{"drop with ST", "a\x1b]9;drop\x1b\\b", "ab"},
		{"replace", "a\x1b]9;swap\x1b\\b", "a\x1b]9;swapped\ab"},
		{"number not asked for", "\x1b]99;drop\a\x1b]750;drop\a\x1b]75011;drop\a", "\x1b]99;drop\a\x1b]750;drop\a\x1b]75011;drop\a"},
		{"leading zeros", "\x1b]007501;drop\a", ""},
		{"too long", "\x1b]9;" + long + "\a\x1b]9;drop\a", "\x1b]9;" + long + "\a"},
		{"aborted by CAN", "\x1b]9;drop\x18", "\x1b]9;drop\x18"},
		{"aborted by another", "\x1b]9;drop\x1b]9;drop\ab", "\x1b]9;drop\x1b]9;drop\ab"},
		{"aborted in a title", "\x1b]0;t\x1b]9;drop\ab", "\x1b]0;● t\x1b]9;drop\ab"},
		{"after one that was aborted", "\x1b]0;t\x1b[m\x1b]9;drop\ab", "\x1b]0;● t\x1b[mb"},
		{"in tmux, BEL", "a\x1bPtmux;\x1b\x1b]9;drop\a\x1b\\b", "ab"},
		{"in tmux, ST", "a\x1bPtmux;\x1b\x1b]7501;drop\x1b\x1b\\\x1b\\b", "ab"},
		{"in tmux, not to be decided", "\x1bPtmux;\x1b\x1b]99;drop\a\x1b\\b", "\x1bPtmux;\x1b\x1b]99;drop\a\x1b\\b"},
		{"in tmux, two", "\x1bPtmux;\x1b\x1b]9;drop\a\x1b\x1b]9;drop\a\x1b\\b", "\x1bPtmux;\x1b\x1b]9;drop\a\x1b\x1b]9;drop\a\x1b\\b"},
		{"in screen", "\x1bP\x1b]9;drop\a\x1b\\b", "\x1bP\x1b]9;drop\a\x1b\\b"},
		{"another DCS", "\x1bP$q m\x1b\\\x1bPtmu\x1b\\b", "\x1bP$q m\x1b\\\x1bPtmu\x1b\\b"},
		{"unfinished", "a\x1b]9;dro", "a\x1b]9;dro"},
		{"unfinished ESC", "a\x1b", "a\x1b"},
		{"title beside", "\x1b]2;t\a\x1b]9;drop\a\x1b]22;x\a", "\x1b]2;● t\a\x1b]22;x\a"},
		{"control within ESC", "\x1b\n]9;x\a", "\x1b\n]9;x\a"},
		{"character ends it", "\x1bé\x1b]9;drop\a", "\x1bé"},
		{"panic", "\x1b]9;panic\a\x1b]9;drop\a", "\x1b]9;panic\a\x1b]9;drop\a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			newEditor := func() *editor {
				return &editor{nums: []int{9, 7501, 22}, hook: hook, log: slog.New(slog.DiscardHandler)}
			}
			if got := editAll(newEditor(), "● ", tt.in); got != tt.want {
				t.Errorf("got %.80q, want %.80q", got, tt.want)
			}
			if got := editAll(newEditor(), "● ", bytewise(tt.in)...); got != tt.want {
				t.Errorf("in bytes: got %.80q, want %.80q", got, tt.want)
			}
		})
	}
}

// TestEditorCopiesNothing: what is not changed is handed on as it is.
func TestEditorCopiesNothing(t *testing.T) {
	e := editor{nums: []int{9, 7501}}
	p := []byte("plain \x1b[1mtext\x1b[m \x1b]8;;http://x\x1b\\\x1b(B\r\n")
	if got := e.edit(p, "●"); &got[0] != &p[0] || len(got) != len(p) {
		t.Error("an unchanged slice was copied")
	}
}

func TestEditorSafe(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want bool
	}{
		{"", true},
		{"text", true},
		{"\x1b", false},
		{"\x1b[", false},
		{"\x1b[31", false},
		{"\x1b[31m", true},
		{"\x1b]0;title", false},
		{"\x1b]0;title\x1b", false},
		{"\x1b]0;title\x1b\\", true},
		{"\x1bPq#0", false},
		{"é"[:1], false},
		{"é", true},
		{"✳"[:2], false},
		{"\x1b[?2026h", false},
		{"\x1b[?2026htext", false},
		{"\x1b[?2026htext\x1b[?2026l", true},
		{"\x1b[?2026h\x1bc", true},
		{"\x1b]9;x", false},
		{"\x1b(", false},
	} {
		e := editor{nums: []int{9}}
		for _, b := range bytewise(tt.in) {
			e.edit([]byte(b), "●")
		}
		if got := e.safe(); got != tt.want {
			t.Errorf("after %q: safe() = %v", tt.in, got)
		}
	}
}

// marker stands for the prefix in the fuzz test: input has no such byte.
const marker = "\x02"

// FuzzEditor checks that for every stream and every way of cutting it the output
// without the prefixes is the input, that a prefix stands at the beginning of a
// title and nowhere else, that what the hook is asked about does not depend on
// the cuts, and that where the editor calls it safe the output so far is made
// of complete sequences and characters.
func FuzzEditor(f *testing.F) {
	for _, s := range []string{
		"a\x1b]0;title\ab", "\x1b]2;\x1b\\\x1b]2;x\x1b\\", "\x1b]7501;state=working\a", "\x1b]9;hi\x1b]9;ho\a",
		"\x1b[?2026h✳\x1b[?2026l", "\x1b]0;t\x1b", "\x1b\x1b]0;x", "\x1b]\x1b]0;x\a", "\x1b]75", "\x1bPq\x1b]2;t\a", "é\xe2\x9c", "\x1bX\x1bX0",
		"\x1bPtmux;\x1b\x1b]9;hi\a\x1b\\x", "\x1bPtmux;\x1b\x1b]2;t\x1b\x1b\\\x1b\\", "\x1bPtmux;\x1b\x1b]7501",
	} {
		f.Add([]byte(s), uint64(0), true)
		f.Add([]byte(s), ^uint64(0), true)
		f.Add([]byte(s), uint64(0xa5a5), false)
	}
	f.Fuzz(func(t *testing.T, in []byte, cuts uint64, hooks bool) {
		if len(in) > 1<<14 {
			return
		}
		in = bytes.ReplaceAll(in, []byte(marker), nil)
		run := func(cut func(i int) bool) (out, asked []byte) {
			e := editor{log: slog.New(slog.DiscardHandler)}
			if hooks {
				e.nums = []int{9, 2, 7501}
				e.hook = func(num int, data []byte) Verdict {
					asked = append(append(append(asked, byte(num), ';'), data...), '\n')
					return Verdict{}
				}
			}
			var ref seq.Scanner // of what the terminal has got
			for i := 0; i < len(in); {
				j := i + 1
				for j < len(in) && !cut(j) {
					j++
				}
				part := e.edit(in[i:j], marker)
				out = append(out, part...)
				i = j
				for len(part) > 0 {
					_, n := ref.Next(part)
					part = part[n:]
				}
				if e.safe() && !ref.Ground() {
					t.Fatalf("not safe after %q", out)
				}
			}
			return append(out, e.finish()...), asked
		}
		whole, asked := run(func(int) bool { return false })
		parts, asked2 := run(func(i int) bool { return cuts>>(i%64)&1 == 1 })
		if !bytes.Equal(whole, parts) {
			t.Fatalf("whole %q\nparts %q", whole, parts)
		}
		if !bytes.Equal(asked, asked2) {
			t.Fatalf("asked about %q\nin parts %q", asked, asked2)
		}
		if got := bytes.ReplaceAll(whole, []byte(marker), nil); !bytes.Equal(got, in) {
			t.Fatalf("in  %q\nout %q", in, got)
		}
		for rest := whole; ; {
			i := bytes.Index(rest, []byte(marker))
			if i < 0 {
				break
			}
			before := strings.Map(dropC0, string(rest[:i]))
			if !strings.HasSuffix(before, "\x1b]0;") && (hooks || !strings.HasSuffix(before, "\x1b]2;")) {
				t.Fatalf("a prefix after %q", rest[:i])
			}
			if i+1 == len(rest) || rest[i+1] < 0x20 {
				t.Fatalf("a prefix before no title in %q", rest)
			}
			rest = rest[i+1:]
		}
	})
}

// dropC0 takes out the controls that may stand between ESC and its next byte.
func dropC0(r rune) rune {
	if r < 0x20 && r != 0x1b {
		return -1
	}
	return r
}

func BenchmarkEditor(b *testing.B) {
	frame := "\x1b[?2026h\r\x1b[2K\x1b[1A\x1b[2K\x1b[38;2;215;119;87m✳\x1b[39m Thinking… \x1b[2m(12s · esc to interrupt)\x1b[22m\r\n" +
		"\x1b[2m────────────────────────────────────────\x1b[22m\r\n❯ \x1b[7m \x1b[27m\r\n\x1b]0;✳ Claude Code\a\x1b[?2026l"
	for _, bb := range []struct{ name, unit string }{
		{"text", "The quick brown fox jumps over the lazy dog, and the terminal scrolls.\r\n"},
		{"frames", frame},
		{"colours", "\x1b[31m+\x1b[0m\x1b[38;5;208mx\x1b[39m"},
	} {
		data := bytes.Repeat([]byte(bb.unit), outputSize/len(bb.unit))
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			e := editor{nums: []int{9, 7501}, hook: func(int, []byte) Verdict { return Verdict{} }}
			for b.Loop() {
				e.edit(data, "● ")
			}
		})
	}
}
