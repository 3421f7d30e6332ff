package cli

import (
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"fwrap/detect"
	"fwrap/detect/manifest"
	"fwrap/detect/report"
	"fwrap/detect/screen"
	"fwrap/notify"
	"fwrap/wrap"
	"fwrap/wrap/session"
)

// The mirror's queue. Bytes go to the person's terminal first; what the screen
// gets is a copy that may lag and, in a flood, lose what has scrolled by.
const (
	// mirrorTail is how much of a flood is drawn: the end of it. It fills a
	// screen of 120x32 more than ten times over; what lies before it is looked
	// through for modes and titles only, which costs a tenth of drawing it.
	mirrorTail = 64 << 10
	// mirrorFull is when the mirror is woken in a flood.
	mirrorFull = 512 << 10
	// mirrorMax bounds the queue. Beyond it the oldest bytes are dropped.
	mirrorMax = 2 << 20
	// mirrorRest is how long the mirror lets a flood run on between two looks: a
	// little less than the pace at which continuous output is judged. At ten looks
	// a second drawing took a seventh of a processor from the flood itself.
	mirrorRest = 600 * time.Millisecond
	// mirrorQuiet is how long nothing must come for a flood to be over.
	mirrorQuiet = 50 * time.Millisecond
	// mirrorRecent is how much output is kept while no agent is watched: what the
	// one that comes may have drawn before it was known.
	mirrorRecent = 64 << 10
	// mirrorDelay is how long a key or a piece of output may wait for the mirror's
	// goroutine. It is the quiet after which the screen is looked at, so that
	// nothing comes later than if it were woken at once, and a keystroke's echo
	// has not to share the processor with it.
	mirrorDelay = 60 * time.Millisecond
	// mirrorHung is after how long at one piece of output the emulator counts
	// as hung. A recover cannot help there; the mirror is given up.
	mirrorHung = 10 * time.Second
)

// live feeds a running session to its watch. The relay's goroutines call the
// tap's functions, which only note what happened; one goroutine does the rest.
type live struct {
	log     *slog.Logger
	screen  *screen.Screen
	watch   watch
	tell    *teller
	gate    *statusGate // nil: OSC 7501 passes as it is
	process *foreground
	load    func(agent string) (*manifest.Manifest, error)
	rec     *recorder // nil: nothing is recorded

	speaks func(agent string) bool // the agent reports in its output when answered

	agent    string    // whose screen is watched; empty: nobody's yet
	drew     bool      // it has written something
	compiled string    // whose rules have been asked for
	clock    time.Time // the latest time that the watch has been told
	recent   []byte    // the last output while nobody's screen is watched

	mu      sync.Mutex
	queue   []byte
	spare   []byte // the buffer that was drawn last, to be used again
	lost    bool   // bytes were dropped from the queue
	runs    []run  // of what is in the queue, in order
	size    *wrap.Winsize
	key     bool
	focus   notify.Focus
	hasFoc  bool
	rules   *loaded
	reports []report.Message
	ended   bool
	at      time.Time // when the last output came
	nudged  bool      // soon is set
	busy    time.Time // since when the goroutine has been drawing, or zero
	givenUp bool
	watched bool // an agent has the terminal; else only the latest output is of use

	reader int // the process group in front at the last read; only the relay's pump uses it

	soon *time.Timer   // wakes the goroutine for what may wait
	wake chan struct{} // holds one

	// urgent says that the output under way has the agent's own word in it, which
	// is worth a wakeup.
	urgent atomic.Bool
	done   chan struct{} // closed when the goroutine has ended
}

// loaded are rules that have been compiled, and for whom.
type loaded struct {
	agent string
	rules *detect.Rules
}

// maxReports bounds the reports that wait for the mirror's goroutine. A reporter
// that is faster than that says nothing worth hearing.
const maxReports = 1024

