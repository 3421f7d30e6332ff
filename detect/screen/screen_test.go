package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fwrap/detect"
)

// drawn returns the rows of a screen of the given size after the slices were
// written, without blank rows at the end.
func drawn(cols, rows int, slices ...string) (*Screen, []string) {
	s := New(cols, rows)
	for _, p := range slices {
		s.Write([]byte(p))
	}
	got := s.Snapshot().Rows
	for len(got) > 0 && got[len(got)-1] == "" {
		got = got[:len(got)-1]
	}
	return s, got
}

func TestDraw(t *testing.T) {
	tests := []struct {
		name  string
		input string
		want  string // rows joined by |
	}{
		{"text", "one\r\ntwo", "one|two"},
		{"wrap", "0123456789abc", "0123456789|abc"},
		{"no wrap yet in the last column", "0123456789\rX", "X123456789"},
		{"backspace in the last column", "0123456789\bX", "01234567X9"},
		{"autowrap off", "\x1b[?7l0123456789abc\x1b[?7hde", "012345678c|de"},
		{"autowrap off and wide", "\x1b[?7l0123456789日", "0123456789"},
		{"wide at the last column", "012345678日", "012345678|日"},
		{"wide", "日本語テ", "日本語テ"},
		{"first half of a wide one replaced", "日本\rx", "x 本"},
		{"second half of a wide one replaced", "日本\x1b[2Gx", " x本"},
		{"half of a wide one deleted", "日本\r\x1b[P", " 本"},
		{"half of a wide one erased", "日本\r\x1b[X", "  本"},
		{"wide one pushed over half of another", "日本\x1b[2G語", " 語"},
		{"combining", "e\u0301x", "ex"},
		{"joined", "👩\u200d💻x", "👩💻x"},
		{"no-break space stays", "a\u00a0b\u00a0", "a\u00a0b\u00a0"},
		{"noncharacter of ours", "a\U0010fffeb", "a\ufffdb"},
		{"c1 in utf-8", "a\u0085\u009bb", "ab"},
		{"broken utf-8", "a\xe2\x9cb\xffc\xc0\xafd", "abcd"},
		{"broken utf-8 before a control", "a\xe2\x9c\r\nb", "a|b"},
		{"del and nul", "a\x7f\x00b", "ab"},
		{"tabs", "\tx\r\x1b[2I\x1b[Zy", "        y"},
		{"tab set and cleared", "\x1b[3g\x1b[4G\x1bH\r\tx\x1b[3g\r\ty", "   x     y"},
		{"tab in the last column", "0123456789\tx", "0123456789|x"},
		{"line drawing", "\x1b(0lqk\x1b(Bq", "┌─┐q"},
		{"line drawing in G1", "\x1b)0q\x0eq\x0fq", "q─q"},
		{"line drawing saved", "\x1b(0\x1b7\x1b(Bq\x1b8qq", "──"},
		{"insert mode", "abc\r\x1b[4hXY\x1b[4lZ", "XYZbc"},
		{"insert mode, wide", "abc\r\x1b[4h日", "日abc"},
		{"repeat", "x\x1b[3by", "xxxxy"},
		{"repeat nothing", "x\x1b[m\x1b[3by", "xy"},
		{"repeat once", "x\x1b[2b\x1b[2by", "xxxy"},
		{"repeat more than a screen", "x\x1b[99999by", "xxxxxxxxxx|xxxxxxxxxx|xxxxxxxxxx|y"},
		{"repeat wide", "日\x1b[5bx", "日日日日日|日x"},
		{"erase to the end in the last column", "0123456789\x1b[K", "0123456789"},
		{"erase below in the last column", "\x1b[2Hx\x1b[H0123456789\x1b[J", "0123456789"},
		{"erase above", "a\r\nb\r\ncd\x1b[D\x1b[1J", "||"},
		{"erase above from row 1", "a\r\nbcd\x1b[2D\x1b[1J", "|  d"},
		{"erase scrollback", "abc\x1b[3J", "abc"},
		{"selective erase", "abc\x1b[?2J", ""},
		{"erase cells", "abcdef\x1b[3G\x1b[2X", "ab  ef"},
		{"erase 0 cells is one", "abc\r\x1b[0X", " bc"},
		{"insert cells", "abc\r\x1b[2@", "  abc"},
		{"delete cells", "abcdef\x1b[2G\x1b[3P", "aef"},
		{"insert lines", "a\r\nb\r\nc\x1b[2H\x1b[L", "a||b|c"},
		{"delete lines", "a\r\nb\r\nc\x1b[2H\x1b[M", "a|c"},
		{"scroll up", "a\r\nb\r\nc\x1b[S", "b|c"},
		{"scroll down", "a\r\nb\x1b[T", "|a|b"},
		{"not mouse tracking", "a\x1b[1;2;3;4;5T", "a"},
		{"scroll left", "abc\r\ndef\x1b[2 @", "c|f"},
		{"scroll right", "abc\x1b[ A", " abc"},
		{"insert columns", "abc\r\ndef\x1b[2G\x1b['}", "a bc|d ef"},
		{"delete columns", "abc\r\ndef\x1b[2G\x1b['~", "ac|df"},
		{"region", "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3H\n", "a|c||d"},
		{"region, reverse index", "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[2H\x1bM", "a||b|d"},
		{"region upside down", "a\x1b[3;2rb", "ab"},
		{"region, cursor up stops", "\x1b[2;3r\x1b[3H\x1b[9Ax", "|x"},
		{"region, cursor down stops", "\x1b[2;3r\x1b[2H\x1b[9Bx", "||x"},
		{"below the region nothing scrolls", "a\x1b[1;2r\x1b[4H\n\n\nx", "a|||x"},
		{"origin mode", "\x1b[2;3r\x1b[?6hx\x1b[9Hy", "|x|y"},
		{"origin mode off", "\x1b[2;3r\x1b[?6h\x1b[?6lx", "x"},
		{"region of each screen", "\x1b[2;3r\x1b[?1049h\x1b[4H\n\x1b[?1049l\x1b[3Hx\ny", "|x| y"},
		{"saved cursor of each screen", "ab\x1b7\x1b[?47h\x1b[3;3H\x1b7\x1b[?47l\x1b8X", "abX"},
		{"alternate screen", "main\x1b[?1049halt\x1b[?1049l", "main"},
		{"alternate screen, blank again", "\x1b[?47halt\x1b[?47l\x1b[?47h", ""},
		{"alternate screen, entered twice", "\x1b[?1049h\x1b[Halt\x1b[?1049h", "alt"},
		{"leaving the main screen for itself", "main\x1b[?1049lX", "Xain"},
		{"next line", "ab\x1bEc", "ab|c"},
		{"index", "ab\x1bDc", "ab|  c"},
		{"newline mode", "ab\x1b[20h\nc", "ab|c"},
		{"vertical tab and form feed", "a\vb\fc", "a| b|  c"},
		{"alignment test", "\x1b#8\x1b[2J", ""},
		{"cursor movements", "\x1b[2;5Hx\x1b[A\x1b[2Dy\x1b[2Bz\x1b[Gw\x1b[dv\x1b[3`u\x1b[2ae", " vuy e|    x|w   z"},
		{"huge and empty parameters", "\x1b[;5Hx\x1b[99999999999;Hy\x1b[99Az", " z  x|||y"},
		{"kitty keyboard", "ab\x1b[<u\x1b[>1u\x1b[=1u\x1b[?uc", "abc"},
		{"colours", "\x1b[1;31mre\x1b[38:2::1:2:3md\x1b[m", "red"},
		{"queries", "a\x1b[c\x1b[>c\x1b[6n\x1b[?2026$p\x1b[>q\x1b]10;?\ab", "ab"},
		{"strings", "a\x1bPx\ay\x1b\\b\x1b_x\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e\x1bkx\x1b\\f", "abcdef"},
		{"soft reset", "\x1b[2;3r\x1b[?6h\x1b[4h\x1b[?7l\x1b(0\x1b[!p\x1b[1;9Habq", "        ab|q"},
		{"reset", "x\x1b[?1049hy\x1b[2;3r\x1b[4h\x1b(0\x1bcq", "q"},
		{"sequence cancelled", "a\x1b[5\x18Cb", "aCb"},
		{"sequence within a string", "a\x1b]0;x\x1b[5Cb", "a     b"},
		{"control within a sequence", "a\x1b[3\rCb", "a  b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := drawn(10, 4, tt.input)
			want := strings.Split(strings.TrimRight(tt.want, "|"), "|")
			if tt.want == "" || want[0] == "" && len(want) == 1 {
				want = nil
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q draws\n%q, want\n%q", tt.input, got, want)
			}
			one, _ := drawn(10, 4, strings.Split(tt.input, "")...)
			if got := one.Snapshot().Rows; !slices.Equal(got[:len(want)], want) && !strings.ContainsRune(tt.input, 0xfffd) {
				t.Errorf("by characters it draws %q", got)
			}
		})
	}
}

