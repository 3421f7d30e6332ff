package detect

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

var epoch = time.Date(2026, 11, 30, 20, 11, 0, 0, time.UTC)

// A script drives sources. Its lines are "SECONDS VERB ARG…":
//
//	screen STATE[/KIND]   a rule's verdict; "none": no rule matched, "keep": a viewer,
//	title STATE           a verdict of the title alone
//	7501|hook|acp STATE[/KIND] [soft] [hold] [bare]   a report; "clear" withdraws
//	front agent|other|shell|gone
//	= STATE[/KIND] [SOURCE]   what must hold then
//
// "settle" lines are what the Settler answers, in order.
func runScript(t *testing.T, script string) *sources {
	t.Helper()
	set := &scriptSettler{}
	c := &sources{Settler: set}
	for l := range strings.Lines(script) {
		f := strings.Fields(l)
		if len(f) == 0 {
			continue
		}
		if f[0] == "settle" {
			set.says = append(set.says, f[1])
			continue
		}
		sec, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		now := epoch.Add(time.Duration(sec * float64(time.Second)))
		state, kind := stateOf(f[2])
		switch f[1] {
		case "screen", "title":
			v := Verdict{State: state, Kind: kind, Source: FromScreen, Rule: &Rule{}, Name: "a/" + f[2]}
			switch {
			case f[1] == "title":
				v.Source = FromTitle
			case f[2] == "none":
				v.State, v.Rule, v.Name = Idle, nil, ""
			case f[2] == "keep":
				v.Keep = true
			}
			if state == Blocked {
				v.Question = Question{Text: "proceed?", Options: []string{"Yes", "No"}}
			}
			c.Screen(now, v)
		case "7501", "hook", "acp":
			r := Report{Source: Source(f[1]), State: state, Kind: kind}
			if state == Blocked {
				r.Question.Text = "Bash: ls"
			}
			for _, o := range f[3:] {
				r.Soft, r.Hold = r.Soft || o == "soft", r.Hold || o == "hold"
				if o == "bare" {
					r.Question = Question{}
				}
			}
			c.Report(now, r)
		case "front":
			c.Foreground(now, map[string]Foreground{"agent": ForegroundAgent, "other": ForegroundOther, "shell": ForegroundShell, "gone": ForegroundGone}[f[2]])
		case "=":
			c.Tick(now)
			s := c.Status()
			got := s.State.String()
			if s.Kind != "" {
				got += "/" + string(s.Kind)
			}
			want := f[2]
			if len(f) > 3 {
				got, want = got+" "+string(s.Source), want+" "+f[3]
			}
			if got != want {
				t.Errorf("at %s: %s, want %s", f[0], got, want)
			}
		default:
			t.Fatalf("unknown verb in %q", l)
		}
	}
	if len(set.says) > 0 {
		t.Errorf("not settled: %q", set.says)
	}
	return c
}

func stateOf(s string) (State, Kind) {
	name, kind, _ := strings.Cut(s, "/")
	var st State
	_ = st.UnmarshalText([]byte(name)) // "none", "keep" and "clear" are None
	return st, Kind(kind)
}

type scriptSettler struct{ says []string }

func (s *scriptSettler) Settle(working bool) Report {
	want := "idle"
	if working {
		want = "working"
	}
	if len(s.says) > 0 {
		want, s.says = s.says[0], s.says[1:]
	}
	st, k := stateOf(want)
	return Report{Source: FromHook, State: st, Kind: k}
}

