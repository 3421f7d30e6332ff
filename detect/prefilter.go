package detect

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxNeeded bounds how many literals are looked for before the regexp is run.
const maxNeeded = 16

// needed returns lists of literals, of each of which every match contains one;
// the one whose words are longest first.
func needed(re *syntax.Regexp) [][]string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return [][]string{{string(re.Rune)}}
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
		return [][]string{out}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var all [][]string
		for _, sub := range re.Sub {
			for _, list := range needed(sub) {
				// A blank is on every row.
				if !slices.Equal(list, []string{" "}) {
					all = append(all, list)
				}
			}
		}
		slices.SortStableFunc(all, func(a, b []string) int { return shortest(b) - shortest(a) })
		return all[:min(len(all), 4)]
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			n := needed(sub)
			if len(n) == 0 || len(all)+len(n[0]) > maxNeeded {
				return nil
			}
			all = append(all, n[0]...)
		}
		slices.Sort(all)
		return [][]string{slices.Compact(all)}
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

// beginning is how a line begins that a pattern with a leading ^ matches.
type beginning struct {
	blank bool   // after any number of blanks
	first []rune // in one of these: pairs of the first and the last of a range
}

// of reports whether a line begins so.
func (b *beginning) of(line string) bool {
	if b.blank {
		line = strings.TrimLeft(line, " ")
	}
	if line == "" {
		return false
	}
	c, _ := utf8.DecodeRuneInString(line)
	for i := 0; i+1 < len(b.first); i += 2 {
		if b.first[i] <= c && c <= b.first[i+1] {
			return true
		}
	}
	return false
}

// begins returns how a line that re matches begins, or nil.
func begins(re *syntax.Regexp) *beginning {
	if re.Op != syntax.OpConcat || re.Sub[0].Op != syntax.OpBeginLine && re.Sub[0].Op != syntax.OpBeginText {
		return nil
	}
	b, subs := &beginning{}, re.Sub[1:]
	if len(subs) > 0 && isBlanks(subs[0]) {
		b.blank, subs = true, subs[1:]
	}
	for _, sub := range subs {
		first, empty, ok := firstOf(sub)
		if !ok {
			return nil
		}
		b.first = append(b.first, first...)
		if empty {
			continue
		}
		for i := 0; i+1 < len(b.first); i += 2 {
			if b.blank && b.first[i] <= ' ' && ' ' <= b.first[i+1] {
				return nil
			}
		}
		return b
	}
	return nil
}

// isBlanks reports whether re is " *" or what is left of " {0,3}".
func isBlanks(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpStar, syntax.OpQuest:
		return isBlanks(re.Sub[0])
	case syntax.OpConcat:
		return len(re.Sub) == 2 && isBlanks(re.Sub[0]) && isBlanks(re.Sub[1])
	case syntax.OpLiteral:
		return len(re.Rune) == 1 && re.Rune[0] == ' '
	}
	return false
}

// firstOf returns the characters that a match of re begins with, in pairs as in
// [syntax.Regexp], and whether it may be empty.
func firstOf(re *syntax.Regexp) (first []rune, empty, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return []rune{re.Rune[0], re.Rune[0]}, false, re.Flags&syntax.FoldCase == 0
	case syntax.OpCharClass:
		return re.Rune, false, true
	case syntax.OpCapture, syntax.OpPlus:
		return firstOf(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		first, _, ok = firstOf(re.Sub[0])
		return first, true, ok
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpBeginLine, syntax.OpBeginText:
		return nil, true, true
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			f, e, k := firstOf(sub)
			if !k {
				return nil, false, false
			}
			first = append(first, f...)
			if !e {
				return first, false, true
			}
		}
		return first, true, true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			f, e, k := firstOf(sub)
			if !k {
				return nil, false, false
			}
			first = append(first, f...)
			empty = empty || e
		}
		return first, empty, true
	}
	return nil, false, false
}

// longest returns how many bytes a match of re has at most, or 0 if there is no
// bound or it would be of no use.
func longest(re *syntax.Regexp) int {
	n, ok := bound(re)
	if !ok || n > 1024 {
		return 0
	}
	return n
}

func bound(re *syntax.Regexp) (n int, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				n += utf8.UTFMax
			} else {
				n += utf8.RuneLen(c)
			}
		}
		return n, true
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		return utf8.UTFMax, true
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpEndText, syntax.OpEndLine:
		return 0, true
	case syntax.OpCapture, syntax.OpQuest:
		return bound(re.Sub[0])
	case syntax.OpConcat, syntax.OpAlternate:
		for _, sub := range re.Sub {
			m, k := bound(sub)
			if !k {
				return 0, false
			}
			if re.Op == syntax.OpConcat {
				n += m
			} else {
				n = max(n, m)
			}
		}
		return n, true
	}
	// Without an end, or at the beginning of the line, which must stay.
	return 0, false
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
