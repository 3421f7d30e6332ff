package realagent

import (
	"fmt"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/testdata/agents"
	"fwrap/testdata/mockapi"
	"fwrap/testdata/ptyrun"
)

// A scene is a conversation with the agent: the prompts of the mock's
// scenarios, what must come on the screen, and the keys that answer it.
type scene struct {
	name       string
	home       agents.Claude
	args       []string // of claude; "manual" mode if nil
	allow      string   // --allowedTools
	mcp        bool
	cols, rows int
	prompt     string // typed when the agent is ready; empty: nothing is
	beats      []beat
}

// A beat is one moment of a scene.
type beat struct {
	shows string // regular expression: what stands on the screen
	hides string // and what does not
	state detect.State
	kind  detect.Kind // of state; not compared if empty
	// What happens then: a gate of the mock opens, keys are sent, or a text is
	// typed and entered.
	open mockapi.Gate
	keys string
	text string
	// The terminal gets this size: columns and rows.
	resize [2]int
}

const (
	enter = "\r"
	esc   = "\x1b"
	down  = "\x1b[B"
	tab   = "\t"
)

// limit is for anything that the agent does by itself. Two cores that also
// run other tests have needed half of it.
const limit = 60 * time.Second

// attentive is how long a dialog has to stand before it takes keys: Claude
// Code 2.1.332 ignores those typed in the first half second, so that what was
// meant for the input box answers nothing.
const attentive = 900 * time.Millisecond

// ready is the agent's prompt after the start.
const ready = `for shortcuts|shift\+tab to cycle`

// dialog is what every dialog of Claude Code 2.1.332 shows at its end.
const dialog = `Esc to cancel|Enter to select|to edit in Vim|Submit answers`

