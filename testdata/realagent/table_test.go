package realagent

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/testdata/agents"
	"fwrap/testdata/mockapi"
	"fwrap/testdata/notifyspy"
	"fwrap/testdata/ptyrun"
)

// A column of the table: which sources of the state count.
type column struct {
	name  string
	flags []string
}

var columns = []column{
	{"all", nil},
	{"7501", []string{"--sources=7501,process"}},
	{"hooks", []string{"--sources=hook,process", "--hooks=always"}},
	{"screen", []string{"--sources=screen,process", "--hooks=never"}},
}

// A row of the table is a conversation, played within one session after the
// rows before it.
type row struct {
	name  string
	text  string // what is typed and entered; empty: nothing
	steps []step
}

// A step is a moment of a row.
type step struct {
	shows, hides string   // regular expressions: what stands on the screen, and what does not
	is           string   // the state, for every column; empty: not looked at
	but          holes    // and where a column cannot know
	tells        []string // what a notice says
	keys         string
	open         mockapi.Gate
}

// holes are the states that a column says instead, with the reason. Of several,
// "one → another", the last stays; "one|other" is either.
type holes map[string]hole

type hole struct{ is, why string }

func (s step) want(column string) string {
	if h, ok := s.but[column]; ok {
		return h.is
	}
	return s.is
}

const (
	permission = "Do you want to proceed"
	prompt     = `esc to interrupt`
)

// The reasons why a single source cannot know better.
const (
	notWhy = "no hook runs for Esc and No (Claude Code 2.1.332), and its status file says that it rests, not why"
	noWord = "OSC 7501 has no word for it"
	woken  = "the end in the background is told at once, and a moment later the prompt that wakes the agent"
	local  = "Claude Code 2.1.332 reports some commands of its own as work, and their end as after Esc"
	again  = "Claude Code 2.1.332 repeats the failure of the turn before"
)

