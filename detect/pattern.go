package detect

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// Pattern is a regular expression of a manifest.
//
// Nearly every pattern fails on nearly every screen, and Go's regexp takes some
// 20 ns a byte to find out where a search for a literal takes a hundredth of
// that. So a pattern knows literals that must be there for it to match at all,
// and, if it cannot match across the end of a line, it is tried on the lines
// only that have them and begin as it does. Most are never tried, so a pattern
// is compiled when it first is: that halves the time and memory of loading.
type Pattern struct {
	Expr   string // as written
	Line   int    // its place in the manifest, counted from 1; 0 if it has none
	Column int    // in bytes, counted from 1

	inLine bool // a match is within one line
	where  lines
	needed [][]string // of each list one must be in the text; the first is the most telling
	begin  *beginning // how a line that matches begins; nil: not known
	// longest is how many bytes a match has at most; 0: no bound is known. Of
	// a line that must end in the match no more needs to be looked at.
	longest int

	once sync.Once
	re   *regexp.Regexp // on one line if inLine, else on the text
}

// lines says which lines of a text a pattern can match in.
type lines uint8

const (
	anyLine lines = iota
	firstLine
	lastLine
	onlyLine // the text is one line
)

// NewPattern reads an RE2 expression. ^ and $ are the ends of a line, \A and
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
	if p.where, p.inLine = within(tree); p.inLine {
		p.begin = begins(tree)
		p.longest = longest(tree)
	}
	return p, nil
}

// regexp compiles the expression, which has been parsed, so that this does not
// fail.
func (p *Pattern) regexp() *regexp.Regexp {
	p.once.Do(func() {
		expr := p.Expr
		if !p.inLine {
			// Without (?m) a leading ^ anchors, and a line that does not
			// begin as it should costs nothing.
			expr = "(?m)" + expr
		}
		p.re = regexp.MustCompile(expr)
	})
	return p.re
}

// match reports whether the pattern matches in text.
func (p *Pattern) match(text string) bool {
	if !p.inLine {
		return p.possible(text) && p.regexp().MatchString(text)
	}
	it := candidates{p: p, text: text}
	for it.next() {
		if line := text[it.from:it.to]; p.worth(line) && p.regexp().MatchString(line[p.skip(line):]) {
			return true
		}
	}
	return false
}

// find returns the start and end of the first match and of its groups, or nil.
func (p *Pattern) find(text string) []int {
	if !p.inLine {
		if !p.possible(text) {
			return nil
		}
		return p.regexp().FindStringSubmatchIndex(text)
	}
	it := candidates{p: p, text: text}
	for it.next() {
		line := text[it.from:it.to]
		if !p.worth(line) {
			continue
		}
		from := it.from + p.skip(line)
		if m := p.regexp().FindStringSubmatchIndex(text[from:it.to]); m != nil {
			for i := range m {
				if m[i] >= 0 {
					m[i] += from
				}
			}
			return m
		}
	}
	return nil
}

// worth reports whether a line has what every match has.
func (p *Pattern) worth(line string) bool {
	return (p.begin == nil || p.begin.of(line)) && p.possible(line)
}

// skip returns how much of a line's beginning no match reaches into.
func (p *Pattern) skip(line string) int {
	// What stands right before the match may count: \b looks at it.
	at := len(line) - p.longest - utf8.UTFMax
	if p.longest == 0 || at <= 0 || p.where != lastLine && p.where != onlyLine {
		return 0
	}
	for at > 0 && !utf8.RuneStart(line[at]) {
		at--
	}
	return at
}

// candidates goes through the lines of a text that a pattern could match in.
type candidates struct {
	p        *Pattern
	text     string
	from, to int // the line
	at       int // where the next line begins; beyond the text: there is none
	// seen is where each of the literals was last found, so that each is looked
	// for once in a text: 0: nowhere yet, else the offset and 1.
	seen [maxNeeded]int
}

// next goes to the next line and reports whether there is one.
func (c *candidates) next() bool {
	text := c.text
	if c.at > len(text) {
		return false
	}
	switch c.p.where {
	case firstLine, onlyLine:
		c.to = strings.IndexByte(text, '\n')
		if c.to < 0 {
			c.to = len(text)
		} else if c.p.where == onlyLine {
			return false
		}
		c.at = len(text) + 1
		return true
	case lastLine:
		c.from, c.to = strings.LastIndexByte(text, '\n')+1, len(text)
		c.at = len(text) + 1
		return true
	}
	c.from = c.at
	if len(c.p.needed) > 0 {
		near := len(text)
		for i, s := range c.p.needed[0] {
			if c.seen[i] <= c.at {
				found := strings.Index(text[c.at:], s)
				if found < 0 {
					found = len(text) - c.at
				}
				c.seen[i] = c.at + found + 1
			}
			near = min(near, c.seen[i]-1)
		}
		if near == len(text) {
			c.at = len(text) + 1
			return false
		}
		c.from += strings.LastIndexByte(text[c.at:near], '\n') + 1
	}
	c.to = len(text)
	if n := strings.IndexByte(text[c.from:], '\n'); n >= 0 {
		c.to = c.from + n
	}
	c.at = c.to + 1
	return true
}

// possible reports whether text has the literals that every match has.
func (p *Pattern) possible(text string) bool {
	for _, list := range p.needed {
		if !hasAny(text, list) {
			return false
		}
	}
	return true
}

func hasAny(text string, list []string) bool {
	for _, s := range list {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
