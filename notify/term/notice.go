package term

import "fwrap/notify"

// Limits returns what the channel shows of a notice.
func (c Channel) Limits() notify.Limits {
	switch c {
	case OSC99:
		return notify.Limits{Title: 80, Body: 400, Multiline: true}
	case OSC777, OSC9:
		return notify.Limits{Title: 80, Body: 200}
	}
	return notify.Limits{Title: 80, Body: 400, Multiline: true}
}

// Notify returns the sequence that shows n on the route, wrapped for its
// multiplexer, or nil if the route is not a terminal's. id is the session's own
// and the same for all its notices; where the channel can, a notice with the
// same id takes the place of the one before.
func (r Route) Notify(id string, n notify.Notice) []byte {
	switch r.Channel {
	case OSC99:
		return Wrap(r.Mux, Notify99(Note99{ID: id, Title: n.Title, Body: n.Body, Urgency: Urgency(n.Urgency)}))
	case OSC777:
		return Wrap(r.Mux, Notify777(n.Title, n.Body))
	case OSC9:
		text := n.Title
		if n.Body != "" {
			text += ": " + n.Body
		}
		return Wrap(r.Mux, Notify9(text))
	case BEL:
		return Bell()
	}
	return nil
}

// Close returns the sequence that takes the notice id away, or nil where the
// channel cannot.
func (r Route) Close(id string) []byte {
	if r.Channel != OSC99 {
		return nil
	}
	return Wrap(r.Mux, Close99(id))
}