// The rows of the table that the order was settled with: S the screen, R the
// report, F the foreground.
func TestOrder(t *testing.T) {
	tests := []struct{ name, script string }{
		{"1 a prompt on the screen beats a fresh report", `
			0 screen blocked/permission
			1 hook working
			1 = blocked/permission screen
			1.1 hook idle
			1.1 = blocked/permission
			1.2 7501 working
			1.2 = blocked/permission
			1.3 7501 idle
			1.3 = blocked/permission
			1.4 front other
			1.4 = blocked/permission
			1.5 front shell
			1.5 = blocked/permission`},
		{"2 an agent that has gone has no prompt", `
			0 screen blocked
			1 front gone
			1 = none process
			2 screen blocked
			2 = none`},
		{"3 a report that the screen does not show", `
			0 screen working
			0 hook blocked/permission
			0 = blocked/permission hook
			1 front other
			1 = blocked/permission`},
		{"4 and 5 the end of a turn outlasts the repaint", `
			0 screen working
			1 hook idle
			3.9 = idle
			4 = working screen`},
		{"6 work that the screen does not show", `
			0 screen idle
			1 hook working
			1 = working hook
			2 screen none
			2 = working
			30.9 = working
			31 = idle`},
		{"7 the screen has come to rest: Esc", `
			settle idle/interrupted
			0 screen working
			0 hook working
			1 screen idle
			3 = working
			3.1 = idle/interrupted hook
			600 = idle/interrupted hook
			600 screen idle/menu
			600 = idle/menu screen
			601 screen idle
			601 = idle screen`},
		{"7 rest before the report settles nothing", `
			settle idle
			0 screen idle
			5 hook working
			7 = working
			7.1 = idle`},
		{"7 not while a viewer, a menu, a title or another program is in front", `
			0 hook working
			0 screen idle/menu
			10 = working
			10 screen idle
			10 screen keep
			15 = working
			15 title idle
			20 = working
			20 front other
			20 screen idle
			25 = working
			28 front agent
			29 = working`},
		{"7 the other program's time does not count", `
			settle idle
			0 front other
			0 screen idle
			0 hook working
			10 front agent
			12 = working
			12.1 = idle`},
		{"8 a report that is too old", `
			0 screen none
			0 hook working
			29.9 = working
			30 = idle`},
		{"9 the screen goes on when the report is old", `
			0 screen working
			0 hook working
			600 = working screen`},
		{"10 a dialog that was answered with Yes", `
			settle working
			0 hook blocked/permission
			0.5 screen blocked/permission
			60 screen working
			61.3 = blocked/permission
			61.4 = working hook
			70 = working`},
		{"11 a dialog that was answered with No", `
			settle idle
			0 hook blocked/permission
			0.5 screen blocked/permission
			20 screen idle
			21.3 = blocked/permission
			21.4 = idle`},
		{"11 nothing on the screen is an answer too, once the dialog was there", `
			settle idle
			0 hook blocked/permission
			0.5 screen blocked/permission
			20 screen none
			21.4 = idle`},
		{"11 the next dialog of a row", `
			0 hook blocked/permission
			0.5 screen blocked/permission
			20 screen working
			21 screen blocked/permission
			30 = blocked/permission screen
			30 screen blocked/question
			60 = blocked/question`},
		{"12 a wording that no rule knows keeps the alarm", `
			0 hook blocked/permission
			0 screen none
			60 = blocked/permission hook
			1799 = blocked/permission
			1800 = idle`},
		{"12 a dialog that never shows is disbelieved", `
			settle idle
			0 screen idle
			0 hook blocked/permission
			7.9 = blocked/permission
			8 = idle`},
		{"12 painted late", `
			0 screen working
			0 hook blocked/permission
			7 screen none
			8 screen working
			12.9 = blocked/permission
			12.9 screen blocked/permission
			60 = blocked/permission`},
		{"13 and 14 subagents in the background", `
			0 screen idle
			0 hook working/background
			1200 = working/background
			1200 screen working
			1200 = working screen
			1201 title working
			1201 = working/background
			1300 screen idle
			3599 = working/background
			3600 = idle`},
		{"15 the shell is back in front", `
			0 screen working
			0 front shell
			0 = idle process
			1 screen none
			1 = idle process`},
		{"16 a fresh report precedes the shell", `
			0 screen idle
			0 hook working
			0 front shell
			29 = working
			30 = idle process`},
		{"17 to 19 no reports", `
			0 = none
			0 screen working
			0 = working screen
			1 screen none
			1 = idle
			2 front other
			2 = idle
			3 front agent
			3 screen idle
			3 = idle`},
		{"20 gone: all is forgotten and later reports are dropped", `
			0 screen working
			0 7501 working
			0 hook blocked/permission
			1 front gone
			1 = none
			2 hook working
			2 7501 working
			2 acp working
			2 = none
			3 front agent
			3 = none
			4 screen idle
			4 = idle screen`},
		{"21 what clears", `
			0 screen working
			0 hook blocked/permission
			1 hook clear
			1 = working screen
			2 7501 blocked/permission
			2 = blocked/permission 7501
			3 7501 clear
			3 = working screen`},
		{"a compaction", `
			0 hook working/compacting
			0 screen none
			599 = working/compacting
			600 = idle`},
		{"a compaction that was stopped", `
			settle idle
			0 hook working/compacting
			0 screen working
			20 screen idle
			22.1 = idle`},
		{"a guess holds for three seconds", `
			0 screen none
			0 hook working soft
			2.9 = working
			3 = idle`},
		{"a script's word has no age", `
			0 screen none
			0 hook working hold
			7200 = working
			7200 hook blocked/question hold
			9999 = blocked/question
			9999 hook idle hold
			10000 screen working
			10001 = idle
			10002 = working screen`},
		{"a record is a level", `
			0 screen none
			0 7501 working
			7200 = working 7501
			7200 screen idle
			9000 = working 7501
			9000 7501 blocked/permission
			9000 screen idle/menu
			9999 = blocked/permission 7501
			9999 7501 idle
			9999 screen working
			20000 = idle 7501`},
		{"a record outranks hooks and titles", `
			0 title working
			0 hook working
			0 7501 idle
			0 = idle 7501
			1 title blocked
			1 = idle 7501
			2 hook blocked/permission
			2 = idle 7501`},
		{"a title that says blocked is no prompt on the screen", `
			0 title blocked
			0 = blocked title
			1 hook working
			1 = working hook`},
		{"the screen refines a record", `
			0 7501 working
			0 screen working/compacting
			0 = working/compacting 7501
			1 screen working/background
			1 = working/background 7501
			2 7501 idle
			2 screen idle/error
			2 = idle/error 7501`},
		{"a hook refines a record", `
			0 7501 working
			0 hook working/background
			0 = working/background 7501
			9 7501 blocked/permission
			9 = blocked/permission 7501
			10 7501 idle
			10 hook idle/error
			10 = idle 7501`},
		{"how a turn ended lasts as long as the rest", `
			0 screen working
			1 hook idle/error
			1 = idle/error hook
			2 screen idle
			900 = idle/error hook
			900 screen none
			901 = idle/error hook
			902 screen working
			902 = working screen
			903 screen idle
			903 = idle screen`},
		{"a stopped agent's record waits for it", `
			0 screen working
			0 7501 working
			1 front shell
			1 = idle process
			2 7501 blocked
			2 = idle process
			3 front agent
			3 = working 7501`},
		{"acp", `
			0 acp working
			9999 = working acp
			9999 acp blocked/permission
			99999 = blocked/permission acp
			99999 acp idle
			99999 = idle acp`},
		{"a viewer holds what was", `
			0 screen working
			1 screen keep
			60 = working
			61 hook idle
			61 = idle
			65 = idle
			66 screen keep
			66 = idle
			67 screen working
			67 = working`},
		{"a viewer over a dialog", `
			0 screen blocked/permission
			1 screen keep
			60 = blocked/permission
			61 7501 working
			61 = working 7501`},
		{"a viewer before anything", `
			0 screen keep
			0 = idle`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { runScript(t, tt.script) })
	}
}

