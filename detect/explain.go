package detect

// Trace says of one rule whether it matched a screen and why.
type Trace struct {
	Rule    *Rule
	Name    string // "claude/permission"
	At      string // "claude.toml:41"
	Matched bool
	Wins    bool
	Near    bool   // some of it matched and something stopped it
	Why     string // one line, for a person
	Pattern string // the pattern that matched, or that stopped it
	Line    string // the line that Pattern matched
	Row     int    // its row counted from 0, -1 if it is not a row
}

// Explain says of every rule, in order, whether and why it matched.
func (r *Rules) Explain(s *Snapshot) []Trace {
	win := r.Match(s)
	out := make([]Trace, 0, len(r.List))
	for i := range r.List {
		ru := &r.List[i]
		out = append(out, Trace{Rule: ru, Name: r.Agent + "/" + ru.ID, Wins: win.Rule == ru, Row: -1})
	}
	return out
}
