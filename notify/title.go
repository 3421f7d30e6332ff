package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fwrap/detect"
)

// MaxTitle is the longest title in runes that is written.
const MaxTitle = 240

// Glyphs are the marks that stand in front of a title, one for each state. Each
// is one character that every terminal's font and width table agree on: no
// variation selector, whose width is doubtful.
type Glyphs struct {
	Working, Background, Compacting string
	Permission, Question, Blocked   string
	Idle, Failed                    string
}

// Unicode returns the glyphs for terminals with emoji.
func Unicode() Glyphs {
	return Glyphs{
		Working: "⏳", Background: "🧵", Compacting: "📦",
		Permission: "🔐", Question: "❓", Blocked: "🔔",
		Idle: "💤", Failed: "❌",
	}
}

// ASCII returns the glyphs for terminals and window managers without emoji.
func ASCII() Glyphs {
	return Glyphs{
		Working: "[*]", Background: "[+]", Compacting: "[~]",
		Permission: "[!]", Question: "[?]", Blocked: "[!]",
		Idle: "[-]", Failed: "[x]",
	}
}

// Of returns the glyph of a state; the empty string where no agent runs.
func (g Glyphs) Of(st detect.Status) string {
	switch st.State {
	case detect.Working:
		switch st.Kind {
		case detect.Background:
			return g.Background
		case detect.Compacting:
			return g.Compacting
		}
		return g.Working
	case detect.Blocked:
		switch st.Kind {
		case detect.Permission, detect.Plan, detect.Trust:
			return g.Permission
		case detect.Ask:
			return g.Question
		}
		return g.Blocked
	case detect.Idle:
		if st.Kind == detect.Failed {
			return g.Failed
		}
		return g.Idle
	}
	return ""
}

// Title decides what the terminal's title shows: the agent's own title with the
// state's glyph in front, or "glyph agent · project" while the agent sets none.
// It is pure; the caller writes what it returns.
type Title struct {
	glyphs Glyphs
	label  string
	own    string // the agent's title
	glyph  string
	shown  string // what the terminal shows; empty: not ours
}

// NewTitle returns the title of a session in which no state is known.
func NewTitle(g Glyphs, s Session) *Title {
	return &Title{glyphs: g, label: Sanitize(s.Label(), MaxTitle, false)}
}

// Prefix is what belongs in front of every title that the agent sets now: the
// glyph and a space, or nothing.
func (t *Title) Prefix() string {
	if t.glyph == "" {
		return ""
	}
	return t.glyph + " "
}

// Status takes a change of state and returns the title to write now, or false
// if the terminal shows it already.
func (t *Title) Status(st detect.Status) (string, bool) {
	was := t.glyph
	t.glyph = t.glyphs.Of(st)
	switch {
	case t.glyph == "":
		// No agent: what the title says is no longer fwrap's business.
		t.own, t.shown = "", ""
		return "", false
	case t.glyph == was && t.shown != "":
		return "", false
	}
	return t.write()
}

// Passed takes a title that the agent has set and that reached the terminal
// with [Title.Prefix] in front. It returns a title to write in its place: the
// empty title that an agent leaves at its end (anthropics/claude-code#43349)
// says less than its name.
func (t *Title) Passed(own string) (string, bool) {
	t.own = own
	t.shown = t.Prefix() + own
	if t.glyph == "" || strings.TrimSpace(own) != "" {
		return "", false
	}
	return t.write()
}

func (t *Title) write() (string, bool) {
	want := t.Prefix() + t.text()
	if want == t.shown {
		return "", false
	}
	t.shown = want
	return want, true
}

// text is the agent's title without its spinner: a frame that is frozen beside
// our glyph says something that may be over.
func (t *Title) text() string {
	s := t.own
	if r, n := utf8.DecodeRuneInString(s); n < len(s) && s[n] == ' ' && spinner(r) {
		s = s[n+1:]
	}
	s = Sanitize(s, MaxTitle-utf8.RuneCountInString(t.Prefix()), false)
	if s == "" {
		return t.label
	}
	return s
}

// spinner reports whether r is one of the frames that agents turn in a title:
// braille (codex, Claude Code up to 2.0), circle quarters (Claude Code), stars.
func spinner(r rune) bool {
	return unicode.In(r, unicode.Braille) || strings.ContainsRune("◐◓◑◒✢✳✶✻✽·*", r)
}
