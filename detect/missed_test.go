package detect

import (
	"testing"
	"time"
)

// What the sources say where one of them is silent.
func TestMissed(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"a working that was never reported", `
			0 7501 idle
			0.5 screen idle
			5 screen working
			6.1 = idle 7501
			6.2 = working screen
			9 7501 blocked/permission
			9 = blocked/permission
			9.5 7501 idle
			9.5 = idle 7501`},
		{"and its end, which is not reported either", `
			0 7501 idle
			0.5 screen idle
			5 screen working
			7 = working
			8 screen idle
			8 = idle`},
		{"a screen that has shown work since the report", `
			0 screen working
			1 7501 idle
			30 = idle 7501`},
		{"a working title alone", `
			0 7501 idle
			0.5 screen idle
			5 title working
			9 = idle 7501`},
		{"work that is seen for a moment", `
			0 7501 idle
			0.5 screen idle
			5 screen working
			6 screen idle
			6.5 screen working
			7.6 = idle 7501
			7.7 = working`},
		{"another program draws", `
			0 7501 idle
			0.5 screen idle
			4 front other
			5 screen working
			9 = idle 7501`},
		{"hooks alone: a rest stays", `
			0 hook idle/background
			1 hook idle/shell
			60 = idle/shell hook
			61 hook working
			90 = working
			92 = idle
			93 hook clear
			93 = none`},
	} {
		t.Run(c.name, func(t *testing.T) { runScript(t, c.script) })
	}
	c := runScript(t, "0 7501 idle\n0.5 screen idle\n5 screen working")
	if at, ok := c.Next(); !ok || !at.Equal(epoch.Add(6200*1e6)) {
		t.Errorf("next at %v, %v", at, ok)
	}
}

// A failure is told once: Claude Code 2.1.332 repeats it when a compaction ends.
func TestRepeatedFailure(t *testing.T) {
	c := &sources{}
	say := func(sec int, r Report) Status {
		c.Report(epoch.Add(seconds(sec)), r)
		return c.Status()
	}
	failed := Report{Source: FromProgram, State: Idle, Kind: Failed, Note: "API Error: 400"}
	if s := say(1, failed); s.Kind != Failed {
		t.Errorf("%+v", s)
	}
	say(2, Report{Source: FromProgram, State: Working})
	if s := say(3, failed); s.Kind != Failed {
		t.Errorf("a turn that fails of the same: %+v", s)
	}
	say(4, Report{Source: FromProgram, State: Working})
	c.Screen(epoch.Add(seconds(5)), Verdict{State: Working, Kind: Compacting, Source: FromScreen, Rule: &Rule{}})
	if s := c.Status(); s.Kind != Compacting {
		t.Fatalf("%+v", s)
	}
	if s := say(6, failed); s.State != Idle || s.Kind != "" {
		t.Errorf("after a compaction: %+v", s)
	}
	say(7, Report{Source: FromProgram, State: Working, Kind: Compacting})
	other := failed
	other.Note = "compaction failed"
	if s := say(8, other); s.Kind != Failed {
		t.Errorf("a compaction that fails: %+v", s)
	}
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
