package detect

import (
	"regexp"
	"strings"
)

// Rules are the compiled rules of one agent. They do not change once built and
// may be used by several goroutines.
type Rules struct {
	Agent   string // "claude"
	File    string // "claude.toml", as named in places
	Version string // of the manifest
	List    []Rule // the first that matches wins
}

// Rule says what a screen with certain marks means.
type Rule struct {
	ID    string // "permission", unique in Rules
	Line  int    // of the rule in its file, counted from 1
	State State
	Keep  bool // the state before holds; State is then None
	Kind  Kind
	Any   []*regexp.Regexp
	All   []*regexp.Regexp
	Not   []*regexp.Regexp
}

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
	Row      int    // its row, -1 if it is not a row
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
	text := strings.Join(s.Rows, "\n")
	for i := range r.List {
		ru := &r.List[i]
		for _, re := range ru.Any {
			if re.MatchString(text) {
				return Verdict{State: ru.State, Kind: ru.Kind, Keep: ru.Keep, Rule: ru, Source: FromScreen, Name: r.Agent + "/" + ru.ID}
			}
		}
	}
	return Verdict{State: Idle, Source: FromScreen, Row: -1}
}
