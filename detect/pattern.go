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
// Nearly every pattern fails on nearly every screen, and Go's regexp takes some
// 20 ns a byte to find out where a search for a literal takes a hundredth of
// that. So a pattern knows literals one of which must be there for it to match
// at all, and, if it cannot match across the end of a line, it is tried on the
// lines that have one of them only.
type Pattern struct {
	Expr   string // as written
	Line   int    // its place in the manifest, counted from 1; 0 if it has none
	Column int    // in bytes, counted from 1

	line   *regexp.Regexp // on one line; nil: a match may have several
	re     *regexp.Regexp // on a text of several lines, if line is nil
	where  lines
	needed []string // one of them must be in the text; none: the regexp decides
}

// lines says which lines of a text a pattern can match in.
type lines uint8

const (
	anyLine lines = iota
	firstLine
	lastLine
	onlyLine // the text is one line
)

// maxNeeded bounds how many literals are looked for before the regexp is run.
const maxNeeded = 16

// NewPattern compiles an RE2 expression. ^ and $ are the ends of a line, \A and
// \z those of the whole text.
func NewPattern(expr string) (*Pattern, error) {
	tree, err := syntax.Parse("(?m)"+expr, syntax.Perl)
	if err != nil {
		// The error quotes the expression; the "(?m)" is not the author's.
		if se, ok := err.(*syntax.Error); ok {
			return nil, fmt.Errorf("%s in %q", se.Code, strings.TrimPrefix(se.Expr, "(?m)"))
		}
		return nil, err
	}
	p := &Pattern{Expr: expr}
	tree = tree.Simplify()
	p.needed = needed(tree)
	if where, ok := within(tree); ok {
		// Without (?m) a leading ^ anchors, and a line that does not begin
		// as it should costs nothing.
		p.where = where
		p.line, err = regexp.Compile(expr)
	} else {
		p.re, err = regexp.Compile("(?m)" + expr)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// match reports whether the pattern matches in text.
func (p *Pattern) match(text string) bool {
	if p.line == nil {
		return p.possible(text) && p.re.MatchString(text)
	}
	from, to, ok := p.next(text, 0)
	for ok {
		if p.line.MatchString(text[from:to]) {
			return true
		}
		from, to, ok = p.next(text, to+1)
	}
	return false
}

// find returns the start and end of the first match and of its groups, or nil.
func (p *Pattern) find(text string) []int {
	if p.line == nil {
		if !p.possible(text) {
			return nil
		}
		return p.re.FindStringSubmatchIndex(text)
	}
	from, to, ok := p.next(text, 0)
	for ok {
		if m := p.line.FindStringSubmatchIndex(text[from:to]); m != nil {
			for i := range m {
				if m[i] >= 0 {
					m[i] += from
				}
			}
			return m
		}
		from, to, ok = p.next(text, to+1)
	}
	return nil
}

// next returns the bounds of the next line, from the offset at on, that the
// pattern could match.
func (p *Pattern) next(text string, at int) (from, to int, ok bool) {
	if at > len(text) {
		return 0, 0, false
	}
	switch p.where {
	case firstLine, onlyLine:
		to = strings.IndexByte(text, '\n')
		if to < 0 {
			to = len(text)
		} else if p.where == onlyLine {
			return 0, 0, false
		}
		return 0, to, at == 0 && p.possible(text[:to])
	case lastLine:
		from = strings.LastIndexByte(text, '\n') + 1
		return from, len(text), at <= from && p.possible(text[from:])
	}
	if len(p.needed) > 0 {
		near := -1
		for _, s := range p.needed {
			if i := strings.Index(text[at:], s); i >= 0 && (near < 0 || i < near) {
				near = i
			}
		}
		if near < 0 {
			return 0, 0, false
		}
		near += at
		at = strings.LastIndexByte(text[at:near], '\n') + 1 + at
	}
	to = strings.IndexByte(text[at:], '\n')
	if to < 0 {
		return at, len(text), true
	}
	return at, at + to, true
}

// possible reports whether text has what every match has.
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

// within returns which lines a pattern's matches are in, if each is in one.
func within(re *syntax.Regexp) (lines, bool) {
	subs := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		subs = re.Sub
	}
	where := anyLine
	if len(subs) > 0 && subs[0].Op == syntax.OpBeginText {
		where, subs = firstLine, subs[1:]
	}
	if n := len(subs); n > 0 && subs[n-1].Op == syntax.OpEndText {
		if where == firstLine {
			where = onlyLine
		} else {
			where = lastLine
		}
		subs = subs[:n-1]
	}
	for _, sub := range subs {
		if !inLine(sub) {
			return anyLine, false
		}
	}
	return where, true
}

// inLine reports whether re neither matches a line's end nor asks for the
// text's.
func inLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return false
	case syntax.OpLiteral:
		return !slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return false
			}
		}
	}
	for _, sub := range re.Sub {
		if !inLine(sub) {
			return false
		}
	}
	return true
}
