package cli

import (
	"time"

	"fwrap/detect"
)

// noRule is what log and explain say of a screen that no rule knows.
const noRule = "no rule matched"

// stuckAfter is how long a stopped agent stands on a screen that no rule knows
// before that is said. Between two screens such moments are common and short.
const stuckAfter = 10 * time.Second

// isUnknown says whether the agent counts as idle only because no rule knew its
// screen.
func isUnknown(st detect.Status) bool {
	return st.State == detect.Idle && st.Rule == "" && st.Source == detect.FromScreen
}

// stuck notices that an agent has stopped on a screen that no rule knows, so
// that the person can make a rule of it. It is said once: again only after a
// rule has known a screen in between.
type stuck struct {
	drawn   time.Time // when the last output came
	unknown bool      // no rule knows the screen
	since   time.Time // since when not
	said    bool
}

// status takes what the agent does.
func (s *stuck) status(now time.Time, st detect.Status) {
	is := isUnknown(st)
	if is != s.unknown {
		s.unknown, s.since, s.said = is, now, false
	}
}

// due returns when it is to be said; the zero time for never.
func (s *stuck) due() time.Time {
	if !s.unknown || s.said || s.drawn.IsZero() {
		return time.Time{}
	}
	return s.from().Add(stuckAfter)
}

// from is since when the screen stands.
func (s *stuck) from() time.Time {
	if s.drawn.After(s.since) {
		return s.drawn
	}
	return s.since
}

// tick returns how long the screen has stood, if that is to be said now.
func (s *stuck) tick(now time.Time) (time.Duration, bool) {
	due := s.due()
	if due.IsZero() || now.Before(due) {
		return 0, false
	}
	s.said = true
	return now.Sub(s.from()), true
}

// lasted returns for how many seconds the first entry's state lasted, if the
// recording says so.
func lasted(rest []timelineEntry) (float64, bool) {
	for _, e := range rest[1:] {
		if e.Told == "" && (e.Label == "" || e.State != rest[0].State) {
			return e.T - rest[0].T, true
		}
	}
	if n := len(rest) - 1; n > 0 {
		return rest[n].T - rest[0].T, true
	}
	return 0, false
}

// unknownScreen logs it in a live session: never what is on the screen.
func (l *live) unknownScreen(stood time.Duration) {
	l.log.Info(noRule, "agent", l.agent, "stood", stood.Round(time.Second).String(),
		"hint", "fwrap record FILE COMMAND, then fwrap explain FILE --make-example")
}
