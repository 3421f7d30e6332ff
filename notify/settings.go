package notify

import (
	"fmt"
	"time"
)

// Event is what a person is told of.
type Event uint8

const (
	NoEvent  Event = iota
	NeedsYou       // the agent is blocked and cannot go on without the person
	Finished       // a turn is over
	Failed         // a turn is over with an error
)

var eventNames = [...]string{NoEvent: "", NeedsYou: "blocked", Finished: "idle", Failed: "failed"}

// String returns the event's name in config, environment and JSON: "blocked",
// "idle" or "failed"; for NoEvent the empty string.
func (e Event) String() string {
	if int(e) < len(eventNames) {
		return eventNames[e]
	}
	return fmt.Sprintf("event(%d)", uint8(e))
}

// MarshalText writes the event's name.
func (e Event) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Focus is what the terminal has said about its keyboard focus (DEC private
// mode 1004). Most terminals say nothing until it changes, so Unknown is the
// usual beginning.
type Focus uint8

const (
	Unknown   Focus = iota
	Focused         // CSI I was the last report
	Unfocused       // CSI O was the last report
)

var focusNames = [...]string{Unknown: "unknown", Focused: "focused", Unfocused: "unfocused"}

// String returns the focus's name.
func (f Focus) String() string {
	if int(f) < len(focusNames) {
		return focusNames[f]
	}
	return fmt.Sprintf("focus(%d)", uint8(f))
}

// When says in which focus an event is told.
type When uint8

const (
	// Auto tells unless the terminal is known to be focused; a focused person
	// who lets a blocked agent wait is told after [Settings.Presence].
	Auto When = iota
	// UnfocusedOnly tells only what the person cannot be looking at: it never
	// tells while the terminal is known to be focused. Not knowing is told.
	UnfocusedOnly
	// Always tells whatever the focus and the keys say.
	Always
	// Never tells nothing.
	Never
)

var whenNames = [...]string{Auto: "auto", UnfocusedOnly: "unfocused", Always: "always", Never: "never"}

// String returns the value as the config spells it.
func (w When) String() string {
	if int(w) < len(whenNames) {
		return whenNames[w]
	}
	return fmt.Sprintf("when(%d)", uint8(w))
}

// MarshalText writes the value as the config spells it.
func (w When) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads "auto", "unfocused", "always" or "never"; any other text
// is an error.
func (w *When) UnmarshalText(b []byte) error {
	for i, n := range whenNames {
		if n == string(b) {
			*w = When(i)
			return nil
		}
	}
	return fmt.Errorf("want auto, unfocused, always or never, not %q", b)
}

// Settings are the times and rules that a [Policy] goes by.
// The zero value tells at once, again and again: start from [Defaults].
type Settings struct {
	Blocked When // when a blocked agent is told
	Idle    When // when a finished turn is told
	Failed  When // when a failed turn is told

	BlockedSettle time.Duration // how long a prompt must stand before it is told
	IdleSettle    time.Duration // how long an agent must rest before it has finished
	CloseSettle   time.Duration // how long a told state must be over, with no key, before its notice is withdrawn

	MinTurn      time.Duration // a shorter turn is not told
	MinTurnAway  time.Duration // the same while the terminal is known to be unfocused
	Cooldown     time.Duration // from one notice to the next of the same state
	Presence     time.Duration // how long after a key or a look the person counts as being there
	FocusExpires time.Duration // a focus that nothing confirmed for so long is unknown; 0: it holds for ever
	Reminder     time.Duration // a blocked agent is told once more after this long without a key; 0: never
}

// Defaults returns the settings that hold where the config says nothing.
func Defaults() Settings {
	return Settings{
		BlockedSettle: time.Second,
		IdleSettle:    2500 * time.Millisecond,
		// As long as an agent must rest to have finished: a frame that was
		// misread for less than that does not take a notice away.
		CloseSettle: 2500 * time.Millisecond,
		MinTurn:     5 * time.Second,
		// A redraw can look like a moment's work. Anything longer is a turn
		// to a person who is known to look elsewhere.
		MinTurnAway: time.Second,
		Cooldown:    30 * time.Second,
		Presence:    10 * time.Second,
		// Some terminals report no loss of focus when another window or the
		// lock screen comes up (github/copilot-cli#4036).
		FocusExpires: 5 * time.Minute,
	}
}

func (s *Settings) when(e Event) When {
	switch e {
	case NeedsYou:
		return s.Blocked
	case Finished:
		return s.Idle
	case Failed:
		return s.Failed
	}
	return Never
}

func (s *Settings) settle(e Event) time.Duration {
	if e == NeedsYou {
		return s.BlockedSettle
	}
	return s.IdleSettle
}
