package mockapi

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestResponses asks as Codex does: text, a tool's call and its result, the
// title that a thread without tools makes, an error.
func TestResponses(t *testing.T) {
	s := start(t, nil)
	s.Handle("codex_shell", steps(
		[]Block{Text{S: "One command."}, Tool{"exec_command", map[string]any{"cmd": "true"}}}, say("Done.")))
	prompt := func(text string) string {
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return `{"type":"message","role":"user","content":[{"type":"input_text","text":` + string(b) + `}]}`
	}
	const tools = `[{"type":"namespace","tools":[{"name":"exec_command"}]},{"name":"update_plan"}]`
	for _, c := range []struct{ name, input, tools, kind, want, calls string }{
		{"no scenario", prompt("hello"), tools, "turn", "The answer is 42", ""},
		{"first step", prompt("SCN:plain") + "," + prompt("SCN:shell please"), tools, "turn", "One command.", `exec_command {"cmd":"true"}`},
		{"second step", prompt("SCN:shell please") + `,{"type":"function_call"},{"type":"function_call_output"}`, tools, "turn", "Done.", ""},
		{"title", prompt("Generate a concise title for SCN:shell"), "[]", "title", "Greeting change", ""},
	} {
		r, err := http.Post(s.URL+"/v1/responses", "application/json",
			strings.NewReader(`{"model":"m","stream":true,"tools":`+c.tools+`,"input":[`+c.input+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		text, calls, last := "", "", ""
		for in := bufio.NewScanner(r.Body); in.Scan(); {
			data, ok := strings.CutPrefix(in.Text(), "data: ")
			if !ok {
				continue
			}
			var e struct {
				Type, Delta string
				Item        struct{ Type, Name, Arguments string }
			}
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("%q: %v", data, err)
			}
			switch last = e.Type; {
			case last == "response.output_text.delta":
				text += e.Delta
			case last == "response.output_item.done" && e.Item.Type == "function_call":
				calls += e.Item.Name + " " + e.Item.Arguments
			}
		}
		r.Body.Close()
		if !strings.Contains(text, c.want) || calls != c.calls || last != "response.completed" {
			t.Errorf("%s: %q, calls %q, ends with %s", c.name, text, calls, last)
		}
		all := s.Requests()
		if got := all[len(all)-1]; got.Kind != c.kind {
			t.Errorf("%s: kind %q", c.name, got.Kind)
		}
	}
	r, err := http.Post(s.URL+"/v1/responses", "application/json", strings.NewReader(`{"tools":`+tools+`,"input":[`+prompt("SCN:err")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if b, _ := io.ReadAll(r.Body); r.StatusCode != 400 || !strings.Contains(string(b), "prompt is not acceptable") {
		t.Errorf("error: %d %s", r.StatusCode, b)
	}
}
