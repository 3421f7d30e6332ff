package report

import (
	"bytes"
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

// Notify reads the JSON that Codex gives its notify program as last argument:
//
//	{"type":"agent-turn-complete","thread-id":…,"cwd":…,"input-messages":[…],…}
//
// It returns false for anything but the end of a turn of the person's thread.
// Codex 0.171.0 also calls the program for a thread of its own, which makes the
// task's title; and where sessions share a daemon, for other sessions, which
// are told apart by their directory.
func (c *Codex) Notify(data []byte) (detect.Report, bool) {
	var kind, thread, cwd, input, last string
	first := true
	s := jsonscan.Scanner{Emit: func(path []byte, v jsonscan.Value) {
		switch string(path) {
		case "/type":
			set(&kind, v)
		case "/thread-id":
			set(&thread, v)
		case "/cwd":
			cwd = string(v.Text)
		case "/input-messages[]":
			if v.Kind == jsonscan.String && first {
				input, first = string(v.Text), false
			}
		case "/last-assistant-message":
			if v.Kind == jsonscan.String {
				last = line(v.Text)
			}
		}
	}}
	if _, err := s.Write(data); err != nil || s.Close() != nil || kind != "agent-turn-complete" {
		return detect.Report{}, false
	}
	if slices.Contains(c.titles, thread) && thread != "" {
		return detect.Report{}, false
	}
	if strings.HasPrefix(input, "Generate a concise, single-line task title") {
		if c.titles = append(c.titles, thread); len(c.titles) > maxThreads {
			c.titles = c.titles[1:]
		}
		return detect.Report{}, false
	}
	if c.thread == "" {
		c.cwd = cwd
	} else if thread != c.thread && cwd != c.cwd {
		return detect.Report{}, false
	}
	c.thread = thread // /new begins another thread
	return detect.Report{Source: detect.FromHook, State: detect.Idle, Note: last}, true
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
