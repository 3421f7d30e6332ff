package desktop

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fwrap/notify"
)

// Sender keeps one session's notice on the desktop: shown, replaced, taken away.
// Its methods never block. At most one helper runs at a time; what is asked for
// meanwhile waits, and only the newest of it is done.
type Sender struct {
	host   Host
	tag    string
	result func(Result)

	mu      sync.Mutex
	want    *want // what is to be done next
	running bool
	closing bool      // the running helper takes a notice away
	up      Handle    // the notice that is up, as far as is known
	silent  time.Time // when the service last left a request unanswered
	ctx     context.Context
	stop    context.CancelFunc
	idle    chan struct{} // closed while nothing runs
}

// distrust is how long a service that did not answer is not asked again: it
// hangs, and what it is told there nobody sees.
const distrust = 5 * time.Minute

type want struct {
	show   bool
	notice notify.Notice
	result func(Result)
}

// NewSender returns a sender that starts nothing until it is asked to. tag is
// the session's own; desktops that group notices by it need no number to
// replace one. Every request that was tried is reported to result, from a
// goroutine of the sender's; result may be nil.
func NewSender(h Host, tag string, result func(Result)) *Sender {
	ctx, stop := context.WithCancel(context.Background())
	s := &Sender{host: h, tag: tag, result: result, ctx: ctx, stop: stop, idle: make(chan struct{})}
	close(s.idle)
	return s
}

// Show shows n in place of what is up. result, if not nil, gets the outcome in
// place of the sender's own; it is not called for a notice that a newer request
// overtook.
func (s *Sender) Show(n notify.Notice, result func(Result)) {
	s.ask(&want{show: true, notice: n, result: result})
}

// Close takes the notice away, or sees to it that a waiting one is not shown.
func (s *Sender) Close() { s.ask(&want{}) }

func (s *Sender) ask(w *want) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	s.want = w
	if s.running {
		return
	}
	if !w.show && s.up.ID == 0 {
		s.want = nil
		return // nothing is up: no helper is started to say so
	}
	s.running = true
	s.idle = make(chan struct{})
	go s.loop(s.idle)
}

func (s *Sender) loop(idle chan struct{}) {
	defer close(idle)
	for {
		s.mu.Lock()
		w, up := s.want, s.up
		s.want = nil
		if w == nil || s.ctx.Err() != nil || !w.show && up.ID == 0 {
			s.running = false
			s.mu.Unlock()
			return
		}
		s.closing = !w.show
		quiet := time.Since(s.silent)
		s.mu.Unlock()
		var r Result
		switch {
		case !w.show:
			r = Withdraw(context.Background(), s.host, up) // see Stop
		case quiet < distrust:
			r.Err = fmt.Errorf("the notification service did not answer %v ago", quiet.Round(time.Second))
		default:
			r = Send(s.ctx, s.host, w.notice, s.tag, up)
		}
		s.mu.Lock()
		switch r.Outcome {
		case Closed:
			s.up = Handle{}
		case Shown:
			s.up, s.silent = r.Handle, time.Time{}
		case Unanswered:
			s.silent = time.Now()
		}
		s.mu.Unlock()
		report := s.result
		if w.result != nil {
			report = w.result
		}
		if report != nil {
			report(r)
		}
	}
}

// Stop ends the sender: what it has been asked for is finished until ctx ends,
// then a helper that shows a notice is killed. One that takes a notice away goes
// on by itself, for 3 s at most: fwrap may end meanwhile, and a notice must not
// stay behind because the machine was slow.
func (s *Sender) Stop(ctx context.Context) {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	s.stop()
	s.mu.Lock()
	leave := s.running && s.closing
	s.mu.Unlock()
	if !leave {
		<-idle
	}
}
