package screen

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
)

// plain brings a screen to the form in which screens are compared: trailing
// blanks and blank rows trimmed, U+00A0 a space, characters without a width
// left out.
func plain(screen string) string {
	var rows []string
	for row := range strings.SplitSeq(screen, "\n") {
		row = strings.Map(func(r rune) rune {
			switch {
			case r == 0xa0:
				return ' '
			case runeWidth(r) == 0:
				return -1
			}
			return r
		}, row)
		rows = append(rows, strings.TrimRight(row, " "))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// feed writes p in slices of n bytes.
func feed(s *Screen, p []byte, n int) {
	for len(p) > 0 {
		k := min(n, len(p))
		s.Write(p[:k])
		p = p[k:]
	}
}

func text(s *Screen) string { return strings.Join(s.Snapshot().Rows, "\n") }

// read returns the content of a file, uncompressed if its name ends in .gz.
func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if b, err = io.ReadAll(z); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return b
}