func newLive(log *slog.Logger, cols, rows int, set notify.Settings, ev evidence) *live {
	l := &live{
		log: log, screen: screen.New(cols, rows),
		soon: stopped(), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	hooks := &report.Hooks{}
	l.watch = watch{
		timeline: detect.New(detect.Config{Screen: l.screen, Settler: hooks}),
		policy:   notify.New(set),
		inband:   inband{hooks: hooks},
		evidence: ev,
		unknown:  l.unknownScreen,
	}
	return l
}

// stopped returns a timer that does not run.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// tap returns the functions by which the relay tells what happens.
func (l *live) tap() wrap.Tap {
	return wrap.Tap{
		Read:   l.read,
		Output: l.output,
		Input: func(kind wrap.InputKind) {
			if o := l.tell.own; o != nil {
				o.over()
			}
			l.nudge(func() { l.key = true })
		},
		Focus: func(in bool) {
			l.note(func() {
				l.hasFoc, l.focus = true, notify.Unfocused
				if in {
					l.focus = notify.Focused
				}
			})
		},
		Resize:  func(size wrap.Winsize) { l.note(func() { l.size = &size }) },
		Started: func(pid int, _ string) { l.process.started(pid) },
	}
}

// note changes what is to be done under the lock and wakes the goroutine.
func (l *live) note(change func()) {
	l.mu.Lock()
	change()
	l.mu.Unlock()
	l.hurry()
}

// hurry wakes the goroutine at once.
func (l *live) hurry() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// nudge is note for what may wait: the goroutine is woken once for all of it.
func (l *live) nudge(change func()) {
	l.mu.Lock()
	change()
	first := !l.nudged
	l.nudged = true
	l.mu.Unlock()
	if first {
		l.soon.Reset(mirrorDelay)
	}
}

// output takes a copy of the command's output. It is the relay that calls: a
// short lock and a copy, whatever the mirror does.
func (l *live) output(p []byte) {
	l.mu.Lock()
	if l.givenUp {
		l.mu.Unlock()
		return
	}
	if !l.busy.IsZero() && time.Since(l.busy) > mirrorHung {
		l.givenUp, l.queue = true, nil
		l.mu.Unlock()
		l.log.Error("the screen's emulator hangs; states are no longer seen")
		return
	}
	limit, keep := mirrorMax, mirrorTail
	if !l.watched {
		limit, keep = 2*mirrorRecent, mirrorRecent
	}
	if len(l.queue)+len(p) > limit {
		drop := len(l.queue) - min(len(l.queue), keep)
		l.queue = append(l.queue[:0], l.queue[drop:]...)
		l.lost, l.runs = true, cutRuns(l.runs, drop)
	}
	if n := len(l.runs); n == 0 || l.runs[n-1].group != l.reader && n < maxRuns {
		l.runs = append(l.runs, run{len(l.queue), l.reader})
	}
	before := len(l.queue)
	l.queue = append(l.queue, p...)
	l.at = time.Now()
	full := before < mirrorFull && len(l.queue) >= mirrorFull
	first := !l.nudged
	l.nudged = true
	l.mu.Unlock()
	if full || l.urgent.Swap(false) {
		l.hurry()
	} else if first {
		l.soon.Reset(mirrorDelay)
	}
}

// batch is what has come since the last look.
type batch struct {
	out     []byte
	at      time.Time // when the last of it came
	lost    bool
	runs    []run // of out
	size    *wrap.Winsize
	key     bool
	focus   *notify.Focus
	rules   *loaded
	reports []report.Message
	ended   bool
}

func (l *live) take() batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := batch{out: l.queue, lost: l.lost, runs: l.runs, size: l.size, key: l.key, rules: l.rules, reports: l.reports, ended: l.ended}
	if l.hasFoc {
		f := l.focus
		b.focus = &f
	}
	l.queue, l.spare, l.runs = l.spare[:0], nil, nil
	l.lost, l.size, l.key, l.hasFoc, l.rules, l.reports = false, nil, false, false, nil, nil
	b.at, l.nudged = l.at, false
	l.busy = time.Now()
	return b
}

