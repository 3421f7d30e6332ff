package term_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"fwrap/notify"
	"fwrap/notify/term"
)

const nasty = "a\x1b]0;evil\x07b\x1b\\c\u009cd\x9ce\u202ef\u200bg\x00h;i\nj"

func TestSequences(t *testing.T) {
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, tt := range []struct {
		name string
		got  []byte
		want string
	}{
		{"BEL", term.Bell(), "\a"},
		{"9", term.Notify9("claude · api: run make?"), "\x1b]9;claude · api: run make?\a"},
		{"9, like progress", term.Notify9("4;0;"), "\x1b]9; 4;0;\a"},
		{"9, a number", term.Notify9("42"), "\x1b]9; 42\a"},
		{"9, begins with a number", term.Notify9("3 tests failed"), "\x1b]9;3 tests failed\a"},
		{"9, empty", term.Notify9(""), "\x1b]9;\a"},
		{"9, nasty", term.Notify9(nasty), "\x1b]9;a]0;evilb\\cd\ufffdefgh;i j\a"},
		{"777", term.Notify777("t;x", "b;c"), "\x1b]777;notify;t,x;b;c\x1b\\"},
		{"777, nasty", term.Notify777(nasty, nasty), "\x1b]777;notify;a]0,evilb\\cd\ufffdefgh,i j;a]0;evilb\\cd\ufffdefgh;i j\x1b\\"},
		{"99, title", term.Notify99(term.Note99{ID: "fwrap-1", Title: "t", Urgency: term.Critical}),
			"\x1b]99;i=fwrap-1:u=2:e=1:p=title;" + b64("t") + "\x1b\\"},
		{"99, body", term.Notify99(term.Note99{ID: "a", Title: "t", Body: "b\nc", Urgency: term.Normal, Unfocused: true}),
			"\x1b]99;i=a:o=unfocused:u=1:e=1:p=title:d=0;" + b64("t") + "\x1b\\" +
				"\x1b]99;i=a:e=1:p=body;" + b64("b\nc") + "\x1b\\"},
		{"99, bad id", term.Notify99(term.Note99{ID: "a;b:c=\x1bd", Title: "t"}), "\x1b]99;i=abcd:u=0:e=1:p=title;" + b64("t") + "\x1b\\"},
		{"99, close", term.Close99("fwrap-1"), "\x1b]99;i=fwrap-1:p=close;\x1b\\"},
		{"title", term.SetTitle("⏳ x"), "\x1b]0;⏳ x\a"},
		{"title, nasty", term.SetTitle(nasty), "\x1b]0;a]0;evilb\\cd\ufffdefgh;i j\a"},
		{"push", term.PushTitle(), "\x1b[22;0t"},
		{"pop", term.PopTitle(), "\x1b[23;0t"},
		{"progress", term.Progress(term.ProgressPaused, 100), "\x1b]9;4;4;100\x1b\\"},
		{"progress, none", term.Progress(term.ProgressNone, 5), "\x1b]9;4;0\x1b\\"},
		{"progress, turning", term.Progress(term.ProgressIndeterminate, 5), "\x1b]9;4;3\x1b\\"},
		{"progress, out of range", term.Progress(9, 500), "\x1b]9;4;4;100\x1b\\"},
		{"user variable", term.SetUserVar("claudeState", "⚙️ working"), "\x1b]1337;SetUserVar=claudeState=" + b64("⚙️ working") + "\a"},
		{"user variable, cleared", term.SetUserVar("claudeState", ""), "\x1b]1337;SetUserVar=claudeState=\a"},
		{"7501", term.Status7501(term.Record{State: "blocked", Kind: "permission", Progress: -1, App: "aider", Message: "run make?"}),
			"\x1b]7501;state=blocked:kind=permission:app=aider:msg=" + b64("run make?") + "\x1b\\"},
		{"7501, clear", term.Status7501(term.Record{State: "clear"}), "\x1b]7501;state=clear\x1b\\"},
		{"7501, progress and id", term.Status7501(term.Record{State: "working", Progress: 7, ID: "a//b;c/d"}),
			"\x1b]7501;state=working:progress=7:id=a/bc/d\x1b\\"},
		{"7501, what the protocol has not", term.Status7501(term.Record{State: "menu", Kind: "plan", Progress: 101, Title: "\x1b"}),
			"\x1b]7501;state=clear\x1b\\"},
	} {
		if string(tt.got) != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, tt.got, tt.want)
		}
	}
}

