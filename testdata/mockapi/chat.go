package mockapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// chat answers a request of OpenAI's chat completions, which most agents speak
// to a provider of one's own. Scenarios are the common ones, see [common].
func (s *Server) chat(w http.ResponseWriter, r *http.Request, raw []byte, rec Request) {
	var c chatCall
	if err := json.Unmarshal(raw, &c); err != nil {
		rec.Error = err.Error()
		s.record(rec)
		writeError(w, Error{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "mock: " + err.Error()})
		return
	}
	var log []said
	for _, m := range c.Messages {
		log = append(log, said{user: m.Role == "user", result: m.Role == "tool", text: strings.Join(texts(m.Content), "\n")})
	}
	rec.Model = c.Model
	blocks, ok := s.commonBlocks(w, &rec, c.offers(), log)
	if !ok {
		return
	}
	st := chatStream{stream: stream{ctx: r.Context(), w: w, srv: s}, id: s.id("chatcmpl"), model: c.Model}
	if c.Stream {
		st.answer(blocks)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"id": st.id, "object": "chat.completion", "created": time.Now().Unix(), "model": c.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": plainText(blocks)}}},
		"usage": chatUsage})
}

var chatUsage = map[string]any{"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930}

// chatCall is what of a request matters here.
type chatCall struct {
	Model    string
	Stream   bool
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
	Tools []struct {
		Function struct {
			Name       string
			Parameters schema
		}
	}
}

func (c *chatCall) offers() offers {
	o := offers{}
	for _, t := range c.Tools {
		o[t.Function.Name] = t.Function.Parameters
	}
	return o
}

// plainText joins the texts of an answer that is not streamed.
func plainText(blocks []Block) string {
	var b strings.Builder
	for _, v := range blocks {
		if t, ok := v.(Text); ok {
			b.WriteString(t.S)
		}
	}
	return b.String()
}

// chatStream writes an answer as chunks of a chat completion.
type chatStream struct {
	stream
	id    string
	model string
	calls int
}

// data sends one event without a name.
func (s *stream) data(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("mockapi: %v", err))
	}
	s.line("data: " + string(data))
}

// line sends a line of the event stream and the empty one that ends the event.
func (s *stream) line(text string) {
	fmt.Fprint(s.w, text, "\n\n")
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (s *chatStream) chunk(delta map[string]any, finish any) {
	s.data(map[string]any{"id": s.id, "object": "chat.completion.chunk", "created": time.Now().Unix(), "model": s.model,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func (s *chatStream) answer(blocks []Block) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.ping = func() { s.line(": ping") }
	s.chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for i := 0; i < len(blocks) && s.ctx.Err() == nil; i++ {
		if s.control(blocks[i]) {
			continue
		}
		switch b := blocks[i].(type) {
		case Tool:
			s.call(b)
		case Text:
			s.each(b.S, rate(b.Rate, 400), func(w string) { s.chunk(map[string]any{"content": w}, nil) })
		case Thinking:
			s.each(b.S, rate(b.Rate, 60), func(w string) { s.chunk(map[string]any{"reasoning_content": w}, nil) })
		default:
			panic(fmt.Sprintf("mockapi: %T in a chat completion", b))
		}
	}
	if s.ctx.Err() != nil {
		return
	}
	finish := "stop"
	if s.calls > 0 {
		finish = "tool_calls"
	}
	s.chunk(map[string]any{}, finish)
	s.data(map[string]any{"id": s.id, "object": "chat.completion.chunk", "created": time.Now().Unix(), "model": s.model,
		"choices": []any{}, "usage": chatUsage})
	s.line("data: [DONE]")
}

// each calls send with the words of a text at a number of characters a second.
func (s *stream) each(text string, perSecond int, send func(string)) {
	for _, w := range split(text) {
		if s.ctx.Err() != nil {
			return
		}
		send(w)
		s.wait(time.Duration(len(w)) * time.Second / time.Duration(perSecond))
	}
}

func (s *chatStream) call(t Tool) {
	args, err := json.Marshal(t.Input)
	if err != nil {
		panic(fmt.Sprintf("mockapi: input of %s: %v", t.Name, err))
	}
	s.chunk(map[string]any{"tool_calls": []any{map[string]any{"index": s.calls, "id": s.srv.id("call"), "type": "function",
		"function": map[string]any{"name": t.Name, "arguments": string(args)}}}}, nil)
	s.calls++
}
