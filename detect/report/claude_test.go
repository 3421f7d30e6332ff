package report

import (
	"fmt"
	"strings"
	"testing"

	"fwrap/detect"
)

// say writes a report as the tests spell it: "working", "blocked/question",
// "idle/error", "-" for no change, "none" for cleared.
func say(r detect.Report, ok bool) string {
	if !ok {
		return "-"
	}
	s := r.State.String()
	if r.Kind != "" {
		s += "/" + string(r.Kind)
	}
	if r.Soft {
		s += "?"
	}
	return s
}

// ev makes an event from words: "PreToolUse p1 tool=Bash key=k agent=a type=t what=w".
func ev(s string) Event {
	f := strings.Fields(s)
	e := Event{Name: f[0], Session: "s1"}
	for _, w := range f[1:] {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "p1", "p2", "p3":
			e.Prompt = k
		case "tool":
			e.Tool = v
		case "key":
			e.Key = v
		case "call":
			e.Call = v
		case "agent":
			e.Agent, e.AgentType = v, "general-purpose"
		case "fork":
			e.Agent = v
		case "what":
			e.What = v
		case "text":
			e.Text = v
		case "session":
			e.Session = v
		case "seq":
			fmt.Sscan(v, &e.Seq)
		case "tasks":
			e.HasTasks = true
			for t := range strings.SplitSeq(v, ",") {
				if typ, id, ok := strings.Cut(t, ":"); ok {
					e.Tasks = append(e.Tasks, Task{ID: id, Type: typ, Status: "running"})
				}
			}
		default:
			panic("unknown word " + w)
		}
	}
	return e
}

