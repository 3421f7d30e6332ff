package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Report is a statement of the agent about itself, already understood: what it
// does from now on. The packages detect/report and detect/acp make them from
// bytes.
//
// The zero State, [None], withdraws what the same source said before; it does
// not say that the agent has gone, which only its process can.
type Report struct {
	// Source is FromProgram (an OSC 7501 record), FromACP, or FromHook for
	// everything that arrives as separate events: hooks, notify programs, an
	// agent's status file, a plain word.
	Source   Source
	State    State
	Kind     Kind
	Question Question // of Blocked: what the agent asks, untrusted and already made one line
	Note     string   // of Working and Idle: what it does, or the error line; untrusted, one line
	// Soft is a guess that must be borne out by the screen within [SoftFor]:
	// a turn has ended, and another that was typed meanwhile should begin.
	Soft bool
	// Hold lifts the age limits of a working or blocked that came as an event.
	// It is for reporters that speak only when something changes (a script's
	// plain word, a status file), where a long silence means nothing. The
	// screen can still settle it.
	Hold bool
}

// MaxText is the length in bytes to which text from an agent is cut before it
// is kept. It is generous: a notification shows less, a state file shows all.
const MaxText = 2048

// MaxOptions is how many options of a question are kept.
const MaxOptions = 32

// OneLine makes untrusted text fit to be shown in one line: invalid UTF-8,
// control characters, bidirectional and zero-width formatting are dropped, runs
// of white space become one space, and what is longer than limit bytes is cut
// at a character with "…" in its place. The limit must be at least 3.
//
// Dropping the formatting characters follows the advice of the program-status
// protocol: a right-to-left override in a command would show another command.
func OneLine(s string, limit int) string {
	var b strings.Builder
	space := false
	end := 0 // the length up to which b can be cut and "…" still fits
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == utf8.RuneError, unicode.IsControl(r), invisible(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		if b.Len() > limit {
			return strings.TrimRight(b.String()[:end], " ") + "…"
		}
		if b.Len() <= limit-len("…") {
			end = b.Len()
		}
	}
	return b.String()
}

// invisible reports whether r is drawn as nothing or changes how its
// neighbours are drawn: bidirectional controls, zero-width characters,
// variation of direction, tags and other format characters.
func invisible(r rune) bool {
	if r < 0xAD {
		return false
	}
	return unicode.Is(unicode.Cf, r) || r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 ||
		r == 0x2028 || r == 0x2029
}
