package detect

import (
	"slices"
	"strings"
	"testing"
)

// layout is of an agent that draws its box between rules.
func layout(t testing.TB) Layout {
	return Layout{
		Boxes:      []Box{{Top: pat(t, `^─{4,}`), Prompt: pat(t, `^> ?`), Bottom: pat(t, `^─{4,}`)}, {Prompt: pat(t, `^\$ `)}},
		Separators: pats(t, `^─{4,}`),
		Inside:     pats(t, `^ *\d\. Chat`),
		Trailing:   pats(t, `^\* .*…`),
	}
}

const boxed = `● One
  more
● Two

  end
────────
> draft
  goes on
────────
  hint
  status`

func screenOf(text string) *Snapshot {
	return &Snapshot{Cols: 40, Rows: strings.Split(text, "\n"), Cursor: Cursor{X: 2, Y: 6}}
}

func TestRegions(t *testing.T) {
	l := layout(t)
	for _, c := range []struct {
		name, screen string
		want         map[Region]string // "-" is none
	}{
		{"box", boxed, map[Region]string{
			InBox: "> draft\n  goes on", AboveBox: "● One\n  more\n● Two\n\n  end", LastItem: "● Two\n\n  end",
			BelowBox: "  hint\n  status", Dialog: "-", LastBlock: strings.Split(boxed, "\n\n")[1], AtCursor: "> draft", Title: "-", ProgressBar: "none",
		}},
		{"dialog", "● One\n────────\n\n Really?\n\n > 1. Yes\n", map[Region]string{
			InBox: "-", AboveBox: "-", LastItem: "-", BelowBox: "-", Dialog: " Really?\n\n > 1. Yes", LastBlock: " > 1. Yes",
		}},
		{"rule inside a dialog", "● One\n────────\n Really?\n 1. Yes\n────────\n 2. Chat\n", map[Region]string{Dialog: " Really?\n 1. Yes\n────────\n 2. Chat"}},
		{"spinner under a dialog", " Really?\n\n* Working… (3s)", map[Region]string{Dialog: " Really?", LastBlock: "* Working… (3s)"}},
		{"left-over box", "────\n> x\n────\n hint\n────\n Really?", map[Region]string{Dialog: " Really?", InBox: "> x"}},
		{"no bottom", "────\n> x\n Really?", map[Region]string{InBox: "-", Dialog: "> x\n Really?"}},
		{"plain prompt", "text\n$ ls", map[Region]string{InBox: "$ ls", AboveBox: "text", BelowBox: "-", Dialog: "-"}},
		{"no-break space", "────\n>\u00a0\n────", map[Region]string{InBox: ">"}},
		{"empty", "\n\n", map[Region]string{Whole: "-", InBox: "-", Dialog: "-", LastBlock: "-"}},
	} {
		sc := newScene(screenOf(c.screen), &l)
		for r, want := range c.want {
			got := "-"
			if v := sc.view(r); v != nil {
				got = v.drawn
			}
			if got != want {
				t.Errorf("%s: region %s is %q, want %q", c.name, r, got, want)
			}
		}
	}
	for r := range regions {
		if got, ok := ParseRegion(r.String()); !ok || got != r {
			t.Errorf("%s is no region", r)
		}
	}
}

