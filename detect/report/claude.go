package report

import (
	"slices"
	"strings"

	"fwrap/detect"
)

// Claude turns the hook events of one Claude Code process into what it says of
// itself. The zero value is ready. It has no clock: how long each report is
// believed is decided where the sources are combined, and when the screen has
// shown that a report is over, [Claude.Settle] is called.
//
// Hooks tell less than one would like (Claude Code 2.1.332): none runs for Esc,
// for No at a dialog, or at the moment of a Yes; Stop comes while subagents
// still run, and may come after the permission request of one; a prompt that
// was typed over a running turn carries that turn's id, and the turn that it
// begins has no event of its own; the end of a tool that was interrupted may
// come late.
type Claude struct {
	session  string
	bound    bool
	ended    bool // the session has ended, another may follow in the same process
	lastSeq  map[string]uint64
	live     bool   // the main agent's turn runs
	turn     string // its prompt_id
	queued   int    // prompts typed over it
	dialogs  []dialog
	calls    []call
	sawPre   bool           // PreToolUse events come at all
	elicit   *detect.Report // an MCP server's question
	waiting  []dialog       // subagents whose dialog is up
	subs     []string       // subagents that run
	shells   bool           // shells run in the background
	compact  bool
	lastWord detect.Report
	hasWord  bool
}

// call is a tool call in flight: PermissionRequest does not carry its id.
type call struct{ key, id string }

// What is kept is bounded, for the events may be forged.
const (
	maxSubs    = 256
	maxDialogs = 32
	maxCalls   = 64
	maxActors  = 512
)

// Event takes the next event. It returns the report to be handed on, or false
// where the event changes nothing: events of other sessions, late ends of older
// turns, subagents at work, and all that is unknown.
func (c *Claude) Event(e Event) (detect.Report, bool) {
	if !e.Valid() || !c.mine(&e) || !c.inOrder(&e) {
		return detect.Report{}, false
	}
	r, ok := c.take(&e)
	if ok {
		r.Source = detect.FromHook
		c.lastWord, c.hasWord = r, true
	}
	return r, ok
}

// mine binds to the first session heard of and follows it over /clear and
// /resume. A session that Claude Code has sent to the background, or runs for
// its agents view, has the same hooks and the same socket.
func (c *Claude) mine(e *Event) bool {
	start := e.Name == "SessionStart" && e.What != "compact"
	switch {
	case e.Session == "" || e.Session == c.session && c.bound:
		return true
	case !c.bound, start && (c.ended || e.What == "clear"):
		c.session, c.bound, c.ended = e.Session, true, false
		return true
	}
	return false
}

// inOrder drops an event that was overtaken by a later one of the same agent.
func (c *Claude) inOrder(e *Event) bool {
	if e.Seq == 0 {
		return true
	}
	if e.Seq <= c.lastSeq[e.Agent] {
		return false
	}
	if c.lastSeq == nil || len(c.lastSeq) >= maxActors {
		main := c.lastSeq[""]
		c.lastSeq = map[string]uint64{"": main}
	}
	c.lastSeq[e.Agent] = e.Seq
	return true
}

func (c *Claude) take(e *Event) (detect.Report, bool) {
	main := e.Agent == ""
	switch e.Name {
	case "SessionStart":
		if e.What == "compact" {
			return c.nothing()
		}
		c.rest(true)
		return c.idle(), true
	case "SessionEnd":
		c.ended = true
		c.rest(true)
		if e.What == "clear" {
			return c.idle(), true
		}
		return detect.Report{State: detect.None}, true
	case "UserPromptSubmit":
		if !main {
			return c.nothing()
		}
		c.prompt(e)
		return c.active(), true
	case "PreToolUse":
		return c.before(e)
	case "PermissionRequest":
		return c.asked(e)
	case "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		return c.after(e)
	case "PostToolBatch":
		if !main || !c.live || e.Prompt != c.turn {
			return c.nothing()
		}
		c.dialogs = nil
		return c.active(), true
	case "PreCompact":
		if !main || e.What == "precompute" {
			return c.nothing()
		}
		c.compact = true
		return detect.Report{State: detect.Working, Kind: detect.Compacting}, true
	case "PostCompact":
		if !main || !c.compact {
			return c.nothing()
		}
		c.compact = false
		return c.current(), true
	case "Stop", "StopFailure":
		if !main {
			return c.nothing()
		}
		return c.stop(e)
	case "SubagentStart":
		c.sub(e)
		return c.nothing()
	case "SubagentStop":
		if !slices.Contains(c.subs, e.Agent) {
			// Compaction and prompt suggestions send it for forks that
			// were never announced.
			return c.nothing()
		}
		c.subs = without(c.subs, e.Agent)
		c.waiting = undialog(c.waiting, e.Agent, "")
		return c.current(), true
	case "Elicitation":
		r := detect.Report{State: detect.Blocked, Kind: detect.Ask, Question: detect.Question{Text: e.Text}}
		c.elicit = &r
		return r, true
	case "ElicitationResult":
		c.elicit = nil
		return c.current(), true
	case "Notification":
		return c.notified(e)
	}
	return c.nothing()
}

