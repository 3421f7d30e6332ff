//go:build realterminal

package realterminal

import (
	"testing"
	"time"
)

// TestFocus: while the agent has the terminal report its focus, a person who
// looks at the window is not told that a turn is over, and of a question only
// when they look away; one who looks elsewhere is told. The agent gets the
// reports as it would without fwrap.
func TestFocus(t *testing.T) {
	const in, out = "\x1b[I", "\x1b[O"
	stageWith := func(t *testing.T, argv func(*stage) []string) (s *stage, here, elsewhere string) {
		s = newStage(t).x()
		elsewhere = s.xterm("other", []string{"sleep", "600"})
		here = s.xterm("stage", argv(s))
		s.focus(elsewhere)
		return s, here, elsewhere
	}
	// reports has the agent ask for reports and moves the focus: in, out, in.
	reports := func(s *stage, here, elsewhere string) {
		s.t.Helper()
		s.agent.Say("\x1b[?1004h\x1b[5n") // the answer to 5n says that 1004 has been read
		s.until("readiness", func() bool { return s.agent.Got() == "\x1b[0n" })
		want := "\x1b[0n"
		for _, step := range []struct{ window, report string }{{here, in}, {elsewhere, out}, {here, in}} {
			s.focus(step.window)
			want += step.report
			s.until("focus report", func() bool { return len(s.agent.Got()) >= len(want) })
			if got := s.agent.Got(); got != want {
				s.t.Fatalf("the agent got %q, want %q", got, want)
			}
		}
	}
	t.Run("bare", func(t *testing.T) { // so that what is compared with is true
		s, here, elsewhere := stageWith(t, func(s *stage) []string { return []string{s.agent.Path} })
		reports(s, here, elsewhere)
	})
	t.Run("focused, then not", func(t *testing.T) {
		s, here, elsewhere := stageWith(t, func(s *stage) []string { return s.fwrap() })
		reports(s, here, elsewhere)
		s.works()
		s.agent.Asks("make deploy")
		s.logged("state=blocked")
		s.quiet(0, 4*time.Second)
		s.focus(elsewhere)
		told := s.told(1)
		if late := time.Since(told.At); late > limit {
			t.Errorf("told %v late", late)
		}
	})
	t.Run("not focused, then focused", func(t *testing.T) {
		s, here, elsewhere := stageWith(t, func(s *stage) []string { return s.fwrap() })
		reports(s, here, elsewhere)
		s.focus(elsewhere)
		s.until("focus report", func() bool { return s.agent.Got() == "\x1b[0n"+in+out+in+out })
		s.works()
		s.agent.Asks("make deploy")
		s.told(1)
		s.focus(here)
		s.agent.Works()
		s.logged("state=working", 2)
		s.quiet(1, 6*time.Second) // long enough for a turn that would be told
		s.agent.Rests()
		s.logged("state=idle", 1)
		s.quiet(1, 5*time.Second)
	})
	t.Run("a turn's end, not focused", func(t *testing.T) {
		s, here, elsewhere := stageWith(t, func(s *stage) []string { return s.fwrap() })
		reports(s, here, elsewhere)
		s.focus(elsewhere)
		s.works()
		s.quiet(0, 2*time.Second) // away, a turn of a second counts
		s.agent.Rests()
		s.told(1)
	})
}
