package mockapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// respond answers a request of OpenAI's Responses API, which Codex speaks.
// Scenarios and steps are told as for the Messages API, a step being a result
// of a tool.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, raw []byte, rec Request) {
	c, err := parseResponses(raw)
	if err != nil {
		rec.Error = err.Error()
		s.record(rec)
		writeError(w, Error{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "mock: " + err.Error()})
		return
	}
	rec.Model, rec.Tools, rec.Kind = c.Model, c.tools, string(turn)
	rec.Scenario, rec.Step = c.locate()
	// The task's title is made by a thread of its own, which has no tools.
	if len(c.tools) == 0 || strings.Contains(c.last, "Generate a concise") {
		rec.Kind, rec.Scenario = string(title), "codex_title"
	}
	key := fmt.Sprintf("%s %d %d", rec.Scenario, rec.Step, len(c.Input))
	s.mu.Lock()
	f := s.scenarios[rec.Scenario]
	if f == nil {
		f = s.scenarios[common+strings.TrimPrefix(rec.Scenario, "codex_")]
	}
	rec.Try = s.tries[key]
	s.tries[key]++
	dir := s.dir
	s.mu.Unlock()
	blocks := []Block{Text{S: "mock: no scenario " + rec.Scenario}}
	if f != nil {
		blocks = f(Turn{Step: rec.Step, Try: rec.Try, Dir: dir, Tools: c.tools, URL: s.URL, offers: c.offers})
	}
	s.record(rec)
	if e, ok := blocks[0].(Error); ok {
		writeError(w, e)
		return
	}
	st := responses{stream: stream{ctx: r.Context(), w: w, srv: s}, model: c.Model}
	st.answer(blocks)
}

// responsesCall is what of a request matters here.
type responsesCall struct {
	Model string
	Input []struct {
		Type    string
		Role    string
		Content json.RawMessage
	}
	Tools []responsesTool

	tools  []string
	offers offers
	last   string // the newest message's text
}

// responsesTool is a tool that is offered, or a namespace of them.
type responsesTool struct {
	Name       string
	Parameters schema
	Tools      []responsesTool
}

func parseResponses(raw []byte) (c responsesCall, err error) {
	if err = json.Unmarshal(raw, &c); err != nil {
		return c, err
	}
	c.offers = offers{}
	var list func([]responsesTool)
	list = func(ts []responsesTool) {
		for _, t := range ts {
			if len(t.Tools) == 0 && t.Name != "" {
				c.tools = append(c.tools, t.Name)
				c.offers[t.Name] = t.Parameters
			}
			list(t.Tools)
		}
	}
	list(c.Tools)
	for i := range c.Input {
		if c.Input[i].Role == "user" {
			c.last = c.text(i)
		}
	}
	return c, nil
}

func (c *responsesCall) text(i int) string {
	var list []struct{ Text string }
	if json.Unmarshal(c.Input[i].Content, &list) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.Text + "\n")
	}
	return b.String()
}

// locate is [call.locate] for this API.
func (c *responsesCall) locate() (name string, step int) {
	for i := len(c.Input) - 1; i >= 0; i-- {
		if strings.HasSuffix(c.Input[i].Type, "_output") {
			step++
		}
		if c.Input[i].Role != "user" {
			continue
		}
		if found := scenarioWord().FindAllStringSubmatch(c.text(i), -1); found != nil {
			return "codex_" + found[len(found)-1][1], step
		}
	}
	return "codex_plain", step
}

// responses writes an answer as the API's server-sent events.
type responses struct {
	stream
	model string
	seq   int
	done  []any // the items that are complete
}

func (s *responses) send(name string, fields map[string]any) {
	fields["sequence_number"] = s.seq
	s.seq++
	s.event(name, fields)
}

func (s *responses) answer(blocks []Block) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	id := s.srv.id("resp")
	head := func(status string) map[string]any {
		return map[string]any{"id": id, "object": "response", "status": status, "model": s.model, "created_at": time.Now().Unix()}
	}
	created := head("in_progress")
	created["output"] = []any{}
	s.send("response.created", map[string]any{"response": created})
	for i := 0; i < len(blocks) && s.ctx.Err() == nil; i++ {
		switch b := blocks[i].(type) {
		case Pause:
			s.wait(time.Duration(b))
		case Gate:
			s.gate(b)
		case Drop:
			panic(http.ErrAbortHandler)
		case Tool:
			s.call(b)
		case Text:
			s.message(b)
		default:
			panic(fmt.Sprintf("mockapi: %T in an answer of the Responses API", b))
		}
	}
	if s.ctx.Err() != nil {
		return
	}
	completed := head("completed")
	completed["output"] = s.done
	completed["usage"] = map[string]any{"input_tokens": 900, "input_tokens_details": map[string]any{"cached_tokens": 0},
		"output_tokens": 30, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 930}
	s.send("response.completed", map[string]any{"response": completed})
}

