package cli

import (
	"fwrap/detect"
	"fwrap/detect/report"
	"fwrap/wrap/seq"
)

// inband finds the agent's own word in its output. It is pure: live sessions
// and replays use it alike.
type inband struct {
	scan  seq.Scanner
	prog  report.Program
	hooks *report.Hooks
	codex bool // the agent is Codex, whose OSC 9 notices are words of a fixed form
	agent bool // the agent has the terminal: prompts in it are its own
	spoke bool // the agent has spoken OSC 7501
}

// write reads output and calls say for each report in it, in order.
func (b *inband) write(p []byte, say func(detect.Report)) {
	for len(p) > 0 {
		tok, n := b.scan.Next(p)
		p = p[n:]
		if tok.Kind == seq.C0 { // after a line there may be many
			p = p[b.scan.Plain(p):]
		}
		if !tok.End || tok.Aborted || tok.Overflow {
			continue
		}
		switch tok.Kind {
		case seq.Esc:
			if string(tok.Body) == "c" { // RIS drops all records
				b.prog.Reset()
				say(b.prog.Report())
			}
		case seq.OSC:
			num, data, ok := seq.OSCNumber(tok.Body)
			if ok {
				b.osc(num, data, say)
			}
		case seq.DCS: // in tmux, for the terminal outside
			if osc, ok := seq.TmuxOSC(tok.Body); ok {
				if num, data, ok := seq.OSCNumber(osc); ok {
					b.osc(num, data, say)
				}
			}
		}
	}
}

func (b *inband) osc(num int, data []byte, say func(detect.Report)) {
	switch num {
	case report.ProgramOSC:
		if b.prog.Take(data) {
			b.spoke = true
			say(b.prog.Report())
		}
	case 9:
		if b.codex && b.hooks != nil {
			if r, ok := b.hooks.OSC9(data); ok {
				say(r)
			}
		}
	case 133:
		// A shell's prompt: whatever was working or blocked is no longer there.
		if !b.agent && len(data) > 0 && data[0] == 'A' {
			b.prog.Prompt()
			say(b.prog.Report())
		}
	}
}

// gone forgets what an agent said that has ended.
func (b *inband) gone() {
	b.prog.Reset()
	b.agent, b.codex, b.spoke = false, false, false
	if b.hooks != nil {
		b.hooks.Exit()
	}
}
