package mockapi

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Turn is what a scenario knows when it has to answer.
type Turn struct {
	Step     int      // assistant turns since the prompt that named the scenario
	Try      int      // how often this very step was asked for before: the client retries
	Dir      string   // the client's working directory
	Tools    []string // the tools that the client offers
	PlanFile string   // where a plan has to be written first; empty if nowhere
	URL      string   // of the mock

	offers offers // the tools with their parameters; not of the Messages API
}

// Scenario returns what to answer; at least one block.
type Scenario func(Turn) []Block

// steps answers with the blocks of its step, and with the last ones ever after.
func steps(s ...[]Block) Scenario {
	return func(t Turn) []Block { return s[min(t.Step, len(s)-1)] }
}

func say(s string) []Block { return []Block{Text{S: s}} }

// later answers after a pause, slowly enough that the working screen is seen.
func later(d time.Duration, s string) []Block { return []Block{Pause(d), Text{S: s, Rate: 60}} }

func bash(command, description string) Tool {
	return Tool{"Bash", map[string]any{"command": command, "description": description}}
}

// agent calls a subagent. The tool was called Task before Claude Code 2.1.
func (t Turn) agent(description, prompt string, background bool) Tool {
	name := "Task"
	if slices.Contains(t.Tools, "Agent") {
		name = "Agent"
	}
	return Tool{name, map[string]any{"description": description, "prompt": prompt,
		"subagent_type": "general-purpose", "run_in_background": background}}
}

type option struct{ label, description string }

func question(header, text string, multi bool, options ...option) map[string]any {
	var list []map[string]any
	for _, o := range options {
		list = append(list, map[string]any{"label": o.label, "description": o.description})
	}
	return map[string]any{"header": header, "question": text, "multiSelect": multi, "options": list}
}

func ask(questions ...map[string]any) Tool {
	return Tool{"AskUserQuestion", map[string]any{"questions": questions}}
}

// apiError returns an answer by which the API says that it is in trouble.
func apiError(status int, kind, message string) Error {
	return Error{Status: status, Type: kind, Message: message}
}

