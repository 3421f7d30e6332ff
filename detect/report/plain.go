package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"fwrap/detect"
	"fwrap/detect/jsonscan"
)

// Plain reads the words with which a script, or the hook of an agent that has no
// reader of its own here, reports: the state working, blocked, idle, done or
// none, which withdraws; a kind that the state may carry, or none; and text, the
// question or the note, which may be empty. Such a report has no age limit: who
// sends it speaks when something changes.
func Plain(state, kind, text string) (detect.Report, error) {
	r := detect.Report{Source: detect.FromHook, Kind: detect.Kind(kind), Hold: true, Note: detect.OneLine(text, detect.MaxText)}
	switch state {
	case "working":
		r.State = detect.Working
	case "idle", "done":
		r.State = detect.Idle
	case "blocked":
		r.State = detect.Blocked
		r.Question.Text, r.Note = r.Note, ""
	case "none":
	default:
		return detect.Report{}, fmt.Errorf("unknown state %.40q: want working, blocked, idle, done or none", state)
	}
	if kind != "" && !slices.Contains(detect.Kinds[r.State], r.Kind) {
		return detect.Report{}, fmt.Errorf("unknown kind %.40q of %s", kind, state)
	}
	return r, nil
}

// SessionFile is what Claude Code 2.1.139 and later keep of a running process in
// $CLAUDE_CONFIG_DIR/sessions/PID.json. The file is not documented. As watched
// with 2.1.332 it is written at every change, also at those that no hook tells:
// the Yes at a dialog, No, and Esc; a turn that waits for its subagents and a
// compaction are busy.
type SessionFile struct {
	PID        int
	ProcStart  string // start of the process, against a pid that is used again
	Session    string
	Kind       string // interactive, or how else the process runs
	CWD        string
	Status     string    // busy, idle, waiting, or shell: idle but for background shells
	WaitingFor string    // of waiting: "permission prompt", "input needed", "dialog open" …
	Updated    time.Time // when Status changed; zero if not told
}

var errSessionFile = errors.New("not a session file with a status")

// ReadSessionFile reads the content of such a file.
func ReadSessionFile(data []byte) (SessionFile, error) {
	var f SessionFile
	s := jsonscan.Scanner{Emit: func(path []byte, v jsonscan.Value) {
		switch string(path) {
		case "/pid":
			f.PID, _ = strconv.Atoi(string(v.Text))
		case "/procStart":
			if len(v.Text) <= maxName {
				f.ProcStart = string(v.Text)
			}
		case "/sessionId":
			set(&f.Session, v)
		case "/cwd":
			f.CWD = string(v.Text)
		case "/kind":
			set(&f.Kind, v)
		case "/status":
			set(&f.Status, v)
		case "/waitingFor":
			set(&f.WaitingFor, v)
		case "/statusUpdatedAt", "/updatedAt":
			if t := stamp(v); !t.IsZero() && (string(path) == "/statusUpdatedAt" || f.Updated.IsZero()) {
				f.Updated = t
			}
		}
	}}
	if _, err := s.Write(data); err != nil {
		return SessionFile{}, fmt.Errorf("read a session file: %w", err)
	}
	if err := s.Close(); err != nil {
		return SessionFile{}, fmt.Errorf("read a session file: %w", err)
	}
	if f.Status == "" {
		return SessionFile{}, errSessionFile
	}
	return f, nil
}

// stamp reads milliseconds since 1970 or an RFC 3339 time.
func stamp(v jsonscan.Value) time.Time {
	switch v.Kind {
	case jsonscan.Number:
		if ms, err := strconv.ParseFloat(string(v.Text), 64); err == nil && ms > 0 && ms < 1e15 {
			return time.UnixMilli(int64(ms))
		}
	case jsonscan.String:
		if t, err := time.Parse(time.RFC3339Nano, string(v.Text)); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Report is what the file says. It is false for a status that is not known, and
// for a dialog that may be one that the person has opened: 2.1.332 writes
// "dialog open" for /model as for a notice that needs a choice.
func (f SessionFile) Report() (detect.Report, bool) {
	r := detect.Report{Source: detect.FromHook, Hold: true}
	switch f.Status {
	case "busy":
		r.State = detect.Working
	case "idle":
		r.State = detect.Idle
	case "shell":
		r.State, r.Kind = detect.Idle, detect.Shell
	case "waiting":
		r.State = detect.Blocked
		switch f.WaitingFor {
		case "permission prompt", "sandbox request":
			r.Kind = detect.Permission
		case "input needed", "goal proposal":
			r.Kind = detect.Ask
		default:
			return detect.Report{}, false
		}
	default:
		return detect.Report{}, false
	}
	return r, true
}