func TestSnapshot(t *testing.T) {
	s := New(20, 3)
	s.Write([]byte("hello\x1b[?25l\x1b]2;a title\a\x1b]9;4;1;42\a"))
	got := s.Snapshot()
	want := detect.Snapshot{
		Cols: 20, Rows: []string{"hello", "", ""}, Cursor: detect.Cursor{X: 5},
		Title: "a title", Progress: detect.Progress{State: 1, Percent: 42},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%v, want\n%v", got, want)
	}
	s.Write([]byte("\x1b[?1049h\x1b[H\x1b[?25h01234567890123456789"))
	if got := s.Snapshot(); !got.Alt || !got.Cursor.Visible || got.Cursor.X != 19 {
		t.Errorf("%+v", got)
	}
	if got.Rows[0] != "hello" || got.Alt {
		t.Error("an earlier snapshot has changed")
	}
}

func TestWrapped(t *testing.T) {
	tests := []struct {
		name, input string
		want        []bool
	}{
		{"none", "0123456789", nil},
		{"one", "0123456789a", []bool{true, false, false, false}},
		{"two", "0123456789abcdefghijk", []bool{true, true, false, false}},
		{"scrolled", "x\r\n\r\n\r\n0123456789a", []bool{false, false, true, false}},
		{"scrolled in halves", "0123456789a\r\n\r\n\r\n", nil},
		{"wide", "012345678日", []bool{true, false, false, false}},
		{"at a blank", "01234567 9a", []bool{true, false, false, false}},
		{"after a blank", "012345678 a", nil},
		{"before a blank", "0123456789 a", nil},
		{"by hand", "0123456789\r\na", nil},
		{"by hand over a wrapped one", "0123456789a\x1b[H0123456789\x1b[2;1Ha", nil},
		{"end erased", "0123456789a\x1b[1;5H\x1b[K", nil},
		{"row erased", "0123456789a\x1b[2K", nil},
		{"row below erased and drawn", "0123456789a\r\x1b[2Kb", nil},
		{"line inserted between", "0123456789a\x1b[L", nil},
		{"line above deleted", "0123456789a\x1b[H\x1b[M", nil},
		{"cells deleted", "0123456789a\x1b[H\x1b[P", nil},
		{"cleared", "0123456789a\x1b[2J", nil},
		{"other screen", "0123456789a\x1b[?47h", nil},
		{"back from the other screen", "0123456789a\x1b[?47h\x1b[?47l", []bool{true, false, false, false}},
		{"line feed into it", "0123456789a\x1b[H\x1b[10C\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, rows := drawn(10, 4, tt.input)
			if got := s.Snapshot().Wrapped; !slices.Equal(got, tt.want) {
				t.Errorf("%q: %v, want %v", rows, got, tt.want)
			}
		})
	}
}