func (l *live) rest(b batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = time.Time{}
	if l.spare == nil && (cap(b.out) <= 3*mirrorTail || l.queue != nil && cap(l.queue) > mirrorTail) {
		// In a flood two buffers take turns; at rest those are given back that an
		// unwatched command's output, twice mirrorRecent, does not need.
		l.spare = b.out[:0]
	}
}

// run is the goroutine. It ends when the session has.
func (l *live) run() {
	defer close(l.done)
	timer := stopped()
	defer timer.Stop()
	defer l.soon.Stop()
	for {
		select {
		case <-l.wake:
		case <-l.soon.C:
		case <-timer.C:
		}
		b := l.take()
		l.protect(b)
		l.rest(b)
		if b.ended {
			return
		}
		timer.Stop()
		if at, ok := l.next(); ok {
			timer.Reset(max(0, time.Until(at)))
		}
		if len(b.out) > mirrorTail {
			l.pause()
		}
	}
}

// pause lets a flood run on until it is over, or for mirrorRest. What piles up
// meanwhile is looked through, all but its end.
func (l *live) pause() {
	defer l.note(func() {}) // what has come is drawn at once
	rest := time.NewTimer(mirrorRest)
	defer rest.Stop()
	tick := time.NewTicker(mirrorQuiet)
	defer tick.Stop()
	before := 0
	for {
		select {
		case <-rest.C:
			return
		case <-tick.C:
			l.mu.Lock()
			n := len(l.queue)
			l.mu.Unlock()
			if n == before {
				return
			}
			before = n
			continue
		case <-l.wake:
		}
		l.mu.Lock()
		if l.ended {
			l.mu.Unlock()
			return
		}
		head, mine := []byte(nil), true
		if len(l.queue) >= mirrorFull {
			whole := l.queue
			n := len(whole) - mirrorTail
			head, l.queue, l.spare = whole[:n], append(l.spare[:0], whole[n:]...), nil
			for _, r := range l.runs {
				mine = mine && (r.from >= n || l.mine(r))
			}
			l.runs = cutRuns(l.runs, n)
			l.busy = time.Now()
			before = -1
		}
		l.mu.Unlock()
		if head != nil {
			l.skip(head, mine)
			l.rest(batch{out: head})
		}
	}
}

func (l *live) skip(p []byte, mine bool) {
	defer l.recovered("skip")
	if l.agent == "" {
		return
	}
	l.clock = time.Now()
	if mine {
		l.watch.hear(l.clock, p)
	}
	l.screen.Skip(p)
}

func (l *live) next() (at time.Time, ok bool) {
	defer l.recovered("next")
	at, ok = l.watch.next()
	if due := l.process.fileDue; !due.IsZero() && (!ok || due.Before(at)) {
		return due, true
	}
	return at, ok
}

// protect does the work of a batch; a panic in it costs what was seen, never
// the session.
func (l *live) protect(b batch) {
	defer l.recovered("mirror")
	// What came a moment ago is judged by the time when it came.
	now := time.Now()
	if len(b.out) > 0 && b.at.After(l.clock) {
		now = b.at
	}
	l.clock = now
	w := &l.watch
	w.advance(now)
	if b.size != nil {
		w.timeline.Resize(now, int(b.size.Cols), int(b.size.Rows))
	}
	if r := b.rules; r != nil && r.agent == l.agent && w.evidence.screen {
		w.timeline.SetRules(now, r.rules)
	}
	fresh := len(b.out) > 0 || len(b.reports) > 0
	if due := l.process.fileDue; fresh || !due.IsZero() && !now.Before(due) {
		l.look(now, fresh)
	}
	if len(b.out) > 0 {
		l.draw(now, b)
	}
	for _, m := range b.reports {
		if r, ok := w.inband.hooks.Take(m); ok {
			w.report(now, r)
		}
	}
	if b.focus != nil {
		w.do(now, w.policy.Focus(now, *b.focus))
	}
	if b.key {
		w.do(now, w.policy.Key(now))
	}
	now = time.Now()
	l.clock = now
	w.tick(now)
	if o := l.tell.own; o != nil && !w.policy.Told(now) {
		o.over()
	}
	if b.ended {
		l.gone(now)
		w.do(now, w.policy.End(now))
	}
}

