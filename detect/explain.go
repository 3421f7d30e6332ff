package detect

import (
	"fmt"
	"strings"
)

// Trace says of one rule whether it matched a screen and why.
type Trace struct {
	Rule    *Rule
	Name    string // "claude/permission"
	At      string // "claude.toml:41"
	Matched bool
	Wins    bool   // it is the one that decides
	Near    bool   // some of it matched and something stopped it
	Why     string // one line, for a person
	Pattern string // the pattern that it matched by, or that stopped it
	Line    string // the line that a pattern of it matched
	Row     int    // that line's row counted from 0, -1 if it is not a row
}

// Explain says of every rule, in order, whether and why it matched.
func (r *Rules) Explain(s *Snapshot) []Trace {
	sc := newScene(s, &r.Layout)
	win := r.Match(s)
	out := make([]Trace, 0, len(r.List))
	for i := range r.List {
		ru := &r.List[i]
		t := Trace{Rule: ru, Name: r.name(ru), At: r.at(ru), Row: -1, Matched: ru.matches(sc), Wins: win.Rule == ru}
		t.explain(ru, sc, win.Rule)
		out = append(out, t)
	}
	return out
}

func (t *Trace) explain(ru *Rule, sc *scene, winner *Rule) {
	hits, stop, pattern := 0, "", ""
	note := func(c *Cond, p *Pattern, v *view) {
		hits++
		if t.Line != "" {
			return
		}
		t.Pattern = p.Expr
		if t.Row = v.where(p); t.Row >= 0 {
			t.Line = strings.TrimSpace(sc.rows[t.Row])
		} else {
			t.Line = v.drawn
		}
	}
	stopped := func(why, expr string) {
		if stop == "" {
			stop, pattern = why, expr
		}
	}
	conds := append([]Cond{ru.Cond}, ru.Also...)
	for i := range conds {
		c := &conds[i]
		v := sc.view(c.Region)
		if v == nil {
			if !c.holds(sc) {
				stopped(fmt.Sprintf("the screen has no region %q", c.Region), "")
				hits += c.elsewhere(sc, note)
			}
			continue
		}
		any := len(c.Any) == 0
		for _, p := range c.Any {
			if v.match(p) {
				any = true
				note(c, p, v)
				break
			}
		}
		for _, p := range c.All {
			if v.match(p) {
				note(c, p, v)
			} else {
				stopped("a pattern of all is not in "+c.Region.String(), p.Expr)
			}
		}
		if !any {
			stopped("no pattern of any is in "+c.Region.String(), "")
			if c.Region != Whole && v.first >= 0 {
				c.elsewhere(sc, note)
			}
		}
		for _, p := range c.Not {
			if v.match(p) {
				stopped("a pattern of not is in "+c.Region.String(), p.Expr)
			}
		}
	}
	if ru.Box != Either && !ru.Box.allows(sc.hasBox()) {
		stopped(map[bool]string{true: "an input box is at the end of the screen", false: "no input box is at the end of the screen"}[sc.hasBox()], "")
	}
	if !ru.Alt.allows(sc.snap.Alt) {
		stopped("the other screen buffer is shown", "")
	}
	switch {
	case t.Wins:
		t.Why = "matches and is the first that does"
	case t.Matched && winner != nil:
		t.Why = "matches, but " + winner.ID + " comes first"
	case t.Matched:
		t.Why = "matches"
	default:
		t.Near = hits > 0
		t.Why = stop
		if pattern != "" {
			t.Pattern = pattern
		}
	}
}

// elsewhere looks for the condition's patterns in the whole screen, to tell a
// rule that came near from one that has nothing to do with it.
func (c *Cond) elsewhere(sc *scene, note func(*Cond, *Pattern, *view)) int {
	v := sc.view(Whole)
	if v == nil || c.Region == Title || c.Region == ProgressBar {
		return 0
	}
	for _, list := range [][]*Pattern{c.Any, c.All} {
		for _, p := range list {
			if v.match(p) {
				note(c, p, v)
				return 0 // note has counted it
			}
		}
	}
	return 0
}
