package detect

import "time"

// The pace at which the screen is looked at. A spinner repaints ten times a
// second and says nothing new, a prompt is painted once and waits: so quiet is
// what triggers a look, and continuous output is sampled.
const (
	// PaceSweep is the longest that output waits to be looked at while more
	// of it keeps coming.
	PaceSweep = 700 * time.Millisecond
	// PaceQuiet is the quiet after output that says that a frame is complete.
	// The writes of one frame follow each other within a few milliseconds.
	PaceQuiet = 60 * time.Millisecond
	// PaceGap is the least time between two looks.
	PaceGap = 100 * time.Millisecond
	// PaceSync is how long an open synchronised update (DEC mode 2026) may
	// hold the screen back. Terminals cut theirs after about as long.
	PaceSync = time.Second
)

// Config is what a Timeline is made of.
type Config struct {
	Screen  Screen  // never nil; the timeline owns it from then on
	Rules   *Rules  // nil until they are known; without rules the screen says nothing
	Settler Settler // of hook reports; may be nil
}

// Timeline turns what is known of an agent, as it comes in time, into a Status:
// its output, its own reports, and who has the terminal.
//
// It holds no clock: every method takes the time, which must not run backwards
// from call to call, and [Timeline.Next] names the next instant at which
// something could change with no new input. A Timeline is not safe for
// concurrent use.
type Timeline struct {
	screen Screen
	rules  *Rules
	src    sources

	dirty    bool      // output or a size has come that no look has seen
	dirtyAt  time.Time // when the first of it came
	last     time.Time // when the last of it came
	fresh    bool      // the rules are new: look even if the screen is the same
	drawn    bool      // there has been output at all
	looked   time.Time // when the last look was
	hasLook  bool
	inSync   bool
	syncAt   time.Time // when the open synchronised update began
	syncDone bool      // an update has ended that no look has seen
	unsure   bool      // the last look was at half a frame, maybe
	judged   bool      // the rules have judged seen
	seen     Snapshot
}

// New returns a timeline with no state. The agent counts as gone until
// [Timeline.Alive] or [Timeline.Foreground] says otherwise.
func New(c Config) *Timeline {
	t := &Timeline{screen: c.Screen, rules: c.Rules}
	t.src.Settler = c.Settler
	t.src.front = ForegroundGone
	return t
}

// Write draws the agent's output. p may be split anywhere.
func (t *Timeline) Write(now time.Time, p []byte) {
	t.Tick(now) // what was due before these bytes is judged without them
	if len(p) == 0 {
		return
	}
	was := t.inSync
	t.screen.Write(p)
	t.inSync = t.screen.Synchronized()
	switch {
	case t.inSync && !was:
		t.syncAt = now
	case was && !t.inSync:
		t.syncDone = true
	}
	t.drawn = true
	t.touch(now)
	t.Tick(now)
}

// Resize sets the terminal's size in cells.
func (t *Timeline) Resize(now time.Time, cols, rows int) {
	t.Tick(now)
	t.screen.Resize(cols, rows)
	t.touch(now)
}

// touch notes that there is something new to look at.
func (t *Timeline) touch(now time.Time) {
	if !t.dirty {
		t.dirty, t.dirtyAt = true, now
	}
	t.last = now
}

// SetRules sets the rules, or takes them away with nil. What has been drawn
// since there were none is judged by them at once.
func (t *Timeline) SetRules(now time.Time, r *Rules) {
	t.Tick(now)
	t.rules, t.judged = r, false
	t.src.NoScreen(now)
	if r == nil {
		t.drawn = false
	}
	if r != nil && t.drawn {
		t.fresh = true
		t.touch(now)
		t.Tick(now)
	}
}

// Alive says whether the agent's process is there. An agent that has gone has
// no state although its last prompt may still be on the screen.
func (t *Timeline) Alive(now time.Time, alive bool) {
	if alive {
		t.Foreground(now, ForegroundAgent)
	} else {
		t.Foreground(now, ForegroundGone)
	}
}

// Foreground says who has the terminal. Of an agent that comes after another
// has gone, the screen says nothing before it has drawn.
func (t *Timeline) Foreground(now time.Time, f Foreground) {
	t.Tick(now)
	if (f == ForegroundGone) != (t.src.front == ForegroundGone) {
		t.judged = false
	}
	t.src.Foreground(now, f)
}

// Report takes the agent's own word. It returns false if it is not believed.
func (t *Timeline) Report(now time.Time, r Report) bool {
	t.Tick(now)
	return t.src.Report(now, r)
}

// Conflict returns a disagreement between the screen and the agent's own word
// that has lasted for [ConflictAfter] and still does.
func (t *Timeline) Conflict() (Conflict, bool) { return t.src.Conflict() }

// Tick lets time pass. Call it when [Timeline.Next] has come; a call too early
// or too late does no harm.
func (t *Timeline) Tick(now time.Time) {
	if due, ok := t.due(); ok && !now.Before(due) {
		t.look(now)
	}
	t.src.Tick(now)
}

// Next returns the next instant at which the status could change with no new
// input. At rest there is none.
func (t *Timeline) Next() (time.Time, bool) {
	at, ok := t.due()
	if s, has := t.src.Next(); has && (!ok || s.Before(at)) {
		return s, true
	}
	return at, ok
}

// due returns when the screen is to be looked at.
func (t *Timeline) due() (time.Time, bool) {
	if !t.dirty {
		return time.Time{}, false
	}
	if t.inSync {
		return t.syncAt.Add(PaceSync), true
	}
	if t.fresh {
		return t.last, true
	}
	due := t.last.Add(PaceQuiet)
	if t.syncDone {
		due = t.last
	}
	if at := t.dirtyAt.Add(PaceSweep); at.Before(due) {
		due = at
	}
	if at := t.looked.Add(PaceGap); t.hasLook && due.Before(at) {
		due = at
	}
	return due, true
}

// Status returns what the agent is doing.
func (t *Timeline) Status() Status { return t.src.Status() }

// Snapshot returns the screen as it stands, for a classification that must not
// rest on the last look: before something is typed into the terminal.
func (t *Timeline) Snapshot() Snapshot { return t.screen.Snapshot() }

// look judges the screen as it stands.
func (t *Timeline) look(now time.Time) {
	quiet := t.syncDone || now.Sub(t.last) >= PaceQuiet
	t.dirty, t.syncDone = false, false
	if t.inSync {
		// An update that never ends must not freeze the state.
		if s, ok := t.screen.(interface{ EndSync() }); ok {
			s.EndSync()
			t.inSync = t.screen.Synchronized()
		}
		t.syncAt = now
	}
	s := t.screen.Snapshot()
	same := t.judged && !t.fresh && !t.unsure && s.equal(&t.seen)
	t.seen, t.hasLook, t.looked, t.fresh = s, true, now, false
	if t.rules == nil || same {
		return
	}
	v := t.rules.Match(&s)
	if v.State == Idle && !v.Keep && (!quiet || v.Rule == nil) && !t.unsure && t.busy() {
		// Half a frame shows less than the whole one, and some programs clear
		// the screen and think before they draw (Claude Code 2.0.76 after
		// /compact). That nothing goes on is believed when it is found twice
		// in a row, or by a rule on a screen at rest.
		t.unsure = true
		t.touch(now)
		return
	}
	t.unsure, t.judged = false, true
	t.src.Screen(now, v)
}

// busy reports whether an idle screen would be news.
func (t *Timeline) busy() bool {
	return t.src.Status().State != Idle
}
