package screen

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const captures = "../../testdata/captures"

// recording is one labelled moment of a run: the bytes from the program's start
// to it, and the screen and the title then.
type recording struct {
	name       string
	cols, rows int
	raw        []byte
	screen     string
	title      string // empty: not known
}

// TestCaptures feeds the recordings of real agents: each gives the screen that
// xterm.js drew, and the same one however its bytes are cut.
func TestCaptures(t *testing.T) {
	for i, run := range runs(recordings(t)) {
		if i%sample != 0 {
			continue
		}
		t.Run(run[0].name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{len(run[len(run)-1].raw), 4096, 64, 1} {
				replay(t, run, n)
			}
		})
	}
}

// recordings reads all that testdata/captures has.
func recordings(t *testing.T) (all []recording) {
	t.Helper()
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
		r := recording{name: f[0], title: f[7]}
		if _, err := fmt.Sscanf(f[3], "%dx%d", &r.cols, &r.rows); err != nil {
			t.Fatalf("truth.tsv:%d: size %q: %v", i+1, f[3], err)
		}
		name := filepath.Join(captures, strings.TrimSuffix(f[0], ".raw"))
		delete(unseen, name)
		r.raw = read(t, name+".raw.gz")
		r.screen = plain(string(read(t, name+".screen.txt.gz")))
		all = append(all, r)
	}
	for name := range unseen {
		t.Errorf("%s.raw.gz is not in truth.tsv", name)
	}
	return all
}

// runs puts together recordings that begin with one another, the shortest
// first: most are moments of one run.
func runs(all []recording) (runs [][]recording) {
	slices.SortStableFunc(all, func(a, b recording) int { return len(a.raw) - len(b.raw) })
next:
	for _, r := range all {
		for i, run := range runs {
			last := run[len(run)-1]
			if last.cols == r.cols && last.rows == r.rows && bytes.HasPrefix(r.raw, last.raw) {
				runs[i] = append(run, r)
				continue next
			}
		}
		runs = append(runs, []recording{r})
	}
	return runs
}

// replay feeds a run in slices of n bytes and looks at each of its moments.
func replay(t *testing.T, run []recording, n int) {
	s := New(run[0].cols, run[0].rows)
	done := 0
	for _, r := range run {
		feed(s, r.raw[done:], n)
		done = len(r.raw)
		// Some end within an update, of which xterm.js had drawn what there was.
		snap := s.live()
		if got := plain(strings.Join(snap.Rows, "\n")); got != r.screen {
			t.Fatalf("%s by %d bytes:\n%s\nwant:\n%s", r.name, n, got, r.screen)
		}
		if r.title != "" && snap.Title != r.title {
			t.Errorf("%s by %d bytes: the title is %q, want %q", r.name, n, snap.Title, r.title)
		}
	}
	if s.Resets() != 0 {
		t.Errorf("the emulator panicked: %s", s.Fault())
	}
}
