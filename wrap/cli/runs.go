package cli

import "time"

// eraseDisplay ends what sequence there may be (CAN) and erases the screen (ED 2).
const eraseDisplay = "\x18\x1b[2J"

// read notes who has the terminal. What an agent finds on it is not its own, and
// a person can start one as soon as they see a prompt: so it is asked before
// they do.
func (l *live) read() {
	if !l.process.direct {
		l.reader, _ = l.process.group()
	}
}

// remember keeps the end of what nobody has said that it is an agent's.
func (l *live) remember(p []byte) {
	l.recent = append(l.recent, p[max(0, len(p)-mirrorRecent):]...)
	if n := len(l.recent) - mirrorRecent; n > 0 {
		l.recent = append(l.recent[:0], l.recent[n:]...)
	}
}

// draw feeds the screen, in a flood the end of it.
func (l *live) draw(now time.Time, b batch) {
	p := b.out
	if l.agent == "" {
		l.remember(p) // nothing is drawn for a command that nobody has rules for
		return
	}
	if l.compiled != l.agent {
		l.compile()
	}
	if b.lost {
		l.log.Info("a flood was faster than the screen's emulator; its middle was dropped")
	}
	skip := max(0, len(p)-mirrorTail)
	for i, r := range b.runs {
		end := len(p)
		if i+1 < len(b.runs) {
			end = b.runs[i+1].from
		}
		mine := l.mine(r)
		if mine && !l.drew {
			// What is left on the screen, the last dialog of an agent before
			// this one, say, is not this one's. Where it stands counts, for
			// agents draw from the cursor on; so it is only wiped, and on our
			// copy.
			l.screen.Write([]byte(eraseDisplay))
			l.drew = true
		}
		if cut := min(end, skip); cut > r.from {
			if mine {
				l.watch.hear(now, p[r.from:cut])
			}
			l.screen.Skip(p[r.from:cut])
		}
		switch piece := p[max(r.from, min(end, skip)):end]; {
		case mine:
			l.watch.output(now, piece)
		case l.drew:
			l.watch.drawn(now, piece)
		default: // it was there before the agent
			l.screen.Write(piece)
		}
	}
	if l.drew {
		l.tell.passed(l.screen.Title())
	}
}

// mine reports whether a run is the agent's.
func (l *live) mine(r run) bool {
	return l.process.direct || r.group == l.process.agent.PGID
}

// A run is output that was read while one process group had the terminal.
type run struct {
	from  int // where in the output it begins
	group int // 0: not asked, or not known
}

// maxRuns bounds the runs in a queue. What comes beyond counts to the last.
const maxRuns = 256

// cutRuns takes n bytes away from the front.
func cutRuns(runs []run, n int) []run {
	out := runs[:0]
	for i, r := range runs {
		if i+1 < len(runs) && runs[i+1].from <= n {
			continue
		}
		out = append(out, run{max(0, r.from-n), r.group})
	}
	return out
}
