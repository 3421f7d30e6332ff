package realagent

import (
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/testdata/agents"
	"fwrap/testdata/mockapi"
	"fwrap/testdata/notifyspy"
	"fwrap/testdata/ptyrun"
)

// notices returns the calls that put something on the person's desktop.
func notices(bus *notifyspy.Bus) []notifyspy.Call {
	var list []notifyspy.Call
	for _, c := range bus.Calls() {
		if c.Method == "Notify" {
			list = append(list, c)
		}
	}
	return list
}

// waitNotices waits until n notices have come.
func waitNotices(t *testing.T, p *ptyrun.Program, bus *notifyspy.Bus, n int, limit time.Duration) []notifyspy.Call {
	t.Helper()
	if !bus.Wait(limit, func() bool { return len(notices(bus)) >= n }) {
		t.Fatalf("%d notices within %v, want %d\n%s", len(notices(bus)), limit, n, p.Describe())
	}
	return notices(bus)
}

// quiet waits, and fails if a notice comes beyond the n that there are.
func quiet(t *testing.T, bus *notifyspy.Bus, n int, during time.Duration) {
	t.Helper()
	if bus.Wait(during, func() bool { return len(notices(bus)) > n }) {
		t.Fatalf("a notice too many: %q", notices(bus)[n].Summary)
	}
}

// TestNotified is what fwrap is for: a person works in another window, is told
// once when Claude Code asks for a permission, not again once they have
// answered, and once when it has finished.
func TestNotified(t *testing.T) {
	t.Parallel()
	api, err := mockapi.Start("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	// The turn is long enough after the answer to be worth telling of its end.
	api.Handle("errand", func(turn mockapi.Turn) []mockapi.Block {
		if turn.Step == 0 {
			return []mockapi.Block{mockapi.Tool{Name: "Bash", Input: map[string]any{
				"command": "curl http://127.0.0.1:1/status", "description": "Ask the server"}}}
		}
		return []mockapi.Block{mockapi.Pause(7 * time.Second), mockapi.Text{S: "The errand is done."}}
	})
	h := agents.Claude{API: api.URL, Project: "orchard"}.Home(t)
	p, bus := wrapped(t, h, ptyrun.Options{Dir: h.Project, Env: h.Env, Terminal: ptyrun.Xterm{}},
		nil, []string{"--permission-mode", "manual"})
	p.Settled("prompt after the start", 500*time.Millisecond, limit, ptyrun.Matches(ready))
	started := time.Now()
	ask(p, "SCN:errand please")

	dialog := ptyrun.Matches("Do you want to proceed")
	p.Until("permission dialog", limit, dialog)
	told := waitNotices(t, p, bus, 1, 10*time.Second)[0]
	drawn, ok := p.First(started, dialog)
	if !ok {
		t.Fatal("the dialog is not in the recording")
	}
	late := told.At.Sub(drawn)
	t.Logf("told %v after the dialog was drawn: %q %q", late.Round(time.Millisecond), told.Summary, told.Body)
	if late > 2*time.Second || late < 0 {
		t.Errorf("told %v after the dialog was drawn; want within 2 s", late)
	}
	text := told.Summary + "\n" + told.Body
	for _, want := range []string{"orchard", "curl http://127.0.0.1:1/status"} {
		if !strings.Contains(text, want) {
			t.Errorf("the notice does not name %q: %q", want, text)
		}
	}
	if got := mark(p.Screen()); got != "permission" {
		t.Errorf("the title %q says %q", p.Screen().Title, got)
	}

	p.Held("dialog that stands", attentive, limit, dialog)
	p.Send(enter)
	p.Until("end of the dialog", limit, ptyrun.Not(dialog))
	if !bus.Wait(5*time.Second, func() bool { return len(bus.Shown()) == 0 }) {
		t.Errorf("the notice is still shown after the answer")
	}
	p.Until("end of the turn", limit, ptyrun.Shows("The errand is done."))
	all := waitNotices(t, p, bus, 2, 10*time.Second)
	ended, _ := p.First(started, func(s detect.Snapshot) bool { return ptyrun.Shows("The errand is done.")(s) && mark(s) == "idle" })
	t.Logf("told %v after the title said so: %q %q", all[1].At.Sub(ended).Round(time.Millisecond), all[1].Summary, all[1].Body)
	if text := all[1].Summary + "\n" + all[1].Body; !strings.Contains(text, "orchard") {
		t.Errorf("the second notice does not name the project: %q", text)
	}
	quiet(t, bus, 2, 4*time.Second)
}

// TestDesktopGone: a notification daemon that hangs, or a bus that takes
// connections and never answers, is not noticed by the person who works.
func TestDesktopGone(t *testing.T) {
	for _, mode := range []notifyspy.Mode{notifyspy.Hang, notifyspy.Mute, notifyspy.Trap} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			api, err := mockapi.Start("127.0.0.1:0", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer api.Close()
			h := agents.Claude{API: api.URL}.Home(t)
			dir := t.TempDir()
			bus, err := notifyspy.Start(dir, notifyspy.Options{Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			defer bus.Close()
			opt := ptyrun.Options{Dir: h.Project, Terminal: ptyrun.Xterm{},
				Env: append(h.Env, "DBUS_SESSION_BUS_ADDRESS="+bus.Address())}
			p := ptyrun.Start(t, opt, fwrapBin, agents.Bin(t, "claude"), "--permission-mode", "manual")
			p.Settled("prompt after the start", 500*time.Millisecond, limit, ptyrun.Matches(ready))
			ask(p, "SCN:bash_curl please")
			dialog := ptyrun.Matches("Do you want to proceed")
			p.Held("permission dialog", 3*time.Second, limit, dialog) // long enough to be told
			p.Send(enter)
			p.Until("end of the turn", limit, ptyrun.Shows("I am done"))
			p.Until("title that says idle", 10*time.Second, func(s detect.Snapshot) bool { return mark(s) == "idle" })
			ask(p, "/exit")
			if status := p.Wait(10 * time.Second); status != 0 {
				t.Errorf("status %d", status)
			}
			if bus.Clients() == 0 {
				t.Error("the bus was never spoken to, so nothing was tried")
			}
		})
	}
}