// The numbers are those of the table of transitions that the machine was built
// from; "settle" and "settle working" stand for the screen's verdict, "exit" for
// the process's end.
func TestClaude(t *testing.T) {
	tests := []struct {
		name   string
		script string // lines "event -> report"
	}{
		{"1 a session starts at rest", `
			SessionStart what=startup -> idle
			SubagentStart agent=a -> -
			SessionStart what=fork -> idle
			Stop -> idle`},
		{"1 resume and clear forget subagents", `
			SubagentStart agent=a -> -
			SessionStart what=resume -> idle
			Stop p1 -> idle`},
		{"2 a session that starts by a compaction is the same session", `
			UserPromptSubmit p1 -> working
			SessionStart what=compact -> -`},
		{"3 a prompt begins a turn", `
			UserPromptSubmit p1 -> working
			Stop p1 tasks= -> idle
			UserPromptSubmit p2 -> working`},
		{"3 a new prompt id ends what the old turn had open", `
			UserPromptSubmit p1 -> working
			PermissionRequest p1 tool=Bash key=k -> blocked/permission
			UserPromptSubmit p2 -> working
			PreToolUse p2 tool=Bash key=k2 -> working`},
		{"3 a subagent's dialog outranks the new turn", `
			SubagentStart agent=a -> -
			PermissionRequest tool=Bash key=k agent=a -> blocked/permission
			UserPromptSubmit p1 -> blocked/permission`},
		{"4 and 17 a prompt typed over the running turn", `
			UserPromptSubmit p1 -> working
			UserPromptSubmit p1 -> working
			Stop p1 tasks= -> working?
			PreToolUse p2 tool=Bash key=k -> working
			PostToolUse p2 tool=Bash key=k -> working
			Stop p2 tasks= -> idle`},
		{"17 without a tool the queued turn ends as any", `
			UserPromptSubmit p1 -> working
			UserPromptSubmit p1 -> working
			UserPromptSubmit p1 -> working
			Stop p1 tasks= -> working?
			Stop p2 tasks= -> idle`},
		{"17 a subagent's dialog outranks the queued turn", `
			UserPromptSubmit p1 -> working
			UserPromptSubmit p1 -> working
			PermissionRequest tool=Bash agent=a key=k -> blocked/permission
			Stop p1 tasks= -> blocked/permission`},
		{"5, 10 and 11 a question", `
			UserPromptSubmit p1 -> working
			PreToolUse p1 tool=AskUserQuestion key=q -> blocked/question
			PermissionRequest p1 tool=AskUserQuestion key=q -> -
			Notification what=permission_prompt -> -
			PostToolUse p1 tool=AskUserQuestion key=other -> working`},
		{"6 a tool shows work", `
			PreToolUse p1 tool=Bash key=k -> working
			PostToolUse p1 tool=Bash key=k -> working`},
		{"6 not while a dialog is up", `
			UserPromptSubmit p1 -> working
			PermissionRequest p1 tool=Bash key=k -> blocked/permission
			PreToolUse p1 tool=Read key=r -> -
			PostToolUse p1 tool=Read key=r -> -
			PostToolUse p1 tool=Bash key=k -> working`},
		{"7 a subagent's tool changes nothing", `
			UserPromptSubmit p1 -> working
			PreToolUse p1 tool=Bash agent=a key=k -> -
			PostToolUse p1 tool=Bash agent=a key=k -> -`},
		{"7 a subagent's question changes nothing", `
			PreToolUse p1 tool=AskUserQuestion agent=a key=q -> -
			PermissionRequest p1 tool=AskUserQuestion agent=a key=q -> -`},
		{"8 a permission, granted", `
			UserPromptSubmit p1 -> working
			PreToolUse p1 tool=Bash key=k call=c -> working
			PermissionRequest p1 tool=Bash key=k -> blocked/permission
			Notification what=permission_prompt -> -
			PostToolUse p1 tool=Bash key=k call=c -> working
			Stop p1 tasks= -> idle`},
		{"8 a plan", `
			UserPromptSubmit p1 -> working
			PermissionRequest p1 tool=ExitPlanMode key=k -> blocked/plan
			PostToolUse p1 tool=ExitPlanMode key=k -> working`},
		{"8 two dialogs in a row", `
			UserPromptSubmit p1 -> working
			PreToolUse p1 tool=Bash key=k1 call=c1 -> working
			PreToolUse p1 tool=Bash key=k2 call=c2 -> working
			PermissionRequest p1 tool=Bash key=k1 text=one -> blocked/permission
			PermissionRequest p1 tool=Bash key=k2 text=two -> blocked/permission
			PostToolUse p1 tool=Bash key=k1 call=c1 -> blocked/permission
			PostToolUse p1 tool=Bash key=k2 call=c2 -> working`},
		{"8 a tool whose input the person has changed", `
			UserPromptSubmit p1 -> working
			PreToolUse p1 tool=Edit key=k call=c -> working
			PermissionRequest p1 tool=Edit key=k -> blocked/permission
			PostToolUse p1 tool=Edit key=changed call=c -> working`},
		{"9 and 12 a subagent asks and is answered", `
			UserPromptSubmit p1 -> working
			SubagentStart agent=a -> -
			PermissionRequest tool=Bash agent=a key=k -> blocked/permission
			PostToolUseFailure tool=Bash agent=a key=k -> working
			PostToolUse tool=Bash agent=a key=k -> -`},
		{"9 and 16 a subagent asks before the main turn ends", `
			UserPromptSubmit p1 -> working
			SubagentStart agent=a -> -
			PermissionRequest tool=Bash agent=a key=k -> blocked/permission
			Stop p1 tasks=subagent:a -> blocked/permission
			PostToolUse tool=Bash agent=a key=k -> working/background
			SubagentStop agent=a tasks=subagent:a -> idle`},
		{"10 a question without PreToolUse hooks", `
			UserPromptSubmit p1 -> working
			PermissionRequest p1 tool=AskUserQuestion key=q -> blocked/question
			PostToolUse p1 tool=AskUserQuestion key=q -> working`},
		{"11 the late end of a tool after an interrupt", `
			UserPromptSubmit p1 -> working
			PreToolUse p1 tool=Bash key=k -> working
			settle -> idle/interrupted
			PostToolUse p1 tool=Bash key=k -> -
			UserPromptSubmit p2 -> working
			PostToolUseFailure p1 tool=Bash key=k -> -
			PermissionDenied p1 tool=Bash key=k -> -`},
		{"13 a batch has ended", `
			UserPromptSubmit p1 -> working
			PermissionRequest p1 tool=Bash key=k -> blocked/permission
			PostToolBatch p1 -> working
			Stop p1 tasks= -> idle
			PostToolBatch p1 -> -`},
		{"14 and 15 a compaction by hand", `
			PreCompact what=manual -> working/compacting
			SubagentStop fork=x tasks= -> -
			SessionStart what=compact -> -
			PostCompact what=manual -> idle`},
		{"14 and 15 a compaction within a turn", `
			UserPromptSubmit p1 -> working
			PreCompact p1 what=auto -> working/compacting
			PostCompact p1 what=auto -> working`},
		{"14 not a subagent's, not one that is only prepared", `
			UserPromptSubmit p1 -> working
			PreCompact p1 agent=a what=auto -> -
			PostCompact p1 agent=a what=auto -> -
			PreCompact p1 what=precompute -> -
			PostCompact p1 what=precompute -> -`},
		{"16 subagents go on", `
			UserPromptSubmit p1 -> working
			Stop p1 tasks=subagent:a -> working/background
			UserPromptSubmit p2 -> working
			Stop p2 tasks= -> idle`},
		{"16 only shells go on", `
			UserPromptSubmit p1 -> working
			Stop p1 tasks=shell:b,monitor:m -> idle/shell
			UserPromptSubmit p2 -> working
			Stop p2 tasks=shell:b,workflow:w -> working/background
			UserPromptSubmit p3 -> working
			Stop p3 tasks= -> idle`},
		{"16 an old version lists no tasks", `
			UserPromptSubmit -> working
			SubagentStart agent=a -> -
			Stop -> working/background
			SubagentStop agent=a -> idle`},
		{"18 the late end of an older turn", `
			UserPromptSubmit p1 -> working
			UserPromptSubmit p2 -> working
			Stop p1 tasks= -> -
			StopFailure p1 -> -
			Stop p2 tasks= -> idle`},
		{"18 a subagent's stop is not the session's", `
			UserPromptSubmit p1 -> working
			Stop p1 agent=a tasks= -> -`},
		{"19 a turn fails", `
			UserPromptSubmit p1 -> working
			StopFailure p1 what=rate_limit text=later -> idle/error`},
		{"20 and 21 a subagent in the foreground", `
			UserPromptSubmit p1 -> working
			SubagentStart agent=a -> -
			SubagentStop agent=a -> working
			SubagentStop agent=a -> -`},
		{"21 a subagent killed with its dialog up", `
			UserPromptSubmit p1 -> working
			SubagentStart agent=a -> -
			PermissionRequest agent=a tool=Bash key=k -> blocked/permission
			SubagentStop agent=a -> working`},
		{"22 the end of a fork that nobody announced", `
			SubagentStop fork=x -> -
			SubagentStop agent=y -> -
			PreToolUse fork=x tool=Read key=k -> -
			SubagentStop fork=x -> -`},
		{"23 an MCP server asks", `
			UserPromptSubmit p1 -> working
			PreToolUse p1 tool=mcp__demo__ask key=k -> working
			Elicitation p1 text=where -> blocked/question
			Notification what=elicitation_dialog -> -
			ElicitationResult p1 -> working
			Notification what=elicitation_response -> -
			PostToolUse p1 tool=mcp__demo__ask key=k -> working`},
		{"23 between turns", `
			Elicitation agent=a text=where -> blocked/question
			ElicitationResult agent=a -> idle`},
		{"24 an old version has only notifications", `
			UserPromptSubmit -> working
			PreToolUse tool=Bash key=k -> working
			Notification what=permission_prompt -> blocked/permission
			Notification what=worker_permission_prompt -> -
			PreToolUse tool=Bash key=l -> working
			Stop -> idle`},
		{"25 other notifications", `
			UserPromptSubmit p1 -> working
			Notification what=elicitation_url_dialog -> blocked/question
			ElicitationResult -> working
			Notification what=auth_success -> -
			Notification what=quota_auto_resume_fired -> -
			Notification what=elicitation_complete -> -
			Notification what=agent_needs_input -> -
			Notification what=something_new -> -
			Notification what=idle_prompt -> idle
			PostToolUse p1 tool=Bash key=k -> -`},
		{"25 the idle prompt with subagents", `
			UserPromptSubmit p1 -> working
			SubagentStart agent=a -> -
			Notification what=idle_prompt -> working/background`},
		{"26 /clear is idle, not empty, and its new session is followed", `
			SessionStart what=startup -> idle
			UserPromptSubmit p1 -> working
			SessionEnd what=clear -> idle
			UserPromptSubmit session=other p2 -> -
			SessionStart session=s2 what=clear -> idle
			UserPromptSubmit session=s2 p2 -> working
			UserPromptSubmit session=s1 p3 -> -`},
		{"26 the end of a session clears", `
			SessionStart what=startup -> idle
			SessionEnd what=prompt_input_exit -> none`},
		{"26 /resume goes on in another session", `
			SessionStart what=startup -> idle
			SessionEnd what=resume -> none
			SessionStart session=s2 what=resume -> idle
			UserPromptSubmit session=s2 p1 -> working`},
		{"27 No at a dialog", `
			UserPromptSubmit p1 -> working
			PermissionRequest p1 tool=Bash key=k -> blocked/permission
			settle -> idle/interrupted
			PostToolUse p1 tool=Bash key=k -> -
			Stop p1 tasks= -> idle`},
		{"27 Yes at a dialog", `
			UserPromptSubmit p1 -> working
			PermissionRequest p1 tool=Bash key=k -> blocked/permission
			settle working -> working
			PostToolUse p1 tool=Bash key=k -> working`},
		{"27 Yes at a subagent's dialog after the main turn", `
			UserPromptSubmit p1 -> working
			SubagentStart agent=a -> -
			Stop p1 tasks=subagent:a -> working/background
			PermissionRequest agent=a tool=Bash key=k -> blocked/permission
			settle working -> working/background
			PostToolUse agent=a tool=Bash key=k -> -`},
		{"27 Esc with subagents in the background", `
			UserPromptSubmit p1 -> working
			SubagentStart agent=a -> -
			settle -> working/background`},
		{"28 the process ends", `
			UserPromptSubmit p1 -> working
			SubagentStart agent=a -> -
			exit -> none
			SessionStart session=s9 what=startup -> idle`},
		{"a session in the background has the same socket", `
			SessionStart what=startup -> idle
			SessionStart session=s2 what=startup -> -
			UserPromptSubmit session=s2 p1 -> -
			PermissionRequest session=s2 tool=Bash key=k -> -
			UserPromptSubmit p1 -> working
			Stop session=s2 p1 tasks= -> -
			SessionEnd session=s2 what=other -> -
			Stop p1 tasks= -> idle`},
		{"the end of a session was lost", `
			SessionStart what=startup -> idle
			SessionStart session=s2 what=clear -> idle
			UserPromptSubmit session=s2 p1 -> working`},
		{"events that were overtaken", `
			UserPromptSubmit p1 seq=10 -> working
			Stop p1 tasks= seq=30 -> idle
			PreToolUse p1 tool=Bash key=k seq=20 -> -
			Stop p1 tasks= seq=30 -> -
			SubagentStart agent=a seq=25 -> -
			PermissionRequest agent=a tool=Bash key=k seq=26 -> blocked/permission
			PostToolUse agent=a tool=Bash key=k seq=26 -> -
			PostToolUse agent=a tool=Bash key=k seq=27 -> working/background`},
		{"unknown events", `
			MessageDisplay p1 -> -
			SomethingNew p1 -> -
			TeammateIdle agent=a -> -`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c Claude
			for l := range strings.Lines(strings.TrimSpace(tt.script)) {
				what, want, ok := strings.Cut(strings.TrimSpace(l), " -> ")
				if !ok {
					t.Fatalf("bad line %q", l)
				}
				var got string
				switch what {
				case "settle", "settle working":
					got = say(c.Settle(what == "settle working"), true)
				case "exit":
					got = say(c.Exit(), true)
				default:
					r, ok := c.Event(ev(what))
					if ok && r.Source != detect.FromHook {
						t.Errorf("%s: source %q", what, r.Source)
					}
					got = say(r, ok)
				}
				if got != want {
					t.Errorf("%s: %s, want %s", what, got, want)
				}
			}
		})
	}
}

