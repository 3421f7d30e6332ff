package notify_test

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"fwrap/detect"
	"fwrap/notify"
)

func TestSanitize(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		max      int
		lines    bool
		want     string
	}{
		{"plain", "run make?", 0, false, "run make?"},
		{"blanks", "  a \t b\u00a0\u3000c  ", 0, false, "a b c"},
		{"lines kept", "a\r\nb\n\n\nc", 0, true, "a\nb\nc"},
		{"lines joined", "a\r\nb\n\n\nc", 0, false, "a b c"},
		{"separators", "a\u2028b\u2029c\u0085d\vf", 0, true, "a\nb\nc\nd\nf"},
		{"controls", "a\x00b\x1b[31mc\x07\x7fd\u009be", 0, false, "ab[31mcde"},
		{"bidi", "rm \u202ecod.txt\u202c \u2066x\u2069\u200f\u061c", 0, false, "rm cod.txt x"},
		{"zero width", "a\u200bb\u200cc\u200dd\ufeffe\u2060f", 0, false, "abcdef"},
		{"fillers", "a\u115f\u3164\uffa0\u2800b\u034f", 0, false, "ab"},
		{"tags", "a\U000e0041\U000e0042\U000e0101b", 0, false, "ab"},
		{"private use", "\ue0b0 main", 0, false, "main"},
		{"not UTF-8", "a\xffb\xc3", 0, false, "a\ufffdb\ufffd"},
		{"emoji", "🔐 ⚙️ done", 0, false, "🔐 ⚙️ done"},
		{"marks", "e\u0301 z" + strings.Repeat("\u0335", 50), 0, false, "e\u0301 z" + strings.Repeat("\u0335", 4)},
		{"scripts", "日本語 العربية हिन्दी", 0, false, "日本語 العربية हिन्दी"},
		{"cut", "abcdef", 4, false, "abc…"},
		{"not cut", "abcd", 4, false, "abcd"},
		{"cut at a blank", "abc def", 5, false, "abc…"},
		{"cut to one", "abc", 1, false, "…"},
		{"cut wide", "éééééé", 4, false, "ééé…"},
		{"only invisible", "\u200b\x00 \n", 0, true, ""},
		{"empty", "", 0, false, ""},
	} {
		if got := notify.Sanitize(tt.in, tt.max, tt.lines); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("a\x1b[31m\u202eb\xff", 10, true)
	f.Add(strings.Repeat("x ", 500), 400, false)
	f.Fuzz(func(t *testing.T, s string, max int, lines bool) {
		got := notify.Sanitize(s, max, lines)
		limit := max
		if limit <= 0 || limit > notify.MaxText {
			limit = notify.MaxText
		}
		if n := utf8.RuneCountInString(got); n > limit {
			t.Fatalf("%d runes of %d", n, limit)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) && !(r == '\n' && lines) {
				t.Fatalf("%U in %q", r, got)
			}
		}
		if again := notify.Sanitize(got, max, lines); again != got {
			t.Fatalf("%q becomes %q the second time", got, again)
		}
	})
}

