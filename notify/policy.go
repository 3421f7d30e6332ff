package notify

import (
	"slices"
	"time"

	"fwrap/detect"
)

// Op is what is to be done with a session's notice. A session has one at most.
type Op uint8

const (
	Show  Op = iota + 1 // show a notice, in place of the one that is up
	Close               // take the notice away: what it says is over
)

// Action is one thing to do, in the order given.
type Action struct {
	Op    Op
	Event Event // what is told, or what the closed notice told
	// ID numbers the session's notices from 1. A Close carries the number of
	// the notice it takes away.
	ID int
	// Replaces is the number of the notice that is up and that a Show takes
	// the place of; 0: none is up.
	Replaces int
	Reminder bool          // the same question is told once more
	Status   detect.Status // of a Show: what the agent is doing
	Turn     time.Duration // of Finished and Failed: how long the turn took, waits for the person included
	Waited   time.Duration // how long this state has held
}

// Policy decides what one session's person is told. It has no clock: every call
// carries the time, and [Policy.Due] names the next instant at which calling
// [Policy.Tick] would bring something. Times must not go backwards.
//
// A Policy must not be used by two goroutines at once.
type Policy struct {
	set Settings

	status detect.Status
	since  time.Time // when the state began, whatever its kind

	working bool      // a turn has begun; its end is news until it is settled
	settled bool      // the end has been told or given up
	turn    time.Time // when the turn began

	focus   Focus
	focused time.Time // when focus was last reported
	key     time.Time // the person's last key

	occ   *occurrence
	told  [2]time.Time // when a blocked and an idle state were last told
	shown *notice
	last  int // the last notice's number
}

// occurrence is a state that is to be told: one prompt, one end of a turn.
type occurrence struct {
	event    Event
	question detect.Question
	kind     detect.Kind
	source   detect.Source
	start    time.Time
	turn     time.Duration
	phase    phase
	toldAt   time.Time
}

type phase uint8

const (
	waiting  phase = iota // neither told nor given up
	dropped               // the person has seen it, or it is not worth telling
	done                  // told
	reminded              // told twice
)

// notice is what stands on the person's screen.
type notice struct {
	id      int
	event   Event
	closing time.Time // when it is to be withdrawn; zero: what it says still holds
	occ     occurrence
}

// New returns the policy of a session in which nothing has happened yet.
func New(s Settings) *Policy { return &Policy{set: s} }

// Status takes a change of the agent's state, kind or question. What fell due
// earlier and no longer holds at now is not told, however late the call comes.
func (p *Policy) Status(now time.Time, st detect.Status) []Action {
	prev := p.status
	p.status = st
	if st.State != prev.State || p.since.IsZero() {
		p.turns(now, prev)
		p.since = now
	}
	if st.State == detect.None || st.State == detect.Idle && st.Kind == detect.Stopped {
		p.working = false // gone, or ended by the person: no news
	}
	return p.step(now, p.track(now, nil))
}

// turns keeps account of when a turn began. A rest that was too short to settle
// is part of the turn.
func (p *Policy) turns(now time.Time, prev detect.Status) {
	if prev.State == detect.Idle && now.Sub(p.since) >= p.set.IdleSettle {
		p.working = false
	}
	if p.status.State == detect.Working && !p.working {
		p.working, p.settled, p.turn = true, false, now
	}
}

// eventOf says what a state would be told as.
func (p *Policy) eventOf(st detect.Status) Event {
	switch {
	case st.State == detect.Blocked:
		return NeedsYou
	case st.State != detect.Idle || !p.working:
		return NoEvent
	}
	switch st.Kind {
	case "", detect.Shell:
		return Finished
	case detect.Failed:
		return Failed
	}
	return NoEvent
}

