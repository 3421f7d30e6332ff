package mockapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// common begins the names of the scenarios that any agent can be played
// through: they ask for a tool by what it does, whatever the agent calls it.
// A prompt names them without it, SCN:run.
const common = "any_"

// said is a message of the conversation.
type said struct {
	user   bool
	result bool // of a tool
	text   string
}

// commonBlocks returns what to answer. It has answered itself if ok is false.
func (s *Server) commonBlocks(w http.ResponseWriter, rec *Request, o offers, log []said) (blocks []Block, ok bool) {
	name, step := "plain", 0
	for _, m := range slices.Backward(log) {
		if m.result {
			step++
		}
		if found := scenarioWord().FindAllStringSubmatch(m.text, -1); m.user && found != nil {
			name = found[len(found)-1][1]
			break
		}
	}
	if len(log) > 0 {
		last := log[len(log)-1].text
		rec.Last = last[max(0, len(last)-300):]
	}
	rec.Tools = slices.Sorted(maps.Keys(o))
	rec.Kind, rec.Scenario, rec.Step = string(turn), common+name, step
	// Titles and summaries are asked for without tools.
	if len(o) == 0 {
		rec.Kind, rec.Scenario, rec.Step = string(side), common+"title", 0
	}
	key := fmt.Sprintf("%s %d %d", rec.Scenario, rec.Step, len(log))
	s.mu.Lock()
	f := s.scenarios[rec.Scenario]
	rec.Try = s.tries[key]
	s.tries[key]++
	dir := s.dir
	s.mu.Unlock()
	blocks = []Block{Text{S: "mock: no scenario " + rec.Scenario}}
	if f != nil {
		blocks = f(Turn{Step: rec.Step, Try: rec.Try, Dir: dir, Tools: rec.Tools, URL: s.URL, offers: o})
	} else {
		rec.Error = "unknown scenario"
	}
	s.record(*rec)
	if e, is := blocks[0].(Error); is {
		writeError(w, e)
		return nil, false
	}
	return blocks, true
}

// schema is what of a tool's parameters matters here.
type schema struct {
	Type       any // a name, or a list of them
	Properties map[string]schema
	Items      *schema
	Required   []string
	Enum       []any
}

// UnmarshalJSON reads a schema that may also be true or null.
func (s *schema) UnmarshalJSON(b []byte) error {
	type plain schema
	if len(b) == 0 || b[0] != '{' {
		return nil
	}
	return json.Unmarshal(b, (*plain)(s))
}

func (s schema) is(kind string) bool {
	list, _ := s.Type.([]any)
	for _, v := range append(list, s.Type) {
		if name, _ := v.(string); strings.EqualFold(name, kind) {
			return true
		}
	}
	return false
}

// offers are the tools that a request offers.
type offers map[string]schema

// role is what a tool does, with the names that agents give it, the likelier
// ones first.
type role []string

var (
	toRun   = role{"exec_command", "run_shell_command", "run_commands", "execute_command", "run_terminal_command", "bash", "Bash", "shell", "Shell"}
	toRead  = role{"read_file", "Read", "read", "view_file", "view", "read_files", "ReadFile"}
	toEdit  = role{"replace", "edit", "Edit", "multiEdit", "MultiEdit", "str_replace_editor", "search_replace", "editor", "StrReplaceFile", "apply_patch"}
	toWrite = role{"write_file", "write", "Write", "create_file", "create", "WriteFile"}
	toAsk   = role{"AskUserQuestion", "ask_user_question", "AskQuestion", "askQuestion", "ask_question", "ask_followup_question", "ask_user", "question", "request_user_input"}
	toPlan  = role{"exit_plan_mode", "ExitPlanMode", "plan_exit"}
)

const question1 = "Which database should the loader use?"

// use returns a call of the tool for a role, or says that there is none. given
// are inputs by the name of the parameter.
func (t Turn) use(r role, given map[string]any) Block {
	for _, name := range r {
		s, ok := t.offers[name]
		if !ok {
			continue
		}
		input := map[string]any{}
		for key, p := range s.Properties {
			v, known := given[key]
			if !known && slices.Contains(s.Required, key) {
				v, known = filler(p), true
			}
			if known {
				input[key] = fit(v, p)
			}
		}
		return Tool{name, input}
	}
	return Text{S: fmt.Sprintf("There is no tool like %s.", r[0])}
}

// fit makes a list of a value where one is wanted, and leaves out of an object
// what its schema does not name.
func fit(v any, p schema) any {
	if p.is("array") {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		out := []any{}
		for _, e := range list {
			if p.Items != nil {
				e = fit(e, *p.Items)
			}
			out = append(out, e)
		}
		return out
	}
	if m, ok := v.(map[string]any); ok && len(p.Properties) > 0 {
		out := map[string]any{}
		for key, sub := range p.Properties {
			if e, ok := m[key]; ok {
				out[key] = fit(e, sub)
			} else if slices.Contains(p.Required, key) {
				out[key] = filler(sub)
			}
		}
		return out
	}
	return v
}

