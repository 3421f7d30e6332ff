package wrap

import (
	"strings"
	"testing"
)

func TestLedgerReset(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "text\x1b[31mred\x1b[m\x1b[2J\x1b[?1l\x1b[?25h", ""},
		{"undone", "\x1b[?1049h\x1b[?1000;1006h\x1b[?25l\x1b[>1u\x1b[<u\x1b[?25h\x1b[?1000l\x1b[?1006l\x1b[?1049l", ""},
		{"a killed full-screen program", "\x1b[?1049h\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1004h\x1b[?25l\x1b[>1u",
			"\x1b[<1u\x1b[?1006l\x1b[?1003l\x1b[?1000l\x1b[?2004l\x1b[?1004l\x1b[?1049l\x1b[?25h"},
		{"several in one", "\x1b[?1;7;25;2026h", "\x1b[?2026l\x1b[?1l"},
		{"keys of both screens", "\x1b[>1u\x1b[>3u\x1b[?1049h\x1b[>5u", "\x1b[<1u\x1b[?1049l\x1b[<2u"},
		{"keys of the screen that was left", "\x1b[?1049h\x1b[>5u\x1b[?1049l\x1b[>1u", "\x1b[<1u"},
		{"keys popped below the bottom", "\x1b[=1u\x1b[>1u\x1b[<9u", ""},
		{"keys set and not pushed", "\x1b[=5;1u", "\x1b[=0;1u"},
		{"keys set back", "\x1b[=5;1u\x1b[=0;1u", ""},
		{"query of keys", "\x1b[?u\x1b[?1u", ""},
		{"other keys", "\x1b[>4;2m", "\x1b[>4m"},
		{"other keys off", "\x1b[>4;2m\x1b[>4;0m\x1b[>4;1m\x1b[>4m\x1b[>4;1m\x1b[>4n", ""},
		{"entered by one mode, left by another", "\x1b[?1049h\x1b[?47l", ""},
		{"terminal reset", "\x1b[?1049h\x1b[?1000h\x1b[?25l\x1b[>1u\x1b[31m\x1bc", ""},
		{"soft reset", "\x1b[?1h\x1b[?25l\x1b[4h\x1b[31m\x1b[!p", ""},
		{"colours", "\x1b[1;38;2;1;2;3m", "\x1b[m"},
		{"colours, each undone", "\x1b[1;3;4;38;5;8;48;2;1;2;3;58:2::9:9:9m\x1b[22;23;24;39;49;59m", ""},
		{"palette index that looks like a reset", "\x1b[38;5;0m", "\x1b[m"},
		{"reset, then more", "\x1b[31m\x1b[0;7m", "\x1b[m"},
		{"curly underline off", "\x1b[4:3m\x1b[4:0m", ""},
		{"margins", "\x1b[5;20r", "\x1b7\x1b[r\x1b8"},
		{"margins undone", "\x1b[5;20r\x1b[r", ""},
		{"restored modes are no margins", "\x1b[?5;20r", ""},
		{"line drawing", "\x1b(0lqk\x0e", "\x0f\x1b(B"},
		{"line drawing undone", "\x1b(0lqk\x1b(B\x0e\x0f", ""},
		{"keypad", "\x1b=", "\x1b>"},
		{"cursor style", "\x1b[6 q", "\x1b[0 q"},
		{"progress", "\x1b]9;4;3;0\x1b\\", "\x1b]9;4;0\x1b\\"},
		{"progress ended", "\x1b]9;4;1;50\a\x1b]9;4;0\a", ""},
		{"a notification is no progress", "\x1b]9;4 files changed\a", ""},
		{"link", "\x1b]8;id=1;http://x\x1b\\text", "\x1b]8;;\x1b\\"},
		{"link closed", "\x1b]8;;http://x\atext\x1b]8;;\a", ""},
		{"background", "\x1b]11;#000\a", "\x1b]111\x1b\\"},
		{"background asked for", "\x1b]11;?\a", ""},
		{"aborted", "\x1b[?1049\x18h\x1b[?25\x1b[m", ""},
		{"in a string", "\x1bP\x07[?1049h\x1b\\", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, slices := range map[string][]string{"whole": {tt.in}, "in bytes": bytewise(tt.in)} {
				var e editor
				if got := editAll(&e, "", slices...); got != tt.in {
					t.Fatalf("%s: stream became %q", name, got)
				}
				if got := string(e.modes.reset()); got != tt.want {
					t.Errorf("%s: got %q, want %q", name, got, tt.want)
				}
				if again := e.modes.reset(); len(again) != 0 {
					t.Errorf("%s: the second reset gives %q", name, again)
				}
			}
		})
	}
}

// TestLedgerResetUndoes: what reset writes leaves nothing to be reset, for each
// mode alone and for all together.
func TestLedgerResetUndoes(t *testing.T) {
	var all strings.Builder
	for _, on := range []string{
		"\x1b[?2026h", "\x1b[?9h", "\x1b[?1000h", "\x1b[?1001h", "\x1b[?1002h", "\x1b[?1003h", "\x1b[?1005h", "\x1b[?1006h",
		"\x1b[?1015h", "\x1b[?1016h", "\x1b[?1004h", "\x1b[?2004h", "\x1b[?2031h", "\x1b[?2048h", "\x1b[?1h", "\x1b[?5h",
		"\x1b[?6h", "\x1b[?7l", "\x1b[?25l", "\x1b[?69h", "\x1b[?47h", "\x1b[?1047h", "\x1b[?1049h", "\x1b[4h", "\x1b[20h",
		"\x1b=", "\x1b[>4;1m", "\x1b[3 q", "\x1b[2;3r", "\x1b(0", "\x0e", "\x1b]9;4;1;5\a", "\x1b]8;;x\a",
		"\x1b]10;red\a", "\x1b]11;red\a", "\x1b]12;red\a", "\x1b[7m", "\x1b[>1u", "\x1b[=1u",
	} {
		all.WriteString(on)
		for _, in := range []string{on, all.String()} {
			var e editor
			editAll(&e, "", in)
			reset := string(e.modes.reset())
			if reset == "" {
				t.Errorf("%q is not reset", in)
			}
			var again editor
			editAll(&again, "", in, reset)
			if left := again.modes.reset(); len(left) != 0 {
				t.Errorf("%q then %q leaves %q to do", in, reset, left)
			}
		}
	}
}

func TestLedgerFocus(t *testing.T) {
	var e editor
	for _, tt := range []struct {
		in   string
		want bool
	}{{"\x1b[?1004h", true}, {"x", true}, {"\x1b[?1004l", false}, {"\x1b[?1000;1004h", true}, {"\x1bc", false}} {
		e.edit([]byte(tt.in), "")
		if got := e.modes.focus.Load(); got != tt.want {
			t.Errorf("after %q: %v", tt.in, got)
		}
	}
}
