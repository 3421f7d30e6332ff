package mockapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// stream writes an answer as server-sent events. Its context ends with the
// client's connection.
type stream struct {
	ctx    context.Context
	w      http.ResponseWriter
	srv    *Server
	index  int // of the content block
	tokens int
	ping   func() // keeps the connection alive; nil: as the Messages API does
}

// event sends one event; the event's name is also its "type".
func (s *stream) event(name string, fields map[string]any) {
	fields["type"] = name
	data, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("mockapi: event %s: %v", name, err))
	}
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", name, data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// answer sends the whole answer. It stops early when the client has gone.
func (s *stream) answer(model string, blocks []Block) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Request-Id", s.srv.id("req"))
	s.event("message_start", map[string]any{"message": map[string]any{
		"id": s.srv.id("msg"), "type": "message", "role": "assistant", "model": model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": usage(1),
	}})
	stop := "end_turn"
	for _, b := range blocks {
		if s.ctx.Err() != nil {
			return
		}
		if s.control(b) {
			continue
		}
		switch b := b.(type) {
		case Tool:
			stop = "tool_use"
			s.tool(b)
		case Text:
			s.words(b.S, rate(b.Rate, 400), "text")
		case Thinking:
			s.words(b.S, rate(b.Rate, 60), "thinking")
		default:
			panic(fmt.Sprintf("mockapi: %T inside a stream", b))
		}
	}
	if s.ctx.Err() != nil {
		return
	}
	s.event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": s.tokens + 1},
	})
	s.event("message_stop", map[string]any{})
}

func usage(out int) map[string]any {
	return map[string]any{"input_tokens": 1200, "output_tokens": out,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
}

func rate(r, otherwise int) int {
	if r > 0 {
		return r
	}
	return otherwise
}

// control does what a block says of the stream itself, and reports whether it
// was one of those.
func (s *stream) control(b Block) bool {
	switch b := b.(type) {
	case Pause:
		s.pause(time.Duration(b))
	case Gate:
		s.gate(b)
	case Drop:
		// net/http closes the connection and logs nothing for this value.
		panic(http.ErrAbortHandler)
	default:
		return false
	}
	return true
}

// wait waits d, or less if the client goes away.
func (s *stream) wait(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ctx.Done():
	}
}

const pingEvery = 5 * time.Second

func (s *stream) pause(d time.Duration) {
	for ; d > pingEvery && s.ctx.Err() == nil; d -= pingEvery {
		s.wait(pingEvery)
		s.alive()
	}
	s.wait(d)
}

func (s *stream) gate(name Gate) {
	open := s.srv.gate(name)
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-open:
			return
		case <-s.ctx.Done():
			return
		case <-tick.C:
			s.alive()
		}
	}
}

func (s *stream) alive() {
	if s.ping != nil {
		s.ping()
		return
	}
	s.event("ping", map[string]any{})
}

func (s *stream) tool(t Tool) {
	s.event("content_block_start", map[string]any{"index": s.index, "content_block": map[string]any{
		"type": "tool_use", "id": s.srv.id("toolu"), "name": t.Name, "input": map[string]any{}}})
	input, err := json.Marshal(t.Input)
	if err != nil {
		panic(fmt.Sprintf("mockapi: input of %s: %v", t.Name, err))
	}
	for len(input) > 0 {
		n := min(40, len(input))
		s.event("content_block_delta", map[string]any{"index": s.index, "delta": map[string]any{
			"type": "input_json_delta", "partial_json": string(input[:n])}})
		input = input[n:]
	}
	s.end()
}

// words streams text at a number of characters a second.
func (s *stream) words(text string, perSecond int, kind string) {
	start := map[string]any{"type": kind, kind: ""}
	if kind == "thinking" {
		start["signature"] = ""
	}
	s.event("content_block_start", map[string]any{"index": s.index, "content_block": start})
	for _, w := range split(text) {
		if s.ctx.Err() != nil {
			return
		}
		s.event("content_block_delta", map[string]any{"index": s.index, "delta": map[string]any{
			"type": kind + "_delta", kind: w}})
		s.tokens++
		s.wait(time.Duration(len(w)) * time.Second / time.Duration(perSecond))
	}
	if kind == "thinking" {
		s.event("content_block_delta", map[string]any{"index": s.index, "delta": map[string]any{
			"type": "signature_delta", "signature": "bW9jaw=="}})
	}
	s.end()
}

func (s *stream) end() {
	s.event("content_block_stop", map[string]any{"index": s.index})
	s.index++
}

// split cuts text into words, each with the blanks before it.
func split(text string) []string {
	var out []string
	for text != "" {
		rest := strings.TrimLeftFunc(text, unicode.IsSpace)
		n := strings.IndexFunc(rest, unicode.IsSpace)
		if n < 0 || strings.TrimSpace(rest[n:]) == "" {
			return append(out, text)
		}
		n += len(text) - len(rest)
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}
