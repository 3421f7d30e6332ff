package detect

import "time"

// Foreground says who has the terminal.
type Foreground uint8

const (
	ForegroundAgent Foreground = iota // the agent, or the command that is wrapped as one
	ForegroundOther                   // a child of the agent (an editor, a pager), or nobody knows
	ForegroundShell                   // a shell, while the agent is stopped or in the background
	ForegroundGone                    // the agent's process has ended
)

// Settler is what makes hook reports. When the screen has settled that what the
// last one said is over, Settle tells it so and returns what holds from then
// on: working says that the agent goes on (a dialog was answered with Yes),
// otherwise its turn has ended (Esc, No).
type Settler interface {
	Settle(working bool) Report
}

// Conflict is a disagreement between the screen and the agent's own word.
type Conflict struct {
	Since  time.Time
	Screen Status // what the screen says
	Report Report // what the agent says
}

// level is what a source last said.
type level struct {
	Report
	has bool
	at  time.Time
}

// sources holds what each source says and combines it.
//
// The order: an agent that has gone has no state; a prompt on the screen is
// always blocked; then the agent's own word, OSC 7501 before ACP before hooks,
// the last only while they are fresh; then the shell that is back in front;
// then the other rules; no rule is idle, never blocked.
//
// Time goes in with every call and may jump: what would have happened in
// between happens at its own instant.
type sources struct {
	Settler Settler // of the hooks; may be nil

	now time.Time

	front      Foreground
	frontSince time.Time // since when front is what it is

	screen     Status
	looked     bool      // screen says something
	ruled      bool      // a rule said so
	kept       bool      // a viewer hides the screen: what was before holds
	keptAt     time.Time // since when
	clearSince time.Time // since when the screen is known and not blocked
	restSince  time.Time // since when it shows the agent at rest, by a rule
	goesSince  time.Time // since when it shows the agent working or at rest, by a rule
	workSince  time.Time // since when it shows the agent working, by a rule
	restedAt   time.Time // when it was last found at rest, by a rule

	program level  // OSC 7501
	failure string // the last that it said a turn has failed of
	acp     level
	hook    level
	painted bool // the screen was blocked at or after the hook's report
	spoken  bool // the last word of the hooks was one, fresh or not

	conflict    Conflict
	conflicting bool

	status Status
}

// Screen takes what the rules say of the screen.
func (c *sources) Screen(now time.Time, v Verdict) {
	c.advance(now)
	switch {
	case v.Keep && c.looked:
		if !c.kept {
			c.kept, c.keptAt = true, c.now
			c.clearSince, c.restSince, c.goesSince, c.workSince = time.Time{}, time.Time{}, time.Time{}, time.Time{}
		}
		c.decide()
		return
	case v.Keep:
		v = Verdict{State: Idle, Source: FromScreen, Row: -1}
	}
	c.kept, c.looked = false, true
	c.screen, c.ruled = v.status(), v.Rule != nil
	// A title says nothing about dialogs and lags behind: Claude Code's glyph
	// goes on through a permission, and some builds leave it still all turn
	// long. So it settles nothing. A menu may lie over a dialog.
	sure := c.ruled && v.Source != FromTitle && v.Kind != Menu
	c.hold(&c.clearSince, !c.dialog())
	c.hold(&c.restSince, sure && v.State == Idle)
	c.hold(&c.goesSince, sure && (v.State == Idle || v.State == Working))
	c.hold(&c.workSince, sure && v.State == Working)
	if sure && v.State == Idle {
		c.restedAt = c.now
	}
	if c.dialog() {
		c.painted = true
	}
	c.decide()
}

// hold starts the clock at since when cond becomes true and stops it when it
// is not.
func (c *sources) hold(since *time.Time, cond bool) {
	if !cond {
		*since = time.Time{}
	} else if since.IsZero() {
		*since = c.now
	}
}

// NoScreen forgets what the screen said: the rules have changed, or another
// agent has come and has drawn nothing yet.
func (c *sources) NoScreen(now time.Time) {
	c.advance(now)
	c.forgetScreen()
	c.decide()
}