// table is played by each column in one session, from top to bottom.
var table = []row{
	{name: "start", steps: []step{{shows: ready, is: "idle"}}},
	{name: "answer", text: "SCN:plain please", steps: []step{
		{shows: "The answer is 42", hides: prompt, is: "idle"}}},
	{name: "permission, yes", text: "SCN:errand please", steps: []step{
		{shows: permission, is: "blocked/permission", tells: []string{"orchard", "curl http://127.0.0.1:1/status"}, keys: enter},
		{shows: prompt, hides: dialog, is: "working"},
		{shows: "errand is done", hides: prompt, is: "idle"}}},
	{name: "permission, no", text: "SCN:bash_no please", steps: []step{
		{shows: permission, is: "blocked/permission", keys: "4"},
		{shows: "Interrupted|declined|rejected", hides: dialog, is: "idle/interrupted", but: holes{
			"hooks": {"idle", notWhy}}}}},
	{name: "permission, Esc", text: "SCN:bash_rm please", steps: []step{
		{shows: permission + `(.|\n)*Esc to cancel`, is: "blocked/permission", keys: esc},
		{shows: "Interrupted", hides: dialog, is: "idle/interrupted", but: holes{
			"hooks": {"idle", notWhy}}}}},
	{name: "Esc", text: "SCN:slow please", steps: []step{
		{shows: "parser walks", is: "working", keys: esc},
		{shows: "Interrupted", hides: prompt, is: "idle/interrupted", but: holes{
			"hooks": {"idle", notWhy}}}}},
	{name: "question", text: "SCN:ask1 please", steps: []step{
		{shows: `Which database(.|\n)*to navigate`, is: "blocked/question",
			tells: []string{"Which database should the service use?", "PostgreSQL", "SQLite", "MySQL"}, keys: enter},
		{shows: "going on with your choice", hides: prompt, is: "idle"}}},
	{name: "elicitation", text: "SCN:elicit please", steps: []step{
		{shows: "Which environment", is: "blocked/question", keys: esc},
		{shows: "got its answer", hides: prompt, is: "idle"}}},
	{name: "subagent's permission", text: "SCN:agentperm please", steps: []step{
		{shows: `general-purpose agent(.|\n)*Do you want`, is: "blocked/permission", keys: enter},
		{shows: `Check the server. finished(.|\n)*· done`, hides: prompt, is: "idle", but: holes{
			"hooks": {"idle|working → idle", woken}}}}},
	{name: "background agent", text: "SCN:agentback please", steps: []step{
		{shows: "Waiting for 1 background agent", is: "working/background", open: "back", but: holes{
			"7501": {"working", noWord}}},
		{shows: `Look at the parser. finished(.|\n)*· done`, hides: prompt, is: "idle", but: holes{
			"hooks": {"idle|working → idle", woken}}}}},
	{name: "background shell", text: "SCN:shellback please", steps: []step{
		{shows: "1 shell still running", hides: prompt, is: "idle/shell"},
		{shows: "Long sleep. completed", hides: prompt + "|still running", is: "idle", but: holes{
			"hooks": {"idle|working → idle", woken}}}}},
	{name: "API error", text: "SCN:err400 please", steps: []step{
		{shows: "API Error: 400", hides: prompt, is: "idle/error"}}},
	{name: "/compact", text: "/compact", steps: []step{
		{shows: "Compacting", is: "working/compacting", but: holes{
			"7501": {"working", noWord}, "screen": {"idle|working → working/compacting", "the list of commands covers the error"}}},
		{shows: "Compacted", hides: "Compacting", is: "idle", but: holes{"7501": {"idle/error", again}}}}},
	{name: "/clear", text: "/clear", steps: []step{
		{shows: "manual mode on", hides: "Compacted", is: "idle", but: holes{
			"all": {"idle|idle/interrupted", local}, "7501": {"idle|idle/interrupted", local}}}}},
	{name: "plan", text: "", steps: []step{
		{shows: "manual mode on", keys: planMode},
		{shows: "plan mode on", keys: "SCN:plan please"},
		{shows: "SCN:plan please", keys: enter},
		{shows: "Would you like to proceed", is: "blocked/plan", keys: "2"},
		{shows: `implementation\. Done`, hides: prompt, is: "idle"}}},
	{name: "/exit", text: "/exit", steps: []step{{is: "none"}}},
}

// planMode steps through the modes: from manual over accepting edits to planning.
const planMode = "\x1b[Z\x1b[Z"

// tableScenarios are those of the table that are not the mock's own.
func tableScenarios(api *mockapi.Server) {
	bash := func(command, description string, back bool) mockapi.Block {
		return mockapi.Tool{Name: "Bash", Input: map[string]any{
			"command": command, "description": description, "run_in_background": back}}
	}
	api.Handle("errand", func(turn mockapi.Turn) []mockapi.Block {
		if turn.Step == 0 {
			// Claude Code 2.1.332 leaves the working out now and then when the
			// dialog follows at once, with fwrap or without (1 of 24).
			return []mockapi.Block{mockapi.Pause(time.Second), bash("curl http://127.0.0.1:1/status", "Ask the server", false)}
		}
		return []mockapi.Block{mockapi.Pause(2 * time.Second), mockapi.Text{S: "The errand is done."}}
	})
	api.Handle("bash_no", func(mockapi.Turn) []mockapi.Block {
		return []mockapi.Block{bash("touch nothing.txt", "Make a file", false)}
	})
	api.Handle("agentback", func(turn mockapi.Turn) []mockapi.Block {
		if turn.Step == 0 {
			return []mockapi.Block{mockapi.Tool{Name: "Agent", Input: map[string]any{
				"description": "Look at the parser", "prompt": "SCN:sub_gate please",
				"subagent_type": "general-purpose", "run_in_background": true}}}
		}
		return []mockapi.Block{mockapi.Text{S: "The subagent works in the background."}}
	})
	api.Handle("sub_gate", func(mockapi.Turn) []mockapi.Block {
		return []mockapi.Block{mockapi.Gate("back"), mockapi.Text{S: "The parser is fine."}}
	})
	api.Handle("shellback", func(turn mockapi.Turn) []mockapi.Block {
		if turn.Step == 0 {
			return []mockapi.Block{bash("sleep 6", "Long sleep", true)}
		}
		return []mockapi.Block{mockapi.Text{S: "The sleep is running in the background."}}
	})
}