// TestBounded: a text of any size gives sequences that terminals take.
func TestBounded(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	for name, seq := range map[string][]byte{
		"9": term.Notify9(long), "777": term.Notify777(long, long), "title": term.SetTitle(long),
		"99":   term.Notify99(term.Note99{ID: long, Title: long, Body: long}),
		"7501": term.Status7501(term.Record{State: "blocked", Title: long, Message: long, App: long, ID: strings.Repeat("a/", 9999)}),
	} {
		for _, one := range strings.SplitAfter(string(seq), "\x1b\\") {
			if len(one) > 4200 {
				t.Errorf("%s: a sequence of %d bytes", name, len(one))
			}
			if name == "7501" && len(one) > 4096 {
				t.Errorf("%s: %d bytes", name, len(one))
			}
		}
		if strings.Contains(string(seq), "\ufffd") {
			t.Errorf("%s: cut inside a character", name)
		}
	}
	payload := regexp.MustCompile(`\x1b\]99;([^;]*);([A-Za-z0-9+/=]*)\x1b\\`)
	body := ""
	parts := payload.FindAllStringSubmatch(string(term.Notify99(term.Note99{ID: "x", Title: "t", Body: long})), -1)
	for i, m := range parts {
		if len(m[2]) > 2048 {
			t.Errorf("99: a payload of %d bytes", len(m[2]))
		}
		if last := i == len(parts)-1; strings.Contains(m[1], "d=0") == last {
			t.Errorf("99: part %d of %d has %s", i+1, len(parts), m[1])
		}
		if strings.Contains(m[1], "p=body") {
			b, err := base64.StdEncoding.DecodeString(m[2])
			if err != nil {
				t.Fatal(err)
			}
			body += string(b)
		}
	}
	if len(parts) < 3 || body != strings.Repeat("é", 1024) {
		t.Errorf("99: %d parts, a body of %d bytes", len(parts), len(body))
	}
}

func TestWrap(t *testing.T) {
	seq := term.Notify777("t", "b")
	for _, tt := range []struct {
		mux  term.Mux
		seq  string
		want string
	}{
		{term.Direct, string(seq), string(seq)},
		{term.Tmux, string(seq), "\x1bPtmux;\x1b\x1b]777;notify;t;b\x1b\x1b\\\x1b\\"},
		{term.Screen, "\x1b]9;x\a", "\x1bP\x1b]9;x\a\x1b\\"},
		// The ESC and the backslash of an inner ST are in different pieces.
		{term.Screen, string(seq), "\x1bP\x1b]777;notify;t;b\x1b\x1b\\\x1bP\\\x1b\\"},
		{term.Tmux, "\a", "\a"},
		{term.Screen, "\a", "\a"},
		{term.Tmux, "", ""},
	} {
		if got := string(term.Wrap(tt.mux, []byte(tt.seq))); got != tt.want {
			t.Errorf("%d %q: %q, want %q", tt.mux, tt.seq, got, tt.want)
		}
	}
}

// unscreen is what GNU screen passes on: the payloads of its DCS strings.
func unscreen(t *testing.T, s string) string {
	t.Helper()
	var out strings.Builder
	for s != "" {
		rest, ok := strings.CutPrefix(s, "\x1bP")
		if !ok {
			t.Fatalf("outside a string: %.20q", s)
		}
		i := strings.Index(rest, "\x1b\\")
		// An ESC before the end's ESC belongs to the payload.
		for i >= 0 && i+2 < len(rest) && rest[i+1] == '\x1b' {
			i++
		}
		if i < 0 || i > 768 {
			t.Fatalf("a string of %d bytes", i)
		}
		out.WriteString(rest[:i])
		s = rest[i+2:]
	}
	return out.String()
}

