package screen

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRepros feeds what other emulators are known to draw wrongly, see
// testdata/emulator/README.md.
func TestRepros(t *testing.T) {
	files, err := filepath.Glob("../../testdata/emulator/repros/*.raw")
	if err != nil || len(files) == 0 {
		t.Fatal("no repros", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".raw")
		t.Run(name, func(t *testing.T) {
			raw := read(t, file)
			want := plain(string(read(t, strings.TrimSuffix(file, ".raw")+".expected.txt")))
			for _, n := range []int{len(raw), 1} {
				s := New(120, 32)
				feed(s, raw, n)
				if got := plain(text(s)); got != want {
					t.Errorf("by %d bytes:\n%s\nwant:\n%s", n, got, want)
				}
				if s.Resets() != 0 {
					t.Errorf("the emulator panicked: %s", s.Fault())
				}
			}
		})
	}
}