// filler is a value for a parameter that has to be there.
func filler(p schema) any {
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0]
	case p.is("boolean"):
		return false
	case p.is("number"), p.is("integer"):
		return 1
	case p.is("array"):
		return []any{}
	case p.is("object"):
		return map[string]any{}
	}
	return "none"
}

func (t Turn) run(command string) Block {
	given := map[string]any{"description": "Create the marker file", "is_background": false, "requires_approval": true,
		"justification": "Do you want to let me create the marker file?", "sandbox_permissions": "require_escalated"}
	for _, key := range []string{"command", "cmd", "commands"} {
		given[key] = command
	}
	return t.use(toRun, given)
}

func (t Turn) file(r role, name string, more map[string]any) Block {
	given := map[string]any{}
	maps.Copy(given, more)
	for _, key := range []string{"path", "file_path", "filePath", "filepath", "absolute_path", "target_file"} {
		given[key] = t.Dir + "/" + name
	}
	return t.use(r, given)
}

func (t Turn) edit() Block {
	const old, new = "Hello, world", "Hello, everybody"
	more := map[string]any{"command": "str_replace", "instruction": "Change the greeting",
		"edits": []any{map[string]any{"oldText": old, "newText": new, "old_string": old, "new_string": new}},
		"edit":  map[string]any{"old": old, "new": new}}
	for _, key := range []string{"old_string", "oldString", "old_str", "old_text", "oldText"} {
		more[key] = old
	}
	for _, key := range []string{"new_string", "newString", "new_str", "new_text", "newText"} {
		more[key] = new
	}
	return t.file(toEdit, "hello.txt", more)
}

func (t Turn) ask() Block {
	options := []any{
		map[string]any{"label": "SQLite", "description": "A single file", "value": "sqlite"},
		map[string]any{"label": "Postgres", "description": "A server", "value": "postgres"}}
	one := map[string]any{"id": "db", "header": "Database", "question": question1, "options": options, "multiSelect": false, "multi_select": false}
	names := []any{"SQLite", "Postgres"}
	given := map[string]any{"question": question1, "questions": []any{one}, "options": options, "choices": names}
	for _, s := range toAsk {
		if o := t.offers[s].Properties["options"]; o.Items != nil && o.Items.is("string") {
			given["options"] = names
		}
	}
	return t.use(toAsk, given)
}

// commonScenarios returns those for any agent.
func commonScenarios() map[string]Scenario {
	list := map[string]Scenario{
		"title": steps(say("Greeting change")),
		"plain": steps(say("Hello! The answer is 42.")),
		// Held before the first word, after some, and at the end.
		"hold": steps([]Block{Gate("first"), Text{S: "The parser walks the token list once.\n\nIt keeps a stack of open scopes.\n\n", Rate: 200},
			Gate("rest"), Text{S: "Nothing else is left to do."}}),
		"stream": steps([]Block{Pause(time.Second), Text{S: prose, Rate: 40}}),
		"think": steps([]Block{Thinking{S: "The loader has two branches. Both have to be looked at."}, Gate("first"),
			Text{S: "Both branches are fine.\n\nNothing else is left to do."}}),
		"run": func(t Turn) []Block {
			return steps([]Block{Text{S: "I need to run one command."}, t.run("touch marker-file && echo written")}, after)(t)
		},
		"quiet": func(t Turn) []Block {
			return steps([]Block{Text{S: "I wait for the build."}, t.run("sleep 6 && echo built")}, after)(t)
		},
		"two": func(t Turn) []Block {
			return steps([]Block{Text{S: "First one."}, t.run("touch marker-file && echo written")},
				[]Block{t.run("rm -f marker-file && git push origin main")}, after)(t)
		},
		"edit": func(t Turn) []Block {
			return steps([]Block{Text{S: "I look at the file first."}, t.file(toRead, "hello.txt", nil)},
				[]Block{Text{S: "Now I change it."}, t.edit()}, after)(t)
		},
		"write": func(t Turn) []Block {
			content := "# Notes\n\n- one\n- two\n"
			return steps([]Block{t.file(toWrite, "notes.md", map[string]any{"content": content, "contents": content, "file_text": content})}, after)(t)
		},
		"ask": func(t Turn) []Block { return steps([]Block{t.ask()}, after)(t) },
		"plan": func(t Turn) []Block {
			return steps([]Block{t.use(toPlan, map[string]any{"plan": plan})}, after)(t)
		},
		"prose": steps(say("I fixed the off-by-one error in `parse()` and the suite passes.\n\n" +
			"Would you like me to add a regression test?")),
		"choice": steps(say("There are two ways to do this:\n\n1. Yes, rewrite the loader\n2. No, keep it and add a wrapper\n\n" +
			"Which option do you prefer? (y/n)")),
		"err":  steps([]Block{apiError(http.StatusBadRequest, "invalid_request_error", "mock: prompt is not acceptable")}),
		"down": steps([]Block{apiError(http.StatusInternalServerError, "server_error", "mock: internal server error")}),
	}
	out := map[string]Scenario{}
	for name, f := range list {
		out[common+name] = f
	}
	return out
}

// after is what a turn ends with once its tool has run or was refused.
var after = []Block{Gate("after"), Text{S: "All of it is looked after.\n\nNothing else is left to do."}}