// look asks who has the terminal and follows agents as they come and go. fresh
// says that output or a report has come.
func (l *live) look(now time.Time, fresh bool) {
	l.process.fileDue = time.Time{}
	s := l.process.look(l.agent != "")
	switch {
	case s.came != "":
		if l.agent != "" {
			l.gone(now)
		}
		l.came(now, s.came)
	case s.gone:
		l.gone(now)
		return
	}
	if l.agent == "" {
		return
	}
	l.watch.timeline.Foreground(now, s.front)
	l.watch.settle(now)
	if l.agent == "claude" && l.watch.evidence.hook && !l.watch.inband.spoke {
		if r, ok := l.process.sessionFile(now, fresh, l.watch.inband.hooks); ok {
			l.watch.report(now, r)
		}
	}
}

// came begins to watch an agent that has the terminal now.
func (l *live) came(now time.Time, agent string) {
	l.agent = agent
	l.keepAll(true)
	l.log.Info("agent", "name", agent)
	l.rec.mark("agent " + agent)
	in := &l.watch.inband
	in.agent, in.codex = true, agent == "codex"
	l.tell.begin(agent)
	if l.gate != nil {
		l.gate.helps.Store(l.speaks(agent) && l.watch.evidence.program)
	}
	l.screen.Write(l.recent)
	l.recent = nil
	l.drew = l.process.direct
	l.watch.timeline.SetRules(now, nil)
	l.watch.timeline.Foreground(now, detect.ForegroundAgent)
	l.watch.settle(now)
}

// keepAll says whether all output is of use.
func (l *live) keepAll(yes bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched = yes
}

// compile has the agent's rules compiled. It is called when there is something
// to look at: a command that ends at once never pays for it.
func (l *live) compile() {
	agent := l.agent
	l.compiled = agent
	go func() { // ends when the rules are there
		defer l.recovered("rules")
		m, err := l.load(agent)
		if err != nil {
			l.log.Warn("manifest", "err", err)
		}
		if m != nil {
			l.note(func() { l.rules = &loaded{agent, m.Rules} })
		}
		wrap.TrimMemory() // compiling leaves more behind than it makes
	}()
}

// gone ends the watch of an agent that has ended.
func (l *live) gone(now time.Time) {
	if l.agent == "" {
		return
	}
	l.log.Info("agent gone", "name", l.agent)
	l.agent, l.compiled = "", ""
	l.keepAll(false)
	l.watch.timeline.Foreground(now, detect.ForegroundGone)
	l.watch.settle(now)
	l.watch.inband.gone()
	if l.gate != nil {
		l.gate.helps.Store(false)
		l.gate.gone()
	}
	l.tell.leave()
}

func (l *live) recovered(where string) {
	if v := recover(); v != nil {
		l.log.Error("panic", "where", where, "value", v, "stack", string(debug.Stack()))
	}
}

// end tells the goroutine that the session is over and waits for it, at most a
// second: a screen that hangs must not keep the person from their shell.
func (l *live) end() {
	l.note(func() { l.ended = true })
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-l.done:
	case <-t.C:
		l.log.Error("the mirror did not end in time")
	}
}

// hear takes a report from the socket. The reporter waits for its return.
func (l *live) hear(m session.Message) {
	l.note(func() {
		if len(l.reports) < maxReports {
			l.reports = append(l.reports, report.Message{
				From: m.From, Seq: m.Seq, State: m.State, Kind: m.Kind, Text: m.Text, Event: m.Event,
			})
		}
	})
}

// start begins to watch. If the command itself is an agent it is watched from
// here, else from when one comes to the terminal's foreground.
func (l *live) start(agent string) {
	if agent != "" {
		func() {
			defer l.recovered("start")
			l.came(time.Now(), agent)
		}()
	}
	go l.run()
}
