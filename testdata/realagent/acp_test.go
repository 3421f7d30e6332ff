package realagent

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fwrap/testdata/agents"
	"fwrap/testdata/mockapi"
)

const (
	curl    = "curl http://127.0.0.1:1/status"
	touch   = "touch made.txt"
	asking  = "session/request_permission"
	refused = `{"outcome":{"outcome":"cancelled"}}`
)

// acpHome is a mock with what these conversations need, and a home in which
// every command is asked for.
func acpHome(t *testing.T) (*mockapi.Server, agents.Home) {
	t.Helper()
	api, err := mockapi.Start("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	command := func(line string, after ...mockapi.Block) mockapi.Scenario {
		return func(turn mockapi.Turn) []mockapi.Block {
			if turn.Step == 0 {
				return []mockapi.Block{mockapi.Tool{Name: "Bash", Input: map[string]any{"command": line, "description": "Try it"}}}
			}
			return after
		}
	}
	done := mockapi.Text{S: "It is done."}
	// Long enough after the answer to be worth telling of the end.
	api.Handle("errand", command(curl, mockapi.Pause(6*time.Second), done))
	api.Handle("make", command(touch, done))
	api.Handle("delegate", func(turn mockapi.Turn) []mockapi.Block {
		if turn.Step == 0 {
			return []mockapi.Block{mockapi.Tool{Name: "Agent", Input: map[string]any{
				"description": "Ask the server", "prompt": "SCN:subagent please",
				"subagent_type": "general-purpose", "run_in_background": true}}}
		}
		return []mockapi.Block{done}
	})
	api.Handle("subagent", func(turn mockapi.Turn) []mockapi.Block {
		if turn.Step == 0 {
			return []mockapi.Block{mockapi.Gate("subagent"), command(curl)(turn)[0]}
		}
		return []mockapi.Block{mockapi.Pause(2 * time.Second), done}
	})
	for _, gate := range []mockapi.Gate{"first", "second"} {
		api.Handle(string(gate), func(mockapi.Turn) []mockapi.Block {
			return []mockapi.Block{mockapi.Text{S: "I have begun."}, gate, done}
		})
	}
	return api, agents.Claude{API: api.URL, Project: "orchard",
		Settings: map[string]any{"permissions": map[string]any{"defaultMode": "default"}}}.Home(t)
}

// TestACP is a conversation of an editor with the real adapter, in two sessions.
func TestACP(t *testing.T) {
	t.Parallel()
	api, h := acpHome(t)
	e := edit(t, h)
	ended := func(id int, reason string) {
		t.Helper()
		if m := e.result(id); m.Result.StopReason != reason {
			t.Errorf("%.300s, want %s", m.line, reason)
		}
	}
	if m := e.result(e.request("initialize", `{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}`)); m.Result.ProtocolVersion != 1 {
		t.Fatalf("not version 1: %s", m.line)
	}
	a, b := e.open(h.Project), e.open(h.Project)

	// A permission, and the end of a long turn.
	id := e.prompt(a, "errand")
	m := e.asked(asking)
	e.told(m, curl)
	e.choose(m, "allow_once")
	e.withdrawn()
	ended(id, "end_turn")
	e.finished(2)

	// Nothing of this is understood, and all of it passes: a line that is too
	// long to be read, one that is not JSON, and none.
	e.write(`{"jsonrpc":"2.0","method":"_fwrap.test/long","params":{"data":"` + strings.Repeat("x", 9<<20) + `"}}` + "\r\n")
	e.write("\n{\"jsonrpc\": \xff\n")

	// The two sides count their requests independently. Here both have one of
	// the same id without an answer: the adapter's question in one session, the
	// editor's prompt in the other, which ends first, and then last.
	overlap := func(gate mockapi.Gate) (prompt int, question rpc) {
		t.Helper()
		last, err := strconv.Atoi(string(m.ID))
		if err != nil {
			t.Fatal(err)
		}
		next := e.nextID
		e.nextID = last + 1
		prompt = e.prompt(b, string(gate))
		e.nextID = next
		e.begun(b)
		id = e.prompt(a, "make")
		question = e.asked(asking)
		if string(question.ID) != strconv.Itoa(prompt) {
			t.Fatalf("the ids do not overlap: %d and %s", prompt, question.line)
		}
		e.told(question, touch)
		return prompt, question
	}
	other, m := overlap("first")
	api.Open("first")
	ended(other, "end_turn")
	e.state("blocked/permission")
	if len(e.bus.Shown()) != 1 {
		t.Error("the notice was withdrawn by the end of another session's turn")
	}
	e.choose(m, "reject_once")
	ended(id, "end_turn")
	e.state("idle")
	other, m = overlap("second")
	e.choose(m, "allow_once")
	ended(id, "end_turn")
	ended(e.prompt(a, "plain"), "end_turn") // all the while the other one works
	e.state("working")
	api.Open("second")
	ended(other, "end_turn")
	e.state("idle")

	// A question with its options.
	id = e.prompt(a, "ask1")
	m = e.asked("elicitation/create")
	e.told(m, "Which database should the service use?", "PostgreSQL", "SQLite", "MySQL")
	e.answer(m, `{"action":"accept","content":{"question_0":"SQLite"}}`)
	ended(id, "end_turn")
	e.state("idle")

	// Cancelled: while it asks, and while it works.
	id = e.prompt(a, "make")
	m = e.asked(asking)
	e.told(m, touch)
	e.cancel(a)
	e.answer(m, refused)
	ended(id, "cancelled")
	e.state("idle/interrupted")
	e.withdrawn()
	id = e.prompt(b, "hold")
	e.begun(b)
	e.cancel(b)
	ended(id, "cancelled")
	e.state("idle/interrupted")

	if m := e.result(e.prompt(b, "err400")); m.Error == nil || !strings.Contains(m.Error.Message, "mock: prompt is not acceptable") {
		t.Errorf("no error: %s", m.line)
	}
	e.state("idle/error")

	e.in.Close()
	e.end(0, 0)
	e.went("idle",
		"working", "blocked/permission", "working", "idle", // errand
		"working", "blocked/permission", "working", "idle", // first
		"working", "blocked/permission", "working", "idle", // second
		"working", "blocked/question", "working", "idle",
		"working", "blocked/permission", "working", "idle/interrupted",
		"working", "idle/interrupted",
		"working", "idle/error",
		"none")
}

