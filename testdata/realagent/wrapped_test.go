package realagent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/notify"
	"fwrap/testdata/agents"
	"fwrap/testdata/notifyspy"
	"fwrap/testdata/ptyrun"
)

// wrapped starts Claude Code through fwrap, with a session bus of its own.
// fwrap's log is shown when the test fails.
func wrapped(t *testing.T, h agents.Home, opt ptyrun.Options, flags, args []string) (*ptyrun.Program, *notifyspy.Bus) {
	t.Helper()
	bus, err := notifyspy.Start(filepath.Dir(h.Dir), notifyspy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	log := filepath.Join(h.Dir, "fwrap.log")
	opt.Env = append(opt.Env, "DBUS_SESSION_BUS_ADDRESS="+bus.Address(), "FWRAP_LOG="+log)
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, c := range bus.Calls() {
			t.Logf("bus: %s %s id=%d replaces=%d %q %q", c.At.Format("15:04:05.000"), c.Method, c.ID, c.Replace, c.Summary, c.Body)
		}
		b, _ := os.ReadFile(log)
		t.Logf("fwrap's log:\n%s", b)
	})
	argv := append([]string{fwrapBin}, flags...)
	argv = append(append(argv, agents.Bin(t, "claude")), args...)
	return ptyrun.Start(t, opt, argv...), bus
}

// marks are the glyphs of the title, by what they say.
var marks = func() map[string]string {
	g := notify.Unicode()
	return map[string]string{
		g.Working: "working", g.Background: "background", g.Compacting: "compacting",
		g.Permission: "permission", g.Question: "question", g.Blocked: "blocked",
		g.Idle: "idle", g.Failed: "failed",
	}
}()

// mark returns what the title's glyph says; the empty string if it has none.
func mark(s detect.Snapshot) string {
	first, _, _ := strings.Cut(s.Title, " ")
	return marks[first]
}

// mark returns what the title's glyph has to say at a beat.
func (b beat) mark() string {
	return marks[notify.Unicode().Of(detect.Status{State: b.state, Kind: b.kind})]
}

// TestScenes plays every scene through fwrap. At each beat the title has the
// glyph of the state that the agent is in, and over the whole scene it has
// shown nothing else: no dialog where there was none, no end before the end.
func TestScenes(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			var p *ptyrun.Program
			sc.run(t, func(t *testing.T, h agents.Home, opt ptyrun.Options, args []string) *ptyrun.Program {
				p, _ = wrapped(t, h, opt, nil, args)
				return p
			}, func(p *ptyrun.Program, b beat) {
				p.Until(fmt.Sprintf("title that says %s while the screen shows %q", b.mark(), b.shows), 10*time.Second,
					func(s detect.Snapshot) bool { return mark(s) == b.mark() })
			})
			var got []string
			for _, m := range p.History(mark) {
				got = append(got, m.Value)
			}
			if got[0] == "" { // before the first title
				got = got[1:]
			}
			path := strings.Join(got, " → ")
			t.Log(path)
			if !fits(got, sc.beats) {
				t.Errorf("the title said %s", path)
			}
		})
	}
}

// fits reports whether the marks are what the beats say and nothing else:
// idle before the first prompt, then the beats in their order, and between
// them nothing but work.
func fits(marks []string, beats []beat) bool {
	if len(marks) > 0 && marks[0] == "idle" {
		marks = marks[1:]
	}
	current := ""
	for _, b := range beats {
		n := 0
		for n < len(marks) && marks[n] != b.mark() && (marks[n] == "working" || marks[n] == "background") {
			n++
		}
		switch {
		case n < len(marks) && marks[n] == b.mark():
			current, marks = b.mark(), marks[n+1:]
		case current != b.mark(): // or the same state goes on
			return false
		}
	}
	return len(marks) == 0
}

func TestFits(t *testing.T) {
	perm := beat{state: detect.Blocked, kind: detect.Permission}
	work, idle := beat{state: detect.Working}, beat{state: detect.Idle}
	for _, c := range []struct {
		marks string
		beats []beat
		want  bool
	}{
		{"idle working idle", []beat{idle}, true},
		{"idle working permission working idle", []beat{perm, work, idle}, true},
		{"idle working permission idle", []beat{perm, perm, idle}, true},
		{"idle working permission working permission idle", []beat{perm, perm, idle}, true},
		{"idle working permission working idle", []beat{idle}, false},
		{"idle working idle working idle", []beat{idle}, false},
		{"idle working idle permission idle", []beat{perm, idle}, false},
		{"idle working  working idle", []beat{idle}, false},
		{"idle working", []beat{idle}, false},
		{"idle working permission idle permission", []beat{perm, idle}, false},
	} {
		if got := fits(strings.Split(c.marks, " "), c.beats); got != c.want {
			t.Errorf("%q: %v, want %v", c.marks, got, c.want)
		}
	}
}
