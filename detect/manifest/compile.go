package manifest

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"fwrap/detect"
)

// Caps on what one file may hold. The largest built-in manifest stays under a
// quarter of each; they keep a hostile or broken one from costing time.
const (
	maxRules    = 400
	maxPatterns = 100  // of one rule, box or list
	maxPattern  = 4096 // bytes
	maxExamples = 100  // of one rule
	maxErrors   = 20
)

// decoded is a file with the places of everything in it and what is wrong.
type decoded struct {
	name string // base name, for messages
	file file
	ix   *index
	errs []*Error
}

// decode reads the file's syntax and refuses unknown keys and wrong types.
func decode(name string, data []byte) (*decoded, error) {
	d := &decoded{name: filepath.Base(name)}
	if len(data) > MaxSize {
		return nil, &Error{d.name, 1, 1, fmt.Sprintf("%d bytes are more than the %d that a manifest may have", len(data), MaxSize)}
	}
	_, err := toml.Decode(string(data), &d.file)
	var pe toml.ParseError
	if errors.As(err, &pe) {
		msg := pe.Message
		if msg == "" {
			msg = strings.TrimPrefix(pe.Error(), "toml: ")
		}
		return nil, &Error{d.name, max(pe.Position.Line, 1), max(pe.Position.Col, 1), msg}
	}
	d.ix = makeIndex(string(data))
	if err != nil {
		return nil, &Error{d.name, 1, 1, strings.TrimPrefix(err.Error(), "toml: ")}
	}
	d.unknown(reflect.TypeFor[file]())
	d.schema()
	return d, d.err()
}

// fail notes what is wrong with the thing at path.
func (d *decoded) fail(path, format string, args ...any) {
	if len(d.errs) < maxErrors {
		at := d.ix.find(path)
		d.errs = append(d.errs, &Error{d.name, at.line, at.col, fmt.Sprintf(format, args...)})
	}
}

// err returns what was noted, in the file's order.
func (d *decoded) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(d.errs, func(a, b *Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	list := make([]error, len(d.errs))
	for i, e := range d.errs {
		list[i] = e
	}
	return errors.Join(list...)
}

func (d *decoded) schema() {
	switch {
	case d.file.Schema == 0 && !d.has("schema"), d.file.Schema == Schema:
	case d.file.Schema > Schema:
		d.fail("schema", "schema %d is newer than this fwrap reads (%d); update fwrap", d.file.Schema, Schema)
	default:
		d.fail("schema", "there is no schema %d; it is %d", d.file.Schema, Schema)
	}
}

func (d *decoded) has(path string) bool {
	_, ok := d.ix.at[path]
	return ok
}

// unknown refuses keys that the format does not have.
func (d *decoded) unknown(t reflect.Type) {
	skip := "\x00"
	fine := map[string]bool{} // kinds of paths: without their indexes
	for _, path := range d.ix.paths {
		if strings.HasPrefix(path, skip) {
			continue
		}
		shape := withoutIndexes(path)
		if fine[shape] {
			continue
		}
		if near, ok := known(t, path); ok {
			fine[shape] = true
		} else {
			key := path[strings.LastIndexByte(path, '.')+1:]
			key, _, _ = strings.Cut(key, "[")
			if near != "" {
				d.fail(path, "unknown key %q; did you mean %q?", key, near)
			} else {
				d.fail(path, "unknown key %q", key)
			}
			skip = path
		}
	}
}

// withoutIndexes is a path with "[3]" made "[".
func withoutIndexes(path string) string {
	b := make([]byte, 0, len(path))
	in := false
	for i := range len(path) {
		switch c := path[i]; {
		case c == ']':
			in = false
		case !in:
			b = append(b, c)
			in = c == '['
		}
	}
	return string(b)
}

// known follows a path through the structs of the format. If it leads nowhere
// the likeliest key is returned.
func known(t reflect.Type, path string) (near string, ok bool) {
	for _, part := range strings.Split(path, ".") {
		name, _, _ := strings.Cut(part, "[")
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Map:
			return "", true
		case reflect.Struct:
			found := false
			for i := range t.NumField() {
				tag := t.Field(i).Tag.Get("toml")
				if tag == name {
					t, found = t.Field(i).Type, true
					break
				}
				if oneOff(tag, name) {
					near = tag
				}
			}
			if !found {
				return near, false
			}
		default:
			return "", false
		}
	}
	return "", true
}

// oneOff reports whether two words differ by one letter or a plural's s.
func oneOff(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

// pattern compiles the expression at path; it returns nil if it is wrong.
func (d *decoded) pattern(path, expr string) *detect.Pattern {
	if len(expr) > maxPattern {
		d.fail(path, "a pattern of %d bytes is longer than the %d that one may have", len(expr), maxPattern)
		return nil
	}
	p, err := detect.NewPattern(expr)
	if err != nil {
		d.fail(path, "bad pattern: %v", err)
		return nil
	}
	at := d.ix.find(path)
	p.Line, p.Column = at.line, at.col
	return p
}

// patterns compiles a list of expressions.
func (d *decoded) patterns(path string, list []string) []*detect.Pattern {
	if len(list) > maxPatterns {
		d.fail(path, "%d patterns are more than the %d that a list may have", len(list), maxPatterns)
		return nil
	}
	out := make([]*detect.Pattern, 0, len(list))
	for i, expr := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		if expr == "" {
			d.fail(at, "an empty pattern matches everything")
			continue
		}
		if p := d.pattern(at, expr); p != nil {
			out = append(out, p)
		}
	}
	return out
}