func (c *sources) forgetScreen() {
	c.screen, c.looked, c.ruled, c.kept = Status{}, false, false, false
	c.clearSince, c.restSince, c.goesSince = time.Time{}, time.Time{}, time.Time{}
	c.workSince, c.restedAt = time.Time{}, time.Time{}
}

// Report takes the agent's own word. It returns false if the word is not
// believed: an agent that has gone says nothing, and an OSC 7501 record counts
// only while the agent has the terminal, for "cat file" can print one too.
func (c *sources) Report(now time.Time, r Report) bool {
	c.advance(now)
	if c.front == ForegroundGone {
		return false
	}
	l := level{Report: r, has: r.State != None, at: c.now}
	switch r.Source {
	case FromProgram:
		if c.front == ForegroundShell {
			return false
		}
		if failed := r.State == Idle && r.Kind == Failed; failed && c.status.Kind == Compacting && r.Note == c.failure {
			// Claude Code 2.1.332 repeats what the turn before has failed of
			// when a /compact has ended well.
			l.Kind, l.Note = "", ""
		} else if failed {
			c.failure = r.Note
		}
		c.program = l
	case FromACP:
		c.acp = l
	case FromHook:
		c.hear(l)
	default:
		return false
	}
	c.decide()
	return true
}

func (c *sources) hear(l level) {
	// A status file says no more than that the agent waits. It does so about
	// the same dialog as the hook that has told its question.
	if b := &c.hook; l.Hold && b.has && l.State == Blocked && b.State == Blocked && l.Question.Text == "" && sameDialog(b.Kind, l.Kind) {
		l.Kind, l.Question = b.Kind, b.Question
	}
	c.hook, c.spoken = l, l.has
	c.painted = c.dialog() && !c.kept
}

// Foreground takes who has the terminal. An agent that has gone loses all that
// was said by it and of it; one that comes after it starts from nothing.
func (c *sources) Foreground(now time.Time, f Foreground) {
	c.advance(now)
	if f == c.front {
		return
	}
	if f == ForegroundGone || c.front == ForegroundGone {
		c.program, c.acp, c.hook = level{}, level{}, level{}
		c.painted, c.spoken = false, false
		c.forgetScreen()
	}
	c.front, c.frontSince = f, c.now
	c.decide()
}

// Tick lets time pass.
func (c *sources) Tick(now time.Time) { c.advance(now) }

// Status is what the agent does, as of the last call.
func (c *sources) Status() Status { return c.status }

