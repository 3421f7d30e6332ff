package report_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/detect/manifest"
	"fwrap/detect/report"
	"fwrap/detect/screen"
	"fwrap/manifests"
	"fwrap/wrap/seq"
)

const captures = "../../testdata/captures/claude-status/2.1.332/"

// moment is a labelled moment: what a person saw.
type moment struct {
	label, state, kind string
	at                 time.Duration
}

// moments reads the labelled moments by scene.
func moments(t testing.TB) map[string][]moment {
	t.Helper()
	data, err := os.ReadFile(captures + "truth.tsv")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]moment{}
	for i, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Split(l, "\t")
		if i == 0 || len(f) < 5 {
			continue
		}
		sec, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		out[f[0]] = append(out[f[0]], moment{f[1], f[3], f[4], time.Duration(sec * float64(time.Second))})
	}
	return out
}

func events(t testing.TB, scene string) (cast.Header, []cast.Event) {
	t.Helper()
	f, err := os.Open(captures + scene + ".cast.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r, err := cast.NewReader(z)
	if err != nil {
		t.Fatal(err)
	}
	var all []cast.Event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Header, all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

// play runs a scene through a timeline and calls see at each moment.
func play(t testing.TB, scene string, rules *detect.Rules, records bool, ms []moment, see func(moment, detect.Status)) {
	t.Helper()
	h, all := events(t, scene)
	tl := detect.New(detect.Config{Screen: screen.New(h.Width, h.Height), Rules: rules})
	start := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	tl.Alive(start, true)
	var prog report.Program
	var sc seq.Scanner
	to := func(at time.Duration) time.Time {
		now := start.Add(at)
		for {
			due, ok := tl.Next()
			if !ok || due.After(now) {
				break
			}
			tl.Tick(due)
		}
		return now
	}
	moment := func(until time.Duration) {
		for len(ms) > 0 && ms[0].at <= until {
			m := ms[0]
			now := to(m.at)
			if m.kind == "exited" {
				// Recordings do not show the process's end.
				tl.Alive(now, false)
			}
			see(m, tl.Status())
			ms = ms[1:]
		}
	}
	for _, e := range all {
		moment(e.At)
		now := to(e.At)
		switch e.Code {
		case cast.Output:
			tl.Write(now, []byte(e.Data))
			for p := []byte(e.Data); records && len(p) > 0; {
				tok, n := sc.Next(p)
				p = p[n:]
				if tok.Kind != seq.OSC || !tok.End || tok.Aborted || tok.Overflow {
					continue
				}
				if num, data, ok := seq.OSCNumber(tok.Body); ok && num == report.ProgramOSC && prog.Take(data) {
					tl.Report(now, prog.Report())
				}
			}
		case cast.Resize:
			if cols, rows, err := e.Size(); err == nil {
				tl.Resize(now, cols, rows)
			}
		}
	}
	moment(1 << 62)
}

func claudeRules(t testing.TB) *detect.Rules {
	t.Helper()
	data, err := manifests.FS.ReadFile("claude.toml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Load("claude.toml", data)
	if err != nil {
		t.Fatal(err)
	}
	return m.Rules
}

// scenes lists the scenes that have labelled moments, in order.
func scenes(ms map[string][]moment) []string {
	var out []string
	for s := range ms {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// The records alone are right at every labelled moment, but for dialogs at the
// start that come before the first record.
func TestRecordsAlone(t *testing.T) {
	holes := map[string]bool{"apikey/dialog": true, "bypass/dialog": true, "mcptrust/dialog": true}
	all := moments(t)
	n := 0
	for _, scene := range scenes(all) {
		play(t, scene, nil, true, all[scene], func(m moment, st detect.Status) {
			n++
			want := m.state
			if m.kind == "exited" || holes[scene+"/"+m.label] {
				want = "none"
			}
			if st.State.String() != want {
				t.Errorf("%s/%s at %v: %v/%s, want %s %s", scene, m.label, m.at, st.State, st.Kind, want, m.kind)
			}
			if want == "blocked" && m.kind != "" && st.Question.Text == "" {
				t.Errorf("%s/%s: blocked without saying why: %+v", scene, m.label, st)
			}
			if kind := blockedKind(m.kind); want == "blocked" && kind != "" && st.Kind != kind {
				t.Errorf("%s/%s: kind %s, want %s", scene, m.label, st.Kind, kind)
			}
		})
	}
	if n < 150 {
		t.Errorf("%d moments", n)
	}
}

// blockedKind is the kind that a label of the recordings means.
func blockedKind(label string) detect.Kind {
	switch k := detect.Kind(label); k {
	case detect.Permission, detect.Ask, detect.Plan, detect.Trust:
		return k
	}
	return ""
}

// With the screen beside the records every moment is right, the holes included.
func TestRecordsAndScreen(t *testing.T) {
	all := moments(t)
	rules := claudeRules(t)
	for _, scene := range scenes(all) {
		play(t, scene, rules, true, all[scene], func(m moment, st detect.Status) {
			want := m.state
			if m.kind == "exited" {
				want = "none"
			}
			if st.State.String() != want {
				t.Errorf("%s/%s at %v: %v/%s (%s %s), want %s %s", scene, m.label, m.at, st.State, st.Kind, st.Source, st.Rule, want, m.kind)
			}
			if strings.HasPrefix(m.kind, "background-agent") && st.Kind != detect.Background {
				t.Errorf("%s/%s: kind %q of a turn whose subagents go on", scene, m.label, st.Kind)
			}
		})
	}
}

// However the query was answered, what was reported is understood, and where
// nothing was, there is no state.
func TestConditions(t *testing.T) {
	files, err := filepath.Glob(captures + "cond-*.cast.gz")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		scene := strings.TrimSuffix(filepath.Base(file), ".cast.gz")
		_, all := events(t, scene)
		var out bytes.Buffer
		for _, e := range all {
			if e.Code == cast.Output {
				out.WriteString(e.Data)
			}
		}
		reported := bytes.Contains(out.Bytes(), []byte("7501;state="))
		heard := false
		end := all[len(all)-1].At
		var at []moment
		for d := time.Duration(0); d < end; d += 250 * time.Millisecond {
			at = append(at, moment{at: d})
		}
		play(t, scene, nil, true, at, func(_ moment, st detect.Status) { heard = heard || st.State != detect.None })
		if heard != reported {
			t.Errorf("%s: reported %v, heard %v", scene, reported, heard)
		}
	}
}
