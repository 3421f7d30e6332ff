package manifests_test

import (
	"bytes"
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

// TestDelay measures the time from the output that completes a prompt to the
// state, on every recording that has one.
func TestDelay(t *testing.T) {
	m := load(t, "claude")
	asks := map[string]bool{}
	for _, c := range captures(t, "claude") {
		if name, _, ok := strings.Cut(c.Name, "--"); ok && c.State == "blocked" {
			asks[name] = true
		}
	}
	var delays []time.Duration
	for name := range asks {
		files, _ := filepath.Glob(filepath.Join(captureDir, name+".cast.gz"))
		for _, file := range files {
			delays = append(delays, promptDelays(t, m, unzip(t, file))...)
		}
	}
	if len(delays) < 100 {
		t.Fatalf("%d prompts", len(delays))
	}
	slices.Sort(delays)
	median, longest := delays[len(delays)/2], delays[len(delays)-1]
	t.Logf("%d prompts: median %s, 95th percentile %s, longest %s", len(delays), median, delays[len(delays)*95/100], longest)
	if median >= 120*time.Millisecond || longest > 700*time.Millisecond {
		t.Error("a prompt waits too long")
	}
}

// promptDelays judges the screen after every single write to learn when a
// prompt was there, and compares that with when the timeline said so.
func promptDelays(t *testing.T, m *manifest.Manifest, data []byte) []time.Duration {
	t.Helper()
	r, err := cast.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	scr := screen.New(r.Header.Width, r.Header.Height)
	base := time.Unix(1e9, 0)
	tl := detect.New(detect.Config{Screen: scr, Rules: m.Rules})
	tl.Alive(base, true)
	var out []time.Duration
	var drawn time.Time // since when the screen shows a prompt that is not told
	tell := func(at time.Time) {
		if tl.Status().State == detect.Blocked && !drawn.IsZero() {
			out = append(out, at.Sub(drawn))
			drawn = time.Time{}
		}
	}
	for {
		e, err := r.Next()
		if err != nil {
			return out
		}
		at := base.Add(e.At)
		for next, ok := tl.Next(); ok && !next.After(at); next, ok = tl.Next() {
			tl.Tick(next)
			tell(next)
		}
		if e.Code != cast.Output {
			continue
		}
		tl.Write(at, []byte(e.Data))
		tell(at)
		if tl.Status().State == detect.Blocked {
			continue
		}
		s := scr.Snapshot()
		switch shown := m.Rules.Match(&s).State == detect.Blocked; {
		case !shown:
			drawn = time.Time{}
		case drawn.IsZero():
			drawn = at
		}
	}
}