// TestACPVersion2 is a conversation in the draft of version 2, in which the
// agent says what it does, and a subagent is a session.
func TestACPVersion2(t *testing.T) {
	t.Parallel()
	api, h := acpHome(t)
	e := edit(t, h)
	if m := e.result(e.request("initialize", `{"protocolVersion":2,"info":{"name":"test","version":"1"},"capabilities":{"elicitation":{"form":{}}}}`)); m.Result.ProtocolVersion != 2 {
		t.Fatalf("not version 2: %s", m.line)
	}
	a := e.open(h.Project)
	ended := func(reason string) {
		t.Helper()
		m := e.await("end of the turn", func(m rpc) bool { return m.Params.SessionID == a && string(m.Params.Update.State) == `"idle"` })
		if m.Params.Update.StopReason != reason {
			t.Errorf("%.400s, want %s", m.line, reason)
		}
	}

	e.prompt(a, "errand")
	m := e.asked(asking)
	e.told(m, curl)
	e.choose(m, "allow_once")
	e.withdrawn()
	ended("end_turn")
	e.finished(2)

	e.prompt(a, "ask1")
	m = e.asked("elicitation/create")
	e.told(m, "Which database should the service use?", "PostgreSQL", "SQLite", "MySQL")
	e.answer(m, `{"action":"accept","content":{"question_0":"SQLite"}}`)
	ended("end_turn")
	e.state("idle")

	e.prompt(a, "err400")
	ended("error")
	e.state("idle/error")

	// A prompt waits behind the one that is cancelled.
	e.prompt(a, "hold")
	e.begun(a)
	queued := e.prompt(a, "plain")
	e.cancel(a)
	if m := e.result(queued); m.Error == nil {
		t.Errorf("the queued prompt was taken: %s", m.line)
	}
	ended("cancelled")
	e.state("idle/interrupted")

	// The turn is over when the subagent asks.
	e.prompt(a, "delegate")
	ended("end_turn")
	e.state("working/background")
	api.Open("subagent")
	m = e.asked(asking)
	if m.Params.SessionID == a {
		t.Error("the subagent has no session of its own")
	}
	e.told(m, curl)
	e.choose(m, "allow_once")
	e.withdrawn()
	ended("")         // nothing runs in the background any more
	ended("end_turn") // the agent has heard of it
	e.state("idle")

	e.in.Close()
	e.end(0, 0)
	e.went("idle",
		"working", "blocked", "blocked/permission", "working", "idle",
		"working", "blocked", "blocked/question", "working", "idle",
		"working", "idle/error",
		"working", "idle/interrupted",
		"working", "working/background", "blocked", "blocked/permission", "working/background", "idle",
		"working", "idle",
		"none")
}

// TestACPEnds: fwrap ends as the adapter does, and takes its notice with it.
func TestACPEnds(t *testing.T) {
	asks := func(e *editor, h agents.Home) {
		e.result(e.request("initialize", `{"protocolVersion":1}`))
		e.prompt(e.open(h.Project), "make")
		e.told(e.asked(asking), touch)
	}
	for _, c := range []struct {
		name   string
		env    string
		how    func(e *editor, h agents.Home)
		status int
		sig    syscall.Signal
	}{
		{name: "end of input", how: func(e *editor, h agents.Home) {
			asks(e, h)
			e.in.Close()
		}},
		{name: "SIGTERM", how: func(e *editor, h agents.Home) {
			asks(e, h)
			e.cmd.Process.Signal(syscall.SIGTERM)
		}},
		{name: "adapter killed", how: func(e *editor, h agents.Home) {
			asks(e, h)
			e.kill()
		}, sig: syscall.SIGKILL},
		{name: "adapter that does not start", env: "CLAUDE_AGENT_ACP_PROTOCOL=1", how: func(*editor, agents.Home) {}, status: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, h := acpHome(t)
			e := edit(t, h, c.env)
			c.how(e, h)
			e.end(c.status, c.sig)
			if e.asks == 0 {
				e.went()
				return
			}
			// Whether it still says that the turn is cancelled is up to the adapter.
			got := e.log.states(0)
			if n := len(got); n < 4 || !slices.Equal(got[:3], []string{"idle", "working", "blocked/permission"}) || got[n-1] != "none" {
				t.Errorf("states %q", got)
			}
		})
	}
}
