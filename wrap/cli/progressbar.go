package cli

import (
	"strings"
	"sync"
	"time"

	"fwrap/detect"
	"fwrap/notify/term"
)

// progressBar shows the state as the terminal's progress (OSC 9;4): busy while
// the agent works, paused while it is blocked. An agent that shows progress
// itself keeps its own; only a bar that says "busy" while the agent is blocked
// is a lie, so that it is paused, and given back when the agent goes on.
type progressBar struct {
	inject func(seq []byte) bool
	front  func() bool   // whether the terminal is fwrap's at the moment
	repeat time.Duration // after which the terminal wants to hear of it again; 0: never

	mu     sync.Mutex
	state  term.ProgressState // what fwrap has sent last
	agents string             // what the agent has sent last: "3;0"; empty: nothing ever
	timer  *time.Timer        // runs only while the agent works
}

// heard hears what the agent sends: what follows "9;" of its OSC 9. It is called
// by the relay's output pump.
func (b *progressBar) heard(data []byte) {
	rest, ok := strings.CutPrefix(string(data[:min(len(data), 16)]), "4;")
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.agents = rest
	b.rest()
}

// show shows a state.
func (b *progressBar) show(st detect.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	want := term.ProgressNone
	switch st.State {
	case detect.Working:
		want = term.ProgressIndeterminate
	case detect.Blocked:
		want = term.ProgressPaused
	}
	if b.agents != "" {
		switch {
		case want == term.ProgressPaused && b.state != want:
			b.send(want)
		case want != term.ProgressPaused && b.state == term.ProgressPaused:
			b.state = term.ProgressNone
			b.inject([]byte("\x1b]9;4;" + b.agents + "\x1b\\"))
		}
		return
	}
	if want != b.state {
		b.send(want)
	}
}

// send sends a state. The lock is held.
func (b *progressBar) send(s term.ProgressState) {
	b.rest()
	percent := 0
	if s == term.ProgressPaused {
		percent = 100
	}
	b.state = s
	b.inject(term.Progress(s, percent))
	if s == term.ProgressIndeterminate && b.repeat > 0 {
		b.timer = time.AfterFunc(b.repeat, b.again)
	}
}

// again tells the terminal once more that the agent works.
func (b *progressBar) again() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer == nil || b.state != term.ProgressIndeterminate || b.agents != "" {
		return
	}
	if !b.front() { // what is sent while the job is stopped would only pile up
		b.timer = time.AfterFunc(b.repeat, b.again)
		return
	}
	b.send(b.state)
}

// rest stops the repeating. The lock is held.
func (b *progressBar) rest() {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}

// clear is called when the agent has ended: no bar stays behind, not even the
// agent's own if it was killed.
func (b *progressBar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest()
	if b.state != term.ProgressNone || b.agents != "" && b.agents[0] != '0' {
		b.inject(term.Progress(term.ProgressNone, 0))
	}
	b.state, b.agents = term.ProgressNone, ""
}
