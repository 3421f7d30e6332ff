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
	policy   *notify.Policy
	// changed hears every change of state, kind or question.
	changed func(now time.Time, st detect.Status)
	// act hears what is to be told or taken back.
	act func(now time.Time, a notify.Action)

	last detect.Status
}

// settle passes on what the timeline says now. It is called after every input
// to the timeline.
func (w *watch) settle(now time.Time) {
	st := w.timeline.Status()
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
}

// next returns the next instant at which tick could bring something.
func (w *watch) next() (time.Time, bool) {
	at, ok := w.timeline.Next()
	if due := w.policy.Due(); !due.IsZero() && (!ok || due.Before(at)) {
		return due, true
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
