package cli

import (
	"context"
	"log/slog"
	"time"

	"fwrap/detect"
	"fwrap/notify"
	"fwrap/notify/desktop"
	"fwrap/notify/term"
)

// terminal is what the teller needs of the relay.
type terminal interface {
	SetTitlePrefix(prefix string)
	Inject(seq []byte) bool
}

// teller carries what is to be told to where the person sees it. All methods
// are called by the mirror's goroutine.
type teller struct {
	log     *slog.Logger
	term    terminal
	session notify.Session
	text    notify.Text
	id      string     // of this session's notices, unique on this machine
	route   term.Route // the first choice
	second  term.Route // through the terminal, where the desktop fails
	desktop *desktop.Sender
	title   *notify.Title // nil: fwrap leaves the title alone
	own     string        // the agent's title as last seen
	pushed  bool

	onTerminal bool // the notice that is up went through the terminal
}

// changed shows a change of state at once: the title.
func (t *teller) changed(_ time.Time, st detect.Status) {
	t.log.Info("state", "state", st.State.String(), "kind", string(st.Kind), "rule", st.Rule, "at", st.At, "source", string(st.Source))
	if t.title == nil {
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
	if t.title == nil || own == t.own {
		return
	}
	t.own = own
	if text, write := t.title.Passed(own); write {
		t.term.Inject(term.SetTitle(text))
	}
}

// act shows a notice or takes it away.
func (t *teller) act(_ time.Time, a notify.Action) {
	switch a.Op {
	case notify.Show:
		t.log.Info("tell", "event", a.Event.String(), "kind", string(a.Status.Kind), "channel", t.route.Channel.String())
		if t.route.Channel != term.Desktop {
			t.show(t.route, a)
			return
		}
		n := notify.Compose(t.session, a, t.text, desktop.Limits)
		t.desktop.Show(n, func(r desktop.Result) { // from the sender's goroutine
			t.log.Info("desktop", "outcome", r.Outcome.String(), "via", r.Via, "took", r.Took, "err", r.Err)
			if r.Outcome == desktop.NotSent {
				t.show(t.second, a)
			}
		})
	case notify.Close:
		t.log.Info("withdraw", "event", a.Event.String())
		if t.route.Channel == term.Desktop {
			t.desktop.Close()
		}
		if seq := t.second.Close(t.id); seq != nil {
			t.term.Inject(seq)
		}
	}
}

// show tells through the terminal.
func (t *teller) show(r term.Route, a notify.Action) {
	n := notify.Compose(t.session, a, t.text, r.Channel.Limits())
	if seq := r.Notify(t.id, n); seq != nil && !t.term.Inject(seq) {
		t.log.Warn("a notice found no room in the terminal's queue")
	}
}

// start remembers the title that the terminal has before the agent sets one.
func (t *teller) start() {
	if t.title != nil && !t.pushed {
		t.pushed = t.term.Inject(term.PushTitle())
	}
}

// end gives the title back. What it injects is still written.
func (t *teller) end() {
	if t.pushed {
		t.term.SetTitlePrefix("")
		t.term.Inject(term.PopTitle())
	}
}

// stop waits a moment for a notice that is being sent or withdrawn. A person
// who has left the agent must not wait for their shell.
func (t *teller) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	t.desktop.Stop(ctx)
}
