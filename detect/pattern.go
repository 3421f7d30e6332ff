package detect

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Pattern is a regular expression of a manifest.
//
// Go's regexp walks a text at some 50 MB/s where a literal is found at several
// GB/s, and nearly every pattern fails on nearly every screen. So a pattern
// knows literals one of which must be there for it to match at all.
type Pattern struct {
	Expr   string // as written
	Line   int    // its place in the manifest, counted from 1; 0 if it has none
	Column int    // in bytes, counted from 1

	re     *regexp.Regexp
	needed []string // one of them must be in the text; none: the regexp decides
}

// maxNeeded bounds how many literals are looked for before the regexp is run.
const maxNeeded = 16

// NewPattern compiles an RE2 expression. ^ and $ are the ends of a line, \A and
// \z those of the whole text.
func NewPattern(expr string) (*Pattern, error) {
	re, err := regexp.Compile("(?m)" + expr)
	if err != nil {
		// The error quotes the expression; the "(?m)" in it is not the author's.
		var se *syntax.Error
		if se, _ = err.(*syntax.Error); se != nil {
			return nil, fmt.Errorf("%s in %q", se.Code, strings.TrimPrefix(se.Expr, "(?m)"))
		}
		return nil, err
	}
	p := &Pattern{Expr: expr, re: re}
	if tree, err := syntax.Parse("(?m)"+expr, syntax.Perl); err == nil {
		p.needed = needed(tree.Simplify())
	}
	return p, nil
}

// possible reports whether the pattern could match text.
func (p *Pattern) possible(text string) bool {
	if len(p.needed) == 0 {
		return true
	}
	for _, s := range p.needed {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// match reports whether the pattern matches in text.
func (p *Pattern) match(text string) bool {
	return p.possible(text) && p.re.MatchString(text)
}

// find returns the start and end of the first match and of its groups, or nil.
func (p *Pattern) find(text string) []int {
	if !p.possible(text) {
		return nil
	}
	return p.re.FindStringSubmatchIndex(text)
}

// needed returns literals of which every match contains at least one, the
// longest that the expression offers, or nil.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if int(re.Rune[i+1]-re.Rune[i])+len(out) >= maxNeeded {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				out = append(out, string(r))
			}
		}
		return out
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if n := needed(sub); n != nil && (best == nil || shortest(n) > shortest(best)) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			n := needed(sub)
			if n == nil || len(all)+len(n) > maxNeeded {
				return nil
			}
			all = append(all, n...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	return nil
}

func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list[1:] {
		n = min(n, len(s))
	}
	return n
}
