package screen

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const captures = "../../testdata/captures"

// TestCaptures feeds the recordings of real agents: each gives the screen that
// xterm.js drew, and the same one however its bytes are cut.
func TestCaptures(t *testing.T) {
	unseen := map[string]bool{}
	err := filepath.WalkDir(captures, func(path string, d fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(path, ".raw.gz"); ok {
			unseen[name] = true
		}
		return err
	})
	if err != nil || len(unseen) == 0 {
		t.Fatal("no captures", err)
	}
	// file, agent, version, size, state, kind, note, title
	for i, row := range strings.Split(strings.TrimRight(string(read(t, captures+"/truth.tsv")), "\n"), "\n") {
		f := strings.Split(row, "\t")
		if i == 0 {
			continue
		}
		if len(f) != 8 {
			t.Fatalf("truth.tsv:%d: %d fields", i+1, len(f))
		}
		var cols, rows int
		if _, err := fmt.Sscanf(f[3], "%dx%d", &cols, &rows); err != nil {
			t.Fatalf("truth.tsv:%d: size %q: %v", i+1, f[3], err)
		}
		name := filepath.Join(captures, strings.TrimSuffix(f[0], ".raw"))
		delete(unseen, name)
		title := f[7]
		t.Run(f[0], func(t *testing.T) {
			t.Parallel()
			capture(t, name, cols, rows, title)
		})
	}
	for name := range unseen {
		t.Errorf("%s.raw.gz is not in truth.tsv", name)
	}
}

func capture(t *testing.T, name string, cols, rows int, title string) {
	raw := read(t, name+".raw.gz")
	want := plain(string(read(t, name+".screen.txt.gz")))
	for _, n := range []int{len(raw), 4096, 64, 1} {
		s := New(cols, rows)
		feed(s, raw, n)
		s.EndSync() // some end within an update, which xterm.js had drawn
		if got := plain(text(s)); got != want {
			t.Fatalf("by %d bytes:\n%s\nwant:\n%s", n, got, want)
		}
		if got := s.Snapshot().Title; title != "" && got != title {
			t.Errorf("by %d bytes the title is %q, want %q", n, got, title)
		}
		if s.Resets() != 0 {
			t.Errorf("the emulator panicked: %s", s.Fault())
		}
	}
}
