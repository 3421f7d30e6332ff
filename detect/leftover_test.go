package detect

import "testing"

// Codex draws sent messages like its input box; only what follows tells them
// apart.
func TestLeftoverBox(t *testing.T) {
	pattern := func(expr string) *Pattern {
		p, err := NewPattern(expr)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	l := Layout{Boxes: []Box{{Prompt: pattern(`^› `), Not: pattern(`^› \d\. `), Leftover: pattern(`^\S`)}}}
	for _, c := range []struct {
		name string
		rows []string
		want bool
	}{
		{"input box", []string{"› tidy up", "", "• Done.", "", "› Ask anything", "", "  model · ~/dir"}, true},
		{"draft of two lines", []string{"› first", "  second", "", "  model"}, true},
		{"dialog under a message", []string{"› tidy up", "", "  Run this?", "", "› 1. Yes", "  2. No"}, false},
		{"message alone", []string{"› tidy up", "", "• Done."}, false},
	} {
		s := Snapshot{Cols: 40, Rows: c.rows}
		sc := newScene(&s, &l)
		if got := sc.hasBox(); got != c.want {
			t.Errorf("%s: input box %v, want %v", c.name, got, c.want)
		}
		if got := sc.view(Dialog) != nil; got == c.want {
			t.Errorf("%s: dialog %v beside input box %v", c.name, got, c.want)
		}
	}
}