var scenes = []scene{
	{name: "plain", prompt: "plain", beats: []beat{{shows: "The answer is 42", state: detect.Idle}}},
	{name: "hold", prompt: "hold", beats: []beat{
		{shows: "I have begun", state: detect.Working, open: "hold"},
		{shows: "I have finished", state: detect.Idle}}},
	{name: "interrupted", prompt: "slow", beats: []beat{
		{shows: "parser walks", state: detect.Working, keys: esc},
		{shows: "Interrupted", state: detect.Idle}}},
	{name: "thinking", prompt: "think", beats: []beat{
		{shows: `^[·✢✳✶✻✽*] .+…`, state: detect.Working},
		{shows: "All good", state: detect.Idle}}},
	{name: "long answer", prompt: "long", beats: []beat{{shows: `60\. Step`, state: detect.Idle}}},
	{name: "markdown", prompt: "md", beats: []beat{{shows: `2\. No`, state: detect.Idle}}},

	{name: "bash yes", prompt: "bash_curl", beats: []beat{
		{shows: "Do you want to proceed", state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: `esc to interrupt`, hides: dialog, state: detect.Working},
		{shows: "I am done", state: detect.Idle}}},
	{name: "bash escape", prompt: "bash_rm", beats: []beat{
		{shows: "Do you want to proceed", state: detect.Blocked, kind: detect.Permission, keys: esc},
		{shows: "Interrupted", hides: dialog, state: detect.Idle}}},
	{name: "bash no", prompt: "bash_long", beats: []beat{
		{shows: "Do you want to proceed", state: detect.Blocked, kind: detect.Permission, keys: "3"},
		{shows: "Interrupted|declined|rejected", hides: dialog, state: detect.Idle}}},
	{name: "two tools", prompt: "bash2", beats: []beat{
		{shows: `touch a\.txt(.|\n)*Do you want`, state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: `touch b\.txt(.|\n)*Do you want`, state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: "Both done", state: detect.Idle}}},
	{name: "edit", prompt: "edit", beats: []beat{
		{shows: "make this edit to hello.py", state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: "Edited hello", state: detect.Idle}}},
	{name: "write", prompt: "write", beats: []beat{
		{shows: "Do you want to create notes.md", state: detect.Blocked, kind: detect.Permission, keys: esc},
		{shows: "Rejected write", hides: dialog, state: detect.Idle}}},
	{name: "write at 80x24", prompt: "write_long", cols: 80, rows: 24, beats: []beat{
		{shows: "Do you want to create long.txt", state: detect.Blocked, kind: detect.Permission, keys: esc},
		{shows: "Rejected write|Interrupted|for shortcuts", hides: dialog, state: detect.Idle}}},
	{name: "bash at 60x20", prompt: "bash_curl", cols: 60, rows: 20, beats: []beat{
		{shows: "Do you want to proceed", state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: "I am done", state: detect.Idle}}},
	{name: "resized", prompt: "bash_curl", beats: []beat{
		{shows: "Do you want to proceed", state: detect.Blocked, kind: detect.Permission, resize: [2]int{90, 26}},
		{shows: `^ Esc to cancel · Tab to amend$`, state: detect.Blocked, kind: detect.Permission, keys: esc},
		{shows: "Interrupted", hides: dialog, state: detect.Idle}}},
	{name: "read outside", prompt: "readout", beats: []beat{
		{shows: "Do you want to proceed", state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: "Read it", state: detect.Idle}}},
	{name: "web fetch", prompt: "webfetch", home: agents.Claude{Settings: map[string]any{"skipWebFetchPreflight": true}}, beats: []beat{
		{shows: "allow Claude to fetch", state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: "The page is a test page", state: detect.Idle}}},
	{name: "web search", prompt: "websearch", beats: []beat{
		{shows: "Do you want to proceed", state: detect.Blocked, kind: detect.Permission, keys: esc},
		{shows: "Interrupted", hides: dialog, state: detect.Idle}}},
	{name: "mcp tool", prompt: "mcp", mcp: true, beats: []beat{
		{shows: "Do you want to proceed", state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: "echoed the text", state: detect.Idle}}},
	{name: "elicitation", prompt: "elicit", mcp: true, allow: "mcp__demo__ask", beats: []beat{
		{shows: "Which environment", state: detect.Blocked, kind: detect.Ask, keys: esc},
		{shows: "got its answer", state: detect.Idle}}},

	{name: "question", prompt: "ask1", beats: []beat{
		{shows: `Which database(.|\n)*to navigate`, state: detect.Blocked, kind: detect.Ask, keys: enter},
		{shows: "going on with your choice", state: detect.Idle}}},
	{name: "two questions", prompt: "ask2", beats: []beat{
		{shows: `Which database(.|\n)*to navigate`, state: detect.Blocked, kind: detect.Ask, keys: enter},
		{shows: `Which port(.|\n)*to navigate`, state: detect.Blocked, kind: detect.Ask, keys: enter},
		{shows: "Submit answers", state: detect.Blocked, kind: detect.Ask, keys: enter},
		{shows: "Thanks for both", state: detect.Idle}}},
	{name: "multiple choice", prompt: "ask3", beats: []beat{
		{shows: `Which features(.|\n)*to navigate`, state: detect.Blocked, kind: detect.Ask, keys: enter},
		{shows: `\[✔\] Logging`, state: detect.Blocked, kind: detect.Ask, keys: tab},
		{shows: "Submit answers", state: detect.Blocked, kind: detect.Ask, keys: esc},
		{shows: "Declined to answer", hides: dialog, state: detect.Idle}}},
	{name: "plan", prompt: "plan", args: []string{"--permission-mode", "plan"}, beats: []beat{
		{shows: "Would you like to proceed", state: detect.Blocked, kind: detect.Plan, keys: enter},
		{shows: `implementation\. Done`, state: detect.Idle}}},
	{name: "trust", home: agents.Claude{Untrusted: true}, beats: []beat{
		{shows: "safety check", state: detect.Blocked, kind: detect.Trust, keys: down},
		{shows: "❯ Yes, I trust", state: detect.Blocked, kind: detect.Trust, keys: enter},
		{shows: ready, state: detect.Idle}}},

	{name: "quiet tool", prompt: "sleep8", allow: "Bash", beats: []beat{
		{shows: `\$ sleep 8`, state: detect.Working},
		{shows: "Slept well", state: detect.Idle}}},
	{name: "background shell", prompt: "bgbash", allow: "Bash", beats: []beat{
		{shows: "1 shell still running", state: detect.Idle, kind: detect.Shell}}},
	{name: "background agent", prompt: "agentbg", allow: "Bash", beats: []beat{
		{shows: "Waiting for 1 background agent", state: detect.Working, kind: detect.Background},
		{shows: `Agent "Look at the parser" finished(.|\n)*· done`, state: detect.Idle}}},
	{name: "subagent permission", prompt: "agentperm", beats: []beat{
		{shows: `general-purpose agent(.|\n)*Do you want`, state: detect.Blocked, kind: detect.Permission, keys: enter},
		{shows: `Agent "Check the server" finished(.|\n)*· done`, state: detect.Idle}}},
	{name: "tasks", prompt: "todo", home: agents.Claude{Env: []string{"CLAUDE_CODE_ENABLE_TASKS=1", "CLAUDE_CODE_ENABLE_TODO_TOOLS=1"}}, beats: []beat{
		{shows: `Fixing the bug…`, state: detect.Working},
		{shows: "One is left", state: detect.Idle}}},

	{name: "asks in prose", prompt: "wouldyou", beats: []beat{{shows: "regression test", state: detect.Idle}}},
	{name: "asks to proceed in prose", prompt: "proceedq", beats: []beat{{shows: "Which one should", state: detect.Idle}}},
	{name: "quoted dialog", prompt: "quote", beats: []beat{{shows: "all there is to it", state: detect.Idle}}},
	{name: "quoted code", prompt: "quotecode", beats: []beat{{shows: "waits for Enter", state: detect.Idle}}},
	{name: "ends with a quoted dialog", prompt: "quoteend", beats: []beat{{shows: "Tab to amend", state: detect.Idle}}},
	{name: "quoted dialog while working", prompt: "quoteslow", beats: []beat{
		{shows: "longer explanation", state: detect.Working, keys: esc},
		{shows: "Interrupted", state: detect.Idle}}},

	{name: "compact", prompt: "plain", beats: []beat{
		{shows: "answer is 42", state: detect.Idle, text: "SCN:long go"},
		{shows: `60\. Step`, state: detect.Idle, text: "/compact"},
		{shows: "Compacting", state: detect.Working, kind: detect.Compacting},
		{shows: "Compacted", hides: "Compacting", state: detect.Idle}}},
	{name: "bad request", prompt: "err400", beats: []beat{{shows: "API Error: 400", state: detect.Idle, kind: detect.Failed}}},
	{name: "rate limit", prompt: "err429", beats: []beat{{shows: "API Error", state: detect.Idle, kind: detect.Failed}}},
	{name: "overloaded, then well", prompt: "err529", beats: []beat{
		{shows: "Recovered", state: detect.Idle}}},
	{name: "server error", prompt: "err500", beats: []beat{
		{shows: `retrying in`, state: detect.Working, kind: detect.Retrying, keys: esc},
		{shows: "SCN:err500", hides: "retrying|esc to interrupt", state: detect.Idle}}},
}