func (d *decoded) layout() detect.Layout {
	out := detect.Layout{
		Separators: d.patterns("screen.separators", d.file.Screen.Separators),
		Inside:     d.patterns("screen.inside", d.file.Screen.Inside),
		Items:      d.patterns("screen.items", d.file.Screen.Items),
		Trailing:   d.patterns("screen.trailing", d.file.Screen.Trailing),
	}
	if len(d.file.Boxes) > maxPatterns {
		d.fail("boxes", "%d boxes are more than the %d that a manifest may have", len(d.file.Boxes), maxPatterns)
		return out
	}
	for i, b := range d.file.Boxes {
		path := fmt.Sprintf("boxes[%d]", i)
		if b.Prompt == "" {
			d.fail(path, "a box needs prompt, the pattern of its prompt's row")
			continue
		}
		one := func(key, expr string) *detect.Pattern {
			if expr == "" {
				return nil
			}
			return d.pattern(path+"."+key, expr)
		}
		box := detect.Box{Top: one("top", b.Top), Prompt: one("prompt", b.Prompt), Bottom: one("bottom", b.Bottom), Not: one("not", b.Not), Leftover: one("leftover", b.Leftover)}
		if box.Prompt != nil {
			out.Boxes = append(out.Boxes, box)
		}
	}
	return out
}

// rules compiles the rules in file order.
func (d *decoded) rules() ([]detect.Rule, []Example) {
	if len(d.file.Rules) > maxRules {
		d.fail("rules", "%d rules are more than the %d that a manifest may have", len(d.file.Rules), maxRules)
		return nil, nil
	}
	var out []detect.Rule
	var examples []Example
	seen := map[string]int{}
	for i := range d.file.Rules {
		path := fmt.Sprintf("rules[%d]", i)
		r := d.rule(path, i, &d.file.Rules[i])
		if line, dup := seen[r.ID]; dup {
			d.fail(path+".id", "the id %q is taken by the rule in line %d", r.ID, line)
		}
		seen[r.ID] = r.Line
		out = append(out, r)
		examples = append(examples, d.examples(path, r.ID, d.file.Rules[i].Examples)...)
	}
	return out, examples
}

func (d *decoded) rule(path string, n int, t *ruleTable) detect.Rule {
	r := detect.Rule{ID: t.ID, File: d.name, Line: d.ix.find(path).line}
	switch {
	case t.ID == "" && d.has(path+".id"):
		d.fail(path+".id", "an id must not be empty")
	case t.ID == "":
		r.ID = fmt.Sprintf("rule-%d", n+1)
	case !isID(t.ID):
		d.fail(path+".id", "the id %q must be of a-z, 0-9, - and _ and begin with a letter", t.ID)
	}
	d.state(path, t, &r)
	c := condTable{Region: t.Region, Any: t.Any, All: t.All, Not: t.Not}
	r.Cond = d.cond(path, &c)
	if len(t.Any) == 0 && len(t.All) == 0 {
		d.fail(path, "rule %s needs a pattern in any or all", r.ID)
	}
	if len(t.Also) > maxPatterns {
		d.fail(path+".also", "%d conditions are more than the %d that a rule may have", len(t.Also), maxPatterns)
	} else {
		for i := range t.Also {
			at := fmt.Sprintf("%s.also[%d]", path, i)
			a := &t.Also[i]
			if len(a.Any) == 0 && len(a.All) == 0 && len(a.Not) == 0 {
				d.fail(at, "a condition needs a pattern in any, all or not")
			}
			r.Also = append(r.Also, d.cond(at, a))
		}
	}
	r.Box, r.Alt = presence(t.Box), presence(t.Alt)
	if q := t.Question; q != nil {
		at := path + ".question"
		if r.State != detect.Blocked {
			d.fail(at, "only a blocked rule has a question")
		}
		r.Question = &detect.Reading{
			Region: d.region(at, q.Region), Text: d.patterns(at+".text", q.Text),
			Options: d.patterns(at+".options", q.Options), Except: d.patterns(at+".except", q.Except),
		}
	}
	return r
}

// state reads the rule's state and kind.
func (d *decoded) state(path string, t *ruleTable, r *detect.Rule) {
	switch t.State {
	case "blocked":
		r.State = detect.Blocked
	case "working":
		r.State = detect.Working
	case "idle":
		r.State = detect.Idle
	case "keep":
		r.Keep = true
	case "":
		d.fail(path, "rule %s needs a state: blocked, working, idle or keep", r.ID)
	default:
		d.fail(path+".state", "there is no state %q; it is blocked, working, idle or keep", t.State)
		return
	}
	r.Kind = detect.Kind(t.Kind)
	kinds := detect.Kinds[r.State]
	switch {
	case t.Kind == "" || slices.Contains(kinds, r.Kind):
	case len(kinds) == 0:
		d.fail(path+".kind", "the state %s has no kinds", t.State)
	default:
		d.fail(path+".kind", "the state %s has no kind %q; it has %s", t.State, t.Kind, list(kinds))
	}
}

func (d *decoded) cond(path string, c *condTable) detect.Cond {
	return detect.Cond{
		Region: d.region(path, c.Region),
		Any:    d.patterns(path+".any", c.Any),
		All:    d.patterns(path+".all", c.All),
		Not:    d.patterns(path+".not", c.Not),
	}
}

func (d *decoded) region(path, name string) detect.Region {
	if name == "" {
		return detect.Whole
	}
	r, ok := detect.ParseRegion(name)
	if !ok {
		d.fail(path+".region", "there is no region %q; it is one of %s", name, list(detect.RegionNames()))
	}
	return r
}

func presence(b *bool) detect.Presence {
	switch {
	case b == nil:
		return detect.Either
	case *b:
		return detect.Present
	}
	return detect.Absent
}

func isID(s string) bool {
	if len(s) > 64 || s == "" || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

func list[S ~string](names []S) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = string(n)
	}
	return strings.Join(words, ", ")
}
