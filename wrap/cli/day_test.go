package cli

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/detect/screen"
	"fwrap/notify"
)

// truths reads what is true in every labelled moment of the recordings.
func truths(t *testing.T) map[string]detect.State {
	t.Helper()
	b, err := os.ReadFile("../../testdata/captures/truth.tsv")
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]detect.State{
		"working": detect.Working, "blocked": detect.Blocked, "idle": detect.Idle, "none": detect.None,
	}
	m := map[string]detect.State{}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if s, ok := states[f[4]]; ok {
			m[strings.TrimSuffix(f[0], ".raw")] = s
		}
	}
	return m
}

// told is a question of which the person was told, in a recording's own time
// with the holds in it.
type told struct {
	at   time.Duration
	text string
}

// TestDayFromRecordings has a person sit through recordings of real sessions,
// on a virtual clock. At every labelled moment they are away for a time: for an
// instant, for half a minute, for longer than the cooldown. Who is away long
// while the agent waits has been told, once, and it is still on their desktop;
// nobody is ever told of a question where there is none, and what was told is
// taken away when it is over.
func TestDayFromRecordings(t *testing.T) {
	truth := truths(t)
	m, err := newCatalog("").load("claude")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../testdata/captures/claude/*/*.cast.gz")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	holds := []time.Duration{50 * time.Millisecond, 35 * time.Second, 90 * time.Second}
	prompts, long := 0, 0
	for i, file := range files {
		if testing.Short() && i%10 != 0 {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "../../testdata/captures/"), ".cast.gz")
		hold := holds[i%len(holds)]
		r, head := replayOf(t, file)
		scr := screen.New(head.Width, head.Height)
		p := newReplay(nil, m, scr, explainOptions{})
		var shown []told
		up := map[int]notify.Event{} // 1 at most
		p.act = func(now time.Time, a notify.Action) {
			if a.Op == notify.Close {
				delete(up, a.ID)
				return
			}
			clear(up)
			up[a.ID] = a.Event
			if a.Event == notify.NeedsYou {
				shown = append(shown, told{now.Sub(replayStart), a.Status.Question.Text})
			}
		}
		var shift time.Duration // by the holds so far
		var lastKey time.Duration
		var before, since int        // questions told before the last key
		var from, to []time.Duration // where there was no question
		for {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			e.At += shift
			p.event(e)
			if e.Code == cast.Input {
				lastKey, before = e.At, len(shown)
			}
			label, _, _ := strings.Cut(e.Data, ":")
			state, known := truth[name+"--"+label]
			if e.Code != cast.Marker || !known {
				continue
			}
			p.to(e.At + hold)
			shift += hold
			since = len(shown) - before
			where := fmt.Sprintf("%s, %s, %v after %v", name, label, hold, e.At.Round(time.Millisecond))
			waiting := false
			for _, ev := range up {
				waiting = waiting || ev == notify.NeedsYou
			}
			switch {
			case state == detect.Blocked:
				prompts++
				if since > 1 {
					t.Errorf("%s: told %d times since the last key at %v: %v", where, since, lastKey, shown[before:])
				}
				if hold > 30*time.Second {
					long++
					if !waiting {
						t.Errorf("%s: the agent waits and nobody is told\n%s", where, strings.Join(scr.Snapshot().Rows, "\n"))
					}
				}
			case hold > time.Second:
				from, to = append(from, e.At), append(to, e.At+hold)
				if waiting {
					t.Errorf("%s: %v, and the person is still told of a question", where, state)
				}
			}
		}
		for _, s := range shown {
			for j := range from {
				if s.at > from[j] && s.at <= to[j] {
					t.Errorf("%s: told of %q at %v, where there is no question", name, s.text, s.at)
				}
			}
		}
	}
	t.Logf("%d recordings, %d moments at which an agent waits, %d of them for long", len(files), prompts, long)
	if !testing.Short() && long < 25 {
		t.Errorf("only %d prompts were waited for", long)
	}
}

// replayOf opens a recording.
func replayOf(t *testing.T, file string) (*cast.Reader, cast.Header) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	r, err := cast.NewReader(z)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r, r.Header
}