// scenarios returns the built-in ones by name. A test can replace each.
func scenarios() map[string]Scenario {
	database := question("Database", "Which database should the service use?", false,
		option{"PostgreSQL", "Robust relational database"},
		option{"SQLite", "Single file, no server"},
		option{"MySQL", "Widely deployed"})
	port := question("Port", "Which port should it listen on?", false,
		option{"8080", "Usual development port"},
		option{"9000", "Alternative"})
	features := question("Features", "Which features do you want to enable?", true,
		option{"Logging", "Structured logs"},
		option{"Metrics", "Prometheus endpoint"},
		option{"Tracing", "OpenTelemetry spans"})

	return map[string]Scenario{
		// The client's side calls; the names are those of their kinds.
		"compact": steps([]Block{Pause(3 * time.Second), Text{S: summary, Rate: 4000}}),
		"title":   steps([]Block{Text{S: `{"title":"Scripted test session","branch":"claude/scripted-test"}`, Rate: 9000}}),
		"fetch":   steps(say("A test page that says Hello.")),
		"side":    steps(say(`{"isNewTopic":false,"title":null}`)),

		// Answers.
		"plain": steps(say("Hello! The answer is 42. Nothing else needs to be done.")),
		"slow":  steps([]Block{Pause(2500 * time.Millisecond), Text{S: prose, Rate: 45}}),
		"wait":  steps([]Block{Pause(25 * time.Second), Text{S: "Done waiting."}}),
		"hold":  steps([]Block{Text{S: "I have begun."}, Gate("hold"), Text{S: " I have finished."}}),
		"think": steps([]Block{
			Thinking{S: strings.Repeat("Let me think about the scopes and the symbol tables. ", 8), Rate: 50},
			Text{S: "I thought about it. All good."}}),
		"long": steps([]Block{Text{S: lines(60, "%d. Step number %[1]d of the long list"), Rate: 3000}}),
		"md": steps(say("# Title\n\nSome **bold** and `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n" +
			"- [ ] one\n- [x] two\n\n> quote\n\n1. Yes\n2. No\n")),

		// Permissions.
		"bash_curl": steps(
			[]Block{Text{S: "I will check the server."}, bash("curl http://127.0.0.1:1/", "Check the local server")},
			later(3*time.Second, "The server does not answer. I am done.")),
		"bash_rm": steps(
			[]Block{bash("rm -r build", "Remove the build folder")},
			later(2500*time.Millisecond, "Removed the build folder.")),
		"bash_long": steps(
			[]Block{Text{S: "Running a longer script."}, bash("for i in 1 2 3; do\n  curl -s http://127.0.0.1:1/$i \\\n"+
				"    -H \"Accept: application/json\" \\\n    -o out-$i.json\ndone && python3 -c \"print(1)\" && npm publish --dry-run",
				"Fetch three pages and do a dry-run publish")},
			say("Done.")),
		"bash2": steps(
			[]Block{bash("touch a.txt", "Create a"), bash("touch b.txt", "Create b")},
			say("Both done.")),
		"edit": func(t Turn) []Block {
			file := t.Dir + "/hello.py"
			return steps(
				[]Block{Text{S: "Let me look at the file."}, Tool{"Read", map[string]any{"file_path": file}}},
				[]Block{Tool{"Edit", map[string]any{"file_path": file, "old_string": `print("hello")`, "new_string": `print("hello, world")`}}},
				later(2*time.Second, "Edited hello.py."))(t)
		},
		"write": func(t Turn) []Block {
			return steps(
				[]Block{Tool{"Write", map[string]any{"file_path": t.Dir + "/notes.md", "content": "# Notes\n\n- one\n- two\n"}}},
				say("Wrote notes.md."))(t)
		},
		"write_long": func(t Turn) []Block {
			return steps(
				[]Block{Tool{"Write", map[string]any{"file_path": t.Dir + "/long.txt", "content": lines(70, "line %d")}}},
				say("Wrote it."))(t)
		},
		"readout": steps(
			[]Block{Tool{"Read", map[string]any{"file_path": "/etc/hostname"}}},
			say("Read it.")),
		"webfetch": func(t Turn) []Block {
			return steps(
				[]Block{Tool{"WebFetch", map[string]any{"url": t.URL + "/page", "prompt": "Summarise the page"}}},
				say("The page is a test page."))(t)
		},
		"websearch": steps(
			[]Block{Tool{"WebSearch", map[string]any{"query": "pty wrapper"}}},
			say("Nothing found.")),
		"mcp": steps(
			[]Block{Tool{"mcp__demo__echo", map[string]any{"text": "hello mcp"}}},
			say("The MCP server echoed the text.")),

		// Questions and plans.
		"elicit": steps(
			[]Block{Tool{"mcp__demo__ask", map[string]any{}}},
			say("The server got its answer.")),
		"ask1": steps(
			[]Block{Text{S: "I need one decision."}, ask(database)},
			later(2*time.Second, "Thanks, going on with your choice.")),
		"ask2": steps([]Block{ask(database, port)}, later(2*time.Second, "Thanks for both answers.")),
		"ask3": steps([]Block{ask(features)}, later(2*time.Second, "Thanks, enabling these.")),
		"plan": func(t Turn) []Block {
			exit := []Block{Tool{"ExitPlanMode", map[string]any{"plan": plan}}}
			done := later(2*time.Second, "Starting the implementation. Done.")
			if t.PlanFile == "" {
				return steps(exit, done)(t)
			}
			write := Tool{"Write", map[string]any{"file_path": t.PlanFile, "content": plan}}
			return steps([]Block{Text{S: "Writing the plan."}, write}, exit, done)(t)
		},
		"enterplan": steps([]Block{Tool{"EnterPlanMode", map[string]any{}}}, say("I am in plan mode now.")),

		// Tools that run, subagents, background work.
		"sleep8":  steps([]Block{Text{S: "Running it."}, bash("sleep 8", "Wait eight seconds")}, say("Slept well.")),
		"sleep20": steps([]Block{Text{S: "Running it."}, bash("sleep 20", "Wait twenty seconds")}, say("Slept well.")),
		"out": steps(
			[]Block{Text{S: "Running it."}, bash("sleep 1; for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 1; done", "Print lines")},
			say("Printed.")),
		"bgbash": steps(
			[]Block{Tool{"Bash", map[string]any{"command": "sleep 45", "description": "Long sleep", "run_in_background": true}}},
			say("The sleep is running in the background; you can go on.")),
		"agent": func(t Turn) []Block {
			return steps(
				[]Block{Text{S: "I will ask a subagent."}, t.agent("Look at the parser", "SCN:sub_slow please", false)},
				[]Block{Pause(1500 * time.Millisecond), Text{S: "The subagent says all is fine."}})(t)
		},
		"agents2": func(t Turn) []Block {
			return steps(
				[]Block{t.agent("Look at the parser", "SCN:sub_slow please", false), t.agent("Look at the lexer", "SCN:sub_slow please", false)},
				say("Both subagents are done."))(t)
		},
		"agentbg": func(t Turn) []Block {
			return steps(
				[]Block{t.agent("Look at the parser", "SCN:sub_slow please", true)},
				say("The subagent works in the background. I will tell you when it is done."))(t)
		},
		"agentperm": func(t Turn) []Block {
			return steps(
				[]Block{t.agent("Check the server", "SCN:bash_curl please", false)},
				say("The subagent is done."))(t)
		},
		"agentpermbg": func(t Turn) []Block {
			return steps(
				[]Block{t.agent("Check the server", "SCN:bash_curl please", true)},
				say("The subagent is working in the background."))(t)
		},
		"sub_slow": steps(
			[]Block{Pause(3 * time.Second), bash("sleep 4", "Wait a little")},
			[]Block{Pause(1500 * time.Millisecond), Tool{"Glob", map[string]any{"pattern": "*.py"}}},
			[]Block{Pause(1500 * time.Millisecond), Text{S: "The parser is fine."}}),
		"todo": todo,

		// Answers that look like a dialog, or ask something in prose.
		"wouldyou": steps(say("I fixed the off-by-one error in `parse()` and the suite passes.\n\n" +
			"Would you like me to add a regression test?")),
		"proceedq": steps(say("I looked at the module. Two ways are possible:\n\n1. Rewrite the parser\n2. Patch the lexer\n\n" +
			"Do you want to proceed? Which one should I take?")),
		"quote":     steps(say(quote)),
		"quotecode": steps(say(quoteCode)),
		"quoteend":  steps(say(quoteEnd)),
		"quoteslow": steps([]Block{
			Text{S: quote + "\n\nNow a longer explanation follows. ", Rate: 800}, Text{S: prose, Rate: 40}}),

		// Trouble.
		"err400":    steps([]Block{apiError(400, "invalid_request_error", "mock: prompt is not acceptable")}),
		"err401":    steps([]Block{apiError(401, "authentication_error", "invalid x-api-key")}),
		"err429":    steps([]Block{Error{429, "rate_limit_error", "This request would exceed your rate limit", 120 * time.Second}}),
		"err500":    steps([]Block{apiError(500, "api_error", "Internal server error")}),
		"err529all": steps([]Block{apiError(529, "overloaded_error", "Overloaded")}),
		"err529": func(t Turn) []Block {
			if t.Try < 2 {
				return []Block{apiError(529, "overloaded_error", "Overloaded")}
			}
			return say("Recovered after the overload.")
		},
		"drop": steps([]Block{Text{S: "I was about to say something"}, Drop{}}),
	}
}

// todo keeps a task list with one task left open. Its tools were renamed in
// the course of Claude Code 2.1.
func todo(t Turn) []Block {
	end := []Block{Pause(9 * time.Second), Text{S: "One is left."}}
	if slices.Contains(t.Tools, "TodoWrite") {
		task := func(content, status, active string) map[string]any {
			return map[string]any{"content": content, "status": status, "activeForm": active}
		}
		return steps([]Block{Tool{"TodoWrite", map[string]any{"todos": []any{
			task("Read code", "completed", "Reading code"),
			task("Fix the bug", "in_progress", "Fixing the bug"),
			task("Run tests", "pending", "Running tests")}}}}, end)(t)
	}
	create := func(subject, description, active string) Tool {
		return Tool{"TaskCreate", map[string]any{"subject": subject, "description": description, "activeForm": active}}
	}
	return steps(
		[]Block{create("Fix the bug", "Fix the bug in the parser", "Fixing the bug"), create("Run the tests", "Run all tests", "Running the tests")},
		[]Block{Tool{"TaskUpdate", map[string]any{"taskId": "1", "status": "in_progress"}}},
		end)(t)
}

// lines returns n numbered lines.
func lines(n int, format string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, format+"\n", i)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
