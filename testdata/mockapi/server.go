package mockapi

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Request is one request as the server saw it.
type Request struct {
	At       time.Time `json:"at"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Kind     string    `json:"kind,omitempty"` // turn, compact, title, fetch, side; empty: no request for an answer
	Scenario string    `json:"scenario,omitempty"`
	Step     int       `json:"step"`
	Try      int       `json:"try"` // how often the same step was asked for before
	Model    string    `json:"model,omitempty"`
	Tools    []string  `json:"tools,omitempty"`
	Last     string    `json:"last,omitempty"` // the newest message's text, its last 300 bytes
	Error    string    `json:"error,omitempty"`
}

// Server is the mock. Make one with [Start].
type Server struct {
	// URL is the base address, for ANTHROPIC_BASE_URL.
	URL string

	http *http.Server
	log  io.Writer

	mu        sync.Mutex
	scenarios map[string]Scenario
	requests  []Request
	changed   chan struct{} // closed and replaced at each request
	tries     map[string]int
	gates     map[Gate]chan struct{}
	ids       int
	dir       string
}

// Start listens on addr, which must be a loopback address with a port, or
// with port 0 for any free one. Each request is written to log as a line of
// JSON, unless log is nil.
func Start(addr string, log io.Writer) (*Server, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("mock api: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("mock api: %q is not a loopback address", host)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("mock api: %w", err)
	}
	s := &Server{
		URL: "http://" + l.Addr().String(), log: log,
		scenarios: maps.Clone(scenarios()),
		changed:   make(chan struct{}),
		tries:     map[string]int{},
		gates:     map[Gate]chan struct{}{},
	}
	maps.Copy(s.scenarios, codexScenarios())
	maps.Copy(s.scenarios, commonScenarios())
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(l) // ends with Close
	return s, nil
}

// Close ends the server and every answer that is under way.
func (s *Server) Close() error { return s.http.Close() }

// Handle adds a scenario or replaces one.
func (s *Server) Handle(name string, f Scenario) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scenarios[name] = f
}

// In says where the client works, whose paths the tools of the common scenarios
// get.
func (s *Server) In(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dir = dir
}

// Open lets all answers pass that wait at the gate, and those to come.
func (s *Server) Open(name Gate) {
	c := s.gate(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
}

func (s *Server) gate(name Gate) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = make(chan struct{})
	}
	return s.gates[name]
}

// Requests returns all requests so far, in the order of their coming.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Wait waits until a request satisfies want, past ones included, and returns
// it; it returns an error that lists what came instead after the time given.
func (s *Server) Wait(limit time.Duration, want func(Request) bool) (Request, error) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	seen := 0
	for {
		s.mu.Lock()
		all, changed := s.requests, s.changed
		s.mu.Unlock()
		for ; seen < len(all); seen++ {
			if want(all[seen]) {
				return all[seen], nil
			}
		}
		select {
		case <-changed:
		case <-timeout.C:
			var b strings.Builder
			for _, r := range all {
				fmt.Fprintf(&b, "\n  %s %s kind=%s scenario=%s step=%d", r.Method, r.Path, r.Kind, r.Scenario, r.Step)
			}
			return Request{}, fmt.Errorf("mock api: no such request within %v; there were %d:%s", limit, len(all), b.String())
		}
	}
}

func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	close(s.changed)
	s.changed = make(chan struct{})
	if s.log != nil {
		json.NewEncoder(s.log).Encode(r)
	}
}

// id returns a new identifier in the API's form.
func (s *Server) id(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("%s_01mock%018d", prefix, s.ids)
}

// maxBody bounds a request: the client sends its whole conversation and all
// its tools each time, some 200 kB.
const maxBody = 64 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	rec := Request{At: time.Now(), Method: r.Method, Path: r.URL.Path}
	if err != nil {
		rec.Error = err.Error()
		s.record(rec)
		return
	}
	switch r.URL.Path {
	case "/v1/messages":
		s.messages(w, r, raw, rec)
	case "/v1/responses":
		// Codex compresses large requests and sends them again plainly when it
		// is told to.
		if r.Header.Get("Content-Encoding") != "" {
			w.WriteHeader(http.StatusUnsupportedMediaType)
			return
		}
		s.respond(w, r, raw, rec)
	case "/v1/chat/completions", "/chat/completions":
		s.chat(w, r, raw, rec)
	case "/v1/models":
		s.record(rec)
		writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{
			map[string]any{"id": "mock-1", "object": "model", "created": 1, "owned_by": "mock", "name": "mock-1"}}})
	case "/v1/messages/count_tokens":
		s.record(rec)
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 1234})
	case "/page": // for WebFetch
		s.record(rec)
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html><body><h1>Test page</h1><p>Hello.</p></body></html>")
	default:
		if strings.Contains(r.URL.Path, "/models/") && strings.Contains(r.URL.Path, ":") {
			s.gemini(w, r, raw, rec)
			return
		}
		s.record(rec)
		writeError(w, Error{Status: http.StatusNotFound, Type: "not_found_error", Message: "mock: no such route"})
	}
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request, raw []byte, rec Request) {
	c, err := parseCall(raw)
	if err != nil {
		rec.Error = err.Error()
		s.record(rec)
		writeError(w, Error{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "mock: " + err.Error()})
		return
	}
	last := c.last()
	rec.Kind, rec.Model, rec.Tools = string(c.kind()), c.Model, c.Tools
	rec.Last = last[max(0, len(last)-300):]
	rec.Scenario = rec.Kind
	if c.kind() == turn {
		rec.Scenario, rec.Step = c.locate()
	}
	key := fmt.Sprintf("%s %d %d", rec.Scenario, rec.Step, len(c.Messages))
	s.mu.Lock()
	f := s.scenarios[rec.Scenario]
	rec.Try = s.tries[key]
	s.tries[key]++
	s.mu.Unlock()
	blocks := []Block{Error{Status: 400, Type: "invalid_request_error", Message: "mock: no scenario " + rec.Scenario}}
	if f != nil {
		blocks = f(Turn{Step: rec.Step, Try: rec.Try, Dir: c.dir(), Tools: c.Tools, PlanFile: c.planFile(), URL: s.URL})
	} else {
		rec.Error = "unknown scenario"
	}
	s.record(rec)
	if e, ok := blocks[0].(Error); ok {
		writeError(w, e)
		return
	}
	st := stream{ctx: r.Context(), w: w, srv: s}
	if c.Stream {
		st.answer(c.Model, blocks)
		return
	}
	content := []map[string]any{}
	for _, b := range blocks {
		switch b := b.(type) {
		case Text:
			content = append(content, map[string]any{"type": "text", "text": b.S})
		case Pause:
			st.wait(time.Duration(b))
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id": s.id("msg"), "type": "message", "role": "assistant", "model": c.Model, "content": content,
		"stop_reason": "end_turn", "stop_sequence": nil, "usage": usage(5)})
}

func writeError(w http.ResponseWriter, e Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter/time.Second)))
	}
	writeJSON(w, e.Status, map[string]any{"type": "error",
		"error": map[string]any{"type": e.Type, "message": e.Message}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
