package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Error is a mistake in the config, with its place.
type Error struct {
	File string // the file, or the variable's or the flag's name
	Line int    // from 1; 0: the whole file
	Col  int    // in bytes from 1
	Msg  string
	Hint string // what to do; may be empty
}

// Error returns "FILE:LINE:COL: what is wrong".
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// setting is an option that a file sets, checked and not yet in force.
type setting struct {
	opt  *option
	val  any
	from Origin
}

func (s setting) apply(c *Config) {
	// It was set on a scratch Config while parsing, so it cannot fail now.
	if err := s.opt.set(c, s.val); err == nil {
		c.origins[s.opt.key] = s.from
	}
}

// parse reads a config file whole: all of its settings, or its mistakes in the
// order of the file and nothing else.
func parse(path string, data []byte) ([]setting, error) {
	w := walker{path: path, lines: strings.Split(string(data), "\n"), scratch: defaults()}
	var top map[string]toml.Primitive
	md, err := toml.Decode(string(data), &top)
	if err != nil {
		return nil, w.syntax(err)
	}
	w.md = md
	w.table("", top)
	if len(w.errs) == 0 {
		return w.set, nil
	}
	slices.SortStableFunc(w.errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	errs := make([]error, len(w.errs))
	for i, e := range w.errs {
		errs[i] = e
	}
	return nil, errors.Join(errs...)
}

type walker struct {
	path    string
	lines   []string
	md      toml.MetaData
	scratch *Config
	set     []setting
	errs    []*Error
}

func (w *walker) syntax(err error) error {
	e := &Error{File: w.path, Msg: err.Error()}
	var pe toml.ParseError
	if errors.As(err, &pe) {
		e.Line, e.Col, e.Msg = pe.Position.Line, pe.Position.Col, strings.TrimPrefix(pe.Message, "toml: ")
	}
	return e
}

func (w *walker) table(prefix string, t map[string]toml.Primitive) {
	for name, prim := range t {
		key := name
		if prefix != "" {
			key = prefix + "." + name
		}
		v := value{prim: prim, md: &w.md}
		line, col := v.read()
		col = w.column(line, col, name)
		fail := func(msg, hint string) {
			w.errs = append(w.errs, &Error{File: w.path, Line: line, Col: col, Msg: msg, Hint: hint})
		}
		_, isTable := v.any.(map[string]any)
		if isTable && prefixOf(key) {
			var sub map[string]toml.Primitive
			if err := w.md.PrimitiveDecode(prim, &sub); err != nil {
				fail(err.Error(), "")
				continue
			}
			w.table(key, sub)
			continue
		}
		keys := short[key]
		if find(key) != nil {
			keys = []string{key}
		}
		if keys == nil {
			switch {
			case isTable:
				fail(fmt.Sprintf("unknown table [%s]", key), nearest(key))
			case prefixOf(key):
				fail(fmt.Sprintf("%s is a table", key), fmt.Sprintf("write [%s] and its keys below it", key))
			default:
				fail(fmt.Sprintf("unknown key %q", key), nearest(key))
			}
			continue
		}
		for _, k := range keys {
			o := find(k)
			if err := o.set(w.scratch, v.any); err != nil {
				fail(err.Error(), "")
				break
			}
			w.set = append(w.set, setting{o, v.any, Origin{Level: FromFile, Name: w.path, Line: line}})
		}
	}
}

// prefixOf reports whether options live below key.
func prefixOf(key string) bool {
	return slices.ContainsFunc(options, func(o option) bool { return strings.HasPrefix(o.key, key+".") })
}

// value reads one value and its place. The decoder gives away the place of a
// value only with the error of an Unmarshaler, so this one always fails.
type value struct {
	prim toml.Primitive
	md   *toml.MetaData
	any  any
}

var errPlace = errors.New("place")

// UnmarshalTOML keeps the value.
func (v *value) UnmarshalTOML(x any) error {
	v.any = x
	return errPlace
}

func (v *value) read() (line, col int) {
	var pe toml.ParseError
	if errors.As(v.md.PrimitiveDecode(v.prim, v), &pe) {
		return pe.Position.Line, pe.Position.Col
	}
	return 0, 0
}

// column moves from a value to its key, if that is on the same line.
func (w *walker) column(line, col int, name string) int {
	if line < 1 || line > len(w.lines) {
		return 1
	}
	text := w.lines[line-1]
	if i := strings.Index(text[:min(max(col-1, 0), len(text))], name); i >= 0 {
		return i + 1
	}
	if i := strings.Index(text, name); i >= 0 && strings.HasPrefix(strings.TrimSpace(text), "[") {
		return i + 1
	}
	return max(col, 1)
}

// nearest returns a hint that names the option most like key, if one is.
func nearest(key string) string {
	best, dist := "", 1+max(2, len(key)/3)
	consider := func(k string) {
		d := distance(key, k)
		// The table may be missing: "cooldown" for "notify.cooldown".
		if _, name, ok := strings.Cut(k, "."); ok {
			d = min(d, 1+distance(key, name))
		}
		if d < dist {
			best, dist = k, d
		}
	}
	for _, o := range options {
		consider(o.key)
	}
	for _, k := range []string{"notify", "notify.when", "title", "command", "answer"} {
		consider(k)
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// distance is the Levenshtein distance in bytes, with an upper bound on the
// work that a key of any length can cause.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diag, row[j] = row[j], min(row[j]+1, row[j-1]+1, diag+cost)
		}
	}
	return row[len(b)]
}