// outcome is what a column said in a row.
type outcome struct{ said, want string }

// TestTable plays the table with all sources, and with each alone.
func TestTable(t *testing.T) {
	results := make([]map[string]outcome, len(columns))
	t.Run("columns", func(t *testing.T) {
		for i, c := range columns {
			results[i] = map[string]outcome{}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				playTable(t, c, results[i])
			})
		}
	})
	var b strings.Builder
	why := map[string]bool{}
	for _, r := range table {
		fmt.Fprintf(&b, "\n%s\n", r.name)
		for i, c := range columns {
			o := results[i][r.name]
			note := ""
			if o.want != "" && o.said != o.want {
				note = "   EXPECTED " + o.want
			}
			fmt.Fprintf(&b, "  %-7s %s%s\n", c.name, o.said, note)
			for _, s := range r.steps {
				if h, ok := s.but[c.name]; ok {
					why[fmt.Sprintf("%s, %s: %s for %s, because %s", r.name, c.name, h.is, s.is, h.why)] = true
				}
			}
		}
	}
	b.WriteString("\nWhat a single source cannot know:\n")
	for _, w := range slices.Sorted(mapKeys(why)) {
		b.WriteString("  " + w + "\n")
	}
	t.Log(b.String())
}

func mapKeys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// playTable is one session of Claude Code that plays all rows.
func playTable(t *testing.T, c column, results map[string]outcome) {
	api, err := mockapi.Start("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	tableScenarios(api)
	h := agents.Claude{API: api.URL}.Home(t)
	j, env := newJournal(t)
	bus, err := notifyspy.Start(t.TempDir(), notifyspy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	argv := append([]string{fwrapBin, "--config=" + quick(t)}, c.flags...)
	argv = append(argv, agents.Bin(t, "claude"), "--permission-mode", "manual",
		"--allowedTools", "mcp__demo__ask,Bash(sleep:*)", "--mcp-config", mcpConfig(t))
	p := ptyrun.Start(t, ptyrun.Options{Dir: h.Project, Terminal: ptyrun.Xterm{},
		Env: append(h.Env, env, "DBUS_SESSION_BUS_ADDRESS="+bus.Address())}, argv...)

	play{t, p, j, bus, api, c.name}.rows(table, results)
}

// quick is a configuration with which every dialog is told.
func quick(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fwrap.toml")
	if err := os.WriteFile(file, []byte("[notify]\ncooldown = \"100ms\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// play is one session that plays rows, with what is to be looked at.
type play struct {
	t      *testing.T
	p      *ptyrun.Program
	j      *journal
	bus    *notifyspy.Bus
	api    *mockapi.Server
	column string
}

// rows plays them and notes what was said in each.
func (y play) rows(table []row, results map[string]outcome) {
	t, p, j := y.t, y.p, y.j
	t.Helper()
	for _, r := range table {
		from := max(0, len(j.lines("state"))-1) // the state before the row is its first
		if r.name == "start" {
			from = 0
		}
		if r.text != "" {
			p.Held("prompt before "+r.name, 400*time.Millisecond, limit, ptyrun.Not(ptyrun.Matches(prompt)))
			ask(p, r.text)
		}
		var want []string
		for i, s := range r.steps {
			what := fmt.Sprintf("%s, moment %d", r.name, i+1)
			cond := func(d detect.Snapshot) bool {
				return (s.shows == "" || ptyrun.Matches(s.shows)(d)) && (s.hides == "" || !ptyrun.Matches(s.hides)(d))
			}
			var states []string
			if s.is != "" {
				states = strings.Split(s.want(y.column), " → ")
			}
			want = append(want, states...)
			if r.name == "/exit" {
				p.Wait(limit)
			} else {
				p.Until(what, limit, cond)
			}
			if len(states) == 0 {
				from = max(0, len(j.lines("state"))-1)
			} else {
				is := states[len(states)-1]
				j.wait(t, p, what+": state "+is, 10*time.Second, func() bool { return either(is, j.now()) })
			}
			if _, mute := s.but[y.column+" tells"]; len(s.tells) > 0 && !mute {
				told(t, p, y.bus, s.tells)
			}
			switch {
			case s.open != "":
				y.api.Open(s.open)
			case s.keys != "" && s.is != "":
				p.Held(what+", still", attentive, limit, cond)
				p.Send(s.keys)
			case s.keys != "":
				p.Send(s.keys)
			}
		}
		got := j.states(from)
		o := outcome{said: strings.Join(got, " → "), want: strings.Join(want, " → ")}
		// Between a prompt and its dialog, or its failure, there may be nothing to see.
		worked := slices.ContainsFunc(got, func(s string) bool {
			return strings.HasPrefix(s, "working") || strings.HasPrefix(s, "blocked") || s == "idle/error"
		})
		// The rest before the row, and how it was called, is not the row's;
		// nor is what a row before it that has no prompt has left to be seen.
		before := func(s string) bool {
			return strings.HasPrefix(s, "idle") || r.text == "" && strings.HasPrefix(s, "working")
		}
		fits := follows(got, want)
		for n := 1; n < len(got) && before(got[n-1]) && !fits; n++ {
			fits = follows(got[n:], want)
		}
		if fits && (worked || !strings.HasPrefix(r.text, "SCN:")) {
			o.want = ""
		} else {
			t.Errorf("%s: %s, want %s", r.name, o.said, o.want)
		}
		results[r.name] = o
	}
}

// told waits for a notice that says all of it.
func told(t *testing.T, p *ptyrun.Program, bus *notifyspy.Bus, all []string) {
	t.Helper()
	has := func() bool {
		return slices.ContainsFunc(notices(bus), func(c notifyspy.Call) bool {
			for _, s := range all {
				// The body is markup.
				if !strings.Contains(c.Summary+"\n"+html.UnescapeString(c.Body), s) {
					return false
				}
			}
			return true
		})
	}
	if !bus.Wait(10*time.Second, has) {
		var got []string
		for _, c := range notices(bus) {
			got = append(got, fmt.Sprintf("%q %q", c.Summary, c.Body))
		}
		t.Errorf("no notice with %q, but %s\n%s", all, strings.Join(got, "; "), p.Describe())
	}
}

// follows reports whether the states are the wanted ones in their order and,
// between them, nothing but work.
func follows(got, want []string) bool { return after("", got, want) }

// after is follows, with the state before.
func after(last string, got, want []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case last != "" && either(want[0], last) && after(last, got, want[1:]): // the same goes on
		return true
	case len(got) == 0:
		return false
	case either(want[0], got[0]) && after(got[0], got[1:], want[1:]):
		return true
	}
	return strings.HasPrefix(got[0], "working") && after(got[0], got[1:], want)
}

func TestFollows(t *testing.T) {
	for _, c := range []struct {
		got, want string
		ok        bool
	}{
		{"working idle", "idle", true},
		{"idle", "idle", true},
		{"working blocked working idle", "blocked idle", true},
		{"working blocked working idle", "idle", false},
		{"working blocked idle", "blocked working idle", false},
		{"working idle working idle", "idle", false},
		{"working idle working idle", "idle|working idle", true},
		{"working working/background idle working idle", "idle|working idle", true},
		{"blocked idle", "blocked blocked idle", true},
		{"blocked idle/error", "blocked idle|idle/error", true},
		{"blocked", "blocked idle", false},
	} {
		if got := follows(strings.Fields(c.got), strings.Fields(c.want)); got != c.ok {
			t.Errorf("%s after %s: %v", c.got, c.want, got)
		}
	}
}

// either reports whether the state is among those that want names.
func either(want, state string) bool { return slices.Contains(strings.Split(want, "|"), state) }
