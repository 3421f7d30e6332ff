package detect

import "time"

// How long the sources are believed. Hooks are events: each says something
// about its moment, and what it said wears off. OSC 7501 records and ACP
// requests are levels and have no age. The screen's sweeps of the measurements
// behind these numbers are durations here, one sweep being 700 ms.
const (
	// FreshBlocked is how long a permission or question reported by a hook
	// stands with nothing to bear it out: a person may be away for long.
	FreshBlocked = 30 * time.Minute
	// FreshWorking is how long a hook's working stands; each tool renews it.
	FreshWorking = 30 * time.Second
	// FreshCompacting is how long a compaction may take.
	FreshCompacting = 10 * time.Minute
	// FreshIdle bridges the repaint after a turn's end. Then the screen says
	// the same, or shows that a queued turn has begun, which no hook tells.
	FreshIdle = 3 * time.Second
	// FreshBackground is how long subagents may go on after the main turn.
	FreshBackground = 60 * time.Minute
	// SoftFor is how long a guess stands (see [Report.Soft]).
	SoftFor = 3 * time.Second

	// SettleAnswered is how long a dialog must have left the screen to be
	// taken as answered. Claude Code 2.1.332 runs no hook for a Yes before the
	// tool's end and none at all for No and Esc.
	SettleAnswered = 1400 * time.Millisecond
	// MissedWorking is how long a screen must show the agent working, after it
	// has shown it at rest, to stand against an OSC 7501 record that says that
	// it still rests. The record of a change comes 0.85 s after the screen at
	// the latest (Claude Code 2.1.332, 220 moments).
	MissedWorking = 1200 * time.Millisecond
	// SettleIdle is how long a screen must show the agent at rest to end a
	// hook's working: Esc runs no hook.
	SettleIdle = 2100 * time.Millisecond
	// SettleUnseen is how long a screen must go on without the dialog that a
	// hook told of, after SettlePaint, for the dialog to be disbelieved.
	SettleUnseen = 5 * time.Second
	// SettlePaint is the time a dialog has to be painted after its hook; on a
	// loaded machine up to 1.7 s were seen.
	SettlePaint = 3 * time.Second

	// ConflictAfter is how long screen and report must disagree to be worth a
	// line in the log.
	ConflictAfter = 5 * time.Second
)

// age is how long a hook's report is believed.
func (r *Report) age() (time.Duration, bool) {
	switch {
	case r.Soft:
		return SoftFor, true
	case r.State == Idle:
		return FreshIdle, true
	case r.Hold:
		return 0, false
	case r.State == Blocked:
		return FreshBlocked, true
	case r.Kind == Background:
		return FreshBackground, true
	case r.Kind == Compacting:
		return FreshCompacting, true
	}
	return FreshWorking, true
}
