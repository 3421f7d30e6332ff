package detect

import "time"

// The pace at which the screen is looked at. A spinner repaints ten times a
// second and says nothing new, a prompt is painted once and waits: so quiet is
// what triggers a look, and continuous output is sampled.
const (
	// paceSweep is the longest that a screen under continuous output goes
	// without being looked at.
	paceSweep = 700 * time.Millisecond
	// paceQuiet is the quiet after output that says that a frame is complete.
	// Claude Code's spinner repaints at 8 to 12 Hz; a frame's writes follow
	// each other within a few milliseconds.
	paceQuiet = 60 * time.Millisecond
	// paceGap is the least time between two looks.
	paceGap = 100 * time.Millisecond
	// paceSync is how long an open synchronised update (DEC mode 2026) may hold
	// the screen back. tmux and iTerm2 cut theirs at one second.
	paceSync = time.Second
)

// Config is what a Timeline is made of.
type Config struct {
	Screen Screen // never nil; the timeline owns it from then on
	Rules  *Rules // nil until they are known; without rules there is no state
}

// Timeline turns the agent's output, as it comes in time, into a Status.
//
// It holds no clock: every method takes the time, which must not run backwards
// between calls, and [Timeline.Next] names the next instant at which the status
// could change with no new input. A Timeline is not safe for concurrent use.
type Timeline struct {
	screen Screen
	rules  *Rules
	alive  bool

	dirty    bool      // output or a size has come that no look has seen
	fresh    bool      // the rules are new: look even if the screen is the same
	last     time.Time // of the last byte or size
	looked   time.Time // of the last look
	hasLook  bool
	syncFrom time.Time // when the open synchronised update began
	inSync   bool
	syncEnd  bool // an update has ended that no look has seen
	seen     Snapshot
	unsure   bool // the last look found no rule while output was coming

	verdict    Verdict
	hasVerdict bool
	status     Status
}

// New returns a timeline with no state. The agent counts as gone until
// [Timeline.Alive] says otherwise.
func New(c Config) *Timeline {
	return &Timeline{screen: c.Screen, rules: c.Rules}
}

// Write draws the agent's output. p may be split anywhere.
func (t *Timeline) Write(now time.Time, p []byte) {
	if len(p) == 0 {
		return
	}
	t.Tick(now) // what was due before these bytes came is judged without them
	was := t.inSync
	t.screen.Write(p)
	t.inSync = t.screen.Synchronized()
	switch {
	case t.inSync && !was:
		t.syncFrom = now
	case was && !t.inSync:
		t.syncEnd = true
	}
	t.dirty = true
	t.last = now
	t.Tick(now)
}

// Resize sets the terminal's size in cells.
func (t *Timeline) Resize(now time.Time, cols, rows int) {
	t.Tick(now)
	t.screen.Resize(cols, rows)
	t.dirty = true
	t.last = now
}

// SetRules sets the rules, or takes them away with nil. The screen is judged
// anew at the next look.
func (t *Timeline) SetRules(now time.Time, r *Rules) {
	t.Tick(now)
	t.rules = r
	t.hasVerdict = false
	if r == nil {
		t.settle(now)
		return
	}
	if t.hasLook || t.dirty {
		t.dirty, t.fresh = true, true
	}
	t.Tick(now)
}

// Alive says whether the agent's process is there. An agent that has gone has
// no state although its last prompt may still be on the screen.
func (t *Timeline) Alive(now time.Time, alive bool) {
	t.Tick(now)
	if t.alive == alive {
		return
	}
	t.alive = alive
	if alive {
		// What the screen shows is not this agent's until it has drawn.
		t.hasVerdict = false
	}
	t.settle(now)
}

// Tick looks at the screen if a look is due. Call it when [Timeline.Next] has
// come; a call too early or too late does no harm.
func (t *Timeline) Tick(now time.Time) {
	if due, ok := t.Next(); ok && !now.Before(due) {
		t.look(now)
	}
}

// Next returns the next instant at which the status could change with no new
// input. At rest there is none.
func (t *Timeline) Next() (time.Time, bool) {
	if !t.dirty {
		return time.Time{}, false
	}
	if t.inSync {
		return t.syncFrom.Add(paceSync), true
	}
	due := t.last.Add(paceQuiet)
	if t.syncEnd || t.fresh {
		due = t.last
	}
	if t.hasLook && !t.fresh {
		if at := t.looked.Add(paceGap); due.Before(at) {
			due = at
		}
		if at := t.looked.Add(paceSweep); at.Before(due) {
			due = at
		}
	}
	return due, true
}

// Status returns what the agent is doing.
func (t *Timeline) Status() Status { return t.status }

// look judges the screen as it stands.
func (t *Timeline) look(now time.Time) {
	quiet := now.Sub(t.last) >= paceQuiet || t.syncEnd
	t.dirty, t.syncEnd = false, false
	if t.inSync {
		// An update that never ends must not freeze the state: the screen
		// before it is all there is, so the next byte starts the wait anew.
		t.syncFrom = now
	}
	s := t.screen.Snapshot()
	same := t.hasLook && !t.fresh && !t.unsure && s.equal(&t.seen)
	t.seen, t.hasLook, t.looked, t.fresh = s, true, now, false
	if t.rules == nil || same && t.hasVerdict {
		return
	}
	v := t.rules.Match(&s)
	if v.Rule == nil && !quiet && !t.unsure && t.hasVerdict {
		// Half a frame matches nothing. "No rule" is believed when the screen
		// has come to rest, or when it is found twice in a row.
		t.unsure = true
		t.dirty = true
		return
	}
	t.unsure = false
	t.verdict, t.hasVerdict = v, true
	t.settle(now)
}

// settle combines what the sources say into the status.
func (t *Timeline) settle(now time.Time) {
	next, ok := combine(t.alive, t.verdict, t.hasVerdict, t.status)
	if !ok {
		return
	}
	if next.State != t.status.State || next.Kind != t.status.Kind || t.status.Since.IsZero() {
		next.Since = now
	} else {
		next.Since = t.status.Since
	}
	t.status = next
}
