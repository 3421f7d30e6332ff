package report

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fwrap/detect"
	"fwrap/detect/jsonscan"
)

// Codex turns what Codex's notify program is called with, and the OSC 9 notices
// in its output, into reports. The zero value is ready.
type Codex struct {
	thread string
	cwd    string
	titles []string // threads that make titles
}

const maxThreads = 16

// Notice is what is kept of the JSON that Codex gives its notify program as last
// argument. Its own JSON form is the same with long texts cut, so that it can
// be sent on and read again.
type Notice struct {
	Type   string   `json:"type"` // agent-turn-complete
	Thread string   `json:"thread-id"`
	CWD    string   `json:"cwd,omitempty"`
	Input  []string `json:"input-messages,omitempty"` // the first, its beginning
	Last   string   `json:"last-assistant-message,omitempty"`
}

// ReadNotice reads the JSON given to the notify program.
func ReadNotice(data []byte) (Notice, error) {
	var n Notice
	s := jsonscan.Scanner{Emit: func(path []byte, v jsonscan.Value) {
		text := v.Kind == jsonscan.String
		switch string(path) {
		case "/type":
			set(&n.Type, v)
		case "/thread-id":
			set(&n.Thread, v)
		case "/cwd":
			n.CWD = detect.OneLine(string(v.Text), 1024)
		case "/input-messages[]":
			if text && n.Input == nil {
				n.Input = []string{detect.OneLine(string(v.Text), 256)}
			}
		case "/last-assistant-message":
			if text {
				n.Last = line(v.Text)
			}
		}
	}}
	if _, err := s.Write(data); err != nil {
		return Notice{}, fmt.Errorf("read Codex's notice: %w", err)
	}
	if err := s.Close(); err != nil {
		return Notice{}, fmt.Errorf("read Codex's notice: %w", err)
	}
	if n.Type == "" {
		return Notice{}, errors.New("not a notice of Codex: no type")
	}
	return n, nil
}

// Notify takes a notice. It returns false for anything but the end of a turn of
// the person's thread. Codex 0.171.0 also calls the program for a thread of its
// own, which makes the task's title; and where sessions share a daemon, for
// other sessions, which are told apart by their directory.
func (c *Codex) Notify(n Notice) (detect.Report, bool) {
	if n.Type != "agent-turn-complete" || n.Thread != "" && slices.Contains(c.titles, n.Thread) {
		return detect.Report{}, false
	}
	if len(n.Input) > 0 && strings.HasPrefix(n.Input[0], "Generate a concise, single-line task title") {
		if c.titles = append(c.titles, n.Thread); len(c.titles) > maxThreads {
			c.titles = c.titles[1:]
		}
		return detect.Report{}, false
	}
	if c.thread == "" {
		c.cwd = n.CWD
	} else if n.Thread != c.thread && n.CWD != c.cwd {
		return detect.Report{}, false
	}
	c.thread = n.Thread // /new begins another thread
	return detect.Report{Source: detect.FromHook, State: detect.Idle, Note: detect.OneLine(n.Last, detect.MaxText)}, true
}

// OSC9 reads the text of an OSC 9 notice from Codex's output (tui.notifications
// with tui.notification_method = "osc9"). It is one of a few fixed phrases, or
// the beginning of the last answer at a turn's end. Progress ("4;…", ConEmu's
// use of the same number) is no notice.
func (c *Codex) OSC9(data []byte) (detect.Report, bool) {
	if len(data) == 0 || bytes.HasPrefix(data, []byte("4;")) {
		return detect.Report{}, false
	}
	text := line(data)
	r := detect.Report{Source: detect.FromHook, State: detect.Blocked}
	after := func(prefix string) bool {
		rest, ok := strings.CutPrefix(text, prefix)
		if ok {
			r.Question.Text = rest
		}
		return ok
	}
	switch {
	case after("Approval requested: "):
		r.Kind = detect.Permission
	case strings.HasPrefix(text, "Codex wants to edit "):
		r.Kind, r.Question.Text = detect.Permission, text
	case after("Approval requested by "):
		r.Kind, r.Question.Text = detect.Ask, "MCP input: "+r.Question.Text
	case after("Plan mode prompt: "):
		r.Kind = detect.Plan
	case after("Question requested: "):
		r.Kind = detect.Ask
	case text == "Question requested", strings.HasPrefix(text, "Questions requested: "):
		r.Kind, r.Question.Text = detect.Ask, text
	default:
		r = detect.Report{Source: detect.FromHook, State: detect.Idle, Note: text}
	}
	return r, true
}