// Next is the next instant at which the status, or [sources.Conflict], could
// change with no new input.
func (c *sources) Next() (time.Time, bool) {
	at, _ := c.due()
	if c.conflicting {
		if t := c.conflict.Since.Add(ConflictAfter); t.After(c.now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at, !at.IsZero()
}

// Conflict returns the disagreement that has lasted for [ConflictAfter] and
// still lasts.
func (c *sources) Conflict() (Conflict, bool) {
	ok := c.conflicting && !c.now.Before(c.conflict.Since.Add(ConflictAfter))
	if !ok {
		return Conflict{}, false
	}
	return c.conflict, true
}

// what is due at an instant.
type happening uint8

const (
	nothing      happening = iota
	hookStale              // its age limit
	hookSettled            // the screen has spoken
	recordMissed           // a record has been overruled
)

// due returns the next instant at which something happens by itself.
func (c *sources) due() (time.Time, happening) {
	var at time.Time
	what := nothing
	if c.front == ForegroundGone {
		return at, what
	}
	if w, heard := c.word(); heard {
		if t := c.missed(&w); t.After(c.now) {
			at, what = t, recordMissed
		}
	}
	if !c.hook.has {
		return at, what
	}
	if age, limited := c.hook.age(); limited {
		if t := c.hook.at.Add(age); at.IsZero() || t.Before(at) {
			at, what = t, hookStale
		}
	}
	if t := c.settles(); !t.IsZero() && (at.IsZero() || t.Before(at)) {
		at, what = t, hookSettled
	}
	return at, what
}

// settles returns when the screen, standing as it does, ends what the hook
// said; the zero time for never. While another program than the agent has the
// terminal its screen settles nothing, and a screen that no rule knows must not
// kill the agent's word, except that a dialog that was seen is seen no more.
func (c *sources) settles() time.Time {
	if !c.looked || c.kept || c.front != ForegroundAgent {
		return time.Time{}
	}
	since, from, wait := c.restSince, c.hook.at, SettleIdle
	switch {
	case c.hook.State == Blocked && c.painted:
		since, wait = c.clearSince, SettleAnswered
	case c.hook.State == Blocked:
		since, from, wait = c.goesSince, c.hook.at.Add(SettlePaint), SettleUnseen
	case c.hook.State == Working && c.hook.Kind != Background:
	default:
		return time.Time{}
	}
	if since.IsZero() {
		return time.Time{}
	}
	if since.Before(from) {
		since = from
	}
	if since.Before(c.frontSince) {
		since = c.frontSince
	}
	return since.Add(wait)
}

// advance lets happen what was due up to now.
func (c *sources) advance(now time.Time) {
	for {
		at, what := c.due()
		if what == nothing || at.After(now) {
			break
		}
		if at.After(c.now) {
			c.now = at
		}
		switch what {
		case hookStale:
			c.hook = level{}
		case hookSettled:
			c.settle()
		}
		c.decide()
	}
	if now.After(c.now) {
		c.now = now
	}
}

// settle replaces the hook's report by what holds after it.
func (c *sources) settle() {
	goes := c.hook.State == Blocked && c.screen.State == Working && c.ruled
	r := Report{Source: FromHook, State: Idle, Kind: Stopped, Hold: c.hook.Hold}
	if goes {
		r = Report{Source: FromHook, State: Working, Hold: c.hook.Hold}
	}
	if c.Settler != nil {
		r = c.Settler.Settle(goes)
	}
	// A settler that still says what the screen has just refuted would be
	// settled again and again at the same instant.
	if r.State == c.hook.State && r.Kind == c.hook.Kind || r.State == Blocked {
		r = Report{}
	}
	c.hear(level{Report: r, has: r.State != None, at: c.now})
}

// dialog reports whether the screen itself shows a prompt. A title that says so
// is evidence like any other rule.
func (c *sources) dialog() bool {
	return c.looked && c.screen.State == Blocked && c.screen.Source != FromTitle
}

// decide combines what is known at c.now.
func (c *sources) decide() {
	next, ok := c.combine()
	if ok {
		if next.State != c.status.State || next.Kind != c.status.Kind || c.status.Since.IsZero() {
			next.Since = c.now
		} else {
			next.Since = c.status.Since
		}
		c.status = next
	}
	c.compare()
}

// combine returns false where what was before holds.
func (c *sources) combine() (Status, bool) {
	word, heard := c.word()
	switch {
	case c.front == ForegroundGone:
		return Status{State: None, Source: FromProcess}, true
	case c.dialog() && !(c.kept && heard && word.at.After(c.keptAt)):
		s := c.screen
		if heard {
			s = s.detailed(&word.Report)
		}
		return s, true
	case heard && !c.overruled(&word):
		return c.refined(&word.Report), true
	case c.front == ForegroundShell && (c.looked || heard):
		return Status{State: Idle, Source: FromProcess}, true
	case !c.looked && !c.spoken:
		return Status{State: None}, true
	case !c.looked && c.status.State == Idle:
		return Status{}, false // a rest that nothing has contradicted
	case !c.looked:
		return Status{State: Idle, Source: FromHook}, true
	case c.kept && c.status.State != None, c.lasting():
		return Status{}, false
	}
	return c.screen, true
}

// lasting reports whether the agent is still at rest as a hook told, whose word
// is too old to count by itself: how the turn ended is then better known from it
// than from a screen that only shows the rest.
func (c *sources) lasting() bool {
	s := &c.status
	return s.State == Idle && s.Source == FromHook && (s.Kind == Failed || s.Kind == Stopped || s.Kind == Shell) &&
		c.screen.State == Idle && c.screen.Kind == "" && c.front == ForegroundAgent
}

// word returns the agent's own word that is in force.
func (c *sources) word() (level, bool) {
	// A stopped agent's record is stale, and it is not repeated when the agent
	// is continued: it is kept, but does not count.
	if c.program.has && c.front != ForegroundShell {
		return c.program, true
	}
	if c.acp.has {
		return c.acp, true
	}
	return c.hook, c.hook.has
}

// overruled reports whether the screen knows better than w: subagents that were
// left running do not hide that the agent itself works again, and a record of
// rest does not where its successor has been lost.
func (c *sources) overruled(w *level) bool {
	if w.Source == FromHook && w.State == Working && w.Kind == Background {
		return c.looked && !c.kept && c.ruled && c.screen.State == Working && c.screen.Source != FromTitle
	}
	at := c.missed(w)
	return !at.IsZero() && !c.now.Before(at)
}

// missed returns from when on a record of rest is overruled; the zero time for
// never. Claude Code 2.1.332 on a busy machine now and then leaves out the
// working between two others. The screen must have shown the rest that was
// reported before it shows the work that was not.
func (c *sources) missed(w *level) time.Time {
	if w.Source != FromProgram || w.State != Idle || c.front != ForegroundAgent || c.workSince.IsZero() || c.kept || !c.restedAt.After(w.at) {
		return time.Time{}
	}
	return c.workSince.Add(MissedWorking)
}

// refined is r with what the screen, and a hook beside a record, add: OSC 7501
// has no word for a compaction, a retry or a turn that waits for its subagents.
func (c *sources) refined(r *Report) Status {
	s := Status{State: r.State, Kind: r.Kind, Source: r.Source, Question: r.Question, Line: r.Note}
	if c.looked && !c.kept && c.ruled && c.screen.State == r.State && r.Kind == "" && r.State != Blocked {
		s.Kind, s.Rule, s.At = c.screen.Kind, c.screen.Rule, c.screen.At
		if s.Line == "" {
			s.Line = c.screen.Line
		}
	}
	if h := &c.hook; h.has && r.Source == FromProgram && h.State == r.State && r.State != Idle {
		if s.Kind == "" {
			s.Kind = h.Kind
		}
		if r.State == Blocked && sameDialog(s.Kind, h.Kind) && len(s.Question.Options) == 0 {
			s.Question.Options = h.Question.Options
		}
	}
	return s
}

// detailed is a blocked screen's status with what the agent itself says of the
// same dialog: the command in full, where the screen has cut or wrapped it.
func (s Status) detailed(r *Report) Status {
	if r.State != Blocked || !sameDialog(s.Kind, r.Kind) {
		return s
	}
	if s.Kind == "" || s.Kind == Permission && r.Kind == Plan {
		s.Kind = r.Kind
	}
	if r.Question.Text != "" {
		s.Question.Text = r.Question.Text
	}
	if len(s.Question.Options) == 0 {
		s.Question.Options = r.Question.Options
	}
	return s
}

// sameDialog reports whether two kinds of blocked can be of one dialog.
func sameDialog(screen, said Kind) bool {
	switch {
	case screen == said, screen == "", said == "":
		return true
	case screen == Permission || screen == Plan || screen == Trust:
		return said == Permission || said == Plan || said == Trust
	}
	return false
}

// compare notes since when the screen and the agent's word disagree.
func (c *sources) compare() {
	word, heard := c.word()
	disagree := heard && c.front == ForegroundAgent && c.looked && !c.kept && c.ruled &&
		c.screen.State != word.State && c.screen.Source != FromTitle && c.screen.Kind != Menu &&
		word.Kind != Background
	if !disagree {
		c.conflicting, c.conflict = false, Conflict{}
		return
	}
	if !c.conflicting || c.conflict.Screen.State != c.screen.State || c.conflict.Report.State != word.State {
		c.conflict.Since = c.now
	}
	c.conflicting = true
	c.conflict.Screen, c.conflict.Report = c.screen, word.Report
}