func TestSynchronized(t *testing.T) {
	s := New(20, 3)
	row := func() string { return s.Snapshot().Rows[0] }
	s.Write([]byte("before\x1b[?2026h\x1b[2K\rhalf"))
	if !s.Synchronized() || row() != "before" {
		t.Errorf("within an update: %v, %q", s.Synchronized(), row())
	}
	s.Write([]byte("\x1b]0;title\a\x1b[?2026h"))
	if got := s.Snapshot(); got.Rows[0] != "before" || got.Title != "title" {
		t.Errorf("within an update: %q, title %q", got.Rows[0], got.Title)
	}
	s.Write([]byte(" and all\x1b[?2026l"))
	if s.Synchronized() || row() != "half and all" {
		t.Errorf("after the update: %v, %q", s.Synchronized(), row())
	}
	s.Write([]byte("\x1b[?2026h\x1b[2K\rdied"))
	s.EndSync()
	if s.Synchronized() || row() != "died" {
		t.Errorf("an update that was ended: %v, %q", s.Synchronized(), row())
	}
	s.Write([]byte("\x1b[?2026h\x1bcreset"))
	if s.Synchronized() || row() != "reset" {
		t.Errorf("after a reset: %v, %q", s.Synchronized(), row())
	}
}

func TestTitleAndProgress(t *testing.T) {
	long := strings.Repeat("é", maxTitle)
	tests := []struct {
		input string
		title string
		p     detect.Progress
	}{
		{"\x1b]0;✳ Claude Code\a", "✳ Claude Code", detect.Progress{}},
		{"\x1b]2;a\x1b\\", "a", detect.Progress{}},
		{"\x1b]2;a;b\a", "a;b", detect.Progress{}},
		{"\x1b]2; a b   \n \a", " a b", detect.Progress{}},
		{"\x1b]2;a\a\x1b]1;icon\a", "a", detect.Progress{}},
		{"\x1b]2;a\a\x1b]2;\a", "", detect.Progress{}},
		{"\x1b]2;a\a\x1b]2\a", "a", detect.Progress{}},
		{"\x1b]2;a\nb\u0085c\u2028d\xffe\a", "abcde", detect.Progress{}},
		{"\x1b]2;" + long + "\a", long[:maxTitle], detect.Progress{}},
		{"\x1b]2;a\a\x1b]2;" + long + long + "x\a", "a", detect.Progress{}},
		{"\x1b]2;a\a\x1b]2;b\x18", "a", detect.Progress{}},
		{"\x1b]2;a\a\x1b[22;0t\x1b]2;b\a\x1b[23;0t", "a", detect.Progress{}},
		{"\x1b]2;a\a\x1b[22;2t\x1b]2;b\a\x1b[22t\x1b]2;c\a\x1b[23t\x1b[23t\x1b[23t", "a", detect.Progress{}},
		{"\x1b]2;a\a\x1b[22;1t\x1b]2;b\a\x1b[23;1t", "b", detect.Progress{}},
		{"\x1b]2;a\a\x1b[23t", "a", detect.Progress{}},
		{"\x1b]2;a\a" + strings.Repeat("\x1b[22t", 20) + "\x1b]2;b\a\x1b[23t", "a", detect.Progress{}},
		{"\x1b]2;a\a\x1bc", "a", detect.Progress{}},
		{"\x1b]9;4;3\a", "", detect.Progress{State: 3}},
		{"\x1b]9;4;3;50\a", "", detect.Progress{State: 3}},
		{"\x1b]9;4;1;50\a", "", detect.Progress{State: 1, Percent: 50}},
		{"\x1b]9;4;1;500\a", "", detect.Progress{State: 1, Percent: 100}},
		{"\x1b]9;4;1;50\a\x1b]9;4;2\a", "", detect.Progress{State: 2, Percent: 50}},
		{"\x1b]9;4;1;50\a\x1b]9;4;4;\a", "", detect.Progress{State: 4, Percent: 50}},
		{"\x1b]9;4;1;50\a\x1b]9;4;0\a", "", detect.Progress{}},
		{"\x1b]9;4;1;50\a\x1b]9;4;0;0\a", "", detect.Progress{}},
		{"\x1b]9;4;1;50\a\x1b]9;4;5;1\a", "", detect.Progress{State: 1, Percent: 50}},
		{"\x1b]9;4;1;50\a\x1b]9;4;x\a", "", detect.Progress{State: 1, Percent: 50}},
		{"\x1b]9;4;1;50\a\x1b]9;4;1;x\a", "", detect.Progress{State: 1, Percent: 50}},
		{"\x1b]9;4;1;50\a\x1b]9;a notice\a", "", detect.Progress{State: 1, Percent: 50}},
		{"\x1b]9;4;1;50\a\x1bc", "", detect.Progress{}},
	}
	for _, tt := range tests {
		s, _ := drawn(20, 3, tt.input)
		if got := s.Snapshot(); got.Title != tt.title || got.Progress != tt.p {
			t.Errorf("%.80q: title %q, progress %v, want %q, %v", tt.input, got.Title, got.Progress, tt.title, tt.p)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, tt := range [][4]int{
		{0, 0, 80, 24}, {-1, 5, 80, 5}, {5, 0, 5, 24}, {1, 1, 1, 1}, {501, 100000, 500, 500},
	} {
		s := New(tt[0], tt[1])
		s.Write([]byte("日x\r\n\tx\x1b[999;999H日本"))
		if got := s.Snapshot(); got.Cols != tt[2] || len(got.Rows) != tt[3] {
			t.Errorf("New(%d, %d) is %dx%d", tt[0], tt[1], got.Cols, len(got.Rows))
		}
	}
	s := New(10, 4)
	for _, tt := range [][4]int{{0, 5, 10, 4}, {5, -1, 10, 4}, {9999, 3, 500, 3}, {1, 1, 1, 1}, {12, 6, 12, 6}} {
		s.Resize(tt[0], tt[1])
		if got := s.Snapshot(); got.Cols != tt[2] || len(got.Rows) != tt[3] {
			t.Errorf("Resize(%d, %d) gives %dx%d", tt[0], tt[1], got.Cols, len(got.Rows))
		}
	}
}

func TestResize(t *testing.T) {
	tests := []struct {
		name          string
		cols, rows    int
		input, output string
		want          string
	}{
		{"wider", 12, 4, "abc", "d", "abcd"},
		{"wider in the last column", 12, 4, "0123456789", "x", "0123456789x"},
		{"narrower, cut", 5, 4, "0123456789", "x", "0123x"},
		{"narrower through a wide one", 4, 4, "abc日", "\rx", "xbc"},
		{"higher", 10, 6, "a\r\nb", "c", "a|bc"},
		{"lower, blank rows go", 10, 2, "a\r\nb", "c", "a|bc"},
		{"lower, the top goes", 10, 2, "a\r\nb\r\nc", "d", "b|cd"},
		{"tab stops", 30, 4, "a", "\t\t\tx", "a                       x"},
		{"the region goes", 10, 4, "\x1b[2;3r", "", ""},
		{"the region goes, other size", 10, 5, "a\x1b[2;3r\x1b[3H", "\nx", "a|||x"},
		{"the other screen's rows", 10, 2, "a\r\nb\x1b[?1049h\x1b[H", "\x1b[?1049lc", "a|bc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(10, 4)
			s.Write([]byte(tt.input))
			s.Snapshot()
			s.Resize(tt.cols, tt.rows)
			s.Write([]byte(tt.output))
			got := strings.TrimRight(strings.Join(s.Snapshot().Rows, "|"), "|")
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A byte of a flood must not cost a screenful each.
func TestRepetitionIsBounded(t *testing.T) {
	s := New(maxSize, maxSize)
	s.Write([]byte(strings.Repeat("x\x1b[999999999b", 1000)))
	if s.credit > creditPerByte*12 {
		t.Errorf("1000 repetitions of a screenful leave %d characters", s.credit)
	}
}
