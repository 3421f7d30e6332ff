package ptyrun

import (
	"time"

	"fwrap/detect/cast"
)

// Recording returns what has happened so far as a recording: output as it was
// read, keys, sizes. Its characters may be cut between two events.
func (p *Program) Recording() (cast.Header, []cast.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.chunks[0]
	h := cast.Header{Version: 2, Width: first.cols, Height: first.rows, Timestamp: first.at.Unix()}
	var events []cast.Event
	from := 0
	for _, c := range p.chunks[1:] {
		e := cast.Event{At: c.at.Sub(first.at)}
		switch {
		case c.cols > 0:
			e.Code, e.Data = cast.Resize, cast.FormatSize(c.cols, c.rows)
		case c.keys != "":
			e.Code, e.Data = cast.Input, c.keys
		default:
			e.Code, e.Data = cast.Output, string(p.output[from:c.end])
		}
		from = c.end
		events = append(events, e)
	}
	return h, events
}

// Elapsed is the time since the program's start, on the recording's clock.
func (p *Program) Elapsed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.chunks[0].at)
}