func FuzzWrap(f *testing.F) {
	f.Add([]byte("\x1b]9;x\a"))
	f.Add([]byte("\x1b]99;i=1;AAAA\x1b\\\x1b]99;i=1;BBBB\x1b\\"))
	f.Add([]byte(strings.Repeat("x", 511) + "\x1b\\" + strings.Repeat("\x1b", 600)))
	f.Fuzz(func(t *testing.T, seq []byte) {
		if string(seq) == "\a" {
			return
		}
		tmux := string(term.Wrap(term.Tmux, seq))
		if len(seq) > 0 {
			in, ok := strings.CutPrefix(tmux, "\x1bPtmux;")
			in, ok2 := strings.CutSuffix(in, "\x1b\\")
			if !ok || !ok2 || strings.ReplaceAll(in, "\x1b\x1b", "\x1b") != string(seq) {
				t.Fatalf("tmux: %q", tmux)
			}
		}
		// Only sequences that do not end in ESC are ever wrapped for screen.
		if strings.HasSuffix(string(seq), "\x1b") || strings.Contains(string(seq), "\x1b\x1b") {
			return
		}
		if got := unscreen(t, string(term.Wrap(term.Screen, seq))); got != string(seq) {
			t.Fatalf("screen: %q from %q", got, seq)
		}
	})
}

// FuzzText: no text, whatever it is, gets out of its sequence.
func FuzzText(f *testing.F) {
	f.Add("hello", "world")
	f.Add(nasty, nasty)
	f.Add("4;1;50", "\xc2")
	one := regexp.MustCompile(`^\x1b\][0-9]+;[^\x00-\x1f\x7f]*(\a|\x1b\\)$`)
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, seq := range [][]byte{
			term.Notify9(a), term.Notify777(a, b), term.SetTitle(a), term.SetUserVar(a, b), term.Close99(a),
			term.Notify99(term.Note99{ID: b, Title: cut(a, 1000)}),
			term.Status7501(term.Record{State: a, Kind: b, ID: a, App: b, Title: a, Message: b}),
		} {
			if !one.Match(seq) {
				t.Fatalf("%q", seq)
			}
			for _, r := range string(seq) {
				if r >= 0x80 && r < 0xa0 {
					t.Fatalf("a C1 character in %q", seq)
				}
			}
		}
	})
}

func cut(s string, n int) string { return s[:min(len(s), n)] }

func TestRoutes(t *testing.T) {
	n := notify.Notice{Title: "claude · api", Body: "run make?", Urgency: notify.Critical}
	for _, tt := range []struct {
		r           term.Route
		show, close string
	}{
		{term.Route{Channel: term.OSC9}, "\x1b]9;claude · api: run make?\a", ""},
		{term.Route{Channel: term.OSC777}, "\x1b]777;notify;claude · api;run make?\x1b\\", ""},
		{term.Route{Channel: term.OSC9, Mux: term.Tmux}, "\x1bPtmux;\x1b\x1b]9;claude · api: run make?\a\x1b\\", ""},
		{term.Route{Channel: term.BEL, Mux: term.Tmux}, "\a", ""},
		{term.Route{Channel: term.Desktop}, "", ""},
		{term.Route{}, "", ""},
	} {
		if got := string(tt.r.Notify("id", n)); got != tt.show {
			t.Errorf("%+v shows %q, want %q", tt.r, got, tt.show)
		}
		if got := string(tt.r.Close("id")); got != tt.close {
			t.Errorf("%+v closes with %q, want %q", tt.r, got, tt.close)
		}
	}
	r := term.Route{Channel: term.OSC99}
	if got := string(r.Notify("id", n)); !strings.HasPrefix(got, "\x1b]99;i=id:u=2:") || strings.Count(got, "\x1b]99;") != 2 {
		t.Errorf("%q", got)
	}
	if got := string(r.Close("id")); got != "\x1b]99;i=id:p=close;\x1b\\" {
		t.Errorf("%q", got)
	}
}
