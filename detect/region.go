package detect

import "fmt"

// Region is what a rule's patterns look at. Regions are anchored on what the
// agent draws, never on a count of rows: a status line may have nine of them,
// and of a dialog in a small window only the end is there.
type Region uint8

const (
	Whole       Region = iota // every row
	Title                     // the window title; see [Rule.onTitle]
	ProgressBar               // OSC 9;4: "none", "normal 40", "error 40", "indeterminate", "paused 40"
	InBox                     // the rows of the input box
	AboveBox                  // the rows above the input box
	LastItem                  // the last item of the conversation above the input box
	BelowBox                  // the rows below the input box: hints, a status line, lists
	Dialog                    // the block at the end of the screen where no input box is
	LastBlock                 // the last rows that no blank row parts
	AtCursor                  // the cursor's row
	regions
)

var regionNames = [regions]string{
	Whole: "whole", Title: "title", ProgressBar: "progress", InBox: "box", AboveBox: "above", LastItem: "item",
	BelowBox: "below", Dialog: "dialog", LastBlock: "last", AtCursor: "cursor",
}

// String returns the region's name as manifests spell it.
func (r Region) String() string {
	if r < regions {
		return regionNames[r]
	}
	return fmt.Sprintf("region(%d)", uint8(r))
}

// ParseRegion returns the region of a name.
func ParseRegion(name string) (Region, bool) {
	for r, n := range regionNames {
		if n == name {
			return Region(r), true
		}
	}
	return Whole, false
}

// RegionNames lists the names that manifests may use.
func RegionNames() []string { return regionNames[:] }

// Layout says how the parts of an agent's screen look.
type Layout struct {
	Boxes []Box // the lowest one on the screen is the input box
	// Separators are rows that part the block at the end of the screen from
	// what is above it. One below the input box means that the box is a
	// leftover that something else was drawn under.
	Separators []*Pattern
	// Inside are rows that a separator right above them does not part off.
	Inside []*Pattern
	// Items are rows at which an item of the conversation begins. Without any,
	// every row that begins in the first column is one.
	Items []*Pattern
	// Trailing are rows at the screen's end that do not count as a part of the
	// dialog: a spinner that still turns below it.
	Trailing []*Pattern
}

// Box is one form of the agent's input box.
type Box struct {
	Top    *Pattern // the row right above the prompt's; nil: there is none
	Prompt *Pattern // the row with the prompt
	Bottom *Pattern // the row that ends the box; nil: the prompt's row ends it
	Not    *Pattern // a prompt row that this matches is none (an option of a menu)
	// Leftover says of a row below the box that the box is not the agent's: it
	// is a message sent before, drawn like the box, or something else was drawn
	// under it. nil: the lowest box is the agent's.
	Leftover *Pattern
}

// span is the rows first to end-1 of a screen.
type span struct{ first, end int }

func (s span) empty() bool { return s.first >= s.end }

// noBox says that there is no input box on the screen.
var noBox = span{-1, -1}

// findBox returns the rows of the lowest input box, its borders included.
func (l *Layout) findBox(rows []string) span {
	for y := len(rows) - 1; y >= 0; y-- {
		if rows[y] == "" {
			continue
		}
		for i := range l.Boxes {
			if b, ok := l.Boxes[i].at(rows, y); ok {
				return b
			}
		}
	}
	return noBox
}

// at returns the box whose prompt is in row y.
func (b *Box) at(rows []string, y int) (span, bool) {
	if !b.Prompt.match(rows[y]) || b.Not != nil && b.Not.match(rows[y]) {
		return noBox, false
	}
	box := span{y, y + 1}
	if b.Top != nil {
		if y == 0 || !b.Top.match(rows[y-1]) {
			return noBox, false
		}
		box.first--
	}
	if b.Bottom != nil {
		e := y + 1
		for e < len(rows) && !b.Bottom.match(rows[e]) {
			e++
		}
		if e == len(rows) {
			return noBox, false
		}
		box.end = e + 1
	}
	if b.Leftover != nil {
		for _, row := range rows[box.end:] {
			if row != "" && b.Leftover.match(row) {
				return noBox, false
			}
		}
	}
	return box, true
}

// lastSeparator returns the row of the lowest separator that has something
// below it, or -1.
func (l *Layout) lastSeparator(rows []string) int {
	if len(l.Separators) == 0 {
		return -1
	}
	for y := len(rows) - 1; y >= 0; y-- {
		if rows[y] == "" || !matchAny(l.Separators, rows[y]) {
			continue
		}
		if y+1 == len(rows) || matchAny(l.Inside, rows[y+1]) {
			continue
		}
		return y
	}
	return -1
}

// isItem reports whether an item of the conversation begins in row.
func (l *Layout) isItem(row string) bool {
	if len(l.Items) == 0 {
		return row != "" && row[0] != ' '
	}
	return row != "" && matchAny(l.Items, row)
}

func matchAny(list []*Pattern, text string) bool {
	for _, p := range list {
		if p.match(text) {
			return true
		}
	}
	return false
}
