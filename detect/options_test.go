package detect

import (
	"slices"
	"testing"
)

// The last list on the screen is the dialog's.
func TestOptionsAfterList(t *testing.T) {
	option, err := NewPattern(`^ *(?:› )?\d+\. (.+)$`)
	if err != nil {
		t.Fatal(err)
	}
	s := Snapshot{Cols: 60, Rows: []string{
		"  Plan", "  1. Rename the constant", "  2. Run the tests", "  3. Commit", "",
		"  Implement this plan?", "", "  1. Yes", "› 2. No",
	}}
	l := Layout{}
	sc := newScene(&s, &l)
	q := (&Reading{Options: []*Pattern{option}}).read(sc, Whole)
	if want := []string{"Yes", "No"}; !slices.Equal(q.Options, want) {
		t.Errorf("options %q, want %q", q.Options, want)
	}
}
