package mockapi

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answer returns the status and the body of an answer.
func answer(t *testing.T, url, body string) (int, string) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// TestChat asks as agents with a provider of one's own do: text, a call of the
// tool that they have for the purpose with the parameters that it has, what
// comes after its result, a title, an error.
func TestChat(t *testing.T) {
	s := start(t, nil)
	s.In("/work/orchard")
	s.Open("after")
	const tools = `[{"type":"function","function":{"name":"edit","parameters":{"type":"object","required":["path","edits","why"],"properties":{
		"path":{"type":"string"},"why":{"type":"string"},"dry":{"type":"boolean"},
		"edits":{"type":"array","items":{"type":"object","required":["oldText"],"properties":{"oldText":{"type":"string"},"newText":{"type":["string","null"]}}}}}}}},
		{"type":"function","function":{"name":"read","parameters":{"properties":{"path":{}}}}},
		{"type":"function","function":{"name":"bash","parameters":{"properties":{"command":{"type":"string"}}}}}]`
	const user, call, result = `{"role":"user","content":[{"type":"text","text":"SCN:edit please"}]}`, `,{"role":"assistant","content":null}`, `,{"role":"tool","content":"done"}`
	for _, c := range []struct{ name, messages, tools, want string }{
		{"no scenario", `{"role":"user","content":"hello"}`, tools, "The answer is 42."},
		{"first step", `{"role":"user","content":"SCN:run"},{"role":"assistant","content":"x"},` + user, tools,
			`I look at the file first.read({"path":"/work/orchard/hello.txt"})tool_calls`},
		{"second step", user + call + result, tools,
			`edit({"edits":[{"newText":"Hello, everybody","oldText":"Hello, world"}],"path":"/work/orchard/hello.txt","why":"none"})tool_calls`},
		{"a note after the prompt", user + `,{"role":"user","content":"<reminder>"}` + call + result + call + result, tools, "Nothing else is left to do.stop"},
		{"a tool that is not there", `{"role":"user","content":"SCN:ask"}`, tools, "There is no tool like AskUserQuestion.stop"},
		{"title", user, "[]", "Greeting changestop"},
	} {
		status, body := answer(t, s.URL+"/v1/chat/completions", `{"model":"m","stream":true,"tools":`+c.tools+`,"messages":[`+c.messages+`]}`)
		got := ""
		for line := range strings.Lines(body) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			if !ok || data == "[DONE]" {
				continue
			}
			var e struct {
				Choices []struct {
					FinishReason string `json:"finish_reason"`
					Delta        struct {
						Content   string
						ToolCalls []struct {
							Function struct{ Name, Arguments string }
						} `json:"tool_calls"`
					}
				}
			}
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatalf("%q: %v", data, err)
			}
			for _, ch := range e.Choices {
				got += ch.Delta.Content
				for _, f := range ch.Delta.ToolCalls {
					got += f.Function.Name + "(" + f.Function.Arguments + ")"
				}
				got += ch.FinishReason
			}
		}
		if status != 200 || !strings.Contains(got, c.want) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
			t.Errorf("%s: %d %q, want %q", c.name, status, got, c.want)
		}
	}
	if status, body := answer(t, s.URL+"/v1/chat/completions", `{"messages":[{"role":"user","content":"name this"}]}`); status != 200 || !strings.Contains(body, `"content":"Greeting change"`) {
		t.Errorf("not streamed: %d %s", status, body)
	}
	if status, body := answer(t, s.URL+"/v1/chat/completions", `{"tools":`+tools+`,"messages":[{"role":"user","content":"SCN:err"}]}`); status != 400 || !strings.Contains(body, "not acceptable") {
		t.Errorf("error: %d %s", status, body)
	}
}

// TestGemini asks as Gemini's CLI does.
func TestGemini(t *testing.T) {
	s := start(t, nil)
	s.Open("after")
	const path = "/v1beta/models/mock-1:streamGenerateContent?alt=sse"
	const tools = `[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{"type":"string"}}}}]}]`
	const user = `{"role":"user","parts":[{"text":"SCN:run please"}]}`
	for _, c := range []struct{ name, contents, tools, want string }{
		{"first step", user, tools, `"functionCall":{"args":{"command":"touch marker-file \u0026\u0026 echo written"}`},
		{"second step", user + `,{"role":"model","parts":[{"functionCall":{}}]},{"role":"user","parts":[{"functionResponse":{"name":"x"}}]}`, tools, `" to"`},
		{"title", user, "[]", `"text":"Greeting"`},
	} {
		status, body := answer(t, s.URL+path, `{"tools":`+c.tools+`,"contents":[`+c.contents+`]}`)
		if status != 200 || !strings.Contains(body, c.want) || !strings.Contains(body, `"finishReason":"STOP"`) {
			t.Errorf("%s: %d %s, want %q", c.name, status, body, c.want)
		}
	}
	if status, body := answer(t, s.URL+"/v1beta/models/mock-1:countTokens", `{}`); status != 200 || !strings.Contains(body, "totalTokens") {
		t.Errorf("tokens: %d %s", status, body)
	}
	if status, body := answer(t, s.URL+"/v1beta/models/mock-1:generateContent", `{"contents":[],"generationConfig":{"responseSchema":{"type":"OBJECT"}}}`); status != 200 || !strings.Contains(body, "next_speaker") {
		t.Errorf("by a schema: %d %s", status, body)
	}
}
