package manifests_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"fwrap/detect"
)

// habit is how an agent draws what an invariance test changes.
type habit struct {
	frames  string                       // characters that its spinner turns through
	answer  string                       // the first row of an answer that quotes
	quote   func(n int, r string) string // a quoted row
	status  bool                         // a status line of the person's own may stand below the input box
	project []string                     // texts of the recordings that name the project
}

const (
	braille = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏⠁⠂⠄⡀⢀⠠⠐⠈⣾⣽⣻⢿⡿⣟⣯⣷"
	nineRow = "  [Model] ██░░░░ 16% | app git:(dev*)\n  ███░░░ 34%\n  Do you want to proceed?\n  1. Yes\n" +
		"  Esc to cancel · Tab to amend\n  esc to interrupt?\n  $1.01\n    2. No (esc)\n  ⏵⏵ all on"
)

func indented(by string) func(int, string) string {
	return func(_ int, row string) string { return by + row }
}

var habits = map[string]habit{
	"claude":   {frames: "·✢✳✶✻✽*", answer: "● It reads:", quote: indented("  "), status: true},
	"codex":    {frames: braille, answer: "• It reads:", quote: indented("  "), status: true, project: []string{"/home/go/projects/codex", "work-codex"}},
	"gemini":   {frames: braille, answer: "✦ It reads:", quote: numbered("   ", " │ "), status: true, project: []string{"/home/go/projects/gemini", "work-gemini"}},
	"copilot":  {frames: "●○◎◉", answer: " ● It reads:", quote: indented("   │ "), project: []string{"/home/go/projects/copilot"}},
	"qwen":     {frames: braille, answer: "  ◆ It reads:", quote: numbered("    ", " "), status: true, project: []string{"/home/go/projects/qwen", "work-qwen"}},
	"opencode": {answer: "     It reads:", quote: indented("     "), project: []string{"/home/go/projects/opencode"}},
	"kilo":     {answer: "     It reads:", quote: indented("     "), project: []string{"/home/go/projects/kilo"}},
	"pi":       {frames: braille, answer: " It reads:", quote: indented("   "), project: []string{"orchard"}},
	"cn":       {frames: braille, answer: "● It reads:", quote: indented("  "), project: []string{"orchard"}},
	"kimi":     {frames: braille, answer: " ● It reads:", quote: indented("     "), project: []string{"orchard"}},
	"grok":     {frames: braille, answer: "     It reads:", quote: indented("       "), project: []string{"orchard"}},
	"cline":    {frames: braille, answer: " * It reads:", quote: indented("   "), project: []string{"/home/go/projects/cline", "work-cline"}},
}

func numbered(by, sep string) func(int, string) string {
	return func(n int, row string) string { return by + string(rune('1'+n%9)) + sep + row }
}

