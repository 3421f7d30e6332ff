package manifest

import (
	"fmt"
	"strings"
)

// Error is what is wrong with a manifest, and where.
type Error struct {
	File   string
	Line   int // counted from 1
	Column int // in bytes, counted from 1
	Msg    string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// place is a position in a file, counted from 1.
type place struct{ line, col int }

// index holds where every table, key and element of an array stands, under
// paths such as "rules[3]", "rules[3].any" and "rules[3].any[0]". The TOML
// library keeps such places to itself, and a bad pattern is hard to find in a
// file of hundreds without one.
type index struct {
	at    map[string]place
	paths []string // in file order
}

// find returns the place of the path or of the nearest thing that holds it.
func (ix *index) find(path string) place {
	for path != "" {
		if p, ok := ix.at[path]; ok {
			return p
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return place{1, 1}
}

// indexer walks a file that is known to be valid TOML. On any other input it
// ends early; it never reads out of bounds.
type indexer struct {
	src  string
	pos  int
	line int
	bol  int // offset of the line's first byte
	ix   index
	seen map[string]int // elements of each array of tables
}

// makeIndex returns the places of everything in src, which must be valid TOML.
func makeIndex(src string) *index {
	x := &indexer{src: src, line: 1, ix: index{at: map[string]place{}}, seen: map[string]int{}}
	table := ""
	for {
		x.blank(true)
		if x.pos >= len(x.src) {
			break
		}
		start := x.pos
		switch {
		case strings.HasPrefix(x.src[x.pos:], "[["):
			at := x.here()
			x.pos += 2
			path := x.resolve(x.key(), true)
			n := x.seen[path]
			x.seen[path]++
			table = fmt.Sprintf("%s[%d]", path, n)
			x.put(table, at)
			x.skip(']')
			x.skip(']')
		case x.src[x.pos] == '[':
			at := x.here()
			x.pos++
			table = x.resolve(x.key(), false)
			x.put(table, at)
			x.skip(']')
		default:
			x.pair(table)
		}
		if x.pos == start { // not TOML after all
			break
		}
	}
	return &x.ix
}

func (x *indexer) here() place { return place{x.line, x.pos - x.bol + 1} }

func (x *indexer) put(path string, at place) {
	if _, ok := x.ix.at[path]; !ok {
		x.ix.at[path] = at
		x.ix.paths = append(x.ix.paths, path)
	}
}

// blank skips spaces and comments, and ends of lines if lines is set.
func (x *indexer) blank(lines bool) {
	for x.pos < len(x.src) {
		switch c := x.src[x.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			x.pos++
		case c == '#':
			for x.pos < len(x.src) && x.src[x.pos] != '\n' {
				x.pos++
			}
		case c == '\n' && lines:
			x.newline()
		default:
			return
		}
	}
}

func (x *indexer) newline() {
	x.pos++
	x.line++
	x.bol = x.pos
}

func (x *indexer) skip(c byte) {
	x.blank(false)
	if x.pos < len(x.src) && x.src[x.pos] == c {
		x.pos++
	}
}

// key reads a dotted key.
func (x *indexer) key() []string {
	var parts []string
	for x.pos < len(x.src) {
		x.blank(false)
		start := x.pos
		if x.pos < len(x.src) && (x.src[x.pos] == '"' || x.src[x.pos] == '\'') {
			parts = append(parts, x.quoted())
		} else {
			for x.pos < len(x.src) && !strings.ContainsRune(" \t\r\n.=]#\"'", rune(x.src[x.pos])) {
				x.pos++
			}
			parts = append(parts, x.src[start:x.pos])
		}
		x.blank(false)
		if x.pos >= len(x.src) || x.src[x.pos] != '.' {
			break
		}
		x.pos++
	}
	return parts
}

// resolve turns a table's name into its path: each part that names an array of
// tables means that array's newest element, the last one only if it is not the
// header of a further element.
func (x *indexer) resolve(parts []string, header bool) string {
	path := ""
	for i, p := range parts {
		path = join(path, p)
		if n := x.seen[path]; n > 0 && !(header && i == len(parts)-1) {
			path = fmt.Sprintf("%s[%d]", path, n-1)
		}
	}
	return path
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// pair reads "key = value".
func (x *indexer) pair(table string) {
	at := x.here()
	path := table
	for _, p := range x.key() {
		path = join(path, p)
		x.put(path, at)
	}
	x.skip('=')
	x.blank(false)
	x.value(path)
}

func (x *indexer) value(path string) {
	if x.pos >= len(x.src) {
		return
	}
	switch x.src[x.pos] {
	case '"', '\'':
		x.quoted()
	case '[':
		x.pos++
		for n := 0; ; n++ {
			x.blank(true)
			if x.pos >= len(x.src) {
				return
			}
			if x.src[x.pos] == ']' {
				x.pos++
				return
			}
			start := x.pos
			item := fmt.Sprintf("%s[%d]", path, n)
			x.put(item, x.here())
			x.value(item)
			x.blank(true)
			if x.pos < len(x.src) && x.src[x.pos] == ',' {
				x.pos++
			}
			if x.pos == start {
				return
			}
		}
	case '{':
		x.pos++
		for {
			x.blank(true)
			if x.pos >= len(x.src) {
				return
			}
			if x.src[x.pos] == '}' {
				x.pos++
				return
			}
			start := x.pos
			x.pair(path)
			x.blank(true)
			if x.pos < len(x.src) && x.src[x.pos] == ',' {
				x.pos++
			}
			if x.pos == start {
				return
			}
		}
	default:
		for x.pos < len(x.src) && !strings.ContainsRune(" \t\r\n,]}#", rune(x.src[x.pos])) {
			x.pos++
		}
	}
}

// quoted skips a string of any of the four kinds and returns what is between
// its quotes, escapes as they stand.
func (x *indexer) quoted() string {
	q := x.src[x.pos : x.pos+1]
	if long := strings.Repeat(q, 3); strings.HasPrefix(x.src[x.pos:], long) {
		x.pos += 3
		start := x.pos
		for x.pos < len(x.src) {
			switch {
			case x.src[x.pos] == '\\' && q == `"` && x.pos+1 < len(x.src) && x.src[x.pos+1] != '\n':
				x.pos += 2
			case x.src[x.pos] == '\n':
				x.newline()
			case strings.HasPrefix(x.src[x.pos:], long):
				end := x.pos
				x.pos += 3
				for i := 0; i < 2 && strings.HasPrefix(x.src[x.pos:], q); i++ { // up to two quotes may belong to the string
					x.pos++
				}
				return x.src[start:end]
			default:
				x.pos++
			}
		}
		return x.src[start:]
	}
	x.pos++
	start := x.pos
	for x.pos < len(x.src) && x.src[x.pos] != q[0] && x.src[x.pos] != '\n' {
		if x.src[x.pos] == '\\' && q == `"` && x.pos+1 < len(x.src) {
			x.pos++
		}
		x.pos++
	}
	end := min(x.pos, len(x.src))
	x.pos = min(x.pos+1, len(x.src))
	return x.src[start:end]
}