func (s *responses) message(t Text) {
	id, at := s.srv.id("msg"), len(s.done)
	item := func(status string, content ...any) map[string]any {
		return map[string]any{"type": "message", "id": id, "role": "assistant", "status": status, "content": content}
	}
	part := func(text string) map[string]any {
		return map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
	}
	place := func(more map[string]any) map[string]any {
		more["item_id"], more["output_index"], more["content_index"] = id, at, 0
		return more
	}
	s.send("response.output_item.added", map[string]any{"output_index": at, "item": item("in_progress")})
	s.send("response.content_part.added", place(map[string]any{"part": part("")}))
	for _, w := range split(t.S) {
		if s.ctx.Err() != nil {
			return
		}
		s.send("response.output_text.delta", place(map[string]any{"delta": w}))
		s.wait(time.Duration(len(w)) * time.Second / time.Duration(rate(t.Rate, 400)))
	}
	s.send("response.output_text.done", place(map[string]any{"text": t.S}))
	s.send("response.content_part.done", place(map[string]any{"part": part(t.S)}))
	s.finish(item("completed", part(t.S)))
}

func (s *responses) call(t Tool) {
	args, err := json.Marshal(t.Input)
	if err != nil {
		panic(fmt.Sprintf("mockapi: input of %s: %v", t.Name, err))
	}
	id, at := s.srv.id("fc"), len(s.done)
	item := func(status, args string) map[string]any {
		return map[string]any{"type": "function_call", "id": id, "call_id": "call_" + id, "name": t.Name, "arguments": args, "status": status}
	}
	s.send("response.output_item.added", map[string]any{"output_index": at, "item": item("in_progress", "")})
	s.send("response.function_call_arguments.delta", map[string]any{"item_id": id, "output_index": at, "delta": string(args)})
	s.send("response.function_call_arguments.done", map[string]any{"item_id": id, "output_index": at, "arguments": string(args)})
	s.finish(item("completed", string(args)))
}

func (s *responses) finish(item map[string]any) {
	s.send("response.output_item.done", map[string]any{"output_index": len(s.done), "item": item})
	s.done = append(s.done, item)
}

// codexScenarios returns those for Codex, by the names codex_NAME; the prompt
// names them SCN:NAME.
func codexScenarios() map[string]Scenario {
	database := map[string]any{"questions": []any{map[string]any{"id": "db", "header": "Database",
		"question": "Which database should the loader use?", "options": []any{
			map[string]any{"label": "SQLite", "description": "A single file"},
			map[string]any{"label": "Postgres", "description": "A server"}}}}}
	return map[string]Scenario{
		"codex_title": steps(say("Greeting change")),
		"codex_plain": steps(later(time.Second, "Hello! The answer is 42.")),
		// Codex shows a line when it is complete.
		"codex_slow": steps([]Block{Text{S: "The parser walks the token list once.\n\nIt keeps a stack of open scopes.\n\n"}, Pause(25 * time.Second), Text{S: prose}}),
		"codex_shell": steps(
			[]Block{Text{S: "I need to run one command."}, Tool{"exec_command", map[string]any{
				"cmd": "touch marker-file && echo written", "yield_time_ms": 15000,
				"sandbox_permissions": "require_escalated", "justification": "Do you want to let me create the marker file?"}}},
			[]Block{Pause(time.Second), Text{S: "All done, the file is there."}}),
		"codex_ask": steps(
			[]Block{Tool{"request_user_input", database}},
			say("Thanks, I will use that.")),
		"codex_plan": steps(say("<proposed_plan>\n# Rename the greeting\n\n1. Rename the constant\n2. Update both small scripts\n3. Run the tests\n</proposed_plan>")),
		"codex_err":  steps([]Block{apiError(400, "invalid_request_error", "mock: prompt is not acceptable")}),
	}
}
