package notify_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/notify"
)

// A script is a session in words, one event a line: the second it happens at,
// and what happens. The answer is what is told, in the same form, with the
// clock run on to the end of the script.
//
//	0    working
//	5.2  blocked permission run make?
//	7    key
//	8    focused          (unfocused, unknown)
//	40   end              the script ends here; nothing happens
//
// Told: "6.2 blocked#1 run make?", "… blocked#2>1" (in place of 1), "… close#2".
func play(t *testing.T, set notify.Settings, script string) string {
	t.Helper()
	epoch := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	p := notify.New(set)
	var told []string
	note := func(now time.Time, acts []notify.Action) {
		for _, a := range acts {
			s := strconv.FormatFloat(now.Sub(epoch).Seconds(), 'f', -1, 64)
			switch a.Op {
			case notify.Show:
				s += fmt.Sprintf(" %v#%d", a.Event, a.ID)
				if a.Replaces != 0 {
					s += fmt.Sprintf(">%d", a.Replaces)
				}
				if a.Reminder {
					s += " again"
				}
				if q := a.Status.Question.Text; q != "" {
					s += " " + q
				}
			case notify.Close:
				s += fmt.Sprintf(" close#%d", a.ID)
			}
			told = append(told, s)
		}
	}
	now := epoch
	var st detect.Status
	for line := range strings.Lines(script) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		sec, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			t.Fatalf("bad line %q", line)
		}
		at := epoch.Add(time.Duration(sec*1000+0.5) * time.Millisecond)
		if at.Before(now) {
			t.Fatalf("line %q goes back in time", line)
		}
		for n := 0; ; n++ {
			due := p.Due()
			if due.IsZero() || due.After(at) {
				break
			}
			if n > 1000 {
				t.Fatalf("the policy does not come to rest before %q", line)
			}
			now = due
			acts := p.Tick(now)
			if again := p.Due(); len(acts) == 0 && !again.IsZero() && !again.After(due) {
				t.Fatalf("woken at %v for nothing, and again for %v", due.Sub(epoch), again.Sub(epoch))
			}
			note(now, acts)
		}
		now = at
		next := detect.Status{Since: at, Source: detect.FromScreen}
		switch f[1] {
		case "key":
			note(now, p.Key(now))
			continue
		case "focused":
			note(now, p.Focus(now, notify.Focused))
			continue
		case "unfocused":
			note(now, p.Focus(now, notify.Unfocused))
			continue
		case "unknown":
			note(now, p.Focus(now, notify.Unknown))
			continue
		case "end":
			continue
		case "none":
		case "working":
			next.State = detect.Working
		case "idle":
			next.State = detect.Idle
		case "blocked":
			next.State = detect.Blocked
		default:
			t.Fatalf("bad event in %q", line)
		}
		if len(f) > 2 && f[2] != "-" {
			kind, source, _ := strings.Cut(f[2], "@")
			next.Kind = detect.Kind(kind)
			if source != "" {
				next.Source = detect.Source(source)
			}
		}
		if len(f) > 3 {
			next.Question.Text = strings.Join(f[3:], " ")
		}
		if next.State == st.State && next.Kind == st.Kind {
			next.Since = st.Since
		}
		st = next
		note(now, p.Status(now, st))
	}
	return strings.Join(told, "\n")
}

