package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fwrap/detect"
	"fwrap/detect/manifest"
)

// printExample writes the final screen as an example of a manifest's rule. It
// returns what the person has to know, a line each, and whether the example is
// judged as the screen is.
func (r *explained) printExample(w io.Writer, blank bool) (notes []string, right bool) {
	want := r.rules.Match(&r.final)
	same := func(s *detect.Snapshot) bool {
		v := r.rules.Match(s)
		return v.Rule == want.Rule
	}
	ex := manifest.Example{Match: true, Screen: r.final}
	if blank {
		matched := r.matched()
		red := redact(ex.AsWritten(), matched, same)
		ex.Screen = red.screen
		if len(matched) > 0 {
			var rows []string
			for _, n := range slices.Sorted(maps.Keys(matched)) {
				rows = append(rows, strconv.Itoa(n+1))
			}
			notes = append(notes, "these rows, which the rule matches, are left readable: "+strings.Join(rows, " "))
		}
		if len(red.kept) > 0 {
			rows := make([]string, len(red.kept))
			for i, n := range red.kept {
				rows[i] = strconv.Itoa(n + 1)
			}
			notes = append(notes, "the verdict needs these rows, too, which are left readable: "+strings.Join(rows, " "))
		}
		if red.title {
			notes = append(notes, "the verdict needs the title, which is left readable")
		}
		if want.Rule == nil {
			notes = append(notes, "no rule matched, so nothing says which rows a rule could go by; without --redact they stay readable")
		}
	}
	written := ex.AsWritten()
	got := r.rules.Match(&written)
	right = got.Rule == want.Rule
	if !right {
		notes = append(notes, fmt.Sprintf("written as an example the screen is judged otherwise, by %s: the cursor's place and soft wraps are not kept", ruleName(got)))
	}
	fmt.Fprintf(w, "# %s\n", visible(r.verdict()))
	io.WriteString(w, ex.TOML())
	return notes, right
}

// verdict says in one line how the screen was judged and what an example of it
// is good for.
func (r *explained) verdict() string {
	v := r.rules.Match(&r.final)
	if v.Rule == nil {
		return "no rule matched; put it below the rule that should match"
	}
	what := v.State.String()
	if v.Keep {
		what = "keep"
	}
	if v.Kind != "" {
		what += " (" + string(v.Kind) + ")"
	}
	return fmt.Sprintf("%s by %s (%s); if that is wrong, put it below the right rule, and here with match = false", what, v.Name, v.At)
}

func ruleName(v detect.Verdict) string {
	if v.Rule == nil {
		return "no rule"
	}
	return v.Name
}

// matched lists the rows that the winning rule's patterns begin in. What only
// came near is no reason to show a row.
func (r *explained) matched() map[int]bool {
	rows := map[int]bool{}
	for _, t := range r.rules.Explain(&r.final) {
		if t.Wins && t.Row >= 0 {
			rows[t.Row] = true
		}
	}
	return rows
}