// A phrase is found however it is wrapped, framed or spaced.
func TestFlow(t *testing.T) {
	p := pats(t, `Enter to select · Esc to cancel`)
	for name, s := range map[string]*Snapshot{
		"one row":           screenOf("Enter to select · Esc to cancel"),
		"by words":          screenOf("  Enter to\n  select · Esc\n  to cancel"),
		"in a frame":        screenOf("╭─────────────╮\n│ Enter to    │\n│ select ·    │\n│ Esc to      │\n│ cancel      │\n╰─────────────╯"),
		"no-break space":    screenOf("Enter to\u00a0select · Esc to\u202fcancel"),
		"by the terminal":   {Cols: 10, Rows: []string{"Enter to s", "elect · Es", "c to cance", "l"}, Wrapped: []bool{true, true, true, false}},
		"at the row's edge": {Cols: 9, Rows: []string{"Enter to", "select ·", "Esc to ca", "ncel"}, Wrapped: []bool{false, false, true, false}},
	} {
		r := Rules{List: []Rule{{State: Blocked, Cond: Cond{Any: p}}}}
		if v := r.Match(s); v.State != Blocked || v.Row < 0 || v.Line == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	r := Rules{List: []Rule{{State: Blocked, Cond: Cond{Any: p}}}}
	for name, s := range map[string]*Snapshot{
		"two paragraphs": screenOf("Enter to\n\nselect · Esc to cancel"),
		"glued":          screenOf("Entertoselect·Esctocancel"),
	} {
		if v := r.Match(s); v.State != Idle || v.Rule != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// A title is evidence, and never hides a dialog.
func TestTitleNeverHidesADialog(t *testing.T) {
	title := func(state State) Rule {
		return Rule{ID: "title", State: state, Cond: Cond{Region: Title, Any: pats(t, `^\* `)}}
	}
	progress := Rule{ID: "progress", State: Working, Cond: Cond{Region: ProgressBar, Any: pats(t, `^indeterminate$`)}}
	ask := Rule{ID: "ask", State: Blocked, Cond: Cond{Any: pats(t, `Really\?`)}}
	rest := Rule{ID: "rest", State: Idle, Cond: Cond{Any: pats(t, `ready`)}}
	for _, c := range []struct {
		name  string
		rules []Rule
		text  string
		want  string
	}{
		{"title first, dialog", []Rule{title(Working), rest, ask}, "Really? ready", "ask"},
		{"progress first, dialog", []Rule{progress, rest, ask}, "Really? ready", "ask"},
		{"title first, no dialog", []Rule{title(Working), rest, ask}, "ready", "title"},
		{"title after", []Rule{rest, title(Working), ask}, "ready", "rest"},
		{"blocked title wins at its place", []Rule{title(Blocked), ask}, "Really?", "title"},
		{"two titles: the first", []Rule{title(Working), progress, ask}, "x", "title"},
	} {
		s := screenOf(c.text)
		s.Title, s.Progress = "* busy", Progress{State: 3}
		r := Rules{Agent: "demo", File: "demo.toml", List: c.rules}
		v := r.Match(s)
		if v.Rule == nil || v.Rule.ID != c.want {
			t.Errorf("%s: %s, want %s", c.name, v.Name, c.want)
		}
		if title := c.want == "title" || c.want == "progress"; (v.Source == FromTitle) != title {
			t.Errorf("%s: from %s", c.name, v.Source)
		}
	}
}

func TestConditions(t *testing.T) {
	l := layout(t)
	match := func(r Rule, s *Snapshot) bool {
		r.State = Blocked
		rules := Rules{Layout: l, List: []Rule{r}}
		return rules.Match(s).Rule != nil
	}
	s := screenOf(boxed)
	s.Title = "✳ demo"
	for name, c := range map[string]struct {
		rule Rule
		want bool
	}{
		"any":                  {Rule{Cond: Cond{Any: pats(t, "no", "Two")}}, true},
		"any fails":            {Rule{Cond: Cond{Any: pats(t, "no", "nor")}}, false},
		"all":                  {Rule{Cond: Cond{All: pats(t, "One", "Two")}}, true},
		"all fails":            {Rule{Cond: Cond{All: pats(t, "One", "no")}}, false},
		"any and all":          {Rule{Cond: Cond{Any: pats(t, "One"), All: pats(t, "no")}}, false},
		"not":                  {Rule{Cond: Cond{Any: pats(t, "One"), Not: pats(t, "no")}}, true},
		"not stops":            {Rule{Cond: Cond{Any: pats(t, "One"), Not: pats(t, "Two")}}, false},
		"region":               {Rule{Cond: Cond{Region: BelowBox, Any: pats(t, "One")}}, false},
		"no such region":       {Rule{Cond: Cond{Region: Dialog, Any: pats(t, ".")}}, false},
		"also":                 {Rule{Cond: Cond{Any: pats(t, "One")}, Also: []Cond{{Region: Title, Any: pats(t, "demo")}}}, true},
		"also fails":           {Rule{Cond: Cond{Any: pats(t, "One")}, Also: []Cond{{Region: Title, Not: pats(t, "demo")}}}, false},
		"also not of nothing":  {Rule{Cond: Cond{Any: pats(t, "One")}, Also: []Cond{{Region: Dialog, Not: pats(t, ".")}}}, true},
		"also any of nothing":  {Rule{Cond: Cond{Any: pats(t, "One")}, Also: []Cond{{Region: Dialog, Any: pats(t, ".")}}}, false},
		"box present":          {Rule{Cond: Cond{Any: pats(t, "One")}, Box: Present}, true},
		"box absent":           {Rule{Cond: Cond{Any: pats(t, "One")}, Box: Absent}, false},
		"alternate screen":     {Rule{Cond: Cond{Any: pats(t, "One")}, Alt: Present}, false},
		"not the alternate":    {Rule{Cond: Cond{Any: pats(t, "One")}, Alt: Absent}, true},
		"ends of the region":   {Rule{Cond: Cond{Region: LastItem, Any: pats(t, `\A● Two\n(?s:.*)end\z`)}}, true},
		"ends of a line":       {Rule{Cond: Cond{Any: pats(t, `^  more$`)}}, true},
		"none of nothing":      {Rule{Cond: Cond{}}, true},
		"region at the cursor": {Rule{Cond: Cond{Region: AtCursor, Any: pats(t, "^> draft$")}}, true},
	} {
		if got := match(c.rule, s); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestExplain(t *testing.T) {
	r := Rules{Agent: "demo", File: "demo.toml", Layout: layout(t), List: []Rule{
		{ID: "far", Line: 1, State: Blocked, Cond: Cond{Any: pats(t, "nowhere")}},
		{ID: "region", Line: 2, State: Blocked, Cond: Cond{Region: Dialog, Any: pats(t, "Two")}},
		{ID: "not", Line: 3, State: Blocked, Cond: Cond{Any: pats(t, "One"), Not: pats(t, "hint")}},
		{ID: "all", Line: 4, State: Blocked, Cond: Cond{All: pats(t, "One", "gone")}},
		{ID: "box", Line: 5, State: Blocked, Cond: Cond{Any: pats(t, "One")}, Box: Absent},
		{ID: "wins", Line: 6, State: Working, Cond: Cond{Any: pats(t, "goes on")}},
		{ID: "late", Line: 7, State: Idle, Cond: Cond{Any: pats(t, "draft")}},
	}}
	var got []string
	for _, x := range r.Explain(screenOf(boxed)) {
		mark := ""
		for _, m := range []struct {
			name string
			is   bool
		}{{"matched", x.Matched}, {"wins", x.Wins}, {"near", x.Near}} {
			if m.is {
				mark += m.name + " "
			}
		}
		got = append(got, x.Name+" "+x.At+" "+mark+"| "+x.Why+" | "+x.Pattern+" | "+x.Line)
	}
	want := []string{
		`demo/far demo.toml:1 | no pattern of any is in whole |  | `,
		`demo/region demo.toml:2 near | the screen has no region "dialog" | Two | ● Two`,
		`demo/not demo.toml:3 near | a pattern of not is in whole | hint | ● One`,
		`demo/all demo.toml:4 near | a pattern of all is not in whole | gone | ● One`,
		`demo/box demo.toml:5 near | an input box is at the end of the screen | One | ● One`,
		`demo/wins demo.toml:6 matched wins | matches and is the first that does | goes on | goes on`,
		`demo/late demo.toml:7 matched | matches, but wins comes first | draft | > draft`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestQuestionBounds(t *testing.T) {
	rows := []string{"Really \x1b[31m" + strings.Repeat("é", 1000) + "?"}
	for range 100 {
		rows = append(rows, "1. "+strings.Repeat("ü", 300))
	}
	r := Rules{List: []Rule{{State: Blocked, Cond: Cond{Any: pats(t, "Really")}, Question: &Reading{Text: pats(t, `Really.*`), Options: pats(t, `^\d\. (.+)$`)}}}}
	q := r.Match(&Snapshot{Cols: 2000, Rows: rows}).Question
	if len(q.Text) > maxQuestion || strings.ContainsRune(q.Text, '\x1b') || len(q.Options) > maxOptions || len(q.Options) == 0 || len(q.Options[0]) > maxOption {
		t.Errorf("%d bytes, %d options of %d bytes: %q", len(q.Text), len(q.Options), len(q.Options[0]), q.Text)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add(boxed, "✳ t", uint8(40), uint16(3))
	f.Add("│ a │\n╰─╯\n────\n>\u00a0", "", uint8(0), uint16(0xffff))
	f.Add("\xff\xfe─\n❯ 1. é", "\x00", uint8(1), uint16(1))
	l := layout(f)
	rules := Rules{Layout: l}
	for r := range regions {
		rules.List = append(rules.List, Rule{ID: r.String(), State: State(r % 4), Cond: Cond{Region: r, Any: pats(f, `(\S+)\?`, `^…`)},
			Question: &Reading{Text: pats(f, `(?s).+`), Options: pats(f, `\S+`)}})
	}
	f.Fuzz(func(t *testing.T, text, title string, cols uint8, wrapped uint16) {
		s := Snapshot{Cols: int(cols), Rows: strings.Split(text, "\n"), Title: title, Cursor: Cursor{X: int(cols), Y: int(wrapped % 70)}}
		before := slices.Clone(s.Rows)
		for i := range s.Rows {
			s.Wrapped = append(s.Wrapped, wrapped>>(i%16)&1 == 1)
		}
		v := rules.Match(&s)
		if v.Row >= len(s.Rows) || v.Rule == nil && v.State != Idle {
			t.Fatalf("%+v", v)
		}
		rules.Explain(&s)
		if !slices.Equal(before, s.Rows) {
			t.Fatal("the snapshot was written to")
		}
	})
}
