package acp

import (
	"slices"

	"fwrap/detect"
)

// Side says who wrote the bytes.
type Side uint8

const (
	Client Side = iota // the editor: the agent's standard input
	Agent              // the agent: its standard output
)

// What is kept is bounded; what exceeds the bounds is left out.
const (
	maxSessions = 256
	maxPending  = 1024
	maxEarly    = 64
	maxAsks     = 64
	maxTitles   = 128
)

// Tap follows one connection. The zero value is ready. It is not safe for
// concurrent use: the two directions are read by two goroutines, which must
// take turns.
type Tap struct {
	in       [2]lines
	pending  [2]map[string]request // requests without an answer, by who asked
	early    [2][]string           // answers that were read before their request, by who asked
	sessions []session             // in the order in which they were heard of
	asks     []ask                 // questions to the person, the oldest first
	titles   []title               // of tool calls, the newest last
	version  int
	spoken   bool
	idle     detect.Report // how the last turn ended
	last     detect.Report
	reports  []detect.Report
}

// request is a request that waits for its answer.
type request struct {
	method  string
	session string
}

type session struct {
	id      string
	prompts []string // ids of prompts without an answer: in version 1 the answer is their end
	// The rest is of version 2.
	state  string // running, requires_action, idle
	silent bool   // no state has come since the last prompt
	back   int
	shells int
	parent string // of a subagent's session
}

type ask struct {
	id, session string
	elicit      string // elicitationId, if it has one
	said        detect.Report
}

type title struct{ call, text string }

// Write reads bytes that side has written, in pieces of any size, and returns
// what the agent has come to do, once for each change, in order. The slice is
// valid until the next call.
func (t *Tap) Write(side Side, p []byte) []detect.Report {
	t.reports = t.reports[:0]
	t.in[side].write(p, func(m *message) { t.message(side, m) })
	return t.reports
}

// Close says that the agent has ended. What it was doing it does no longer.
func (t *Tap) Close() detect.Report {
	*t = Tap{}
	return detect.Report{Source: detect.FromACP, State: detect.None}
}

// Report returns what the agent does over all sessions: blocked if one waits
// for the person, else working if one works, else background, else idle; None
// before the first message.
func (t *Tap) Report() detect.Report {
	r := detect.Report{Source: detect.FromACP}
	if !t.spoken {
		return r
	}
	for i := range t.sessions {
		s := &t.sessions[i]
		if s.state == "requires_action" && len(t.asks) == 0 {
			r.State = detect.Blocked
			return r
		}
	}
	if len(t.asks) > 0 {
		return t.asks[0].said
	}
	r.State, r.Kind, r.Note = detect.Idle, t.idle.Kind, t.idle.Note
	for i := range t.sessions {
		s := &t.sessions[i]
		switch {
		case len(s.prompts) > 0 || s.state == "running" && s.parent == "":
			return detect.Report{Source: detect.FromACP, State: detect.Working}
		case s.back > 0 || s.state == "running":
			r.State, r.Kind, r.Note = detect.Working, detect.Background, ""
		case s.shells > 0 && r.State == detect.Idle && r.Kind == "":
			// A server may run on for good: the turn is over all the same.
			r.Kind = detect.Shell
		}
	}
	return r
}

func (t *Tap) message(from Side, m *message) {
	switch {
	case m.method != "" && m.id != "":
		t.request(from, m)
	case m.method != "":
		t.notice(from, m)
	case m.result || m.failed:
		t.answer(1-from, m)
	default:
		return
	}
	t.spoken = true
	r := t.Report()
	if !same(&r, &t.last) {
		t.last = r
		t.reports = append(t.reports, r)
	}
}

func same(a, b *detect.Report) bool {
	return a.State == b.State && a.Kind == b.Kind && a.Note == b.Note &&
		a.Question.Text == b.Question.Text && slices.Equal(a.Question.Options, b.Question.Options)
}

