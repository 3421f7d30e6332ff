package cli

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"fwrap/detect"
	"fwrap/notify"
	"fwrap/notify/command"
	"fwrap/notify/desktop"
	"fwrap/notify/term"
)

// terminal is what the teller needs of the relay.
type terminal interface {
	SetTitlePrefix(prefix string)
	Inject(seq []byte) bool
}

// teller carries what is to be told to where the person sees it. Its methods are
// called by the mirror's goroutine, but for those that a notice passes through
// on its way: tmux and the desktop take their time.
type teller struct {
	log     *slog.Logger
	term    terminal
	session notify.Session
	label   func(agent string) string
	text    notify.Text
	id      string     // of this session's notices, unique on this machine
	tmux    *tmuxWatch // nil: not in tmux, or it does not matter
	desktop *desktop.Sender
	command *command.Runner // nil: the person has configured none
	dir     string          // the directory fwrap was started in
	glyphs  *notify.Glyphs  // nil: fwrap leaves the title alone
	gate    *statusGate     // nil: no OSC 7501 of our own
	own     *ownNotices     // nil: the agent's own notices pass
	tab     *tabWriter      // nil: no label
	bar     *progressBar    // nil: no progress

	title  *notify.Title // of the agent that is watched
	agents string        // the agent's title as last seen
	pushed bool
	sure   bool         // something has been known of the agent that is watched
	up     atomic.Int64 // the number of the notice that should be up; 0: none

	watching atomic.Bool // an agent has the terminal
	mu       sync.Mutex
	first    term.Route // the first choice
	second   term.Route // through the terminal, where the desktop fails
	shownBy  term.Route // the terminal's, by which a notice is up
}

// changed shows a change of state at once: the title.
func (t *teller) changed(_ time.Time, st detect.Status) {
	t.log.Info("state", "state", st.State.String(), "kind", string(st.Kind), "rule", st.Rule, "at", st.At, "source", string(st.Source))
	if t.tab != nil {
		t.tab.show(st)
	}
	if t.bar != nil {
		t.bar.show(st)
	}
	if t.gate != nil {
		t.gate.emit(term.Status7501(record(t.session.Agent, st)))
	}
	if t.title == nil {
		return
	}
	// A screen that no rule knows says nothing worth a title of our own: the
	// command may be anything, under --agent, or have drawn nothing yet.
	t.sure = t.sure || st.Rule != "" || st.Source != detect.FromScreen
	if !t.sure {
		return
	}
	text, write := t.title.Status(st)
	t.term.SetTitlePrefix(t.title.Prefix())
	if write {
		t.term.Inject(term.SetTitle(text))
	}
}

// passed hears the agent's own title after every piece of output.
func (t *teller) passed(own string) {
	if t.title == nil || own == t.agents {
		return
	}
	t.agents = own
	if text, write := t.title.Passed(own); write {
		t.term.Inject(term.SetTitle(text))
	}
}

// act shows a notice or takes it away.
func (t *teller) act(_ time.Time, a notify.Action) {
	if t.command != nil {
		t.command.Tell(command.FactsOf(t.session, t.id, t.dir, a, t.text))
	}
	switch a.Op {
	case notify.Show:
		t.up.Store(int64(a.ID))
		session := t.session
		if t.tmux == nil {
			t.deliver(session, a)
			return
		}
		t.tmux.fresh(func() { t.deliver(session, a) })
	case notify.Close:
		t.log.Info("withdraw", "event", a.Event.String())
		t.up.Store(0)
		t.mu.Lock()
		by := t.shownBy
		t.shownBy = term.Route{}
		t.mu.Unlock()
		t.desktop.Close() // which does nothing if nothing is up there
		if seq := by.Close(t.id); seq != nil {
			t.term.Inject(seq)
		}
	}
}

// deliver sends a notice on its way, unless it is over by now.
func (t *teller) deliver(s notify.Session, a notify.Action) {
	if t.up.Load() != int64(a.ID) {
		return
	}
	route, second := t.routes()
	t.log.Info("tell", "event", a.Event.String(), "kind", string(a.Status.Kind), "channel", route.Channel.String(), "why", route.Why)
	if route.Channel != term.Desktop {
		t.desktop.Close() // where an earlier one may be up
		t.show(route, s, a)
		return
	}
	n := notify.Compose(s, a, t.text, desktop.Limits)
	t.desktop.Show(n, func(r desktop.Result) { // from the sender's goroutine
		t.log.Info("desktop", "outcome", r.Outcome.String(), "via", r.Via, "took", r.Took, "err", r.Err)
		if t.up.Load() != int64(a.ID) {
			return // answered or overtaken while the desktop took its time
		}
		switch r.Outcome {
		case desktop.Shown:
			t.told(term.Desktop)
		case desktop.NotSent:
			t.show(second, s, a)
		case desktop.Unanswered:
			// It may still be shown, so nothing that would say it twice: a
			// bell is all that is sure to reach the person.
			t.show(term.Route{Channel: min(second.Channel, term.BEL), Mux: second.Mux}, s, a)
		}
	})
}