func TestCompose(t *testing.T) {
	desk := notify.Limits{Title: 80, Body: 400, Multiline: true}
	line := notify.Limits{Title: 80, Body: 200}
	s := notify.Session{Agent: "claude", Project: "api"}
	ask := func(kind detect.Kind, text string, options ...string) notify.Action {
		return notify.Action{Op: notify.Show, Event: notify.NeedsYou, Status: detect.Status{
			State: detect.Blocked, Kind: kind, Question: detect.Question{Text: text, Options: options}}}
	}
	again := ask(detect.Permission, "run make?")
	again.Reminder, again.Waited = true, 3*time.Minute
	for _, tt := range []struct {
		name   string
		s      notify.Session
		a      notify.Action
		text   notify.Text
		limits notify.Limits
		want   notify.Notice
	}{
		{"a question", s, ask(detect.Permission, "Do you want to proceed?", "Yes", "No"), notify.Full, desk,
			notify.Notice{"claude · api", "Needs your permission\nDo you want to proceed?\n1 Yes · 2 No", notify.Critical}},
		{"in one line", s, ask(detect.Permission, "Do you want to proceed?", "Yes", "No"), notify.Full, line,
			notify.Notice{"claude · api", "Needs your permission: Do you want to proceed? — 1 Yes · 2 No", notify.Critical}},
		{"short", s, ask(detect.Permission, "rm -rf /secret", "Yes"), notify.Short, desk,
			notify.Notice{"claude · api", "Needs your permission", notify.Critical}},
		{"without a text", s, ask(detect.Plan, ""), notify.Full, desk,
			notify.Notice{"claude · api", "Wants its plan approved", notify.Critical}},
		{"of no kind", s, ask("", "", "Yes", "No"), notify.Full, line,
			notify.Notice{"claude · api", "Waits for you: 1 Yes · 2 No", notify.Critical}},
		{"a kind of tomorrow", s, ask("telepathy", "Think!"), notify.Full, desk,
			notify.Notice{"claude · api", "Waits for you\nThink!", notify.Critical}},
		{"a named session", notify.Session{Agent: "codex", Project: "api", Name: "review"}, ask(detect.Ask, "Which?"), notify.Full, desk,
			notify.Notice{"codex · api (review)", "Has a question\nWhich?", notify.Critical}},
		{"outside a project", notify.Session{Agent: "codex"}, ask(detect.Trust, ""), notify.Full, desk,
			notify.Notice{"codex", "Asks whether to trust this folder", notify.Critical}},
		{"a reminder", s, again, notify.Full, desk,
			notify.Notice{"claude · api", "Still waiting (3m00s). Needs your permission\nrun make?", notify.Critical}},
		{"the end", s, notify.Action{Event: notify.Finished, Turn: 252 * time.Second}, notify.Full, desk,
			notify.Notice{"claude · api", "Finished after 4m12s", notify.Normal}},
		{"a long one", s, notify.Action{Event: notify.Finished, Turn: 3800 * time.Second}, notify.Full, line,
			notify.Notice{"claude · api", "Finished after 1h03m", notify.Normal}},
		{"a failure", s, notify.Action{Event: notify.Failed, Turn: 9 * time.Second,
			Status: detect.Status{State: detect.Idle, Kind: detect.Failed, Line: " ⎿  API Error: 529 overloaded "}}, notify.Full, desk,
			notify.Notice{"claude · api", "Failed after 9s\n⎿ API Error: 529 overloaded", notify.Normal}},
		{"a failure, short", s, notify.Action{Event: notify.Failed, Turn: 9 * time.Second,
			Status: detect.Status{Line: "API Error"}}, notify.Short, desk,
			notify.Notice{"claude · api", "Failed after 9s", notify.Normal}},
		{"escapes", notify.Session{Agent: "claude", Project: "a\x1b]0;x\x07b"}, ask(detect.Ask, "\x1b[31mred\nand\tblue", "\u202ea"), notify.Full, desk,
			notify.Notice{"claude · a]0;xb", "Has a question\n[31mred and blue\n1 a", notify.Critical}},
	} {
		if got := notify.Compose(tt.s, tt.a, tt.text, tt.limits); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// TestComposeCuts: a question and options of any size fit, and some of both is
// left.
func TestComposeCuts(t *testing.T) {
	many := make([]string, 1000)
	for i := range many {
		many[i] = strings.Repeat("option ", 1000)
	}
	for _, l := range []notify.Limits{{80, 400, true}, {80, 200, false}, {20, 60, false}, {5, 10, true}, {1, 1, false}, {0, 0, false}} {
		for _, opts := range [][]string{nil, {"Yes", "No"}, {"Yes", strings.Repeat("no ", 100), "maybe"}, many} {
			n := notify.Compose(notify.Session{Agent: "claude", Project: strings.Repeat("p", 500)}, notify.Action{
				Event: notify.NeedsYou, Status: detect.Status{State: detect.Blocked, Kind: detect.Permission,
					Question: detect.Question{Text: strings.Repeat("quite long ", 100000), Options: opts}},
			}, notify.Full, l)
			title, body := utf8.RuneCountInString(n.Title), utf8.RuneCountInString(n.Body)
			if l.Title > 0 && title > l.Title || l.Body > 0 && body > l.Body || title > notify.MaxText || body > notify.MaxText {
				t.Errorf("%+v: %d and %d runes", l, title, body)
			}
			if l.Body >= 200 {
				if !strings.Contains(n.Body, "quite long") {
					t.Errorf("%+v: the question is lost: %q", l, n.Body)
				}
				if len(opts) > 0 && !strings.Contains(n.Body, "1 ") {
					t.Errorf("%+v: the options are lost: %q", l, n.Body)
				}
				if len(opts) == 2 && !strings.HasSuffix(n.Body, "1 Yes · 2 No") {
					t.Errorf("%+v: short options are cut: %q", l, n.Body)
				}
			}
		}
	}
}

func TestWords(t *testing.T) {
	for _, w := range []notify.When{notify.Auto, notify.UnfocusedOnly, notify.Always, notify.Never} {
		b, err := w.MarshalText()
		var got notify.When
		if err != nil || got.UnmarshalText(b) != nil || got != w {
			t.Errorf("%v is written %q and read %v", w, b, got)
		}
	}
	var w notify.When
	if err := w.UnmarshalText([]byte("sometimes")); err == nil || !strings.Contains(err.Error(), "sometimes") {
		t.Errorf("error %v", err)
	}
	for e, want := range map[notify.Event]string{notify.NeedsYou: "blocked", notify.Finished: "idle", notify.Failed: "failed", notify.NoEvent: "", 9: "event(9)"} {
		if e.String() != want {
			t.Errorf("%d is called %s", e, e)
		}
	}
}
