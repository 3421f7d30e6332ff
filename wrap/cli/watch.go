package cli

import (
	"slices"
	"time"

	"fwrap/detect"
	"fwrap/notify"
)

// watch joins an agent's timeline with what the person is told of it. It has no
// clock and no goroutine: a live session and a replay are the same code with
// different callers. It is not safe for concurrent use.
type watch struct {
	timeline *detect.Timeline
	inband   inband
	evidence evidence
	policy   *notify.Policy
	// heard hears every report that counts, and whether it was believed; may be nil.
	heard func(r detect.Report, believed bool)
	// changed hears every change of state, kind or question.
	changed func(now time.Time, st detect.Status)
	// act hears what is to be told or taken back.
	act func(now time.Time, a notify.Action)

	last detect.Status
	// unknown hears once of a stopped agent whose screen no rule knows; may be nil.
	unknown func(stood time.Duration)
	stuck   stuck
}

// output takes a piece of the agent's output. The reports in it are heard
// before what it draws is looked at: Claude Code 2.1.332 reports a dialog 0.2 s
// before it paints it.
func (w *watch) output(now time.Time, p []byte) {
	w.hear(now, p)
	w.drawn(now, p)
}

// drawn takes output that is not the agent's own, though it is on its terminal:
// no report in it counts.
func (w *watch) drawn(now time.Time, p []byte) {
	w.timeline.Write(now, p)
	w.stuck.drawn = now
	w.settle(now)
}

// hear takes the reports in a piece of output.
func (w *watch) hear(now time.Time, p []byte) {
	w.inband.write(p, func(r detect.Report) { w.report(now, r) })
}

// report takes the agent's own word, if it counts.
func (w *watch) report(now time.Time, r detect.Report) {
	if r.Source == detect.FromProgram && !w.evidence.program || r.Source == detect.FromHook && !w.evidence.hook {
		return
	}
	believed := w.timeline.Report(now, r)
	if w.heard != nil {
		w.heard(r, believed)
	}
	w.settle(now)
}

// settle passes on what the timeline says now. It is called after every input
// to the timeline.
func (w *watch) settle(now time.Time) {
	st := w.timeline.Status()
	w.stuck.status(now, st)
	if sameNews(st, w.last) {
		w.last = st
		return
	}
	w.last = st
	w.changed(now, st)
	w.do(now, w.policy.Status(now, st))
}

func (w *watch) do(now time.Time, acts []notify.Action) {
	for _, a := range acts {
		w.act(now, a)
	}
}

// tick does what is due at now.
func (w *watch) tick(now time.Time) {
	w.timeline.Tick(now)
	w.settle(now)
	w.do(now, w.policy.Tick(now))
	if stood, ok := w.stuck.tick(now); ok && w.unknown != nil {
		w.unknown(stood)
	}
}

// next returns the next instant at which tick could bring something.
func (w *watch) next() (time.Time, bool) {
	at, ok := w.timeline.Next()
	for _, due := range []time.Time{w.policy.Due(), w.stuck.due()} {
		if !due.IsZero() && (!ok || due.Before(at)) {
			at, ok = due, true
		}
	}
	return at, ok
}

// advance does all that falls due up to now, each thing at its own time.
func (w *watch) advance(now time.Time) {
	for range 1000 { // a bound, should an instant not pass when its time has come
		at, ok := w.next()
		if !ok || at.After(now) {
			return
		}
		w.tick(at)
	}
}

// sameNews says whether two statuses are the same to a person.
func sameNews(a, b detect.Status) bool {
	return a.State == b.State && a.Kind == b.Kind && a.Question.Text == b.Question.Text &&
		slices.Equal(a.Question.Options, b.Question.Options)
}