// routes returns the first choice, and the one through the terminal that takes
// its place where the desktop fails.
func (t *teller) routes() (first, second term.Route) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first, t.second
}

// setRoutes takes the channels that are right from now on.
func (t *teller) setRoutes(first, second term.Route) {
	t.mu.Lock()
	t.first, t.second = first, second
	t.mu.Unlock()
	t.listen()
}

// listen has the agent's own notices kept back while there is an agent and
// fwrap can say as much as they do.
func (t *teller) listen() {
	if t.own == nil {
		return
	}
	first, _ := t.routes()
	t.own.active.Store(t.watching.Load() && first.Channel != term.Off && first.Channel != term.BEL)
}

// show tells through the terminal.
func (t *teller) show(r term.Route, s notify.Session, a notify.Action) {
	n := notify.Compose(s, a, t.text, r.Channel.Limits())
	seq := r.Notify(t.id, n)
	switch {
	case seq == nil:
		t.told(term.Off)
	case t.term.Inject(seq):
		t.mu.Lock()
		t.shownBy = r
		t.mu.Unlock()
		t.told(r.Channel)
	default:
		t.log.Warn("a notice found no room in the terminal's queue")
		t.told(term.Off)
	}
}

// told says over which channel a notice has gone out. Where that was none that
// shows text, the agent's own notice goes out, too.
func (t *teller) told(c term.Channel) {
	switch {
	case t.own == nil:
	case c == term.Off || c == term.BEL:
		t.own.release()
	default:
		t.own.told()
	}
}

// begin is called when an agent has come: what is told from now on is of it. The
// title that the terminal has is remembered before the agent sets one.
func (t *teller) begin(agent string) {
	t.session.Agent = t.label(agent)
	t.watching.Store(true)
	t.listen()
	if t.glyphs == nil {
		return
	}
	t.title, t.agents = notify.NewTitle(*t.glyphs, t.session), ""
	if !t.pushed {
		t.pushed = t.term.Inject(term.PushTitle())
	}
}

// leave is called when the agent has ended. It gives the title back; what it
// injects is written even at the session's end.
func (t *teller) leave() {
	t.title = nil
	if t.bar != nil {
		t.bar.clear()
	}
	t.watching.Store(false)
	t.listen()
	if t.own != nil {
		t.own.over()
		t.own.release()
	}
	if t.pushed {
		t.pushed = false
		t.term.SetTitlePrefix("")
		t.term.Inject(term.PopTitle())
	}
}

// commandEnd is how long the person's own command is waited for at the end, if
// it runs just then: one that takes a notice back from a phone needs a round trip.
const commandEnd = time.Second

// desktopEnd is how long a notice that is being sent or withdrawn is waited for at
// the end. A person who has left the agent must not wait for their shell; but on
// a busy machine a notice was left standing after 100 ms.
const desktopEnd = 300 * time.Millisecond

// stop ends the telling.
func (t *teller) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), desktopEnd)
	defer cancel()
	if t.tmux != nil {
		t.tmux.stop()
	}
	t.desktop.Stop(ctx)
	if t.command != nil {
		ctx, cancel := context.WithTimeout(context.Background(), commandEnd)
		defer cancel()
		t.command.Stop(ctx)
	}
}

// record is what a terminal that speaks OSC 7501 is told of an agent that does
// not. An agent that has gone is cleared at its end, not here.
func record(agent string, st detect.Status) term.Record {
	r := term.Record{State: "idle", Progress: -1, App: agent}
	switch st.State {
	case detect.Working:
		r.State = "working"
	case detect.Blocked:
		r.State, r.Message = "blocked", st.Question.Text
		switch st.Kind {
		case detect.Permission, detect.Plan, detect.Trust:
			r.Kind = "permission"
		case detect.Ask:
			r.Kind = "question"
		case detect.Auth:
			r.Kind = "auth"
		}
	case detect.Idle:
		switch st.Kind {
		case "", detect.Shell:
			r.State = "done"
		case detect.Failed:
			r.State = "error"
		}
	case detect.None:
		r.State = "clear"
	}
	return r
}