// run plays a scene: start starts the agent with these arguments, check is
// called at each beat, when it stands on the screen and before it is answered.
func (sc scene) run(t *testing.T, start func(t *testing.T, h agents.Home, opt ptyrun.Options, args []string) *ptyrun.Program,
	check func(*ptyrun.Program, beat)) {
	api, err := mockapi.Start("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	sc.home.API = api.URL
	h := sc.home.Home(t)
	args := sc.args
	if args == nil {
		args = []string{"--permission-mode", "manual"}
	}
	if sc.allow != "" {
		args = append(args, "--allowedTools", sc.allow)
	}
	if sc.mcp {
		args = append(args, "--mcp-config", mcpConfig(t))
	}
	p := start(t, h, ptyrun.Options{Dir: h.Project, Env: h.Env, Cols: sc.cols, Rows: sc.rows, Terminal: ptyrun.Xterm{}}, args)
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, r := range api.Requests() {
			t.Logf("%s %s kind=%s scenario=%s step=%d try=%d %s", r.Method, r.Path, r.Kind, r.Scenario, r.Step, r.Try, r.Error)
		}
	})
	if sc.prompt != "" {
		p.Settled("prompt after the start", 500*time.Millisecond, limit, ptyrun.Matches(ready))
		ask(p, fmt.Sprintf("SCN:%s please", sc.prompt))
	}
	for i, b := range sc.beats {
		cond := ptyrun.Matches(b.shows)
		if b.hides != "" {
			cond = ptyrun.All(cond, ptyrun.Not(ptyrun.Matches(b.hides)))
		}
		p.Until(fmt.Sprintf("beat %d: %s (%q)", i+1, b.state, b.shows), limit, cond)
		check(p, b)
		switch {
		case b.open != "":
			api.Open(b.open)
		case b.keys != "":
			p.Held("the same screen for a moment", attentive, limit, cond)
			p.Send(b.keys)
		case b.resize != [2]int{}:
			p.Resize(b.resize[0], b.resize[1])
		case b.text != "":
			ask(p, b.text)
		}
	}
}

// ask types a line into the agent's input box and enters it.
func ask(p *ptyrun.Program, line string) {
	p.Type(line)
	p.Send(enter)
}