func (c *Claude) nothing() (detect.Report, bool) { return detect.Report{}, false }

// prompt begins a turn, or notes a prompt that was typed over the running one.
// Either way no dialog of the main agent is up: it would have taken the keys.
func (c *Claude) prompt(e *Event) {
	c.dialogs, c.elicit = nil, nil
	if c.live && e.Prompt == c.turn {
		c.queued++
		return
	}
	c.live, c.turn, c.queued = true, e.Prompt, 0
}

// before is PreToolUse.
func (c *Claude) before(e *Event) (detect.Report, bool) {
	c.sawPre = true
	if e.Agent != "" {
		c.sub(e)
		return c.nothing()
	}
	if e.Call != "" && e.Key != "" {
		if len(c.calls) == maxCalls {
			c.calls = c.calls[1:]
		}
		c.calls = append(c.calls, call{e.Key, e.Call})
	}
	if e.Tool == "AskUserQuestion" {
		c.live, c.turn = true, e.Prompt
		return c.open(e, question(e)), true
	}
	if len(c.dialogs) > 0 {
		return c.nothing()
	}
	c.live, c.turn = true, e.Prompt
	return c.active(), true
}

// asked is PermissionRequest.
func (c *Claude) asked(e *Event) (detect.Report, bool) {
	isQuestion := e.Tool == "AskUserQuestion"
	switch {
	case e.Agent != "" && isQuestion:
		return c.nothing()
	case e.Agent != "":
		c.sub(e)
		r := permission(e)
		c.waiting = undialog(c.waiting, e.Agent, "")
		if len(c.waiting) < maxDialogs {
			c.waiting = append(c.waiting, dialog{key: e.Agent, words: r})
		}
		return r, true
	case isQuestion && c.sawPre:
		return c.nothing() // PreToolUse has told it
	case isQuestion:
		return c.open(e, question(e)), true
	}
	if !c.live {
		c.live, c.turn = true, e.Prompt
	}
	c.open(e, permission(e))
	return c.current(), true
}

// open notes a dialog of the main agent.
func (c *Claude) open(e *Event, r detect.Report) detect.Report {
	d := dialog{key: e.Key, id: e.Call, words: r}
	if d.key == "" {
		d.key = e.Tool
	}
	for _, k := range c.calls {
		if d.id == "" && k.key == d.key && !slices.ContainsFunc(c.dialogs, func(o dialog) bool { return o.id == k.id }) {
			d.id = k.id
		}
	}
	if len(c.dialogs) == maxDialogs {
		c.dialogs = c.dialogs[1:]
	}
	c.dialogs = append(c.dialogs, d)
	return r
}

// after is the end of a tool.
func (c *Claude) after(e *Event) (detect.Report, bool) {
	if e.Agent != "" {
		if !slices.ContainsFunc(c.waiting, func(d dialog) bool { return d.key == e.Agent }) {
			return c.nothing()
		}
		c.waiting = undialog(c.waiting, e.Agent, "")
		return c.current(), true
	}
	c.calls = slices.DeleteFunc(c.calls, func(k call) bool { return k.id == e.Call && e.Call != "" })
	if !c.live || e.Prompt != c.turn {
		return c.nothing() // the late end of an older turn
	}
	if e.Tool == "AskUserQuestion" {
		c.dialogs = slices.DeleteFunc(c.dialogs, func(d dialog) bool { return d.words.Kind == detect.Ask })
	}
	key := e.Key
	if key == "" {
		key = e.Tool
	}
	c.dialogs = undialog(c.dialogs, key, e.Call)
	if len(c.dialogs) > 0 {
		if w := c.current(); c.hasWord && w.Question.Text != c.lastWord.Question.Text {
			return w, true // the next dialog in the row
		}
		return c.nothing()
	}
	return c.active(), true
}

