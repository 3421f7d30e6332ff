package mockapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T, log io.Writer) *Server {
	t.Helper()
	s, err := Start("127.0.0.1:0", log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// conversation is a request body: user and assistant take turns.
func conversation(stream bool, turns ...string) string {
	var messages []map[string]any
	for i, text := range turns {
		role := []string{"user", "assistant"}[i%2]
		messages = append(messages, map[string]any{"role": role, "content": []any{map[string]any{"type": "text", "text": text}}})
	}
	b, err := json.Marshal(map[string]any{"model": "m", "stream": stream, "messages": messages,
		"system": []any{map[string]any{"type": "text", "text": "Primary working directory: /home/u/orchard\n"}},
		"tools":  []any{map[string]any{"name": "Bash"}, map[string]any{"name": "Agent"}}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func post(t *testing.T, s *Server, body string) *http.Response {
	t.Helper()
	r, err := http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	return r
}

// events reads a stream to its end and returns its text, its tool calls as
// "Name input", and the names of its events without repetitions.
func events(t *testing.T, r io.Reader) (text string, tools []string, names []string) {
	t.Helper()
	in := bufio.NewScanner(r)
	for in.Scan() {
		data, ok := strings.CutPrefix(in.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type         string
			ContentBlock struct{ Type, Name string } `json:"content_block"`
			Delta        struct {
				Text        string
				PartialJSON string `json:"partial_json"`
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if len(names) == 0 || names[len(names)-1] != e.Type {
			names = append(names, e.Type)
		}
		text += e.Delta.Text
		if e.ContentBlock.Type == "tool_use" {
			tools = append(tools, e.ContentBlock.Name+" ")
		}
		if e.Delta.PartialJSON != "" {
			tools[len(tools)-1] += e.Delta.PartialJSON
		}
	}
	return text, tools, names
}

func TestScenarioAndStep(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		name  string
		turns []string
		text  string
		tools string
	}{
		{"no scenario", []string{"hello"}, "The answer is 42", ""},
		{"first step", []string{"SCN:bash_curl please"}, "I will check", `Bash {"command":"curl http://127.0.0.1:1/","description":"Check the local server"}`},
		{"newest prompt counts", []string{"SCN:bash_curl please", "ok", "SCN:write please"}, "", `Write {"content":"# Notes\n\n- one\n- two\n","file_path":"/home/u/orchard/notes.md"}`},
		{"last word counts", []string{"SCN:bash_curl and SCN:wouldyou"}, "regression test?", ""},
		{"second step", []string{"SCN:ask1 please", "I need", "PostgreSQL"}, "going on with your choice", ""},
		{"beyond the last step", []string{"SCN:bash2 please", "a", "b", "c", "d"}, "Both done.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, tools, names := events(t, post(t, s, conversation(true, c.turns...)).Body)
			if !strings.Contains(text, c.text) {
				t.Errorf("text %q, want %q", text, c.text)
			}
			if got := strings.Join(tools, "\n"); got != c.tools {
				t.Errorf("tools %s, want %s", got, c.tools)
			}
			if names[0] != "message_start" || names[len(names)-1] != "message_stop" {
				t.Errorf("events %v", names)
			}
		})
	}
}

// TestScenariosAnswer asks for the first three steps of every scenario: each
// has an answer that the API's client could read.
func TestScenariosAnswer(t *testing.T) {
	for name, f := range scenarios() {
		for step := range 3 {
			blocks := f(Turn{Step: step, Dir: "/d", URL: "http://x", PlanFile: "/d/plans/p.md"})
			if len(blocks) == 0 {
				t.Errorf("%s: nothing at step %d", name, step)
			}
			for i, b := range blocks {
				if _, ok := b.(Error); ok && (i > 0 || len(blocks) > 1) {
					t.Errorf("%s: an error is not alone", name)
				}
				if tool, ok := b.(Tool); ok {
					if _, err := json.Marshal(tool.Input); err != nil || tool.Name == "" {
						t.Errorf("%s: tool %q: %v", name, tool.Name, err)
					}
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		scenario string
		status   int
		kind     string
	}{
		{"err400", 400, "invalid_request_error"},
		{"err401", 401, "authentication_error"},
		{"err429", 429, "rate_limit_error"},
		{"err500", 500, "api_error"},
		{"err529all", 529, "overloaded_error"},
		{"unheard_of", 400, "invalid_request_error"},
	} {
		r := post(t, s, conversation(true, "SCN:"+c.scenario))
		b, _ := io.ReadAll(r.Body)
		if r.StatusCode != c.status || !bytes.Contains(b, []byte(`"type":"`+c.kind+`"`)) {
			t.Errorf("%s: %d %s", c.scenario, r.StatusCode, b)
		}
		if want := map[string]string{"err429": "120"}[c.scenario]; r.Header.Get("Retry-After") != want {
			t.Errorf("%s: retry-after %q", c.scenario, r.Header.Get("Retry-After"))
		}
	}
	if r := post(t, s, "{"); r.StatusCode != 400 {
		t.Errorf("broken JSON: %d", r.StatusCode)
	}
}

func TestRetry(t *testing.T) {
	s := start(t, nil)
	var status []int
	for range 3 {
		status = append(status, post(t, s, conversation(true, "SCN:err529")).StatusCode)
	}
	if got := fmt.Sprint(status); got != "[529 529 200]" {
		t.Errorf("statuses %s", got)
	}
}

func TestDrop(t *testing.T) {
	s := start(t, nil)
	if _, err := io.ReadAll(post(t, s, conversation(true, "SCN:drop")).Body); err == nil {
		t.Error("the stream came to a proper end")
	}
}

func TestGate(t *testing.T) {
	s := start(t, nil)
	r := bufio.NewReader(post(t, s, conversation(true, "SCN:hold")).Body)
	text := ""
	for !strings.Contains(text, "begun") {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		text += line
	}
	if strings.Contains(text, "finished") {
		t.Error("the gate did not hold")
	}
	s.Open("hold")
	s.Open("hold") // twice is once
	rest, err := io.ReadAll(r)
	if err != nil || !bytes.Contains(rest, []byte("finished")) {
		t.Errorf("%v %s", err, rest)
	}
}

func TestSideCalls(t *testing.T) {
	s := start(t, nil)
	s.Handle("compact", func(Turn) []Block { return say(summary) }) // without its pause
	for _, c := range []struct{ name, body, kind, want string }{
		{"title", `{"messages":[{"role":"user","content":"Write a title for SCN:plain"}]}`, "title", "Scripted test session"},
		{"schema", `{"tools":[{"name":"x"}],"output_config":{"format":{"type":"json_schema"}},"messages":[{"role":"user","content":"hello"}]}`, "side", "isNewTopic"},
		{"page", `{"messages":[{"role":"user","content":"Web page content: hello"}]}`, "fetch", "A test page"},
		{"compact", conversation(false, "SCN:plain", "ok", "Your task is to create a detailed summary of it all"), "compact", "Primary Request"},
		{"turn without a stream", conversation(false, "SCN:plain"), "turn", "The answer is 42"},
	} {
		b, _ := io.ReadAll(post(t, s, c.body).Body)
		if !bytes.Contains(b, []byte(c.want)) {
			t.Errorf("%s: %s", c.name, b)
		}
		all := s.Requests()
		if got := all[len(all)-1].Kind; got != c.kind {
			t.Errorf("%s: kind %q, want %q", c.name, got, c.kind)
		}
	}
}

func TestLogAndWait(t *testing.T) {
	var log bytes.Buffer
	s := start(t, &log)
	http.Get(s.URL + "/elsewhere")
	go http.Post(s.URL+"/v1/messages", "application/json", strings.NewReader(conversation(true, "SCN:plain")))
	r, err := s.Wait(10*time.Second, func(r Request) bool { return r.Scenario == "plain" })
	if err != nil || r.Kind != "turn" || r.Model != "m" {
		t.Fatalf("%+v %v", r, err)
	}
	if _, err := s.Wait(time.Millisecond, func(Request) bool { return false }); err == nil || !strings.Contains(err.Error(), "/elsewhere") {
		t.Errorf("the error does not list what came: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("%d lines in the log, want 2:\n%s", n, log.String())
	}
}

func TestLoopbackOnly(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "localhost:0", "192.0.2.1:0", "nonsense"} {
		if s, err := Start(addr, nil); err == nil {
			s.Close()
			t.Errorf("listens on %s", addr)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, s := range []string{"", "one", "one two", " lead", "trail  \n", "a\n\n  b c", "   "} {
		if got := strings.Join(split(s), ""); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if n := len(split("a b\nc")); n != 3 {
		t.Errorf("%d words, want 3", n)
	}
}
