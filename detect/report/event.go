package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"fwrap/detect"
	"fwrap/detect/jsonscan"
)

// Event is what is kept of one hook payload of Claude Code: a few hundred bytes
// of what may be megabytes. Its JSON form is one line and is what the hook's
// process sends to the wrapper.
//
// Strings come from the agent and are untrusted; ids and names are cut at 128
// bytes, texts at [detect.MaxText] and made one line.
type Event struct {
	Name      string   `json:"event"` // hook_event_name: "PreToolUse" …
	Session   string   `json:"session,omitempty"`
	Prompt    string   `json:"prompt,omitempty"` // prompt_id, the turn (2.1.196 and later)
	Agent     string   `json:"agent,omitempty"`  // agent_id; empty for the main agent (2.1.69 and later)
	AgentType string   `json:"agent_type,omitempty"`
	Tool      string   `json:"tool,omitempty"`
	Call      string   `json:"call,omitempty"` // tool_use_id; PermissionRequest has none
	Key       string   `json:"key,omitempty"`  // stands for tool_name and tool_input, which PermissionRequest shares with its tool's other events
	What      string   `json:"what,omitempty"` // source, reason, trigger, notification_type, error: whichever the event has
	Text      string   `json:"text,omitempty"` // the command, the path, the question, the message
	Options   []string `json:"options,omitempty"`
	Tasks     []Task   `json:"tasks,omitempty"`
	HasTasks  bool     `json:"has_tasks,omitempty"` // background_tasks was there, if only empty (2.1.145 and later)
	// Seq grows in the order in which the hooks were started; 0 if it is not
	// known. The reporter sets it.
	Seq uint64 `json:"seq,omitempty"`
}

// Task is a background task that a Stop event lists.
type Task struct {
	ID     string `json:"id"`
	Type   string `json:"type"`   // subagent, shell, monitor, workflow, teammate …
	Status string `json:"status"` // running, pending …
}

const (
	maxName  = 128
	maxTasks = 64 // with them an event is still well under 64 KiB as JSON
)

// ErrNoEvent says that a payload names no hook event.
var ErrNoEvent = errors.New("not a hook payload: no hook_event_name")

// ReadEvent reads a hook's payload to its end. Memory does not grow with the
// payload. A payload that is not one JSON object, or is cut off, is an error,
// and nothing of it is to be believed; r may not be at its end then.
func ReadEvent(r io.Reader) (Event, error) {
	var g gather
	s := jsonscan.Scanner{Emit: g.value, SumPath: "/tool_input", Keep: 4 * detect.MaxText}
	if _, err := io.CopyBuffer(onlyWriter{&s}, r, make([]byte, 32<<10)); err != nil {
		return Event{}, fmt.Errorf("read a hook's payload: %w", err)
	}
	if err := s.Close(); err != nil {
		return Event{}, fmt.Errorf("read a hook's payload: %w", err)
	}
	e, err := g.event()
	if err != nil {
		return Event{}, err
	}
	if sum := s.Sum(); sum != 0 {
		e.Key = e.Tool + "/" + strconv.FormatUint(sum, 16)
	}
	return e, nil
}

// onlyWriter hides everything of a Writer but Write from io.CopyBuffer.
type onlyWriter struct{ io.Writer }

// gather collects an event's fields.
type gather struct {
	e       Event
	task    Task
	input   map[string]string // the fields of tool_input that say what a tool is to do
	message string
	failure string
	server  string
	asked   int  // questions seen in tool_input
	bad     bool // the text is not an object
}

// what a tool is to do, by the fields of its input, the most telling first.
var inputFields = [...]string{"command", "file_path", "notebook_path", "url", "query", "pattern", "path", "skill", "description"}

func (g *gather) value(path []byte, v jsonscan.Value) {
	e := &g.e
	text := v.Kind == jsonscan.String
	switch string(path) {
	case "":
		g.bad = g.bad || v.Kind != jsonscan.Object && v.Kind != jsonscan.End
	case "/hook_event_name":
		set(&e.Name, v)
	case "/session_id":
		g.id(&e.Session, v)
	case "/prompt_id":
		g.id(&e.Prompt, v)
	case "/agent_id":
		g.id(&e.Agent, v)
	case "/agent_type":
		set(&e.AgentType, v)
	case "/tool_name":
		set(&e.Tool, v)
	case "/tool_use_id":
		g.id(&e.Call, v)
	case "/source", "/reason", "/trigger", "/notification_type", "/action":
		set(&e.What, v)
	case "/mcp_server_name":
		set(&g.server, v)
	case "/error":
		if text {
			g.failure = line(v.Text)
		}
	case "/message", "/last_assistant_message":
		if text {
			g.message = line(v.Text)
		}
	case "/background_tasks":
		if v.Kind == jsonscan.Array {
			e.HasTasks, e.Tasks = true, nil
		}
	case "/background_tasks[]":
		switch {
		case v.Kind == jsonscan.Object:
			g.task = Task{}
		case v.Kind == jsonscan.End && g.task.ID != "" && len(e.Tasks) < maxTasks:
			e.Tasks = append(e.Tasks, g.task)
		}
	case "/background_tasks[]/id":
		set(&g.task.ID, v)
	case "/background_tasks[]/type":
		set(&g.task.Type, v)
	case "/background_tasks[]/status":
		set(&g.task.Status, v)
	case "/tool_input/questions[]":
		if v.Kind == jsonscan.Object {
			g.asked++
		}
	case "/tool_input/questions[]/question":
		if text && g.asked == 1 {
			g.in("question", v.Text)
		}
	case "/tool_input/questions[]/options[]/label":
		g.option(v, g.asked == 1)
	default:
		if name, ok := bytes.CutPrefix(path, []byte("/tool_input/")); ok && text {
			for _, f := range inputFields {
				if f == string(name) {
					g.in(f, v.Text)
				}
			}
		}
	}
}

