package ptyrun

import (
	"regexp"
	"strings"

	"fwrap/detect"
	"fwrap/detect/screen"
)

func newScreen(cols, rows int) detect.Screen { return screen.New(cols, rows) }

// Text returns the rows joined by newlines.
func Text(s detect.Snapshot) string { return strings.Join(s.Rows, "\n") }

// Shows is the condition that the text stands on the screen.
func Shows(text string) func(detect.Snapshot) bool {
	return func(s detect.Snapshot) bool { return strings.Contains(Text(s), text) }
}

// Matches is the condition that the regular expression matches the screen's
// rows; ^ and $ are a row's ends.
func Matches(expr string) func(detect.Snapshot) bool {
	re := regexp.MustCompile("(?m)" + expr)
	return func(s detect.Snapshot) bool { return re.MatchString(Text(s)) }
}

// Not is the opposite of a condition.
func Not(cond func(detect.Snapshot) bool) func(detect.Snapshot) bool {
	return func(s detect.Snapshot) bool { return !cond(s) }
}

// All is the condition that all of them hold.
func All(conds ...func(detect.Snapshot) bool) func(detect.Snapshot) bool {
	return func(s detect.Snapshot) bool {
		for _, c := range conds {
			if !c(s) {
				return false
			}
		}
		return true
	}
}

// Title is the condition that the window's title matches.
func Title(expr string) func(detect.Snapshot) bool {
	re := regexp.MustCompile(expr)
	return func(s detect.Snapshot) bool { return re.MatchString(s.Title) }
}
