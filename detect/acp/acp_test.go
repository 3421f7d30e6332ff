package acp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"fwrap/detect"
)

func heard(r detect.Report) string {
	s := r.State.String()
	if r.Kind != "" {
		s += "/" + string(r.Kind)
	}
	if r.Question.Text != "" {
		s += fmt.Sprintf(" %q", r.Question.Text)
	}
	if len(r.Question.Options) > 0 {
		s += fmt.Sprintf(" %q", r.Question.Options)
	}
	if r.Note != "" {
		s += fmt.Sprintf(" note %q", r.Note)
	}
	return s
}

// recording reads the recorded session.
func recording(t testing.TB) (sides []Side, lines []string) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/acp/claude-agent-acp-0.101.0.txt")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		f := strings.SplitN(strings.TrimSpace(l), " ", 3)
		side := Client
		if f[1] == "A->C" {
			side = Agent
		}
		sides, lines = append(sides, side), append(lines, f[2]+"\n")
	}
	return sides, lines
}

// The recorded session: a turn, a permission granted, one refused, one cancelled,
// a cancelled turn, a question, an API error.
func TestRecording(t *testing.T) {
	want := []string{
		"idle", "working", "idle",
		"working", `blocked/permission "touch /home/u/projects/demo/out.txt" ["Always Allow" "Allow" "Reject"]`, "working", "idle",
		"working", `blocked/permission "touch /home/u/projects/demo/out.txt" ["Always Allow" "Allow" "Reject"]`, "working", "idle",
		"working", `blocked/permission "touch /home/u/projects/demo/out.txt" ["Always Allow" "Allow" "Reject"]`, "working", "idle/interrupted",
		"working", "idle/interrupted",
		"working", `blocked/question "Which one?" ["A" "B"]`, "working", "idle",
		"working", `idle/error note "Internal error: API Error: 400 mock bad request"`,
		"working", `idle/error note "Internal error: API Error: 400 mock bad request"`,
	}
	sides, lines := recording(t)
	for _, n := range []int{1, 7, 1 << 20} {
		var tap Tap
		var got []string
		for i, l := range lines {
			for p := []byte(l); len(p) > 0; {
				k := min(n, len(p))
				for _, r := range tap.Write(sides[i], p[:k]) {
					if r.Source != detect.FromACP {
						t.Errorf("source %q", r.Source)
					}
					got = append(got, heard(r))
				}
				p = p[k:]
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("pieces of %d:\n%s\nwant\n%s", n, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if r := tap.Close(); r.State != detect.None || tap.Report().State != detect.None {
			t.Error("a closed connection has a state")
		}
	}
}

func TestTap(t *testing.T) {
	const (
		prompt = `> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"a","prompt":[]}}`
		ended  = `< {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`
		ask    = `< {"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"a","toolCall":{"toolCallId":"t","title":"ls"},"options":[{"optionId":"y","name":"Yes"}]}}`
		yes    = `> {"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`
		two    = `
			> {"id":0,"method":"initialize","params":{"protocolVersion":2}}
			< {"id":0,"result":{"protocolVersion":2}}
			`
	)
	state := func(session, s string) string {
		return `
			< {"method":"session/update","params":{"sessionId":"` + session + `","update":{"sessionUpdate":"state_update","state":` + s + `}}}
			`
	}
	tests := []struct {
		name   string
		script string // lines "> client" and "< agent"; "= state" what holds then
	}{
		{"nothing", `= none`},
		{"a client that has only said hello", `
			> {"id":0,"method":"initialize","params":{"protocolVersion":1}}
			= idle`},
		{"the ids of the two sides are independent", prompt + "\n= working\n" + ask + "\n= blocked/permission \"ls\" [\"Yes\"]\n" + yes + "\n= working\n" + ended + "\n= idle"},
		{"an answer that was read before its question", prompt + "\n" + yes + "\n= working\n" + ask + "\n= working\n" + ended + "\n= idle\n" + ended + "\n= idle\n" + prompt + "\n= idle"},
		{"the client's refusal is an answer too", prompt + "\n" + ask + `
			> {"id":1,"error":{"code":-32000,"message":"no"}}
			= working`},
		{"the agent takes its question back", prompt + "\n" + ask + `
			< {"method":"$/cancel_request","params":{"requestId":1}}
			= working
			` + yes + `
			= working`},
		{"a client's cancel of its own request with the same id", prompt + "\n" + ask + `
			> {"method":"$/cancel_request","params":{"requestId":1}}
			= blocked/permission "ls" ["Yes"]`},
		{"a string is not a number", prompt + "\n" + ask + `
			> {"id":"1","result":{}}
			= blocked/permission "ls" ["Yes"]
			> {"id":1.0,"result":{}}
			= working`},
		{"a question without a session, and one in a browser", `
			< {"id":5,"method":"elicitation/create","params":{"mode":"form","message":"Where?","requestedSchema":{"properties":{"env":{"enum":["staging","production"]},"x":{"enum":["no"]}}}}}
			= blocked/question "Where?" ["staging" "production"]
			> {"id":5,"result":{"action":"cancel"}}
			= idle
			< {"id":6,"method":"elicitation/create","params":{"mode":"url","elicitationId":"e1","message":"Sign in"}}
			= blocked/question "Sign in"
			< {"method":"elicitation/complete","params":{"elicitationId":"e2"}}
			= blocked/question "Sign in"
			< {"method":"elicitation/complete","params":{"elicitationId":"e1"}}
			= idle`},
		{"several sessions: blocked before working before idle", prompt + `
			> {"id":2,"method":"session/prompt","params":{"sessionId":"b"}}
			= working
			` + ask + `
			= blocked/permission "ls" ["Yes"]
			< {"id":2,"result":{"stopReason":"end_turn"}}
			= blocked/permission "ls" ["Yes"]
			` + yes + `
			= working
			` + ended + `
			= idle`},
		{"two questions at once", prompt + "\n" + ask + `
			< {"id":2,"method":"session/request_permission","params":{"sessionId":"a","toolCall":{"toolCallId":"u","title":"rm"},"options":[]}}
			= blocked/permission "ls" ["Yes"]
			` + yes + `
			= blocked/permission "rm"
			> {"id":2,"result":{}}
			= working`},
		{"two prompts of one session", prompt + `
			> {"id":2,"method":"session/prompt","params":{"sessionId":"a"}}
			` + ended + `
			= working
			< {"id":2,"result":{"stopReason":"end_turn"}}
			= idle`},
		{"the title came before", prompt + `
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"tool_call","toolCallId":"t7","title":"cat x"}}}
			< {"id":9,"method":"session/request_permission","params":{"sessionId":"a","toolCall":{"toolCallId":"t7"},"options":[]}}
			= blocked/permission "cat x"`},
		{"a plan", prompt + `
			< {"id":9,"method":"session/request_permission","params":{"sessionId":"a","toolCall":{"toolCallId":"t7","kind":"switch_mode","title":"Ready to code?"},"options":[]}}
			= blocked/plan "Ready to code?"`},
		{"a session that is closed", prompt + "\n" + ask + `
			> {"id":3,"method":"session/close","params":{"sessionId":"a"}}
			= idle`},
		{"files and terminals are no questions", prompt + `
			< {"id":1,"method":"fs/read_text_file","params":{"sessionId":"a","path":"/x"}}
			= working
			> {"id":1,"result":{"content":"{\"method\":\"session/prompt\"}"}}
			= working
			` + ended + `
			= idle`},
		{"how a turn ends", prompt + `
			< {"id":1,"result":{"stopReason":"refusal"}}
			= idle note "refusal"
			` + prompt + `
			< {"id":1,"result":null}
			= idle
			` + prompt + `
			< {"id":1,"result":{"stopReason":"cancelled"}}
			= idle/interrupted`},
		{"a batch", `> [` + strings.TrimPrefix(prompt, "> ") + `,{"id":2,"method":"session/prompt","params":{"sessionId":"b"}}]
			= working
			< [{"id":1,"result":{"stopReason":"end_turn"}},{"id":2,"error":{"message":"boom"}}]
			= idle/error note "boom"`},
		{"version 2", `
			> {"id":0,"method":"initialize","params":{"protocolVersion":2}}
			< {"id":0,"result":{"protocolVersion":2}}
			` + prompt + `
			= working
			< {"id":1,"result":{}}
			= working
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"state_update","state":"running"}}}
			= working
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
			= blocked
			` + ask + `
			= blocked/permission "ls" ["Yes"]
			` + yes + `
			= working
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"state_update","state":"running"}}}
			= working
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"id":"x"},{"id":"y"}]}}}
			= working/background
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled","background":[]}}}
			= idle/interrupted`},
		{"version 2: a prompt is work before it is taken in, and after", two + `
			> {"id":1,"method":"session/prompt","params":{"sessionId":"a"}}
			= working
			< {"id":1,"result":{"messageId":"m"}}
			= working
			` + state("a", `"running"`) + `
			= working
			` + state("a", `"idle","stopReason":"max_tokens"`) + `
			= idle note "max_tokens"`},
		{"version 2: what a permission is asked for", two + state("a", `"requires_action"`) + `
			< {"id":9,"method":"session/request_permission","params":{"sessionId":"a","title":"make deploy","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"Bash"}},"options":[{"name":"Yes"}]}}
			= blocked/permission "make deploy" ["Yes"]
			> {"id":9,"result":{}}
			= working
			< {"id":9,"method":"session/request_permission","params":{"sessionId":"a","title":"","subject":{"type":"tool_call","toolCall":{"toolCallId":"t","title":"make test"}}}}
			= blocked/permission "make test"
			> {"id":9,"result":{}}
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"make it so"}}}
			< {"id":9,"method":"session/request_permission","params":{"sessionId":"a","subject":{"type":"tool_call","toolCall":{"toolCallId":"u","kind":"switch_mode"}}}}
			= blocked/plan "make it so"`},
		{"version 2: one of two questions answered", two + state("a", `"requires_action"`) + ask + `
			< {"id":2,"method":"session/request_permission","params":{"sessionId":"a","title":"rm","options":[]}}
			` + yes + `
			= blocked/permission "rm"
			> {"id":2,"result":{}}
			= working`},
		{"version 2: the agent takes its question back and stops", two + state("a", `"requires_action"`) + ask + `
			< {"method":"$/cancel_request","params":{"requestId":1}}
			= working
			` + yes + state("a", `"idle","stopReason":"cancelled"`) + `
			= idle/interrupted`},
		{"version 2: another session's question does not answer this one's", two + state("b", `"requires_action"`) + ask + yes + `
			= blocked`},
		{"version 2: a turn that failed", two + prompt + `
			< {"id":1,"result":{}}
			` + state("a", `"running"`) + state("a", `"idle","stopReason":"error","error":{"code":-32603,"message":"API Error: 400"}`) + `
			= idle/error note "API Error: 400"
			` + state("a", `"idle","background":[{"id":"x"}]`) + `
			= working/background
			` + state("a", `"idle","background":[]`) + `
			= idle/error note "API Error: 400"
			` + prompt + `
			= working`},
		{"version 2: a queued prompt is cancelled with the turn before it", two + prompt + `
			< {"id":1,"result":{}}
			` + state("a", `"running"`) + `
			> {"id":2,"method":"session/prompt","params":{"sessionId":"a"}}
			> {"method":"session/cancel","params":{"sessionId":"a"}}
			< {"id":2,"error":{"code":-32800,"message":"Request cancelled"}}
			= working
			` + state("a", `"idle","stopReason":"cancelled"`) + `
			= idle/interrupted`},
		{"version 2: a subagent in the background", two + prompt + `
			< {"id":1,"result":{}}
			` + state("a", `"running"`) + `
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"subagent_update","sessionId":"c","title":"Check","state":{"state":"running","background":[]}}}}
			` + state("c", `"running"`) + state("a", `"idle","stopReason":"end_turn","background":[{"type":"subagent","sessionId":"c"}]`) + `
			= working/background
			` + state("c", `"requires_action"`) + `
			< {"id":4,"method":"session/request_permission","params":{"sessionId":"c","title":"ls"}}
			= blocked/permission "ls"
			` + state("a", `"idle","background":[{"type":"subagent","sessionId":"c"}]`) + `
			= blocked/permission "ls"
			> {"id":4,"result":{}}
			= working/background
			` + state("c", `"idle","stopReason":"cancelled","background":[]`) + state("a", `"idle","background":[]`) + `
			= idle`},
		{"version 2: a question outside of a turn outlives an idle that is said again", two + state("a", `"idle","stopReason":"end_turn"`) + ask + state("a", `"idle","background":[{"id":"x"}]`) + `
			= blocked/permission "ls" ["Yes"]
			` + yes + `
			= working/background`},
		{"version 2: a command in the background", two + state("a", `"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"x"}]`) + `
			= idle/shell
			` + state("a", `"idle","background":[{"type":"terminal","terminalId":"x"},{"type":"tool_call","toolCallId":"y"}]`) + `
			= working/background
			` + state("a", `"idle","background":[]`) + `
			= idle`},
		{"version 2: a session is closed with its subagents", two + `
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"subagent_update","sessionId":"c"}}}
			< {"method":"session/update","params":{"sessionId":"c","update":{"sessionUpdate":"subagent_update","sessionId":"d"}}}
			` + state("c", `"running"`) + state("d", `"running"`) + `
			= working/background
			> {"id":3,"method":"session/close","params":{"sessionId":"a"}}
			= idle`},
		{"a cancelled request is no failure", prompt + `
			> {"method":"$/cancel_request","params":{"requestId":1}}
			< {"id":1,"error":{"code":-32800,"message":"Request cancelled"}}
			= idle/interrupted`},
		{"the version that was agreed on before it was asked for", `
			< {"id":0,"result":{"protocolVersion":2}}
			> {"id":0,"method":"initialize","params":{"protocolVersion":2}}
			` + state("a", `"running"`) + `
			= working`},
		{"a prompt that version 2 refuses", `
			> {"id":0,"method":"initialize"}
			< {"id":0,"result":{"protocolVersion":2}}
			` + prompt + `
			< {"id":1,"error":{"message":"auth required"}}
			= idle/error note "auth required"`},
		{"version 1 has no state updates", prompt + `
			< {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"state_update","state":"idle"}}}
			= working`},
		{"what is not understood changes nothing", prompt + `
			< not json
			< {"id":1
			< [
			< 5
			< null
			< {}
			< {"id":null,"result":{}}
			< {"id":1}
			< {"id":{"a":1},"result":{}}
			< {"id":[1],"result":{"stopReason":"end_turn"}}
			> {"id":7,"result":{}}
			< {"id":"` + strings.Repeat("x", 300) + `","method":"session/request_permission"}
			= working`},
		{"the wrong side", `
			< {"id":1,"method":"session/prompt","params":{"sessionId":"a"}}
			= idle
			> {"id":1,"method":"session/request_permission","params":{"sessionId":"a"}}
			= idle
			> {"method":"session/update","params":{"sessionId":"a","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
			= idle`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var tap Tap
			for l := range strings.Lines(tt.script) {
				l = strings.TrimSpace(l)
				if l == "" {
					continue
				}
				switch text := l[2:]; l[0] {
				case '>':
					tap.Write(Client, []byte(text+"\r\n"))
				case '<':
					tap.Write(Agent, []byte(text+"\n"))
				case '=':
					if got := heard(tap.Report()); got != text {
						t.Errorf("%s, want %s", got, text)
					}
				}
			}
		})
	}
}

// A line beyond the cap is not read, and the next one is.
func TestLongLines(t *testing.T) {
	var tap Tap
	write := func(side Side, s string) { tap.Write(side, []byte(s)) }
	write(Client, `{"id":1,"method":"session/prompt","params":{"sessionId":"a","prompt":[{"data":"`)
	chunk := strings.Repeat("x", 1<<20)
	for range 5 {
		write(Client, chunk)
	}
	write(Client, "\"}]}}\n")
	if got := tap.Report(); got.State != detect.Working {
		t.Errorf("a line of 5 MiB: %v", got)
	}
	write(Agent, `{"id":1,"result":{"stopReason":"end_turn","x":"`)
	for range 9 {
		write(Agent, chunk)
	}
	write(Agent, "\"}}\n")
	if got := tap.Report(); got.State != detect.Working {
		t.Errorf("a line of 9 MiB was read: %v", got)
	}
	write(Agent, `{"id":1,"result":{"stopReason":"end_turn"}}`+"\n")
	if got := tap.Report(); got.State != detect.Idle {
		t.Errorf("after it: %v", got)
	}
}

// Forged and senseless messages in any number do not make it grow.
func TestTapIsBounded(t *testing.T) {
	var tap Tap
	for i := range 10000 {
		tap.Write(Client, fmt.Appendf(nil, `{"id":%d,"method":"session/prompt","params":{"sessionId":"s%d"}}`+"\n", i, i))
		tap.Write(Agent, fmt.Appendf(nil, `{"id":%d,"method":"session/request_permission","params":{"sessionId":"s%d","toolCall":{"toolCallId":"t%d","title":"x"}}}`+"\n", i, i, i))
		tap.Write(Agent, fmt.Appendf(nil, `{"id":"f%d","result":{}}`+"\n", i))
		tap.Write(Agent, fmt.Appendf(nil, `{"method":"session/update","params":{"sessionId":"s","update":{"toolCallId":"t%d","title":"x"}}}`+"\n", i))
	}
	if len(tap.sessions) > maxSessions || len(tap.pending[0]) > maxPending || len(tap.pending[1]) > maxPending || len(tap.early[0]) > maxEarly || len(tap.asks) > maxAsks || len(tap.titles) > maxTitles {
		t.Errorf("%d sessions, %d and %d pending, %d early, %d asks, %d titles", len(tap.sessions), len(tap.pending[0]), len(tap.pending[1]), len(tap.early[0]), len(tap.asks), len(tap.titles))
	}
	if tap.Report().State != detect.Blocked {
		t.Errorf("%+v", tap.Report())
	}
}

func FuzzTap(f *testing.F) {
	sides, lines := recording(f)
	var all []byte
	for i, l := range lines[:30] {
		all = append(all, byte('0'+sides[i]))
		all = append(all, l...)
	}
	f.Add(all, uint64(1))
	f.Add([]byte(`0[{"id":1,"method":"session/prompt","params":{"sessionId":"a"}}]`+"\n1{\"id\":1,\"error\":{}}\n"), uint64(2))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		var whole, pieces Tap
		r := rand.New(rand.NewPCG(seed, 0))
		for l := range strings.Lines(string(data)) {
			side := Side(l[0] & 1)
			l = l[1:]
			a := len(whole.Write(side, []byte(l)))
			b := 0
			for len(l) > 0 {
				n := 1 + r.IntN(len(l))
				b += len(pieces.Write(side, []byte(l[:n])))
				l = l[n:]
			}
			if a != b || heard(whole.Report()) != heard(pieces.Report()) {
				t.Fatalf("%q: %s whole, %s in pieces", l, heard(whole.Report()), heard(pieces.Report()))
			}
		}
	})
}

func BenchmarkTap(b *testing.B) {
	sides, lines := recording(b)
	var n int64
	for _, l := range lines {
		n += int64(len(l))
	}
	b.SetBytes(n)
	for b.Loop() {
		var tap Tap
		for i, l := range lines {
			tap.Write(sides[i], []byte(l))
		}
	}
}
