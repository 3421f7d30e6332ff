package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fwrap/detect"
)

// Example is a screen that stands beside a rule to show what it means.
type Example struct {
	Rule     string // the rule's id
	File     string // base name of the file it stands in
	Line     int
	Match    bool // the rule decides this screen; false: it must not
	Screen   detect.Snapshot
	Question string   // what must be read as the question; empty: anything
	Options  []string // what must be read as the options; nil: anything
	// Origin is the public source of a screen that was not cut from a
	// recording of the agent; empty for one that was.
	Origin string
}

// Failure is an example that the rules judge otherwise.
type Failure struct {
	At   string // "claude.toml:57"
	Rule string // the id of the rule that the example is of
	Msg  string
}

func (f Failure) Error() string { return fmt.Sprintf("%s: rule %s: %s", f.At, f.Rule, f.Msg) }

const (
	maxScreen = 64 << 10 // bytes
	maxSide   = 1000     // columns or rows of an example
)

func (d *decoded) examples(path, rule string, list []exampleTable) []Example {
	if len(list) > maxExamples {
		d.fail(path+".examples", "%d examples are more than the %d that a rule may have", len(list), maxExamples)
		return nil
	}
	var out []Example
	for i := range list {
		t := &list[i]
		at := fmt.Sprintf("%s.examples[%d]", path, i)
		if !d.has(at + ".screen") {
			d.fail(at, "an example needs a screen")
			continue
		}
		if len(t.Screen) > maxScreen {
			d.fail(at+".screen", "a screen of %d bytes is larger than the %d that one may have", len(t.Screen), maxScreen)
			continue
		}
		e := Example{Rule: rule, File: d.name, Line: d.ix.find(at).line, Match: t.Match == nil || *t.Match, Question: t.Question, Options: t.Options, Origin: t.Origin}
		cols, rows, ok := 0, 0, true
		if t.Size != "" {
			if cols, rows, ok = parseSize(t.Size); !ok {
				d.fail(at+".size", "a size is written as 80x24, not %q", t.Size)
				continue
			}
		}
		e.Screen = Screen(t.Screen, cols, rows)
		e.Screen.Title, e.Screen.Alt = t.Title, t.Alt
		if e.Screen.Progress, ok = parseProgress(t.Progress); !ok {
			d.fail(at+".progress", "there is no progress %q; it is none, normal N, error N, indeterminate or paused N", t.Progress)
		}
		out = append(out, e)
	}
	return out
}

// Screen makes a snapshot of text, one line a row. With cols and rows 0 the
// screen is as large as the text. The cursor stands behind the last character.
func Screen(text string, cols, rows int) detect.Snapshot {
	lines := strings.Split(strings.TrimRight(text, "\n "), "\n")
	s := detect.Snapshot{Cols: cols}
	for _, line := range lines {
		line = strings.TrimRight(line, " \r")
		s.Rows = append(s.Rows, line)
		if cols == 0 {
			s.Cols = max(s.Cols, detect.Width(line))
		}
	}
	last := len(s.Rows) - 1
	s.Cursor = detect.Cursor{X: min(detect.Width(s.Rows[last]), max(s.Cols-1, 0)), Y: last, Visible: true}
	for len(s.Rows) < rows {
		s.Rows = append(s.Rows, "")
	}
	return s
}

func parseSize(text string) (cols, rows int, ok bool) {
	a, b, found := strings.Cut(text, "x")
	cols, err := strconv.Atoi(a)
	if err != nil || !found {
		return 0, 0, false
	}
	rows, err = strconv.Atoi(b)
	return cols, rows, err == nil && cols > 0 && rows > 0 && cols <= maxSide && rows <= maxSide
}

// progressNames are the states of OSC 9;4 by their numbers.
var progressNames = []string{"none", "normal", "error", "indeterminate", "paused"}

func parseProgress(text string) (detect.Progress, bool) {
	name, number, has := strings.Cut(text, " ")
	p := detect.Progress{State: slices.Index(progressNames, name)}
	if text == "" {
		return detect.Progress{}, true
	}
	if has {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n > 100 {
			return p, false
		}
		p.Percent = n
	}
	return p, p.State >= 0
}

// Check judges every example by the whole manifest, as a screen in use would
// be, and returns those that come out otherwise than they say.
func (m *Manifest) Check() []Failure {
	var out []Failure
	for i := range m.Examples {
		e := &m.Examples[i]
		if msg := e.check(m.Rules); msg != "" {
			out = append(out, Failure{At: fmt.Sprintf("%s:%d", e.File, e.Line), Rule: e.Rule, Msg: msg})
		}
	}
	return out
}

func (e *Example) check(rules *detect.Rules) string {
	v := rules.Match(&e.Screen)
	won := v.Rule != nil && v.Rule.ID == e.Rule
	switch {
	case e.Match && v.Rule == nil:
		return "no rule matches this screen"
	case e.Match && !won:
		return fmt.Sprintf("this screen is taken by %s (%s) for the line %q", v.Name, v.At, v.Line)
	case !e.Match && won:
		return fmt.Sprintf("this screen must not match, and does by the line %q", v.Line)
	case e.Question != "" && v.Question.Text != e.Question:
		return fmt.Sprintf("the question is read as %q, not %q", v.Question.Text, e.Question)
	case e.Options != nil && !slices.Equal(v.Question.Options, e.Options):
		return fmt.Sprintf("the options are read as %q, not %q", v.Question.Options, e.Options)
	}
	return ""
}