func TestDetails(t *testing.T) {
	c := runScript(t, `
		0 screen blocked/permission
		0 7501 blocked/permission
		0 = blocked/permission screen`)
	if s := c.Status(); s.Question.Text != "Bash: ls" || len(s.Question.Options) != 2 || s.Rule != "a/blocked/permission" {
		t.Errorf("one dialog, told and seen: %+v", s)
	}
	c = runScript(t, `
		0 screen blocked/question
		0 7501 blocked/permission
		0 = blocked/question screen`)
	if s := c.Status(); s.Question.Text != "proceed?" {
		t.Errorf("another dialog's question is shown: %+v", s)
	}
	runScript(t, `
		0 screen blocked
		0 hook blocked/plan
		0 = blocked/plan screen`)
	c = runScript(t, `
		0 hook blocked/question
		1 hook blocked hold bare
		1 = blocked/question hook`)
	if s := c.Status(); s.Question.Text != "Bash: ls" {
		t.Errorf("%+v", s)
	}
}

func TestSince(t *testing.T) {
	c := runScript(t, `
		0 screen working
		0 hook working
		1 screen idle
		50 = idle`)
	// The hook's working was settled at 3.1 s; that the tick came late does
	// not matter.
	if got := c.Status().Since.Sub(epoch); got != 3100*time.Millisecond {
		t.Errorf("idle since %v", got)
	}
}

func TestConflict(t *testing.T) {
	c := runScript(t, `
		0 screen idle
		0 7501 working
		4.9 = working`)
	if _, ok := c.Conflict(); ok {
		t.Error("a conflict before its time")
	}
	if at, ok := c.Next(); !ok || at.Sub(epoch) != ConflictAfter {
		t.Errorf("next %v %v", at.Sub(epoch), ok)
	}
	c.Tick(epoch.Add(5 * time.Second))
	if k, ok := c.Conflict(); !ok || k.Since != epoch || k.Screen.State != Idle || k.Report.State != Working {
		t.Errorf("%+v %v", k, ok)
	}
	if at, ok := c.Next(); ok {
		t.Errorf("next %v: a conflict that is known wakes nobody", at)
	}
	c.Report(epoch.Add(6*time.Second), Report{Source: FromProgram, State: Idle})
	if _, ok := c.Conflict(); ok {
		t.Error("a conflict that is over")
	}
}