// request is a request of side from.
func (t *Tap) request(from Side, m *message) {
	// The bytes are passed on before they are read here, so the answer may
	// have been read first. Ids of the two sides are independent.
	if i := slices.Index(t.early[from], m.id); i >= 0 {
		t.early[from] = slices.Delete(t.early[from], i, i+1)
		return
	}
	if t.pending[from] == nil {
		t.pending[from] = make(map[string]request)
	}
	if len(t.pending[from]) >= maxPending {
		return
	}
	t.pending[from][m.id] = request{m.method, m.session}
	switch {
	case from == Client && m.method == "session/prompt":
		if s := t.session(m.session); s != nil {
			t.idle = detect.Report{}
			s.silent = true
			if !slices.Contains(s.prompts, m.id) {
				s.prompts = append(s.prompts, m.id)
			}
		}
	case from == Client && (m.method == "session/close" || m.method == "session/delete"):
		t.forget(m.session)
	case from == Agent && m.method == "session/request_permission":
		t.ask(m, t.permission(m))
	case from == Agent && m.method == "elicitation/create":
		t.ask(m, detect.Report{Kind: detect.Ask, Question: detect.Question{Text: m.text, Options: m.options}})
	}
}

func (t *Tap) ask(m *message, r detect.Report) {
	r.Source, r.State = detect.FromACP, detect.Blocked
	t.unask(m.id)
	if len(t.asks) < maxAsks {
		t.asks = append(t.asks, ask{m.id, m.session, m.elicit, r})
	}
}

func (t *Tap) unask(id string) { t.settle(func(a *ask) bool { return a.id == id }) }

// settle takes away the questions that are over.
func (t *Tap) settle(over func(*ask) bool) {
	var of []string
	t.asks = slices.DeleteFunc(t.asks, func(a ask) bool {
		if !over(&a) {
			return false
		}
		of = append(of, a.session)
		return true
	})
	// A session whose last question is answered requires no action. It says
	// "running" a moment later, but not when it has taken the question back
	// because it was cancelled (claude-agent-acp 0.101.0).
	for i := range t.sessions {
		s := &t.sessions[i]
		if s.state == "requires_action" && slices.Contains(of, s.id) &&
			!slices.ContainsFunc(t.asks, func(a ask) bool { return a.session == s.id }) {
			s.state = "running"
		}
	}
}

// permission is what a session/request_permission asks: in version 2 its own
// title, else its tool call's, which may have been told before in an update.
func (t *Tap) permission(m *message) detect.Report {
	r := detect.Report{Kind: detect.Permission, Question: detect.Question{Text: m.text, Options: m.options}}
	if m.text == "" {
		r.Question.Text = m.title
	}
	if m.callKind == "switch_mode" {
		r.Kind = detect.Plan // claude-agent-acp's ExitPlanMode
	}
	for i := len(t.titles) - 1; i >= 0 && r.Question.Text == "" && m.call != ""; i-- {
		if t.titles[i].call == m.call {
			r.Question.Text = t.titles[i].text
		}
	}
	return r
}

// notice is a notification of side from.
func (t *Tap) notice(from Side, m *message) {
	switch {
	case m.method == "$/cancel_request" && from == Agent:
		t.unask(m.request)
	case m.method == "elicitation/complete" && from == Agent:
		t.settle(func(a *ask) bool { return a.elicit == m.elicit && a.elicit != "" })
	case m.method == "session/update" && from == Agent:
		t.update(m)
	}
	// session/cancel: the agent works until it has answered the prompt, and
	// the client answers what is asked with "cancelled".
}

