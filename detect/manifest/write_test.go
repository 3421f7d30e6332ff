package manifest

import (
	"slices"
	"testing"

	"fwrap/detect"
)

// TestExampleTOML: what is written is read as the same.
func TestExampleTOML(t *testing.T) {
	for _, c := range []struct {
		name string
		s    detect.Snapshot
	}{
		{"plain", detect.Snapshot{Cols: 20, Rows: []string{"", "  Shall I?", "❯ 1. Yes", "", ""}}},
		{"title", detect.Snapshot{Cols: 20, Rows: []string{"Shall I?"}, Title: `✳ a "b" \ c` + "\t\x7f", Alt: true}},
		{"progress", detect.Snapshot{Cols: 20, Rows: []string{"Shall I?"}, Progress: detect.Progress{State: 1, Percent: 40}}},
		{"spins", detect.Snapshot{Cols: 20, Rows: []string{"Shall I?"}, Progress: detect.Progress{State: 3}}},
		{"quotes", detect.Snapshot{Cols: 20, Rows: []string{`''' Shall I? """`, `a\b "c"`, "\tx\x01"}}},
		{"apostrophe at the end", detect.Snapshot{Cols: 20, Rows: []string{"Shall I? '"}}},
		{"wide", detect.Snapshot{Cols: 10, Rows: []string{"漢字 Shall I?", "🍎"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Example{Match: true, Screen: c.s, Origin: "https://example.org/1"}
			text := "[[rules]]\nstate = \"blocked\"\nany = ['Shall I']\n" + e.TOML()
			m, err := Load("x.toml", []byte(text))
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			got := m.Examples[0]
			want := e.AsWritten()
			if !slices.Equal(got.Screen.Rows, c.s.Rows) || !slices.Equal(want.Rows, c.s.Rows) {
				t.Errorf("rows %q, want %q", got.Screen.Rows, c.s.Rows)
			}
			if got.Screen.Title != c.s.Title || got.Screen.Alt != c.s.Alt || got.Screen.Progress != c.s.Progress || got.Screen.Cols != c.s.Cols {
				t.Errorf("got %+v, want %+v", got.Screen, c.s)
			}
			if got.Screen.Cursor != want.Cursor || !got.Match || got.Origin != e.Origin {
				t.Errorf("got %+v", got)
			}
			if f := m.Check(); len(f) > 0 {
				t.Error(f)
			}
		})
	}
}
