package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"fwrap/detect/manifest"
	"fwrap/detect/screen"
	"fwrap/notify"
)

// TestUnknownScreen: of a screen that no rule knows it is said once, ten
// seconds after its last change, and again only after a rule has known one.
func TestUnknownScreen(t *testing.T) {
	m, err := manifest.Load("mine.toml", []byte(mineRules))
	if err != nil {
		t.Fatal(err)
	}
	a := &app{catalog: newCatalog("")}
	r := newReplay(a, m, screen.New(40, 10), explainOptions{})
	type said struct{ at, stood time.Duration }
	var got []said
	r.unknown = func(stood time.Duration) {
		got = append(got, said{stood: stood, at: r.watch.stuck.from().Add(stood).Sub(replayStart)})
	}
	show := func(at time.Duration, text string) { r.output(at, []byte("\x1b[H\x1b[2J"+text)) }
	show(time.Second, "Working…")
	show(20*time.Second, "Something new")
	show(25*time.Second, "Something new, redrawn")
	show(60*time.Second, "redrawn again")
	show(80*time.Second, "Shall I?")
	show(100*time.Second, "Something new")
	show(105*time.Second, "Working…")
	show(110*time.Second, "Something new")
	r.to(150 * time.Second)
	if len(got) != 2 {
		t.Fatalf("said %v", got)
	}
	for i, want := range []time.Duration{35 * time.Second, 120 * time.Second} {
		if d := got[i].at - want; d < 0 || d > time.Second {
			t.Errorf("said at %v, want %v", got[i].at, want)
		}
		if d := got[i].stood - stuckAfter; d < 0 || d > time.Second {
			t.Errorf("stood for %v", got[i].stood)
		}
	}
}

// TestUnknownScreenLog: the log names the agent and the way on, and holds
// nothing of the screen.
func TestUnknownScreenLog(t *testing.T) {
	var buf bytes.Buffer
	l := newLive(slog.New(slog.NewTextHandler(&buf, nil)), 80, 24, notify.Defaults(), allEvidence)
	l.agent = "mine"
	l.screen.Write([]byte("secret"))
	l.watch.unknown(12 * time.Second)
	if s := buf.String(); !strings.Contains(s, noRule) || !strings.Contains(s, "agent=mine") ||
		!strings.Contains(s, "stood=12s") || !strings.Contains(s, "--make-example") || strings.Contains(s, "secret") {
		t.Errorf("the log has %s", s)
	}
}