// stop is the end of the main agent's turn.
func (c *Claude) stop(e *Event) (detect.Report, bool) {
	if c.turn != "" && e.Prompt != c.turn {
		return c.nothing() // the late end of an older turn
	}
	if c.queued > 0 {
		c.queued, c.turn, c.dialogs = 0, "", nil
		if len(c.waiting) > 0 {
			return c.current(), true
		}
		return detect.Report{State: detect.Working, Soft: true}, true
	}
	if e.HasTasks {
		c.subs, c.shells = nil, false
		for _, t := range e.Tasks {
			switch {
			case t.Status != "running" && t.Status != "pending":
			case t.Type == "subagent" || t.Type == "workflow" || t.Type == "teammate":
				c.subs = append(c.subs, t.ID)
			default:
				c.shells = true
			}
		}
	}
	c.rest(false)
	r := c.resting()
	if e.Name == "StopFailure" && r.State == detect.Idle {
		r.Kind, r.Note = detect.Failed, e.Text
		if r.Note == "" {
			r.Note = e.What
		}
	}
	return r, true
}

func (c *Claude) notified(e *Event) (detect.Report, bool) {
	switch e.What {
	case "permission_prompt", "worker_permission_prompt":
		// Six seconds after the dialog. Of use only where PermissionRequest
		// does not exist (before 2.0.45) or has been lost; its text cannot
		// tell a permission from a question.
		if c.lastWord.State == detect.Blocked {
			return c.nothing()
		}
		r := detect.Report{State: detect.Blocked, Kind: detect.Permission}
		if strings.Contains(e.Text, "plan") {
			r.Kind = detect.Plan
		}
		return r, true
	case "elicitation_dialog", "elicitation_url_dialog":
		if c.elicit != nil && c.lastWord.Kind == detect.Ask {
			return c.nothing()
		}
		r := detect.Report{State: detect.Blocked, Kind: detect.Ask, Question: detect.Question{Text: e.Text}}
		c.elicit = &r
		return r, true
	case "idle_prompt":
		c.rest(false)
		return c.resting(), true
	}
	return c.nothing()
}

// sub notes a subagent that runs. Forks for compaction and suggestions have no
// type and no end that could be relied on.
func (c *Claude) sub(e *Event) {
	if e.Agent != "" && e.AgentType != "" && !slices.Contains(c.subs, e.Agent) && len(c.subs) < maxSubs {
		c.subs = append(c.subs, e.Agent)
	}
}

// rest ends the main agent's turn; all ends the subagents too.
func (c *Claude) rest(all bool) {
	c.live, c.turn, c.queued, c.compact = false, "", 0, false
	c.dialogs, c.calls, c.elicit = nil, nil, nil
	if all {
		c.waiting, c.subs, c.shells = nil, nil, false
	}
}

// Settle is called when the screen has settled that the last report is over:
// with working after a dialog that was answered by Yes, otherwise when the turn
// has ended with no event, by Esc or No. It returns what holds from then on.
func (c *Claude) Settle(working bool) detect.Report {
	var r detect.Report
	if working {
		c.dialogs, c.waiting, c.elicit, c.compact = nil, nil, nil, false
		r = c.active()
		if !c.live {
			r = c.resting() // it was a subagent's dialog
		}
	} else {
		c.rest(false)
		c.waiting = nil
		if r = c.resting(); r.State == detect.Idle && r.Kind == "" {
			r.Kind = detect.Stopped
		}
	}
	r.Source = detect.FromHook
	c.lastWord, c.hasWord = r, true
	return r
}

// Exit is called when the process has ended.
func (c *Claude) Exit() detect.Report {
	*c = Claude{}
	return detect.Report{Source: detect.FromHook, State: detect.None}
}

// current is what holds with the dialogs that are up.
func (c *Claude) current() detect.Report {
	switch {
	case c.elicit != nil:
		return *c.elicit
	case len(c.dialogs) > 0:
		return c.dialogs[0].words
	case c.live:
		return c.active()
	}
	return c.resting()
}

// active is what a running turn shows: a subagent's dialog outranks it.
func (c *Claude) active() detect.Report {
	if len(c.waiting) > 0 {
		return c.waiting[0].words
	}
	return detect.Report{State: detect.Working}
}

// resting is what the session shows between turns.
func (c *Claude) resting() detect.Report {
	switch {
	case len(c.waiting) > 0:
		return c.waiting[0].words
	case len(c.subs) > 0:
		return detect.Report{State: detect.Working, Kind: detect.Background}
	}
	return c.idle()
}

func (c *Claude) idle() detect.Report {
	r := detect.Report{State: detect.Idle}
	if c.shells {
		r.Kind = detect.Shell
	}
	return r
}