// track makes, keeps or ends the occurrence that the present state is.
func (p *Policy) track(now time.Time, acts []Action) []Action {
	ev := p.eventOf(p.status)
	if n := p.shown; n != nil {
		holds := stateOf(n.event) == p.status.State && ev != NoEvent
		switch {
		case !holds && (p.status.State == detect.None || p.keySince(n.occ.toldAt)):
			acts = p.close(acts) // answered
		case !holds && n.closing.IsZero():
			n.closing = now.Add(p.set.CloseSettle)
		}
	}
	if ev == NoEvent {
		p.occ = nil
		return acts
	}
	next := occurrence{
		event: ev, question: p.status.Question, kind: p.status.Kind, source: p.status.Source, start: now,
	}
	if ev != NeedsYou {
		next.start = p.since
		next.turn = p.since.Sub(p.turn)
	}
	old := p.occ
	if old == nil && p.shown != nil && same(&p.shown.occ, &next) {
		// What was told holds again before its notice was withdrawn, and no key
		// was typed, which would have withdrawn it: the interruption was a
		// misread frame, and nothing new has happened.
		kept := p.shown.occ
		p.occ, p.shown.closing = &kept, time.Time{}
		return acts
	}
	switch {
	case old == nil && ev != NeedsYou && p.settled:
		// A menu was opened and closed after the end had been told.
	case old == nil:
		p.occ = &next
	case old.phase >= done && old.event == Failed && ev == Finished:
		// The error has only gone out of sight.
	case same(old, &next), old.source != next.source && !p.keySince(old.start):
		p.refine(old, &next)
	case old.phase == waiting && !p.keySince(old.start):
		// Nobody was there to answer: the question is only better known now.
		p.refine(old, &next)
	case old.phase == dropped && ev != NeedsYou:
		p.refine(old, &next)
	default:
		if n := p.shown; n != nil && p.keySince(n.occ.toldAt) {
			acts = p.close(acts) // one question answered, the next one asked
		}
		p.occ = &next
	}
	return acts
}

// refine takes over what is better known now of the same occurrence.
func (p *Policy) refine(o, next *occurrence) {
	o.event, o.source = next.event, next.source
	if next.kind != "" {
		o.kind = next.kind
	}
	if next.question.Text != "" {
		o.question = next.question
	}
}

// same reports whether two occurrences cannot be told apart. A question that
// could not be read is no other question: it may be half drawn.
func same(a, b *occurrence) bool {
	if a.event != b.event {
		return false
	}
	if a.event != NeedsYou {
		return true
	}
	if a.kind != b.kind && a.kind != "" && b.kind != "" {
		return false
	}
	x, y := a.question, b.question
	if x.Text == "" || y.Text == "" {
		return true
	}
	if squash(x.Text) != squash(y.Text) {
		return false
	}
	// In a small window some of the options are out of sight.
	return within(x.Options, y.Options) || within(y.Options, x.Options)
}

// within reports whether all of few are among many.
func within(few, many []string) bool {
	for _, f := range few {
		if !slices.ContainsFunc(many, func(m string) bool { return squash(m) == squash(f) }) {
			return false
		}
	}
	return true
}

// Key takes a key of the person's: any input that the terminal did not send by
// itself.
func (p *Policy) Key(now time.Time) []Action {
	var acts []Action
	p.key = now
	if n := p.shown; n != nil && (n.event != NeedsYou || !n.closing.IsZero()) {
		acts = p.close(acts) // who types here has seen it
	}
	return p.step(now, acts)
}

// Focus takes what the terminal reports of its focus.
func (p *Policy) Focus(now time.Time, f Focus) []Action {
	p.focus, p.focused = f, now
	return p.step(now, nil)
}

// Tick does what has fallen due by now.
func (p *Policy) Tick(now time.Time) []Action { return p.step(now, nil) }

// End takes the session's end: a notice that is up is taken away.
func (p *Policy) End(now time.Time) []Action {
	return p.Status(now, detect.Status{State: detect.None, Since: now, Source: detect.FromProcess})
}

// Due returns the next instant at which Tick would bring something if nothing
// else happened before; the zero time if none would.
func (p *Policy) Due() time.Time {
	var due time.Time
	if p.shown != nil {
		due = p.shown.closing
	}
	if at, ok := p.ready(); ok && (due.IsZero() || at.Before(due)) {
		due = at
	}
	return due
}

// Echo is how long after the person has been told of something the agent's own
// notice counts as one of the same.
const Echo = 30 * time.Second

// Told reports whether a notice that the agent itself sends now is about what
// the person has been told, at most [Echo] ago, so that showing it too would
// tell them twice.
func (p *Policy) Told(now time.Time) bool {
	return p.occ != nil && p.occ.phase >= done && now.Sub(p.occ.toldAt) < Echo
}

