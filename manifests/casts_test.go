package manifests_test

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/detect/manifest"
	"fwrap/detect/screen"
)

// sweep is the longest that a screen under continuous output goes unseen.
const sweep = 700 * time.Millisecond

// change is a status and when it began.
type change struct {
	at time.Duration
	detect.Status
}

// moment is a labelled moment of a recording.
type moment struct {
	at    time.Duration
	label string
	state string // what is true
	found detect.Status
}

// run is what a timeline made of a recording.
type run struct {
	changes []change // of state or kind
	moments []moment
	keys    []time.Duration
	end     time.Duration
	looks   int
}

// replay runs a recording on its own times, as a live session runs, from the
// screen alone.
func replay(t *testing.T, m *manifest.Manifest, data []byte, truth map[string]string) run {
	t.Helper()
	r, err := cast.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	base := time.Unix(1e9, 0)
	tl := detect.New(detect.Config{Screen: screen.New(r.Header.Width, r.Header.Height), Rules: m.Rules})
	tl.Alive(base, true)
	var out run
	note := func(at time.Time) {
		s := tl.Status()
		// A moment may be labelled in the instant in which the screen shows it.
		if n := len(out.moments); n > 0 {
			m := &out.moments[n-1]
			typed := len(out.keys) > 0 && out.keys[len(out.keys)-1] > m.at
			if m.found.State.String() != m.state && !typed && at.Sub(base)-m.at <= sweep {
				m.found = s
			}
		}
		if n := len(out.changes); n == 0 || out.changes[n-1].State != s.State || out.changes[n-1].Kind != s.Kind {
			out.changes = append(out.changes, change{at.Sub(base), s})
		}
	}
	until := func(end time.Time) {
		for {
			next, ok := tl.Next()
			if !ok || next.After(end) {
				return
			}
			tl.Tick(next)
			out.looks++
			note(next)
		}
	}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		at := base.Add(e.At)
		until(at)
		out.end = e.At
		switch e.Code {
		case cast.Output:
			tl.Write(at, []byte(e.Data))
			note(at)
		case cast.Resize:
			if cols, rows, err := e.Size(); err == nil {
				tl.Resize(at, cols, rows)
			}
		case cast.Input:
			out.keys = append(out.keys, e.At)
		case cast.Marker:
			label, _, _ := strings.Cut(e.Data, ":")
			if state, ok := truth[label]; ok {
				out.moments = append(out.moments, moment{e.At, label, state, tl.Status()})
			}
		}
	}
	until(base.Add(out.end + 10*time.Second))
	return out
}

// TestCasts replays whole recordings: right at every labelled moment, and
// between two of them no alarm that neither has unless it was answered, no
// other state that lasts unless the person typed, and no flapping.
func TestCasts(t *testing.T) {
	for _, agent := range agents(t) {
		m := load(t, agent)
		truths := map[string]map[string]string{} // recording → label → state
		for _, c := range captures(t, agent) {
			name, label, ok := strings.Cut(c.Name, "--")
			if !ok {
				continue
			}
			if truths[name] == nil {
				truths[name] = map[string]string{}
			}
			truths[name][label] = c.State
		}
		files, err := filepath.Glob(filepath.Join(captureDir, agent, "*", "*.cast.gz"))
		if err != nil {
			t.Fatal(err)
		}
		var length time.Duration
		moments, looks, flips := 0, 0, 0
		for i := 0; i < len(files); i += sample {
			file := files[i]
			name, _ := filepath.Rel(captureDir, strings.TrimSuffix(file, ".cast.gz"))
			r := replay(t, m, unzip(t, file), truths[filepath.ToSlash(name)])
			length += r.end
			moments += len(r.moments)
			looks += r.looks
			for i := 1; i < len(r.changes); i++ {
				if r.changes[i].State != r.changes[i-1].State {
					flips++
				}
			}
			for _, p := range r.moments {
				if p.found.State.String() != p.state {
					t.Errorf("%s at %s (%s): %s by %s, want %s", name, p.at, p.label, p.found.State, p.found.Rule, p.state)
				}
			}
			for i := 1; i < len(r.moments); i++ {
				for _, msg := range r.between(r.moments[i-1], r.moments[i]) {
					t.Errorf("%s between %s and %s: %s", name, r.moments[i-1].label, r.moments[i].label, msg)
				}
			}
		}
		t.Logf("%s: %d recordings of %s, %d moments, %d looks, %d changes of state", agent, len(files), length.Round(time.Second), moments, looks, flips)
	}
}

// between returns what is odd between two moments.
func (r *run) between(a, b moment) []string {
	const blink = 300 * time.Millisecond
	typed := slices.ContainsFunc(r.keys, func(k time.Duration) bool { return a.at-blink < k && k < b.at })
	var out []string
	flips := 0
	for i, c := range r.changes {
		end := r.end
		if i+1 < len(r.changes) {
			end = r.changes[i+1].at
		}
		from, to := max(c.at, a.at), min(end, b.at)
		if to <= from {
			continue
		}
		state := c.State.String()
		if c.at > a.at && i > 0 && r.changes[i-1].State != c.State {
			flips++
		}
		if state == a.state || state == b.state {
			continue
		}
		// Some recordings go through more dialogs than have labels.
		answered := slices.ContainsFunc(r.keys, func(k time.Duration) bool { return from < k && k <= to })
		// One that was there before and went at once is the eye's delay.
		lags := c.at <= a.at && to-from <= blink
		if state == "blocked" && !answered && !lags || state != "blocked" && to-from > blink && !typed && !(state == "working" && a.state == "blocked") {
			out = append(out, state+" by "+c.Rule+" from "+from.String()+" to "+to.String())
		}
	}
	if flips > 2 && !typed {
		out = append(out, "the state flaps")
	}
	return out
}
