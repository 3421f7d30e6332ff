package desktop

import (
	"context"
	"time"

	"fwrap/notify"
)

// Limits is what a desktop notification shows.
var Limits = notify.Limits{Title: 80, Body: notify.MaxText, Multiline: true}

// Outcome is what came of an attempt.
type Outcome uint8

const (
	// NotSent: nothing was shown and nothing will be. Another channel may
	// tell the event.
	NotSent Outcome = iota
	// Shown: the service has confirmed it.
	Shown
	// Unanswered: the service was asked and has not answered in time. It may
	// still show the notice, so telling the event elsewhere could tell it twice.
	Unanswered
	// Closed: the notice was taken away, or was gone already.
	Closed
)

var outcomeNames = [...]string{NotSent: "not sent", Shown: "shown", Unanswered: "unanswered", Closed: "closed"}

// String returns the outcome in words.
func (o Outcome) String() string { return outcomeNames[o] }

// MarshalText writes the outcome in words.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText wrote; anything else is NotSent.
func (o *Outcome) UnmarshalText(b []byte) error {
	*o = NotSent
	for i, n := range outcomeNames {
		if n == string(b) {
			*o = Outcome(i)
		}
	}
	return nil
}

// Handle names a notice that is up. The zero Handle names none.
type Handle struct {
	ID uint32 `json:"id,omitempty"`
	// Owner is the service's name on the bus when it gave the number. Another
	// one, started later, counts from 1 again, and the number may be that of
	// another program's notice.
	Owner string `json:"owner,omitempty"`
}

// Result is what came of one request.
type Result struct {
	Outcome Outcome
	Handle  Handle // of a notice that was shown; zero: it cannot be replaced or closed
	Via     string // "dbus" or "beeep"
	Server  string // of a probe: the service's name and version, where it says
	Err     error  // why it was not sent or not confirmed
	Took    time.Duration
}

// Host is where notifications are to be shown.
type Host struct {
	// Environ is fwrap's environment, KEY=VALUE. The helper gets what it needs
	// of it and no more.
	Environ []string
	// Exe is the program to start as the helper; empty: the running one.
	Exe string
}

// deadline is how long a helper may take before it is killed.
const deadline = 3 * time.Second

// Send shows n in place of the notice up (zero: as a new one) and waits for the
// outcome, at most until ctx ends or 3 s have passed. Desktops that group
// notices by tag need no handle to replace one.
func Send(ctx context.Context, h Host, n notify.Notice, tag string, up Handle) Result {
	return run(ctx, h, request{Op: "show", Notice: n, Tag: tag, Up: up})
}

// Withdraw takes the notice up away, within the same time.
func Withdraw(ctx context.Context, h Host, up Handle) Result {
	return run(ctx, h, request{Op: "close", Up: up})
}

// Probe asks who would show a notice, and shows none. The outcome is Shown if
// somebody would.
func Probe(ctx context.Context, h Host) Result {
	return run(ctx, h, request{Op: "probe"})
}