// option keeps one choice of the question.
func (g *gather) option(v jsonscan.Value, first bool) {
	if v.Kind == jsonscan.String && first && len(g.e.Options) < detect.MaxOptions {
		g.e.Options = append(g.e.Options, detect.OneLine(string(v.Text), 256))
	}
}

func (g *gather) in(field string, text []byte) {
	if g.input == nil {
		g.input = make(map[string]string)
	}
	g.input[field] = line(text)
}

func (g *gather) event() (Event, error) {
	e := g.e
	if g.bad || e.Name == "" {
		return Event{}, ErrNoEvent
	}
	switch e.Name {
	case "PreToolUse", "PermissionRequest":
		e.Text = g.input["question"]
		for _, f := range inputFields {
			if e.Text == "" {
				e.Text = g.input[f]
			}
		}
	case "Notification", "Elicitation":
		e.Text = g.message
		if e.Text == "" && g.server != "" {
			e.Text = "MCP input: " + g.server
		}
	case "StopFailure":
		e.What, e.Text = detect.OneLine(g.failure, maxName), g.message
	}
	if e.Name != "PreToolUse" && e.Name != "PermissionRequest" {
		e.Options = nil
	}
	return e, nil
}

// id stores an id. An id that cannot be one spoils the event: without it, the
// event would count as another's.
func (g *gather) id(dst *string, v jsonscan.Value) {
	set(dst, v)
	if *dst == "" && v.Kind != jsonscan.Null && !(v.Kind == jsonscan.String && len(v.Text) == 0) {
		g.bad = true
	}
}

// set stores a short string; one that is too long counts as empty.
func set(dst *string, v jsonscan.Value) {
	*dst = ""
	if v.Kind == jsonscan.String && !v.Cut && len(v.Text) <= maxName && utf8.Valid(v.Text) {
		*dst = string(v.Text)
	}
}

func line(b []byte) string { return detect.OneLine(string(b), detect.MaxText) }

// String is the event as a log shows it: name, tool, agent and detail.
func (e Event) String() string {
	var b strings.Builder
	b.WriteString(detect.OneLine(e.Name, maxName))
	field := func(name, value string) {
		if value != "" {
			b.WriteString(" " + name + "=" + detect.OneLine(value, maxName))
		}
	}
	field("tool", e.Tool)
	switch {
	case e.Agent != "":
		field("agent", e.Agent)
	case e.Name == "PreToolUse" || e.Name == "PostToolUse" || e.Name == "PermissionRequest":
		field("agent", "main")
	}
	switch e.Name {
	case "SessionStart":
		field("source", e.What)
	case "SessionEnd":
		field("reason", e.What)
	case "PreCompact", "PostCompact":
		field("trigger", e.What)
	case "Notification":
		field("type", e.What)
	case "StopFailure":
		field("error", e.What)
	}
	field("turn", e.Prompt)
	return b.String()
}

// Valid cuts the event to its bounds and reports whether it may be used. It is
// for events that have come over a socket, from whoever may write to it.
func (e *Event) Valid() bool {
	for _, s := range []*string{&e.Name, &e.Session, &e.Prompt, &e.Agent, &e.AgentType, &e.Tool, &e.Call, &e.What} {
		if len(*s) > maxName || !utf8.ValidString(*s) {
			return false
		}
	}
	if e.Name == "" || len(e.Key) > maxName+20 || len(e.Tasks) > maxTasks || len(e.Options) > detect.MaxOptions {
		return false
	}
	for _, t := range e.Tasks {
		if len(t.ID) > maxName || len(t.Type) > maxName || len(t.Status) > maxName {
			return false
		}
	}
	e.Text = detect.OneLine(e.Text, detect.MaxText)
	for i, o := range e.Options {
		e.Options[i] = detect.OneLine(o, 256)
	}
	return true
}
