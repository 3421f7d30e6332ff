package cli

import (
	"bytes"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"fwrap/notify"
	"fwrap/wrap"
)

// Sequences by which agents notify of themselves.
const (
	oscGrowl  = 9   // iTerm2's; 9;N;… are ConEmu's commands, 9;4 progress
	oscKitty  = 99  // kitty's desktop notifications
	oscNotify = 777 // rxvt's extension: 777;notify;title;body
)

const (
	// ownHeld and ownHeldSize bound what is kept back.
	ownHeld     = 16
	ownHeldSize = 12 << 10
	// ownMargin is what is added to the time an event must stand before it is
	// told: for a screen that is looked at every 0.7 s, and the desktop's answer.
	ownMargin = 1500 * time.Millisecond
	ownMax    = 10 * time.Second
)

// ownNotices keeps an agent's own notification (OSC 9, 99 or 777) from telling
// a second time what fwrap tells.
//
// Most agents notify at once, before the event has stood long enough for fwrap
// to tell it. Whether the terminal shows such a notice cannot be known (it may
// be switched off there), and whether fwrap will tell the event is not known
// yet; so it is neither shown nor dropped but kept back for as long as fwrap
// needs to decide. If fwrap tells, it is dropped; if not, for whatever reason, it
// goes to the terminal then, byte for byte. A notice can come late by that, but
// none is lost.
//
// Nothing is kept back while fwrap itself could only ring the bell: then the
// agent's own is the better one.
type ownNotices struct {
	inject func(seq []byte) bool
	log    *slog.Logger
	wait   time.Duration // how long one is kept back at most

	// active: an agent has the terminal, and fwrap has a channel that shows text.
	active atomic.Bool

	mu    sync.Mutex
	until time.Time // what fwrap has told; before that its echo is dropped
	held  [][]byte
	size  int
	timer *time.Timer
}

// newOwnNotices returns one for events that must stand for settle at most.
func newOwnNotices(log *slog.Logger, inject func([]byte) bool, settle time.Duration) *ownNotices {
	return &ownNotices{log: log, inject: inject, wait: min(settle+ownMargin, ownMax)}
}

// output decides about a sequence of one of the numbers above. It is called by
// the relay's output pump.
func (o *ownNotices) output(num int, data []byte) wrap.Verdict {
	switch noticeOf(num, data) {
	case ownOther:
		return wrap.Verdict{}
	case ownClose:
		// Only behind a notice that is kept back itself.
		o.mu.Lock()
		wait := len(o.held) > 0
		o.mu.Unlock()
		if !wait {
			return wrap.Verdict{}
		}
	}
	if !o.active.Load() {
		return wrap.Verdict{}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Now().Before(o.until) {
		o.log.Info("own notice", "osc", num, "what", "told already")
		return wrap.Verdict{Drop: true}
	}
	if len(o.held) == ownHeld || o.size+len(data) > ownHeldSize {
		return wrap.Verdict{}
	}
	return wrap.Verdict{Drop: true, Take: o.hold}
}

// hold keeps a sequence back. It is called after output, by the same goroutine.
func (o *ownNotices) hold(sequence []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = append(o.held, bytes.Clone(sequence))
	o.size += len(sequence)
	if o.timer == nil {
		// A timer of its own and not the mirror's: should the mirror hang, the
		// notice must still come out.
		o.timer = time.AfterFunc(o.wait, o.release)
	}
}

// release sends on what is kept back: fwrap does not tell it.
func (o *ownNotices) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, seq := range o.take() {
		o.log.Info("own notice", "what", "sent on")
		if !o.inject(seq) {
			o.log.Warn("own notice", "what", "no room in the terminal's queue")
		}
	}
}

// told says that fwrap has told the present event.
func (o *ownNotices) told() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = time.Now().Add(notify.Echo)
	if n := len(o.take()); n > 0 {
		o.log.Info("own notice", "what", "told by fwrap", "dropped", n)
	}
}

// over says that what was told no longer holds, or may not: the person has
// typed, and what the agent says next can be something new.
func (o *ownNotices) over() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = time.Time{}
}

// take empties what is held. The lock is held.
func (o *ownNotices) take() [][]byte {
	h := o.held
	o.held, o.size = nil, 0
	if o.timer != nil {
		o.timer.Stop()
		o.timer = nil
	}
	return h
}

// ownKind is what a sequence is to the person.
type ownKind uint8

const (
	ownOther  ownKind = iota // not a notice: it passes
	ownNotice                // shown to the person
	ownClose                 // takes a notice away
)

// noticeOf says what the OSC num with that data is.
func noticeOf(num int, data []byte) ownKind {
	switch num {
	case oscGrowl:
		digits := 0
		for digits < len(data) && data[digits] >= '0' && data[digits] <= '9' {
			digits++
		}
		switch {
		case len(data) == 0:
			return ownOther
		case digits > 0 && digits <= 2 && (digits == len(data) || data[digits] == ';'):
			return ownOther // ConEmu's 9;1 to 9;12, of which 9;4 is progress
		}
		return ownNotice
	case oscNotify:
		if bytes.HasPrefix(data, []byte("notify;")) {
			return ownNotice
		}
	case oscKitty:
		meta, _, ok := bytes.Cut(data, []byte(";"))
		if !ok {
			return ownOther
		}
		for f := range bytes.SplitSeq(meta, []byte(":")) {
			if v, ok := bytes.CutPrefix(f, []byte("p=")); ok {
				switch string(v) {
				case "title", "body", "icon", "buttons":
					return ownNotice
				case "close":
					return ownClose
				}
				return ownOther // a query, which must be answered at once
			}
		}
		return ownNotice // p=title is the default
	}
	return ownOther
}
