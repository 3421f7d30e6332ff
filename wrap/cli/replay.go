package cli

import (
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/detect/manifest"
	"fwrap/detect/report"
	"fwrap/notify"
)

// agentEnv is the name under which a recording's header says which agent's
// rules apply.
const agentEnv = "FWRAP_AGENT"

// replay plays a recording through the code of a live session, with the
// recording's own clock.
type replay struct {
	watch
	screen  detect.Screen
	session notify.Session
	out     explained
	now     time.Time
	drawn   time.Time // when the last output or size came
}

// replayStart is when a replay begins: its statuses have times, too.
var replayStart = time.Unix(0, 0).UTC()

func newReplay(a *app, m *manifest.Manifest, scr detect.Screen, o explainOptions) *replay {
	r := &replay{screen: scr, session: notify.Session{Agent: m.Agent}, now: replayStart, drawn: replayStart}
	r.out.rules = m.Rules
	r.evidence = allEvidence
	if o.screenOnly {
		r.evidence = evidence{screen: true}
	}
	r.inband = inband{hooks: &report.Hooks{}, codex: m.Agent == "codex", agent: true}
	r.timeline = detect.New(detect.Config{Screen: scr, Rules: m.Rules, Settler: r.inband.hooks})
	r.policy = notify.New(notify.Defaults())
	r.changed = func(now time.Time, st detect.Status) {
		r.out.timeline = append(r.out.timeline, timelineEntry{
			T: now.Sub(replayStart).Seconds(), State: st.State, Kind: st.Kind, Rule: st.Rule, unknown: isUnknown(st),
		})
	}
	r.act = func(now time.Time, act notify.Action) {
		if act.Op != notify.Show {
			return
		}
		n := notify.Compose(r.session, act, notify.Full, notify.Limits{Title: 80, Body: 200})
		r.out.timeline = append(r.out.timeline, timelineEntry{
			T: now.Sub(replayStart).Seconds(), State: act.Status.State, Kind: act.Status.Kind, Told: n.Body,
		})
	}
	r.timeline.Alive(r.now, true)
	r.settle(r.now)
	return r
}

// to lets time pass until at after the start.
func (r *replay) to(at time.Duration) {
	if t := replayStart.Add(at); t.After(r.now) {
		r.advance(t)
		r.now = t
	}
}

func (r *replay) output(at time.Duration, p []byte) {
	r.to(at)
	r.drawn = r.now
	r.watch.output(r.now, p)
}

// event plays one line of a recording.
func (r *replay) event(e cast.Event) {
	switch e.Code {
	case cast.Output:
		r.output(e.At, []byte(e.Data))
	case cast.Input:
		r.to(e.At)
		r.do(r.now, r.policy.Key(r.now))
	case cast.Resize:
		r.to(e.At)
		r.drawn = r.now
		if cols, rows, err := e.Size(); err == nil {
			r.timeline.Resize(r.now, cols, rows)
			r.settle(r.now)
		}
	case cast.Marker:
		r.to(e.At)
		r.out.timeline = append(r.out.timeline, timelineEntry{
			T: e.At.Seconds(), State: r.last.State, Kind: r.last.Kind, Label: e.Data,
		})
	}
}

// finish lets the last screen stand and returns what was seen. What would have
// been told after a timed recording's end is part of it.
func (r *replay) finish(timed bool) *explained {
	r.to(r.now.Sub(replayStart) + stood)
	r.out.final = r.screen.Snapshot()
	r.out.status = r.timeline.Status()
	r.out.timed = timed
	r.out.unknown, r.out.still = isUnknown(r.out.status), r.now.Sub(r.drawn)
	return &r.out
}
