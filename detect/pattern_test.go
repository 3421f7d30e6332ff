package detect

import (
	"regexp"
	"slices"
	"testing"
)

// pat compiles a pattern that must be right.
func pat(t testing.TB, expr string) *Pattern {
	t.Helper()
	p, err := NewPattern(expr)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func pats(t testing.TB, exprs ...string) []*Pattern {
	t.Helper()
	var out []*Pattern
	for _, e := range exprs {
		out = append(out, pat(t, e))
	}
	return out
}

func TestNeeded(t *testing.T) {
	for expr, want := range map[string][]string{
		`esc to interrupt`:               {"esc to interrupt"},
		`Do you want to (proceed|go)\?`:  {"Do you want to "},
		`(?i)esc`:                        nil,
		`a*`:                             nil,
		`(?:foo|bar)baz`:                 {"baz", "bar", "foo"},
		`^[·✻*] \S[^\n]*…`:               {"…"},
		`\d+`:                            {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
		`.*`:                             nil,
		`(?:x|.)`:                        nil,
		`(abc){2,3}`:                     {"abc"},
		`(abc){0,3}`:                     nil,
		`[^a]`:                           nil,
		`\bYes\b`:                        {"Yes"},
		`(?:Esc|Space) to (?:close|end)`: {" to "},
	} {
		p := pat(t, expr)
		got := slices.Clone(p.needed)
		for _, s := range got {
			if !slices.Contains(want, s) {
				t.Errorf("%s: needs %q, want of %q", expr, got, want)
			}
		}
		if (got == nil) != (want == nil) {
			t.Errorf("%s: needs %q, want %q", expr, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for expr, want := range map[string]struct {
		where lines
		ok    bool
	}{
		`^a.*$`:        {anyLine, true},
		`\Aab`:         {firstLine, true},
		`ab\z`:         {lastLine, true},
		`\Aab\z`:       {onlyLine, true},
		`(?:a\z|b)`:    {anyLine, false},
		`a\sb`:         {anyLine, false},
		`a[^b]c`:       {anyLine, false},
		`a[^b\n]c`:     {anyLine, true},
		`(?s)a.b`:      {anyLine, false},
		"a\nb":         {anyLine, false},
		`(?:\Aa)b`:     {firstLine, true},
		`(?:ab|cd)+\z`: {lastLine, true},
	} {
		p := pat(t, expr)
		if (p.line != nil) != want.ok || p.where != want.where {
			t.Errorf("%s: line %v, where %d", expr, p.line != nil, p.where)
		}
	}
}

// FuzzPattern: the short cuts never change what a pattern matches.
func FuzzPattern(f *testing.F) {
	for _, expr := range []string{
		`^ *❯ (?:\d+\. ?)?\S`, `\A *dialog waiting`, `[^\n]*\z`, `(?:\d\. ?[^\n]*|^ *Esc to cancel(?: · [^\n]*)?|\(esc\))\z`,
		`(?s)^(.+?)\n\n`, `a|b\z`, `^$`, `\Aa$`, `x*`, `(?i)YES`, `(?-m)^a$`, `(?-m:^)a`, `a\z|\Ab`, `\bfoo\b`,
	} {
		f.Add(expr, "❯ 1. Yes\n  2. No\n\n Esc to cancel · Tab to amend")
		f.Add(expr, "a\nb\n\nfoo")
		f.Add(expr, "")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		p, err := NewPattern(expr)
		if err != nil {
			return
		}
		re := regexp.MustCompile("(?m)" + expr)
		want := re.FindStringSubmatchIndex(text)
		if got := p.match(text); got != (want != nil) {
			t.Fatalf("%q on %q: %v, want %v (needs %q, line %v %d)", expr, text, got, want != nil, p.needed, p.line != nil, p.where)
		}
		if got := p.find(text); !slices.Equal(got, want) {
			t.Fatalf("%q on %q: %v, want %v", expr, text, got, want)
		}
	})
}
