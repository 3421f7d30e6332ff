package report

import (
	"encoding/json"
	"time"

	"fwrap/detect"
)

// Hooks takes what arrives at the report socket of one session and is told when
// the screen has settled it. The zero value is ready. It is the [detect.Settler]
// of a timeline.
type Hooks struct {
	claude Claude
	codex  Codex
	seq    map[string]uint64 // of plain words, by sender
	file   time.Time         // of the status file's last status
	hold   bool              // the last report has no age
	word   uint64            // of the last event that counted: when its hook was started, in ns since 1970
}

var _ detect.Settler = (*Hooks)(nil)

// maxSenders bounds the names of senders that are kept.
const maxSenders = 32

// Message is a report as it comes over the socket: either Event, which is the
// JSON of an [Event] (from "claude") or a [Notice] (from "codex"), or the words
// of [Plain].
type Message struct {
	From  string // the agent or the script
	Seq   uint64 // grows in the order in which the reporters were started; 0 if not known
	State string
	Kind  string
	Text  string
	Event json.RawMessage
}

// Take returns the report to be handed on, or false where the message changes
// nothing or is not understood.
func (h *Hooks) Take(m Message) (detect.Report, bool) {
	var r detect.Report
	ok := false
	switch {
	case len(m.Event) > 0 && m.From == "claude":
		var e Event
		if json.Unmarshal(m.Event, &e) != nil {
			return detect.Report{}, false
		}
		if e.Seq == 0 {
			e.Seq = m.Seq
		}
		if r, ok = h.claude.Event(e); ok {
			h.word = e.Seq
		}
	case len(m.Event) > 0 && m.From == "codex":
		if n, err := ReadNotice(m.Event); err == nil {
			r, ok = h.codex.Notify(n)
		}
	case len(m.Event) == 0 && h.inOrder(m.From, m.Seq):
		var err error
		r, err = Plain(m.State, m.Kind, m.Text)
		ok = err == nil
	}
	if ok {
		h.hold = r.Hold
	}
	return r, ok
}

// inOrder drops a plain word that was overtaken by a later one of its sender.
func (h *Hooks) inOrder(from string, seq uint64) bool {
	if seq == 0 {
		return true
	}
	if seq <= h.seq[from] {
		return false
	}
	if h.seq == nil || len(h.seq) >= maxSenders {
		h.seq = make(map[string]uint64)
	}
	h.seq[from] = seq
	return true
}

// OSC9 takes the text of an OSC 9 notice in Codex's output; see [Codex.OSC9].
func (h *Hooks) OSC9(data []byte) (detect.Report, bool) {
	r, ok := h.codex.OSC9(data)
	if ok {
		h.hold = false
	}
	return r, ok
}

// SessionFile takes what Claude Code's status file says. It returns false for a
// file of another session than the hooks', for a status that is not newer than
// the last, and for one that is not known.
func (h *Hooks) SessionFile(f SessionFile) (detect.Report, bool) {
	if h.claude.bound && f.Session != "" && f.Session != h.claude.session {
		return detect.Report{}, false
	}
	if !f.Updated.IsZero() && !f.Updated.After(h.file) {
		return detect.Report{}, false
	}
	r, ok := f.Report()
	if ok && r.State == detect.Working && h.claude.lastWord.State == detect.Blocked && !f.Updated.IsZero() && uint64(f.Updated.UnixNano()) < h.word {
		// The file of before the dialog, read after its hook.
		return detect.Report{}, false
	}
	if w := &h.claude.lastWord; ok && r.State == w.State && r.Kind == "" && w.Kind != detect.Shell {
		// The file says that it rests or works, the hook has said how.
		r.Kind, r.Note, r.Question = w.Kind, w.Note, w.Question
	}
	if ok {
		h.file, h.hold = f.Updated, r.Hold
	}
	return r, ok
}

// Settle is called when the screen has settled that the last report is over;
// see [detect.Settler]. Claude Code's events are told in any case, for a turn
// that has ended has ended for them too.
func (h *Hooks) Settle(working bool) detect.Report {
	switch {
	case h.claude.hasWord:
		return h.claude.Settle(working)
	case working:
		return detect.Report{Source: detect.FromHook, State: detect.Working, Hold: h.hold}
	}
	return detect.Report{Source: detect.FromHook, State: detect.Idle, Kind: detect.Stopped}
}

// Exit is called when the agent's process has ended, before another may begin.
func (h *Hooks) Exit() { *h = Hooks{} }
