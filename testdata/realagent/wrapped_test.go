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

// glyph is the condition that the title begins with the state's glyph. A beat
// without a kind accepts each glyph of its state.
func glyph(b beat) func(detect.Snapshot) bool {
	kinds := []detect.Kind{b.kind}
	if b.kind == "" {
		kinds = append(kinds, detect.Kinds[b.state]...)
	}
	return func(s detect.Snapshot) bool {
		for _, k := range kinds {
			if g := notify.Unicode().Of(detect.Status{State: b.state, Kind: k}); strings.HasPrefix(s.Title, g) {
				return true
			}
		}
		return false
	}
}

// TestScenes plays every scene through fwrap: at each moment the title has the
// glyph of the state that the agent is in.
func TestScenes(t *testing.T) {
	for _, sc := range scenes {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			sc.run(t, func(t *testing.T, h agents.Home, opt ptyrun.Options, args []string) *ptyrun.Program {
				p, _ := wrapped(t, h, opt, nil, args)
				return p
			}, func(p *ptyrun.Program, b beat) {
				p.Until(fmt.Sprintf("title of %s %s while the screen shows %q", b.state, b.kind, b.shows), 10*time.Second, glyph(b))
			})
		})
	}
}