func TestClaudeWords(t *testing.T) {
	tests := []struct {
		e    Event
		text string
	}{
		{Event{Name: "PermissionRequest", Tool: "Bash", Text: "curl http://127.0.0.1:1/"}, "Bash: curl http://127.0.0.1:1/"},
		{Event{Name: "PermissionRequest", Tool: "ExitPlanMode", Text: "x"}, "approve plan"},
		{Event{Name: "PermissionRequest", Tool: "mcp__demo__echo"}, "demo - echo (MCP)"},
		{Event{Name: "PermissionRequest", Tool: "Bash", Text: "a\nb\x1b]0;x\a\u202ec"}, "Bash: a b]0;xc"},
		{Event{Name: "PreToolUse", Tool: "AskUserQuestion", Text: "Which?", Options: []string{"A", "B"}}, "Which?"},
	}
	for _, tt := range tests {
		var c Claude
		r, ok := c.Event(tt.e)
		if !ok || r.Question.Text != tt.text || len(r.Question.Options) != len(tt.e.Options) {
			t.Errorf("%+v: %v %+v", tt.e, ok, r.Question)
		}
	}
}

// What is kept must not grow with what is sent.
func TestClaudeIsBounded(t *testing.T) {
	var c Claude
	for i := range 20000 {
		id := fmt.Sprint(i)
		c.Event(Event{Name: "SubagentStart", Agent: id, AgentType: "t", Seq: uint64(i + 1)})
		c.Event(Event{Name: "PermissionRequest", Agent: id, AgentType: "t", Tool: "Bash", Key: id})
		c.Event(Event{Name: "PreToolUse", Tool: "Bash", Key: id, Call: id})
		c.Event(Event{Name: "PermissionRequest", Tool: "Bash", Key: id})
	}
	if len(c.subs) > maxSubs || len(c.waiting) > maxDialogs || len(c.dialogs) > maxDialogs || len(c.calls) > maxCalls || len(c.lastSeq) > maxActors {
		t.Errorf("%d subs, %d waiting, %d dialogs, %d calls, %d actors", len(c.subs), len(c.waiting), len(c.dialogs), len(c.calls), len(c.lastSeq))
	}
	long := strings.Repeat("x", 4096)
	if _, ok := c.Event(Event{Name: "UserPromptSubmit", Prompt: long}); ok {
		t.Error("an id of 4096 bytes is taken")
	}
}
