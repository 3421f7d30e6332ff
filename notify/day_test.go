package notify_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/notify"
)

// TestDay plays a working day: thirty turns and twenty-five prompts, flaps,
// answers within a second, different questions within the cooldown, the same
// one twice. The list of what is told is exactly the expected one.
func TestDay(t *testing.T) {
	var script, want strings.Builder
	at := 0.0
	say := func(after float64, what string) {
		at += after
		fmt.Fprintf(&script, "%.1f %s\n", at, what)
	}
	expect := func(after float64, what string) {
		s := strings.TrimSuffix(fmt.Sprintf("%.1f", at+after), ".0")
		fmt.Fprintf(&want, "%s %s\n", s, what)
	}
	id, up := 0, 0
	show := func(after float64, event, text string) {
		id++
		s := fmt.Sprintf("%s#%d", event, id)
		if up != 0 {
			s += fmt.Sprintf(">%d", up)
		}
		if text != "" {
			s += " " + text
		}
		up = id
		expect(after, s)
	}
	gone := func(after float64) {
		expect(after, fmt.Sprintf("close#%d", up))
		up = 0
	}

	say(0, "idle")
	prompts := 0
	for turn := range 30 {
		say(60, "key")
		if up != 0 {
			gone(0)
		}
		say(0.3, "working")
		if turn%6 == 5 {
			// A quick answer to a quick question: not worth a notice.
			say(3, "idle")
			continue
		}
		q := fmt.Sprintf("run step %d?", turn)
		switch turn % 6 {
		case 0: // one prompt, answered after a while, with a flap of the screen in between
			say(10, "blocked permission "+q)
			prompts++
			show(1, "blocked", q)
			say(8, "working")
			say(0.7, "blocked permission "+q)
			say(6, "key")
			say(0.1, "working")
			gone(0)
		case 1: // answered within a second
			say(10, "blocked permission "+q)
			prompts++
			say(0.8, "key")
			say(0.1, "working")
		case 2: // two different questions within thirty seconds
			say(10, "blocked permission "+q)
			prompts++
			show(1, "blocked", q)
			say(5, "key")
			say(0.1, "working")
			gone(0)
			say(2, "blocked question Which colour?")
			prompts++
			show(31-5-0.1-2, "blocked", "Which colour?")
			say(40, "key")
			say(0.1, "working")
			gone(0)
		case 3: // the same question twice, the second time answered before the cooldown's end
			say(10, "blocked permission "+q)
			prompts++
			show(1, "blocked", q)
			say(5, "key")
			say(0.1, "working")
			gone(0)
			say(2, "blocked permission "+q)
			prompts++
			say(10, "key")
			say(0.1, "working")
		case 4: // looked at all the time
			say(1, "focused")
			say(9, "blocked permission "+q)
			prompts++
			say(4, "key")
			say(0.1, "working")
			say(10, "idle")
			say(10, "unfocused")
			say(0, "unknown")
			continue
		}
		say(1.5, "working compacting")
		say(20, "working")
		say(5, "working background")
		say(30, "idle")
		show(2.5, "idle", "")
	}
	say(600, "none")
	if up != 0 {
		gone(0)
	}
	if prompts < 25 {
		t.Fatalf("only %d prompts in the day", prompts)
	}
	got := play(t, notify.Defaults(), script.String())
	if w := strings.TrimSuffix(want.String(), "\n"); got != w {
		t.Errorf("told\n%s\nwant\n%s", got, w)
	}
}

// TestLateTimer: a laptop that slept, or a loaded machine, calls late. What is
// over by then is not told.
func TestLateTimer(t *testing.T) {
	t0 := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	p := notify.New(notify.Defaults())
	p.Status(t0, detect.Status{State: detect.Working})
	p.Status(t0.Add(10*time.Second), detect.Status{State: detect.Blocked})
	if acts := p.Status(t0.Add(time.Hour), detect.Status{State: detect.Working}); len(acts) != 0 {
		t.Errorf("a prompt that was over was told: %v", acts)
	}
	if acts := p.Tick(t0.Add(2 * time.Hour)); len(acts) != 0 {
		t.Errorf("told after all: %v", acts)
	}
}

