package cli

import (
	"strings"

	"fwrap/detect"
)

// still is a screen that does not move: a text file shown as a terminal would
// hold it. It stands in for the emulator when explain reads a .txt.
type still struct{ s detect.Snapshot }

func newStill(text []byte, cols, rows int, title string) *still {
	lines := strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > rows {
		lines = lines[len(lines)-rows:]
	}
	s := detect.Snapshot{Cols: cols, Rows: make([]string, rows), Title: title}
	for i, l := range lines {
		s.Rows[i] = strings.TrimRight(strings.TrimSuffix(l, "\r"), " ")
	}
	return &still{s}
}

func (t *still) Write([]byte)              {}
func (t *still) Resize(int, int)           {}
func (t *still) Snapshot() detect.Snapshot { return t.s }
func (t *still) Synchronized() bool        { return false }
