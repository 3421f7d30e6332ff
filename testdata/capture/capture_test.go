package capture

import (
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fwrap/detect/cast"
)

func recording(events ...cast.Event) Recording {
	return Recording{Header: cast.Header{Width: 20, Height: 4}, Events: events}
}

func out(at float64, s string) cast.Event {
	return cast.Event{At: time.Duration(at * float64(time.Second)), Code: cast.Output, Data: s}
}

// plain draws text that needs no emulator.
func plain(raw []byte, _, _ int) (string, error) { return string(raw), nil }

func read(t *testing.T, dir, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAdd(t *testing.T) {
	dir := t.TempDir()
	c := Collection{Dir: dir, Draw: plain, Private: []string{"/home/me"}}
	other := "x/1/other--a.raw\tx\t1\t20x4\tidle\t\t\t\n"
	if err := os.WriteFile(filepath.Join(dir, "truth.tsv"), []byte("file\n"+other), 0o644); err != nil {
		t.Fatal(err)
	}
	r := recording(out(1, "\x1b]2;busy\aa"), out(2, "b /tmp/xyz"), out(3, "c"))
	r.Mark(2500*time.Millisecond, "ask: blocked question the note")
	r.Mark(9*time.Second, "end: idle")
	r.Mark(1500*time.Millisecond, "fwrap: working, by x/y")
	if err := r.Replace("/tmp/xyz", "/work/ab"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time takes the first one's place
		if err := c.Add("x", "1.0", "run", r); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := read(t, dir, "x/1.0/run--ask.raw.gz"), "\x1b]2;busy\aab /work/ab"; got != want {
		t.Errorf("raw %q, want %q", got, want)
	}
	if got := read(t, dir, "x/1.0/run--end.screen.txt.gz"); !strings.HasSuffix(got, "abc") {
		t.Errorf("screen %q", got)
	}
	if got := read(t, dir, "x/1.0/run.cast.gz"); !strings.Contains(got, `[2.500000, "m", "ask: blocked question the note"]`) || strings.Contains(got, "fwrap") {
		t.Errorf("cast %s", got)
	}
	table, _ := os.ReadFile(filepath.Join(dir, "truth.tsv"))
	want := "file\n" + other +
		"x/1.0/run--ask.raw\tx\t1.0\t20x4\tblocked\tquestion\tthe note\tbusy\n" +
		"x/1.0/run--end.raw\tx\t1.0\t20x4\tidle\t\t\tbusy\n"
	if string(table) != want {
		t.Errorf("table\n%s\nwant\n%s", table, want)
	}
}

func TestAddRefuses(t *testing.T) {
	mark := func(at float64, s string) cast.Event {
		return cast.Event{At: time.Duration(at * float64(time.Second)), Code: cast.Marker, Data: s}
	}
	for _, c := range []struct {
		name, agent string
		r           Recording
		draw        Draw
		want        string
	}{
		{"no moment", "x", recording(out(1, "a")), plain, "no labelled moment"},
		{"twice", "x", recording(out(1, "a"), mark(1, "a: idle"), mark(2, "a: idle")), plain, "twice"},
		{"no state", "x", recording(out(1, "a"), mark(1, "a: busy")), plain, "busy"},
		{"no label", "x", recording(out(1, "a"), mark(1, "idle")), plain, "is not LABEL"},
		{"private", "x", recording(out(1, "in /home/me"), mark(1, "a: idle")), plain, "must not be published"},
		{"resized", "x", recording(out(1, "a"), cast.Event{At: 1, Code: cast.Resize, Data: "30x5"}, mark(1, "a: idle")), plain, "change of the size"},
		{"path", "../x", recording(out(1, "a"), mark(1, "a: idle")), plain, "no name"},
		{"draw", "x", recording(out(1, "a"), mark(1, "a: idle")), func([]byte, int, int) (string, error) { return "", io.ErrNoProgress }, io.ErrNoProgress.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			col := Collection{Dir: dir, Draw: c.draw, Private: []string{"/home/me"}}
			if err := col.Add(c.agent, "1", "run", c.r); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "truth.tsv")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("something was written")
			}
		})
	}
	if err := new(Recording).Replace("abc", "ab"); err == nil {
		t.Error("texts of different lengths were taken")
	}
}