var policyTests = []struct {
	name   string
	set    func(*notify.Settings)
	script string
	want   string
}{
	{name: "a prompt is told after a second", script: `
		0 working
		5 blocked permission run make?
		60 end`,
		want: `6 blocked#1 run make?`},
	{name: "a prompt that is answered within the second is not told", script: `
		0 working
		5 blocked permission run make?
		5.9 working
		60 end`},
	{name: "a prompt at the very start is told", script: `
		0 blocked trust Trust this folder?
		60 end`,
		want: `1 blocked#1 Trust this folder?`},
	{name: "an agent that starts idle has not finished", script: `
		0 idle
		60 end`},
	{name: "the end of a turn is told after two and a half seconds", script: `
		0 working
		10 idle
		60 end`,
		want: `12.5 idle#1`},
	{name: "a turn under five seconds is not told", script: `
		0 working
		4.9 idle
		60 end`},
	{name: "a turn of five seconds is", script: `
		0 working
		5 idle
		60 end`,
		want: `7.5 idle#1`},
	{name: "a short turn is told while unfocused", script: `
		0 unfocused
		1 working
		3 idle
		60 end`,
		want: `5.5 idle#1`},
	{name: "a redraw is no turn even while unfocused", script: `
		0 unfocused
		1 working
		1.5 idle
		60 end`},
	{name: "waiting for the person is part of the turn", script: `
		0 working
		1 blocked permission run make?
		8 key
		8.1 working
		9 idle
		60 end`,
		want: "2 blocked#1 run make?\n8.1 close#1\n11.5 idle#2"},
	{name: "a short rest does not end a turn", script: `
		0 working
		4 idle
		6 working
		8 idle
		60 end`,
		want: `10.5 idle#1`},
	{name: "a rest of more than two and a half seconds does", script: `
		0 working
		4 idle
		7 working
		9 idle
		60 end`},
	{name: "background work is no end", script: `
		0 working
		10 working background
		60 end`},
	{name: "an end after background work is told once", script: `
		0 working
		10 working background
		40 idle
		90 end`,
		want: `42.5 idle#1`},
	{name: "attached shells are an end", script: `
		0 working
		10 idle shell
		60 end`,
		want: `12.5 idle#1`},
	{name: "a shell that ends is no second end", script: `
		0 working
		10 idle shell
		50 idle
		90 end`,
		want: `12.5 idle#1`},
	{name: "a failed turn is told as failed", script: `
		0 working
		10 idle error
		60 end`,
		want: `12.5 failed#1`},
	{name: "an error that scrolls away is no second end", script: `
		0 working
		10 idle error
		20 idle
		90 end`,
		want: `12.5 failed#1`},
	{name: "an end that turns out to be an error is told anew", script: `
		0 working
		10 idle
		20 idle error
		90 end`,
		want: "12.5 idle#1\n42.5 failed#2>1"},
	{name: "who interrupts needs no telling", script: `
		0 working
		10 key
		10.1 idle interrupted
		60 end`},
	{name: "nor when the interruption scrolls away", script: `
		0 working
		10 key
		10.1 idle interrupted
		20 idle
		60 end`},
	{name: "a menu is nothing", script: `
		0 working
		10 idle menu
		60 end`},
	{name: "a menu after the end brings no second end", script: `
		0 working
		10 idle
		50 idle menu
		60 idle
		99 end`,
		want: "12.5 idle#1\n52.5 close#1"},
	{name: "a menu over the end of a turn is presence", script: `
		0 working
		9 key
		9.1 idle menu
		20 key
		20.1 idle
		60 end`},
	{name: "who types after the end has seen it", script: `
		0 working
		10 idle
		11 key
		60 end`},
	{name: "typing ahead does not hold back a prompt", script: `
		0 working
		9.9 key
		10 blocked permission run make?
		60 end`,
		want: `11 blocked#1 run make?`},
	{name: "a key after the prompt shows presence for ten seconds", script: `
		0 working
		10 blocked permission run make?
		10.5 key
		15 key
		60 end`,
		want: `25 blocked#1 run make?`},
	{name: "what an unfocused terminal is sent is no presence", script: `
		0 unfocused
		0 working
		10 blocked permission run make?
		10.5 key
		60 end`,
		want: `11 blocked#1 run make?`},

	// Focus.
	{name: "focused: a prompt waits ten seconds", script: `
		0 focused
		0 working
		20 blocked permission run make?
		60 end`,
		want: `30 blocked#1 run make?`},
	{name: "focused: ten seconds from the last key", script: `
		0 focused
		0 working
		20 blocked permission run make?
		24 key
		60 end`,
		want: `34 blocked#1 run make?`},
	{name: "focused: told at once when the focus goes", script: `
		0 focused
		0 working
		20 blocked permission run make?
		24 unfocused
		60 end`,
		want: `24 blocked#1 run make?`},
	{name: "who comes to look has ten seconds", script: `
		0 unfocused
		0 working
		20 blocked permission run make?
		20.5 focused
		60 end`,
		want: `30.5 blocked#1 run make?`},
	{name: "focused: an end is not told", script: `
		0 focused
		0 working
		20 idle
		60 end`},
	{name: "focused at the end, unfocused when it would be told", script: `
		0 focused
		0 working
		20 idle
		22 unfocused
		60 end`,
		want: `22.5 idle#1`},
	{name: "unfocused at the end, focused when it would be told", script: `
		0 unfocused
		0 working
		20 idle
		22 focused
		60 end`},
	{name: "an end that was seen is not told when the focus goes later", script: `
		0 focused
		0 working
		20 idle
		30 unfocused
		60 end`},
	{name: "a focus that nothing confirms expires", script: `
		0 focused
		0 working
		400 idle
		460 end`,
		want: `402.5 idle#1`},
	{name: "a key confirms it", script: `
		0 focused
		0 working
		390 key
		400 idle
		460 end`},

	{name: "it expires under a prompt too", script: `
		0 focused
		0 working
		295 blocked permission run make?
		360 end`,
		want: `300 blocked#1 run make?`},
	{name: "an end that was seen does not become news as an error", script: `
		0 focused
		0 working
		20 idle
		30 unfocused
		40 idle error
		90 end`},

	// when = …
	{name: "unfocused only: a focused person is left alone", set: blocked(notify.UnfocusedOnly), script: `
		0 focused
		0 working
		20 blocked permission run make?
		200 end`},
	{name: "unfocused only: until the focus goes", set: blocked(notify.UnfocusedOnly), script: `
		0 focused
		0 working
		20 blocked permission run make?
		100 unfocused
		200 end`,
		want: `100 blocked#1 run make?`},
	{name: "unfocused only: or nothing confirms it", set: blocked(notify.UnfocusedOnly), script: `
		0 focused
		0 working
		20 blocked permission run make?
		400 end`,
		want: `300 blocked#1 run make?`},
	{name: "unfocused only: not knowing is told", set: blocked(notify.UnfocusedOnly), script: `
		0 working
		20 blocked permission run make?
		60 end`,
		want: `21 blocked#1 run make?`},
	{name: "always: a focused and typing person is told", set: blocked(notify.Always), script: `
		0 focused
		0 working
		20 blocked permission run make?
		20.5 key
		60 end`,
		want: `21 blocked#1 run make?`},
	{name: "always: an end too", set: func(s *notify.Settings) { s.Idle = notify.Always }, script: `
		0 focused
		0 working
		20 idle
		21 key
		60 end`,
		want: `22.5 idle#1`},
	{name: "never: blocked", set: blocked(notify.Never), script: `
		0 unfocused
		0 working
		20 blocked permission run make?
		30 working
		50 idle
		90 end`,
		want: `52.5 idle#1`},
	{name: "never: idle, and failed is another matter", set: func(s *notify.Settings) { s.Idle = notify.Never }, script: `
		0 working
		20 idle
		50 working
		70 idle error
		90 end`,
		want: `72.5 failed#1`},

	// Cooldown.
	{name: "a second question within thirty seconds is told at their end", script: `
		0 working
		5 blocked permission run make?
		8 key
		8.1 working
		9 blocked permission run rm?
		99 end`,
		want: "6 blocked#1 run make?\n8.1 close#1\n36 blocked#2 run rm?"},
	{name: "the same question after a key too", script: `
		0 working
		5 blocked permission run make?
		8 key
		8.1 working
		9 blocked permission run make?
		99 end`,
		want: "6 blocked#1 run make?\n8.1 close#1\n36 blocked#2 run make?"},
	{name: "one that is answered meanwhile is not", script: `
		0 working
		5 blocked permission run make?
		8 key
		8.1 working
		9 blocked permission run rm?
		30 key
		30.1 working
		99 end`,
		want: "6 blocked#1 run make?\n8.1 close#1"},
	{name: "a flap is nothing new", script: `
		0 working
		5 blocked permission run make?
		10 working
		11 blocked permission run make?
		99 end`,
		want: `6 blocked#1 run make?`},
	{name: "a flap within the settling starts it again", script: `
		0 working
		5 blocked permission run make?
		5.5 working
		5.6 blocked permission run make?
		99 end`,
		want: `6.6 blocked#1 run make?`},
	{name: "a flap to a question that cannot be read neither", script: `
		0 working
		5 blocked permission run make?
		10 working
		11 blocked
		99 end`,
		want: `6 blocked#1 run make?`},
	{name: "a prompt that came back after its notice had gone is told", script: `
		0 working
		5 blocked permission run make?
		10 working
		13 blocked permission run make?
		99 end`,
		want: "6 blocked#1 run make?\n12.5 close#1\n36 blocked#2 run make?"},
	{name: "a prompt answered elsewhere takes its notice along", script: `
		0 working
		5 blocked permission run make?
		10 working
		99 end`,
		want: "6 blocked#1 run make?\n12.5 close#1"},
	{name: "or at once when the person is back", script: `
		0 working
		5 blocked permission run make?
		10 working
		11 key
		99 end`,
		want: "6 blocked#1 run make?\n11 close#1"},
	{name: "one question after the other in one stretch, by key", script: `
		0 working
		5 blocked permission run make?
		10 key
		10.1 blocked permission run rm?
		99 end`,
		want: "6 blocked#1 run make?\n10.1 close#1\n36 blocked#2 run rm?"},
	{name: "and without one", script: `
		0 working
		5 blocked permission run make?
		10.1 blocked permission run rm?
		99 end`,
		want: "6 blocked#1 run make?\n36 blocked#2>1 run rm?"},
	{name: "a better source names the same question otherwise", script: `
		0 working
		5 blocked permission@screen Do you want to proceed?
		7 blocked permission@7501 Bash(make)
		99 end`,
		want: `6 blocked#1 Do you want to proceed?`},
	{name: "a question that is read better while it settles", script: `
		0 working
		5 blocked
		5.4 blocked permission Do you
		5.7 blocked permission Do you want to proceed?
		99 end`,
		want: `6 blocked#1 Do you want to proceed?`},
	{name: "a question that is half drawn over", script: `
		0 working
		5 blocked permission run make?
		5.9 blocked permission
		60 end`,
		want: `6 blocked#1 run make?`},
	{name: "a question whose text never stands still is told", script: `
		0 working
		5 blocked question 9 seconds left
		5.3 blocked question 8 seconds left
		5.6 blocked question 7 seconds left
		5.9 blocked question 6 seconds left
		6.2 blocked question 5 seconds left
		20 end`,
		want: `6 blocked#1 6 seconds left`},
	{name: "wrapping is no difference", script: `
		0 working
		5 blocked permission run make all?
		10 blocked permission run ma ke all?
		99 end`,
		want: `6 blocked#1 run make all?`},
	{name: "a second end within thirty seconds is told at their end", script: `
		0 working
		10 idle
		14 key
		15 working
		25 idle
		99 end`,
		want: "12.5 idle#1\n14 close#1\n42.5 idle#2"},
	{name: "if it still is one", script: `
		0 working
		10 idle
		14 key
		15 working
		25 idle
		40 working
		60 end`,
		want: "12.5 idle#1\n14 close#1"},
	{name: "blocked and idle have cooldowns of their own", script: `
		0 working
		5 blocked permission run make?
		8 key
		8.1 working
		14 idle
		99 end`,
		want: "6 blocked#1 run make?\n8.1 close#1\n16.5 idle#2"},
	{name: "nothing is lost after the cooldown", script: `
		0 working
		5 blocked permission run make?
		8 working
		50 blocked permission run make?
		99 end`,
		want: "6 blocked#1 run make?\n10.5 close#1\n51 blocked#2 run make?"},

	// The notice that is up.
	{name: "an end replaces a prompt that was answered elsewhere", script: `
		0 working
		5 blocked permission run make?
		10 idle
		99 end`,
		want: "6 blocked#1 run make?\n12.5 idle#2>1"},
	{name: "who starts a new turn has seen the end of the last", script: `
		0 working
		10 idle
		20 key
		21 working
		99 end`,
		want: "12.5 idle#1\n20 close#1"},
	{name: "an agent that is gone takes its notice along", script: `
		0 working
		5 blocked permission run make?
		10 none
		99 end`,
		want: "6 blocked#1 run make?\n10 close#1"},
	{name: "an agent that dies at its prompt is not told", script: `
		0 working
		5 blocked permission run make?
		5.5 none
		99 end`},
	{name: "arrow keys in a dialog do not answer it", script: `
		0 working
		5 blocked permission run make?
		10 key
		11 key
		99 end`,
		want: `6 blocked#1 run make?`},

	// Reminder.
	{name: "no reminder by default", script: `
		0 working
		5 blocked permission run make?
		9999 end`,
		want: `6 blocked#1 run make?`},
	{name: "one reminder", set: reminder(3 * time.Minute), script: `
		0 working
		5 blocked permission run make?
		9999 end`,
		want: "6 blocked#1 run make?\n186 blocked#2>1 again run make?"},
	{name: "a reminder counts from the last key", set: reminder(3 * time.Minute), script: `
		0 working
		5 blocked permission run make?
		100 key
		9999 end`,
		want: "6 blocked#1 run make?\n280 blocked#2>1 again run make?"},
	{name: "an answered question is not reminded of", set: reminder(3 * time.Minute), script: `
		0 working
		5 blocked permission run make?
		100 key
		101 working
		9999 end`,
		want: "6 blocked#1 run make?\n101 close#1"},
}

func blocked(w notify.When) func(*notify.Settings) {
	return func(s *notify.Settings) { s.Blocked = w }
}

func reminder(d time.Duration) func(*notify.Settings) {
	return func(s *notify.Settings) { s.Reminder = d }
}

func TestPolicy(t *testing.T) {
	for _, tt := range policyTests {
		t.Run(tt.name, func(t *testing.T) {
			set := notify.Defaults()
			if tt.set != nil {
				tt.set(&set)
			}
			if got := play(t, set, tt.script); got != tt.want {
				t.Errorf("told\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