func (t *Tap) update(m *message) {
	if m.call != "" && m.title != "" {
		t.titles = slices.DeleteFunc(t.titles, func(o title) bool { return o.call == m.call })
		if len(t.titles) == maxTitles {
			t.titles = slices.Delete(t.titles, 0, 1)
		}
		t.titles = append(t.titles, title{m.call, m.title})
	}
	if t.version < 2 {
		return
	}
	switch m.update {
	case "subagent_update":
		if m.child == "" || m.child == m.session {
			return
		}
		if s := t.session(m.child); s != nil {
			s.parent = m.session
		}
	case "state_update":
		if s := t.session(m.session); s != nil {
			t.state(s, m)
		}
	}
}

// state takes what version 2 says of a session.
func (t *Tap) state(s *session, m *message) {
	s.back, s.shells, s.silent = m.back, m.shells, false
	switch m.state {
	case "running", "requires_action":
		s.state = m.state
	case "idle":
		// Said again, for what runs in the background, it has no reason. The
		// questions that are open stay so: what runs there asks, too.
		if s.parent == "" && (m.stop != "" || s.state != "idle") {
			t.idle = ended(m.stop)
			t.idle.Note += m.failure
		}
		s.state = "idle"
	}
}

// answer is the response to a request of side asked.
func (t *Tap) answer(asked Side, m *message) {
	if asked == Client && m.version > 0 {
		t.version = m.version
	}
	q, ok := t.pending[asked][m.id]
	if !ok {
		if m.id != "" {
			if len(t.early[asked]) == maxEarly {
				t.early[asked] = slices.Delete(t.early[asked], 0, 1)
			}
			t.early[asked] = append(t.early[asked], m.id)
		}
		return
	}
	delete(t.pending[asked], m.id)
	switch {
	case asked == Agent:
		t.unask(m.id)
	case q.method == "session/prompt":
		s := t.session(q.session)
		if s == nil {
			return
		}
		s.prompts = slices.DeleteFunc(s.prompts, func(id string) bool { return id == m.id })
		switch {
		case m.failed && m.code == cancelled:
			t.idle = ended("cancelled")
		case m.failed:
			t.idle = ended("error")
			t.idle.Note = m.failure
		case t.version >= 2:
			// It only says that the prompt was taken; that it runs may come later.
			if s.silent {
				s.state = "running"
			}
		default:
			t.idle = ended(m.stop)
		}
	}
}

// cancelled is the code of the error that a cancelled request is answered with.
const cancelled = "-32800"

// ended is how a turn with that stopReason has ended.
func ended(reason string) detect.Report {
	switch reason {
	case "cancelled":
		return detect.Report{Kind: detect.Stopped}
	case "error": // of version 2
		return detect.Report{Kind: detect.Failed}
	case "max_tokens", "max_turn_requests", "refusal":
		return detect.Report{Note: reason}
	}
	return detect.Report{}
}

// session returns the session of that id, making it if there is room.
func (t *Tap) session(id string) *session {
	for i := range t.sessions {
		if t.sessions[i].id == id {
			return &t.sessions[i]
		}
	}
	if len(t.sessions) >= maxSessions {
		i := slices.IndexFunc(t.sessions, func(s session) bool {
			return len(s.prompts) == 0 && s.state != "running" && s.state != "requires_action" && s.back == 0
		})
		if i < 0 {
			return nil
		}
		t.sessions = slices.Delete(t.sessions, i, i+1)
	}
	t.sessions = append(t.sessions, session{id: id})
	return &t.sessions[len(t.sessions)-1]
}

// forget is the end of a session and of its subagents'.
func (t *Tap) forget(id string) {
	gone := []string{id}
	for i := 0; i < len(gone); i++ {
		for _, s := range t.sessions {
			if s.parent == gone[i] && s.parent != "" && !slices.Contains(gone, s.id) {
				gone = append(gone, s.id)
			}
		}
	}
	t.sessions = slices.DeleteFunc(t.sessions, func(s session) bool { return slices.Contains(gone, s.id) })
	t.asks = slices.DeleteFunc(t.asks, func(a ask) bool { return a.session != "" && slices.Contains(gone, a.session) })
}
