package cli

import (
	"bytes"
	"sync"
	"sync/atomic"

	"fwrap/detect/report"
)

// statusGate stands between an agent that speaks OSC 7501 and the terminal. The
// terminal sees what it would see without fwrap: a report that exists only
// because fwrap answered the agent's query goes on only to a terminal that
// speaks the protocol itself.
//
// query and pass are called by the relay's output pump, reply by its input
// pump, the rest by the mirror's goroutine.
type statusGate struct {
	// helps says that an agent which reports when it is answered has the
	// terminal, and that its reports are wanted.
	helps atomic.Bool
	// answer writes to the command; await has the terminal's own answer looked for.
	answer func(seq []byte) bool
	await  func()
	inject func(seq []byte) bool

	mu       sync.Mutex
	answered bool           // fwrap has answered this agent
	outer    outerSupport   // what is known of the terminal
	said     report.Program // what the agent has said
	spoke    bool           // it has said anything, or asked whether it can
	shown    bool           // the terminal has been sent a record that is in force
	emitted  bool           // by fwrap itself
}

type outerSupport uint8

const (
	outerUnknown outerSupport = iota
	outerSilent
	outerSpeaks
)

var (
	statusReply = []byte("\x1b]7501;?\x1b\\")
	statusClear = []byte("\x1b]7501;state=clear\x1b\\")
)

// output decides about an OSC 7501 in the command's output: whether it is kept
// from the terminal. A query always goes on; the terminal may speak for itself.
func (g *statusGate) output(data []byte) (drop bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if report.IsQuery(data) {
		g.spoke = true // it will, and not be spoken for meanwhile
		// Claude Code 2.1.332 takes an answer only before that to the CSI c
		// which follows its query: so now, and not when the terminal has been
		// heard.
		if g.helps.Load() {
			g.answered = g.answer(statusReply) || g.answered
		}
		g.await()
		return false
	}
	if g.said.Take(data) {
		g.spoke = true
	}
	if g.answered && g.outer != outerSpeaks {
		return true
	}
	g.shown = len(g.said.Records()) > 0
	return false
}

// reply decides about the terminal's own answer, whether it is kept from the
// command; nil is the answer to CSI c.
func (g *statusGate) reply(data []byte) (drop bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case data == nil:
		if g.outer == outerUnknown {
			g.outer = outerSilent
		}
		return false
	case !report.IsQuery(data):
		return false
	}
	if g.outer != outerSpeaks {
		g.outer = outerSpeaks
		for _, r := range g.said.Records() { // what was kept back meanwhile
			g.inject(append(append([]byte("\x1b]7501;"), r.Data...), "\x1b\\"...))
			g.shown = true
		}
	}
	return g.answered
}

// emit sends a record of fwrap's own, for an agent that says nothing itself, to
// a terminal that is known to read it.
func (g *statusGate) emit(seq []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.outer == outerSpeaks && !g.spoke {
		g.emitted = g.inject(seq) || g.emitted
	}
}

// gone is called when the agent has ended: a record that is left standing, as
// after a kill, is cleared.
func (g *statusGate) gone() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.emitted || g.shown && len(g.said.Records()) > 0 {
		g.inject(bytes.Clone(statusClear))
	}
	g.said.Reset()
	g.answered, g.spoke, g.shown, g.emitted = false, false, false, false
}