// Whatever comes in whatever order: time does not run backwards, Next lies in
// the future, doing nothing until Next changes nothing, and a prompt on the
// screen of an agent that is there is blocked.
func TestOrderAlwaysHolds(t *testing.T) {
	for seed := range uint64(300) {
		checkOrder(t, rand.New(rand.NewPCG(seed, 1)), 300)
	}
}

func checkOrder(t *testing.T, r *rand.Rand, steps int) {
	t.Helper()
	c := &sources{}
	now := epoch
	kinds := []Kind{"", Permission, Ask, Background, Compacting, Menu, Shell, Failed}
	for range steps {
		now = now.Add(time.Duration(r.Int64N(int64(4 * time.Second))))
		if r.IntN(50) == 0 {
			now = now.Add(time.Hour)
		}
		st, k := State(r.IntN(4)), kinds[r.IntN(len(kinds))]
		switch r.IntN(5) {
		case 0:
			v := Verdict{State: st, Kind: k, Source: FromScreen, Rule: &Rule{}}
			switch r.IntN(6) {
			case 0:
				v = Verdict{State: Idle, Source: FromScreen}
			case 1:
				v.Keep = true
			case 2:
				v.Source = FromTitle
			}
			c.Screen(now, v)
			if c.front != ForegroundGone && v.State == Blocked && v.Source == FromScreen && !v.Keep && c.Status().State != Blocked {
				t.Fatalf("a prompt on the screen is %v", c.Status())
			}
		case 1, 2:
			src := []Source{FromProgram, FromHook, FromHook, FromACP, "forged"}[r.IntN(5)]
			c.Report(now, Report{Source: src, State: st, Kind: k, Soft: r.IntN(9) == 0, Hold: r.IntN(9) == 0})
		case 3:
			if r.IntN(4) == 0 {
				c.Foreground(now, Foreground(r.IntN(4)))
			} else {
				c.Tick(now)
			}
		case 4:
			c.Tick(now)
		}
		s := c.Status()
		if c.front == ForegroundGone && s.State != None {
			t.Fatalf("gone, yet %v", s)
		}
		if s.Since.After(now) {
			t.Fatalf("since %v, now %v", s.Since, now)
		}
		if at, ok := c.Next(); ok {
			if !at.After(now) {
				t.Fatalf("next %v is not after %v", at, now)
			}
			q := *c
			q.Tick(at.Add(-time.Nanosecond))
			if fmt.Sprint(q.Status()) != fmt.Sprint(s) {
				t.Fatalf("%v became %v before Next", s, q.Status())
			}
		} else {
			q := *c
			q.Tick(now.Add(1000 * time.Hour))
			if fmt.Sprint(q.Status()) != fmt.Sprint(s) {
				t.Fatalf("%v became %v with nothing due", s, q.Status())
			}
		}
	}
}

func FuzzOrder(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkOrder(t, rand.New(rand.NewPCG(a, b)), 100) })
}

func TestOneLine(t *testing.T) {
	tests := []struct {
		in    string
		limit int
		want  string
	}{
		{"plain", 80, "plain"},
		{"  a \t b\r\n c  ", 80, "a b c"},
		{"a\x1b[31mb\x07\x00\x9c\u0085c", 80, "a[31mb c"},
		{"rm \u202egnp.exe\u2066 \u200bx\ufeff\u2028y", 80, "rm gnp.exe x y"},
		{"né → 界", 80, "né → 界"},
		{"\xff\xfeok", 80, "ok"},
		{"0123456789", 10, "0123456789"},
		{"0123456789a", 10, "0123456…"},
		{"界界界界", 10, "界界…"},
		{"ab cdef", 6, "ab…"},
		{"", 3, ""},
		{"abcd", 3, "…"},
	}
	for _, tt := range tests {
		if got := OneLine(tt.in, tt.limit); got != tt.want || len(got) > max(tt.limit, 3) {
			t.Errorf("OneLine(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

func FuzzOneLine(f *testing.F) {
	f.Add("a\u202eb \x00", 5)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = max(limit&0xfff, 3)
		got := OneLine(s, limit)
		if len(got) > limit {
			t.Fatalf("%d bytes, limit %d: %q", len(got), limit, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || invisible(r) || r == 0xfffd }) {
			t.Fatalf("%q", got)
		}
		if again := OneLine(got, limit); again != got {
			t.Fatalf("%q becomes %q", got, again)
		}
	})
}

func BenchmarkSources(b *testing.B) {
	c := &sources{}
	now := epoch
	v := []Verdict{{State: Working, Source: FromScreen, Rule: &Rule{}}, {State: Idle, Source: FromScreen, Rule: &Rule{}}}
	for i := 0; b.Loop(); i++ {
		now = now.Add(time.Second)
		c.Screen(now, v[i&1])
		c.Report(now, Report{Source: FromHook, State: Working})
	}
}