// TestInvarianceOfCaptures changes in every recorded moment what must not
// matter: the spinner's frame, the project's name, the status line, a dialog
// quoted in the answer above. The state, the kind and the question stay.
func TestInvarianceOfCaptures(t *testing.T) {
	strip := regexp.MustCompile(`[■⬝]{8}`)
	sent := regexp.MustCompile(`(?:please scn-|SCN:)`) // the recordings' prompts
	viewer := regexp.MustCompile(`transcript|screenreader|/btw|--menu`)
	for _, agent := range agents(t) {
		list := captures(t, agent)
		if len(list) == 0 {
			continue
		}
		h, ok := habits[agent]
		if !ok {
			t.Errorf("%s has recordings and no habits here", agent)
			continue
		}
		rules := load(t, agent).Rules
		quotes := quotedDialogs(t, list, h)
		changes := 0
		for i := range list {
			c := &list[i]
			base := c.drawn(t)
			want := rules.Match(&base)
			same := func(what string, s detect.Snapshot) {
				t.Helper()
				if s.Title == base.Title && slices.Equal(s.Rows, base.Rows) {
					return
				}
				changes++
				got := rules.Match(&s)
				if got.State != want.State || got.Kind != want.Kind || got.Keep != want.Keep {
					t.Errorf("%s with %s: %s/%s, want %s/%s\n%s\n%s", c.Name, what, got.State, got.Kind, want.State, want.Kind, describe(got), strings.Join(s.Rows, "\n"))
				}
				if want.State == detect.Blocked && what != "another project" && (got.Question.Text != want.Question.Text || !slices.Equal(got.Question.Options, want.Question.Options)) {
					t.Errorf("%s with %s: asks %q, want %q", c.Name, what, got.Question, want.Question)
				}
			}
			for _, q := range quotes {
				// Only in a conversation can anything be quoted: there is none
				// at a start, and of a tall dialog only the end is on the
				// screen. Of screen-reader mode see [TestInvariance].
				if !sent.MatchString(strings.Join(base.Rows, "\n")) || strings.Contains(c.Name, "reader") {
					break
				}
				s := base
				s.Rows, s.Wrapped = slices.Concat(q, base.Rows), nil
				same("a quoted dialog", s)
			}
			if c.State == "idle" {
				continue
			}
			frames := []rune(h.frames)
			for _, f := range frames {
				same("the frame "+string(f), redrawn(base, func(text string) string {
					return strings.Map(func(r rune) rune {
						if slices.Contains(frames, r) && r != '*' && r != '·' {
							return f
						}
						return r
					}, text)
				}))
			}
			for _, f := range []string{"■■■■■■■■", "⬝⬝⬝⬝⬝⬝⬝⬝", "■⬝⬝⬝⬝⬝⬝⬝", "⬝⬝⬝⬝⬝⬝⬝■", "⬝■■■■■■⬝"} {
				same("the strip "+f, redrawn(base, func(text string) string { return strip.ReplaceAllString(text, f) }))
			}
			for _, name := range []string{"/家/解析器", "/a/👩‍💻-🚀 tools", "/x/1. Yes"} {
				same("another project", redrawn(base, func(text string) string {
					for _, p := range h.project {
						text = strings.ReplaceAll(text, p, name)
					}
					return text
				}))
			}
			// The transcript and menus have no status line, a window of six rows no room for one.
			if h.status && c.State == "working" && c.Rows >= 20 && !viewer.MatchString(c.Name) {
				s := base
				for n := len(s.Rows); n > 0 && s.Rows[n-1] == ""; n-- {
					s.Rows = s.Rows[:n-1]
				}
				s.Rows, s.Wrapped = append(slices.Clone(s.Rows), strings.Split(nineRow, "\n")...), nil
				same("a status line of nine rows", s)
			}
		}
		t.Logf("%s: %d moments, %d changes", agent, len(list), changes)
	}
}

// quotedDialogs returns some of the agent's dialogs as an answer quotes them.
func quotedDialogs(t *testing.T, list []capture, h habit) [][]string {
	var out [][]string
	kinds := map[string]bool{}
	for i := range list {
		c := &list[i]
		if c.State != "blocked" || kinds[c.Kind] || len(out) == 4 {
			continue
		}
		kinds[c.Kind] = true
		q := []string{h.answer, ""}
		rows := c.drawn(t).Rows
		for len(rows) > 0 && rows[len(rows)-1] == "" {
			rows = rows[:len(rows)-1]
		}
		for n, row := range rows[max(len(rows)-12, 0):] {
			q = append(q, strings.TrimRight(h.quote(n, row), " "))
		}
		out = append(out, append(q, ""))
	}
	return out
}

// redrawn returns the snapshot with every row and the title changed.
func redrawn(s detect.Snapshot, change func(string) string) detect.Snapshot {
	s.Rows = slices.Clone(s.Rows)
	for i, row := range s.Rows {
		s.Rows[i] = change(row)
	}
	s.Title = change(s.Title)
	return s
}
