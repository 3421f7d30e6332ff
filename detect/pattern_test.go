package detect

import (
	"regexp"
	"slices"
	"strings"
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
		var got []string
		if len(p.needed) > 0 {
			got = p.needed[0]
		}
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

// TestEachNeeded: where a match has several literals, a line that lacks one of
// them is not tried.
func TestEachNeeded(t *testing.T) {
	p := pat(t, `Do you want to [^?\n]+\?`)
	if want := [][]string{{"Do you want to "}, {"?"}}; !slices.EqualFunc(p.needed, want, slices.Equal) {
		t.Errorf("needs %q, want %q", p.needed, want)
	}
	if p.match("Do you want to go on") || p.re != nil {
		t.Error("compiled for a line without a question mark")
	}
	if !p.match("x\nDo you want to go on?") {
		t.Error("no match")
	}
}

func TestBeginning(t *testing.T) {
	for expr, want := range map[string]string{
		`^ *(?:❯ )?(?:\d+\. ?)?Yes`: "❯1Y",
		`^[a-c]x?`:                  "abc",
		`^ {0,3}[✻✽]`:               "✻✽",
		`^ *x*`:                     "any",
		`^ *[^\n]*\?`:               "any",
		`(?:^| )x`:                  "any",
		`^ *(?: a|b)`:               "any", // the first blank is whose?
		`\A *dialog`:                "d",
	} {
		p := pat(t, expr)
		if (p.begin == nil) != (want == "any") {
			t.Errorf("%s: %+v", expr, p.begin)
			continue
		}
		for _, c := range "❯1Yabc✻✽dz" {
			if p.begin != nil && p.begin.of(string(c)) != strings.ContainsRune(want, c) {
				t.Errorf("%s: wrong about %c", expr, c)
			}
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
		if (p.inLine) != want.ok || p.where != want.where {
			t.Errorf("%s: line %v, where %d", expr, p.inLine, p.where)
		}
	}
}

// FuzzPattern: the short cuts never change what a pattern matches.
func FuzzPattern(f *testing.F) {
	for _, expr := range []string{
		`^ *❯ (?:\d+\. ?)?\S`, `\A *dialog waiting`, `[^\n]*\z`, `(?:\d\. ?[^\n]*|^ *Esc to cancel(?: · [^\n]*)?|\(esc\))\z`,
		`(?s)^(.+?)\n\n`, `a|b\z`, `^$`, `\Aa$`, `x*`, `(?i)YES`, `(?-m)^a$`, `(?-m:^)a`, `a\z|\Ab`, `\bfoo\b`,
		`^ {0,3}(?:● )?(?:Yes|No)\b`, `^ *(?: a|b)`, `^\b-?a`, `(?:\bYes|No(?: ✔)?)\z`, `(?i:kno)\z`, `^ +a`,
	} {
		f.Add(expr, strings.Repeat("é Yes ", 40)+"Yes")
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
			t.Fatalf("%q on %q: %v, want %v (needs %q, line %v %d)", expr, text, got, want != nil, p.needed, p.inLine, p.where)
		}
		if got := p.find(text); !slices.Equal(got, want) {
			t.Fatalf("%q on %q: %v, want %v", expr, text, got, want)
		}
	})
}
