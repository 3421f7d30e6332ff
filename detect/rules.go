package detect

import "strings"

// Rules are the compiled rules of one agent. They do not change once built and
// may be used by several goroutines.
type Rules struct {
	Agent   string // "claude"
	File    string // "claude.toml", as named in places
	Version string // of the manifest
	Layout  Layout
	List    []Rule // the first that matches wins
}

// Rule says what a screen with certain marks means.
type Rule struct {
	ID    string // "permission", unique in Rules
	File  string // the file that it stands in, base name
	Line  int    // of the rule in its file, counted from 1
	State State
	Keep  bool // the state before holds; State is then None
	Kind  Kind
	Cond
	Also     []Cond   // further conditions, each with a region of its own
	Box      Presence // of the input box at the end of the screen
	Alt      Presence // of the alternate screen
	Question *Reading // how to read the question; nil: not at all
}

// Cond is a condition on one region. A region that the screen does not have
// fulfils none.
type Cond struct {
	Region Region
	Any    []*Pattern // at least one must match, if there are any
	All    []*Pattern // every one must match
	Not    []*Pattern // none may match
}

// Presence is a demand on something that is there or is not.
type Presence uint8

const (
	Either Presence = iota
	Present
	Absent
)

func (p Presence) allows(there bool) bool {
	return p == Either || (p == Present) == there
}

// onTitle reports whether the rule looks at what the agent says beside its
// screen. Such a rule wins only where no blocked rule matches, wherever it
// stands: titles lag behind the screen, and a busy title must not hide an open
// dialog (herdr#3467: for 5 h 44 min).
func (r *Rule) onTitle() bool { return r.Region == Title || r.Region == ProgressBar }

// Verdict is what the rules say of a screen.
type Verdict struct {
	State    State // Idle if no rule matched
	Kind     Kind
	Keep     bool   // the state before holds
	Rule     *Rule  // nil if none matched
	Name     string // "claude/permission"
	At       string // "claude.toml:41"
	Source   Source // FromScreen or FromTitle
	Line     string // the line that the rule matched
	Row      int    // its row counted from 0, -1 if it is not a row
	Question Question
}

func (v *Verdict) status() Status {
	return Status{
		State: v.State, Kind: v.Kind, Source: v.Source,
		Rule: v.Name, At: v.At, Line: v.Line, Question: v.Question,
	}
}

// Match returns what the first rule that matches says. A screen that no rule
// matches is idle, never blocked.
func (r *Rules) Match(s *Snapshot) Verdict {
	sc := newScene(s, &r.Layout)
	var title *Rule
	for i := range r.List {
		ru := &r.List[i]
		if title != nil && ru.State != Blocked || !ru.matches(sc) {
			continue
		}
		if ru.onTitle() && ru.State != Blocked {
			title = ru
			continue
		}
		return r.verdict(ru, sc)
	}
	if title != nil {
		return r.verdict(title, sc)
	}
	return Verdict{State: Idle, Source: FromScreen, Row: -1}
}

func (ru *Rule) matches(sc *scene) bool {
	if ru.Box != Either && !ru.Box.allows(sc.hasBox()) || !ru.Alt.allows(sc.snap.Alt) || !ru.Cond.holds(sc) {
		return false
	}
	for i := range ru.Also {
		if !ru.Also[i].holds(sc) {
			return false
		}
	}
	return true
}

func (c *Cond) holds(sc *scene) bool {
	v := sc.view(c.Region)
	if v == nil {
		// Nothing is what a condition of exclusions alone asks for.
		return len(c.Any) == 0 && len(c.All) == 0 && len(c.Not) > 0
	}
	for _, p := range c.All {
		if !v.match(p) {
			return false
		}
	}
	hit := len(c.Any) == 0
	for _, p := range c.Any {
		if v.match(p) {
			hit = true
			break
		}
	}
	if !hit {
		return false
	}
	for _, p := range c.Not {
		if v.match(p) {
			return false
		}
	}
	return true
}

// evidence returns the pattern that the condition holds by.
func (c *Cond) evidence(v *view) *Pattern {
	for _, p := range c.Any {
		if v.match(p) {
			return p
		}
	}
	if len(c.All) > 0 {
		return c.All[0]
	}
	return nil
}

func (r *Rules) verdict(ru *Rule, sc *scene) Verdict {
	out := Verdict{
		State: ru.State, Kind: ru.Kind, Keep: ru.Keep, Rule: ru,
		Name: r.name(ru), At: r.at(ru), Source: FromScreen, Row: -1,
	}
	if v := sc.view(ru.Region); v != nil {
		if p := ru.evidence(v); p != nil {
			out.Row = v.where(p)
		}
		if v.first < 0 {
			out.Line = v.drawn
			out.Source = FromTitle
		}
	}
	if out.Row >= 0 {
		out.Line = strings.TrimSpace(sc.rows[out.Row])
	}
	if ru.State == Blocked {
		out.Question = ru.Question.read(sc, ru.Region)
		if ru.Question == nil {
			out.Question.Text = oneLine(out.Line)
		}
	}
	return out
}

// name is how rules are called in messages: "claude/permission".
func (r *Rules) name(ru *Rule) string { return r.Agent + "/" + ru.ID }

// at is a rule's place: "claude.toml:41".
func (r *Rules) at(ru *Rule) string {
	file := ru.File
	if file == "" {
		file = r.File
	}
	return file + ":" + itoa(ru.Line)
}