// step does all that is due at now.
func (p *Policy) step(now time.Time, acts []Action) []Action {
	if at, ok := p.ready(); ok && !now.Before(at) {
		if p.worth(now) {
			acts = p.show(now, acts)
		} else {
			p.occ.phase = dropped
		}
		p.settled = p.settled || p.occ.event != NeedsYou
	}
	if n := p.shown; n != nil && !n.closing.IsZero() && !now.Before(n.closing) {
		acts = p.close(acts)
	}
	return acts
}

// ready returns when the occurrence may be told as things stand, or false if
// only an event can change that it is not.
func (p *Policy) ready() (time.Time, bool) {
	o := p.occ
	if o == nil {
		return time.Time{}, false
	}
	when := p.set.when(o.event)
	if when == Never {
		return time.Time{}, false
	}
	var at time.Time
	switch {
	case o.phase == waiting:
		at = o.start.Add(p.set.settle(o.event))
		if told := p.told[slot(o.event)]; !told.IsZero() {
			at = latest(at, told.Add(p.set.Cooldown))
		}
	case o.phase == done && o.event == NeedsYou && p.set.Reminder > 0:
		at = latest(o.toldAt, p.key).Add(p.set.Reminder)
	default:
		return time.Time{}, false
	}
	if o.event != NeedsYou || when == Always {
		return at, true
	}
	// A key since the prompt came shows that the person is there, whatever the
	// terminal says of its focus; only a terminal known to be unfocused cannot
	// have been typed into by a person.
	expires, looking := p.looking(at)
	switch {
	case looking && when == UnfocusedOnly:
		if expires.IsZero() {
			return time.Time{}, false
		}
		at = latest(at, expires)
	case looking:
		there := latest(o.start, latest(p.key, p.focused)).Add(p.set.Presence)
		if !expires.IsZero() && expires.Before(there) {
			there = expires
		}
		at = latest(at, there)
	}
	if p.focus != Unfocused && p.keySince(o.start) {
		at = latest(at, p.key.Add(p.set.Presence))
	}
	return at, true
}

// worth reports whether the occurrence, being due, is news to the person.
func (p *Policy) worth(now time.Time) bool {
	o := p.occ
	if o.event == NeedsYou {
		return true
	}
	if p.focus == Unfocused {
		return o.turn >= p.set.MinTurnAway
	}
	if o.turn < p.set.MinTurn {
		return false
	}
	if p.set.when(o.event) == Always {
		return true
	}
	_, looking := p.looking(now)
	return !looking && !p.keySince(o.start)
}

// looking reports whether the terminal is known to be focused at that time and,
// if so, when that knowledge expires with nothing to confirm it.
func (p *Policy) looking(at time.Time) (expires time.Time, ok bool) {
	if p.focus != Focused {
		return time.Time{}, false
	}
	if p.set.FocusExpires <= 0 {
		return time.Time{}, true
	}
	expires = latest(p.focused, p.key).Add(p.set.FocusExpires)
	return expires, at.Before(expires)
}

func (p *Policy) show(now time.Time, acts []Action) []Action {
	o := p.occ
	p.last++
	a := Action{
		Op: Show, Event: o.event, ID: p.last, Reminder: o.phase == done,
		Status: p.status, Turn: o.turn, Waited: now.Sub(p.since),
	}
	a.Status.Kind, a.Status.Question = o.kind, o.question
	if p.shown != nil {
		a.Replaces = p.shown.id
	}
	if o.phase == done {
		o.phase = reminded
	} else {
		o.phase = done
	}
	o.toldAt = now
	p.told[slot(o.event)] = now
	p.shown = &notice{id: a.ID, event: o.event, occ: *o}
	return append(acts, a)
}

func (p *Policy) close(acts []Action) []Action {
	n := p.shown
	p.shown = nil
	return append(acts, Action{Op: Close, Event: n.event, ID: n.id, Status: p.status})
}

// keySince reports whether the person has typed after t.
func (p *Policy) keySince(t time.Time) bool { return p.key.After(t) }

func stateOf(e Event) detect.State {
	if e == NeedsYou {
		return detect.Blocked
	}
	return detect.Idle
}

// slot is the cooldown that an event shares: one for each state.
func slot(e Event) int {
	if e == NeedsYou {
		return 0
	}
	return 1
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
