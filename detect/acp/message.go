package acp

import (
	"bytes"
	"strconv"
	"strings"

	"fwrap/detect"
	"fwrap/detect/jsonscan"
)

// MaxLine is the length of a line beyond which it is not read. Such a line
// carries an image or a file, not a request to the person.
const MaxLine = 8 << 20

const (
	maxID       = 256 // bytes of a request id, a session id, a tool call's id
	maxMessages = 256 // of a batch
)

// message is what is kept of one JSON-RPC message.
type message struct {
	id       string // as it is compared: kind and text, "n1" or "sabc"; empty for a notification
	method   string
	result   bool // a response with a result …
	failed   bool // … or with an error
	failure  string
	code     string // of the error
	session  string
	child    string // the session that a subagent_update is about
	request  string // the id that $/cancel_request names
	elicit   string // elicitationId of one that is done in a browser
	version  int    // of an initialize result
	stop     string // stopReason of a prompt's result or of a state update
	text     string // what is asked
	options  []string
	call     string // the tool call's id
	title    string // and title
	callKind string
	update   string // which session/update
	state    string // of a state_update
	back     int    // background tasks of a state_update, but for …
	shells   int    // … commands that run on
	property string // the elicitation's first field, of which the options are
	bad      bool   // an id that cannot be kept: the message is not understood
}

// lines reads the messages of one direction.
type lines struct {
	scan  jsonscan.Scanner
	ready bool
	size  int
	skip  bool // the line is too long or not JSON: nothing more of it is read
	batch bool
	cur   message
	done  []message // of the line so far
}

// write reads p and calls apply for each message of each complete line.
func (l *lines) write(p []byte, apply func(*message)) {
	if !l.ready {
		l.scan.Emit, l.scan.Keep, l.ready = l.value, 4*detect.MaxText, true
	}
	for len(p) > 0 {
		piece := p
		i := bytes.IndexByte(p, '\n')
		if i >= 0 {
			piece = p[:i]
		}
		if l.size += len(piece); l.size > MaxLine {
			l.skip = true
		}
		if !l.skip {
			if _, err := l.scan.Write(piece); err != nil {
				l.skip = true
			}
		}
		if i < 0 {
			return
		}
		l.end(apply)
		p = p[i+1:]
	}
}

// end is the end of a line, or of the stream.
func (l *lines) end(apply func(*message)) {
	ok := l.size > 0 && !l.skip && l.scan.Close() == nil
	done := l.done
	l.scan.Reset()
	l.size, l.skip, l.batch, l.cur, l.done = 0, false, false, message{}, l.done[:0]
	if !ok {
		return
	}
	for i := range done {
		if m := &done[i]; !m.bad {
			apply(m)
		}
	}
	clear(done)
}

func (l *lines) value(path []byte, v jsonscan.Value) {
	if len(path) == 0 && v.Kind == jsonscan.Array {
		l.batch = true
		return
	}
	if l.batch {
		path = bytes.TrimPrefix(path, []byte("[]"))
	}
	m := &l.cur
	switch string(path) {
	case "":
		switch {
		case v.Kind == jsonscan.Object:
			*m = message{}
		case v.Kind == jsonscan.End && len(l.done) < maxMessages && (m.method != "" || m.id != ""):
			l.done = append(l.done, *m)
			*m = message{}
		}
	case "/id":
		m.id = m.key(v)
	case "/method":
		m.short(&m.method, v)
	case "/result":
		m.result = true
	case "/error":
		m.failed = v.Kind != jsonscan.Null
	case "/error/message", "/params/update/error/message":
		m.failure = line(v)
	case "/error/code":
		m.code = string(v.Text)
	case "/params/sessionId":
		m.short(&m.session, v)
	case "/params/requestId", "/params/id":
		m.request = m.key(v)
	case "/params/elicitationId":
		m.short(&m.elicit, v)
	case "/result/protocolVersion":
		m.version, _ = strconv.Atoi(string(v.Text))
	case "/result/stopReason", "/params/update/stopReason":
		m.short(&m.stop, v)
	case "/params/update/sessionId":
		m.short(&m.child, v)
	// Version 2 has a permission's tool call in a subject, and a title beside it.
	case "/params/toolCall/title", "/params/subject/toolCall/title", "/params/update/title":
		m.title = line(v)
	case "/params/toolCall/toolCallId", "/params/subject/toolCall/toolCallId", "/params/update/toolCallId":
		m.short(&m.call, v)
	case "/params/toolCall/kind", "/params/subject/toolCall/kind":
		m.short(&m.callKind, v)
	case "/params/message", "/params/title":
		m.text = line(v)
	case "/params/options[]/name":
		m.option(v)
	case "/params/update/sessionUpdate":
		m.short(&m.update, v)
	case "/params/update/state":
		m.short(&m.state, v)
	case "/params/update/background":
		if v.Kind == jsonscan.Array {
			m.back, m.shells = 0, 0
		}
	case "/params/update/background[]":
		if v.Kind != jsonscan.End {
			m.back++
		}
	case "/params/update/background[]/type":
		if string(v.Text) == "terminal" {
			m.back--
			m.shells++
		}
	default:
		m.schema(path, v)
	}
}

// schema takes the choices of an elicitation's first field:
// properties/NAME/oneOf[]/title, or properties/NAME/enum[].
func (m *message) schema(path []byte, v jsonscan.Value) {
	rest, ok := bytes.CutPrefix(path, []byte("/params/requestedSchema/properties/"))
	if !ok || v.Kind != jsonscan.String {
		return
	}
	name, field, _ := bytes.Cut(rest, []byte("/"))
	switch string(field) {
	case "oneOf[]/title", "enum[]", "items/anyOf[]/title", "items/enum[]":
		if m.property == "" {
			m.property = string(name)
		}
		if m.property == string(name) {
			m.option(v)
		}
	}
}

func (m *message) option(v jsonscan.Value) {
	if v.Kind == jsonscan.String && len(m.options) < detect.MaxOptions {
		m.options = append(m.options, detect.OneLine(string(v.Text), 256))
	}
}

// short stores an id or a name. One that is too long cannot be told from
// another, so the message is not understood.
func (m *message) short(dst *string, v jsonscan.Value) {
	*dst = ""
	switch {
	case v.Kind != jsonscan.String:
	case len(v.Text) > maxID || v.Cut:
		m.bad = true
	default:
		*dst = string(v.Text)
	}
}

// key is a request's id in a form that keeps 1 and "1" apart.
func (m *message) key(v jsonscan.Value) string {
	if len(v.Text) > maxID || v.Cut {
		m.bad = true
		return ""
	}
	switch v.Kind {
	case jsonscan.String:
		return "s" + string(v.Text)
	case jsonscan.Number:
		return "n" + strings.TrimSuffix(string(v.Text), ".0")
	}
	return ""
}

func line(v jsonscan.Value) string {
	if v.Kind != jsonscan.String {
		return ""
	}
	return detect.OneLine(string(v.Text), detect.MaxText)
}