func TestTold(t *testing.T) {
	t0 := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	p := notify.New(notify.Defaults())
	at := func(s float64) time.Time { return t0.Add(time.Duration(s * float64(time.Second))) }
	p.Status(at(0), detect.Status{State: detect.Working})
	p.Status(at(10), detect.Status{State: detect.Blocked})
	if p.Told(at(10.5)) {
		t.Error("told before it was")
	}
	p.Tick(at(11))
	if !p.Told(at(20)) {
		t.Error("the agent's own notice of what was told 9 s ago would be shown too")
	}
	if p.Told(at(42)) {
		t.Error("told for ever")
	}
	p.Status(at(43), detect.Status{State: detect.Working})
	if p.Told(at(43)) {
		t.Error("what was told is over")
	}
}

// FuzzPolicy plays any sequence of events and checks what must hold of it all.
func FuzzPolicy(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 7))
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(r.UintN(256))
		}
		f.Add(b)
	}
	kinds := []detect.Kind{"", detect.Permission, detect.Ask, detect.Shell, detect.Menu, detect.Failed, detect.Stopped, detect.Background}
	questions := []string{"", "run make?", "run rm?"}
	f.Fuzz(func(t *testing.T, data []byte) {
		set := notify.Defaults()
		if len(data) > 0 && data[0]%4 == 0 {
			set.Reminder = time.Minute
		}
		p := notify.New(set)
		t0 := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
		now := t0
		var st detect.Status
		var lastKey, blockedAt, focusAt time.Time
		var last [4]time.Time
		focus := notify.Unknown
		up, maxID := 0, 0
		check := func(acts []notify.Action) {
			for _, a := range acts {
				switch a.Op {
				case notify.Show:
					if a.ID != maxID+1 {
						t.Fatalf("notice %d after %d", a.ID, maxID)
					}
					maxID = a.ID
					if a.Replaces != up {
						t.Fatalf("notice %d replaces %d while %d is up", a.ID, a.Replaces, up)
					}
					up = a.ID
					holds := a.Event == notify.NeedsYou && st.State == detect.Blocked ||
						a.Event != notify.NeedsYou && st.State == detect.Idle && st.Kind != detect.Menu && st.Kind != detect.Stopped
					if !holds {
						t.Fatalf("told %v while %v %v", a.Event, st.State, st.Kind)
					}
					group := notify.NeedsYou
					if a.Event != notify.NeedsYou {
						group = notify.Finished
						if focus == notify.Focused && now.Sub(lastKey) < set.FocusExpires && now.Sub(focusAt) < set.FocusExpires {
							t.Fatal("an end was told to a focused person")
						}
					}
					if l := last[group]; !l.IsZero() && now.Sub(l) < set.Cooldown {
						t.Fatalf("%v told %v after the last", a.Event, now.Sub(l))
					}
					last[group] = now
				case notify.Close:
					if a.ID != up || up == 0 {
						t.Fatalf("closed %d while %d is up", a.ID, up)
					}
					up = 0
				}
			}
			// Nothing lost: nobody was at the keyboard and a prompt stands.
			since := now.Sub(blockedAt)
			if st.State == detect.Blocked && focus == notify.Unknown && !lastKey.After(blockedAt) &&
				since >= set.BlockedSettle+set.Cooldown && last[notify.NeedsYou].IsZero() {
				t.Fatalf("a prompt has stood for %v and was not told", since)
			}
			if st.State == detect.None && up != 0 {
				t.Fatal("a notice outlives its agent")
			}
		}
		run := func(until time.Time) {
			for n := 0; ; n++ {
				due := p.Due()
				if due.IsZero() || due.After(until) {
					break
				}
				if n > 100 {
					t.Fatal("the policy does not come to rest")
				}
				if due.After(now) {
					now = due
				}
				check(p.Tick(now))
				if d := p.Due(); !d.IsZero() && !d.After(now) {
					t.Fatalf("due again at the same instant")
				}
			}
			now = until
		}
		for i := 0; i+1 < len(data); i += 2 {
			run(now.Add(time.Duration(data[i+1]) * time.Duration(data[i+1]) * time.Millisecond * 2))
			switch c := data[i]; {
			case c < 40:
				lastKey = now
				check(p.Key(now))
			case c < 60:
				focus, focusAt = notify.Focus(c%3), now
				check(p.Focus(now, focus))
			default:
				next := detect.Status{
					State: detect.State(c % 4), Kind: kinds[(c>>2)%8],
					Question: detect.Question{Text: questions[(c>>5)%3]},
				}
				if next.State == detect.Blocked && st.State != detect.Blocked {
					blockedAt = now
				}
				st = next
				check(p.Status(now, st))
			}
		}
		run(now.Add(10 * time.Minute))
		check(p.End(now))
		st.State = detect.None
		check(nil)
	})
}
