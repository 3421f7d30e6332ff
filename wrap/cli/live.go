package cli

import (
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"fwrap/detect"
	"fwrap/detect/manifest"
	"fwrap/detect/screen"
	"fwrap/notify"
	"fwrap/wrap"
)

// The mirror's queue. Bytes go to the person's terminal first; what the screen
// gets is a copy that may lag and, in a flood, lose what has scrolled by.
const (
	// mirrorTail is how much of a flood is drawn: the end of it. It fills a
	// screen of 120x32 dozens of times over; what lies before it is looked
	// through for modes and titles only, which costs a tenth of drawing it.
	mirrorTail = 128 << 10
	// mirrorFull is when the mirror is woken in a flood.
	mirrorFull = 512 << 10
	// mirrorMax bounds the queue. Beyond it the oldest bytes are dropped.
	mirrorMax = 2 << 20
	// mirrorRest is how long the mirror lets a flood run on between two looks.
	mirrorRest = 100 * time.Millisecond
	// mirrorHung is after how long at one piece of output the emulator counts
	// as hung. A recover cannot help there; the mirror is given up.
	mirrorHung = 10 * time.Second
)

// live feeds a running session to its watch. The relay's goroutines call the
// tap's functions, which only note what happened; one goroutine does the rest.
type live struct {
	log    *slog.Logger
	screen *screen.Screen
	watch  watch
	tell   *teller // set before the start

	mu      sync.Mutex
	queue   []byte
	spare   []byte // the buffer that was drawn last, to be used again
	lost    bool   // bytes were dropped from the queue
	size    *wrap.Winsize
	key     bool
	focus   notify.Focus
	hasFoc  bool
	rules   *detect.Rules
	alive   *bool
	ended   bool
	busy    time.Time // since when the goroutine has been drawing, or zero
	givenUp bool

	wake chan struct{} // holds one
	done chan struct{} // closed when the goroutine has ended
}

func newLive(log *slog.Logger, cols, rows int, set notify.Settings) *live {
	l := &live{
		log: log, screen: screen.New(cols, rows),
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	l.watch = watch{
		timeline: detect.New(detect.Config{Screen: l.screen}),
		policy:   notify.New(set),
	}
	return l
}

// tap returns the functions by which the relay tells what happens.
func (l *live) tap() wrap.Tap {
	return wrap.Tap{
		Output: l.output,
		Input: func(kind wrap.InputKind) {
			l.note(func() { l.key = true })
		},
		Focus: func(in bool) {
			l.note(func() {
				l.hasFoc, l.focus = true, notify.Unfocused
				if in {
					l.focus = notify.Focused
				}
			})
		},
		Resize: func(size wrap.Winsize) { l.note(func() { l.size = &size }) },
	}
}

// note changes what is to be done under the lock and wakes the goroutine.
func (l *live) note(change func()) {
	l.mu.Lock()
	change()
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
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
	if len(l.queue)+len(p) > mirrorMax {
		l.queue = append(l.queue[:0], l.queue[len(l.queue)-min(len(l.queue), mirrorTail):]...)
		l.lost = true
	}
	before := len(l.queue)
	l.queue = append(l.queue, p...)
	// In a flood the goroutine rests and is called when there is much to do.
	call := before == 0 || before < mirrorFull && len(l.queue) >= mirrorFull
	l.mu.Unlock()
	if call {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// batch is what has come since the last look.
type batch struct {
	out   []byte
	lost  bool
	size  *wrap.Winsize
	key   bool
	focus *notify.Focus
	rules *detect.Rules
	alive *bool
	ended bool
}

func (l *live) take() batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := batch{out: l.queue, lost: l.lost, size: l.size, key: l.key, rules: l.rules, alive: l.alive, ended: l.ended}
	if l.hasFoc {
		f := l.focus
		b.focus = &f
	}
	l.queue, l.spare = l.spare[:0], nil
	l.lost, l.size, l.key, l.hasFoc, l.rules, l.alive = false, nil, false, false, nil, nil
	l.busy = time.Now()
	return b
}

func (l *live) rest(b batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = time.Time{}
	if l.spare == nil && (cap(b.out) <= mirrorTail || l.queue != nil && cap(l.queue) > mirrorTail) {
		l.spare = b.out[:0] // in a flood two buffers take turns; at rest they are given back
	}
}

// run is the goroutine. It ends when the session has.
func (l *live) run() {
	defer close(l.done)
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-l.wake:
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

// pause lets a flood run on for a while. What piles up meanwhile is looked
// through, all but its end.
func (l *live) pause() {
	t := time.NewTimer(mirrorRest)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			l.note(func() {})
			return
		case <-l.wake:
		}
		l.mu.Lock()
		if l.ended {
			l.mu.Unlock()
			l.note(func() {})
			return
		}
		head := []byte(nil)
		if len(l.queue) >= mirrorFull {
			whole := l.queue
			n := len(whole) - mirrorTail
			head, l.queue, l.spare = whole[:n], append(l.spare[:0], whole[n:]...), nil
			l.busy = time.Now()
		}
		l.mu.Unlock()
		if head != nil {
			l.skip(head)
			l.rest(batch{out: head})
		}
	}
}

func (l *live) skip(p []byte) {
	defer l.recovered("skip")
	l.screen.Skip(p)
}

func (l *live) next() (at time.Time, ok bool) {
	defer l.recovered("next")
	return l.watch.next()
}

// protect does the work of a batch; a panic in it costs what was seen, never
// the session.
func (l *live) protect(b batch) {
	defer l.recovered("mirror")
	now := time.Now()
	w := &l.watch
	w.advance(now)
	if b.size != nil {
		w.timeline.Resize(now, int(b.size.Cols), int(b.size.Rows))
	}
	if b.rules != nil {
		w.timeline.SetRules(now, b.rules)
	}
	if b.alive != nil {
		w.timeline.Alive(now, *b.alive)
	}
	if len(b.out) > 0 {
		l.draw(now, b)
	}
	if b.focus != nil {
		w.do(now, w.policy.Focus(now, *b.focus))
	}
	if b.key {
		w.do(now, w.policy.Key(now))
	}
	w.tick(now)
	if b.ended {
		w.timeline.Alive(now, false)
		w.settle(now)
		w.do(now, w.policy.End(now))
	}
}

// draw feeds the screen, in a flood the end of it.
func (l *live) draw(now time.Time, b batch) {
	p := b.out
	if b.lost {
		l.log.Info("a flood was faster than the screen's emulator; its middle was dropped")
	}
	if skip := len(p) - mirrorTail; skip > 0 {
		l.screen.Skip(p[:skip])
		p = p[skip:]
	}
	l.watch.timeline.Write(now, p)
	if l.tell != nil {
		l.tell.passed(l.screen.Title())
	}
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

// started begins to watch: the agent runs. The rules are compiled only now, at
// the cost of nobody's waiting.
func (l *live) started(load func() (*manifest.Manifest, error)) {
	go l.run()
	alive := true
	l.note(func() { l.alive = &alive })
	go func() { // ends when the rules are there
		defer l.recovered("rules")
		m, err := load()
		if err != nil {
			l.log.Warn("manifest", "err", err)
		}
		if m != nil {
			l.note(func() { l.rules = m.Rules })
		}
	}()
}
