package realagent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fwrap/testdata/agents"
	"fwrap/testdata/mockapi"
	"fwrap/testdata/notifyspy"
	"fwrap/testdata/ptyrun"
)

// codexReady is Codex's composer.
const codexReady = `for shortcuts`

// codexTable is what Codex is played through. It reports by OSC 7501 unasked.
var codexTable = []row{
	{name: "start", steps: []step{{shows: codexReady, is: "idle", but: holes{
		"7501": {"idle|idle/interrupted", "Codex 0.171.0 says working for a moment at its start"}}}}},
	{name: "answer", text: "SCN:plain please", steps: []step{
		{shows: "The answer is 42", hides: "esc to interrupt", is: "idle", but: holes{
			"7501": {"idle|idle/interrupted|working → idle", "Codex 0.171.0 says working for a moment at its start"}}}}},
	{name: "permission, yes", text: "SCN:shell please", steps: []step{
		{shows: "Press enter to confirm or esc", is: "blocked/permission", tells: []string{"orchard", "touch marker-file && echo written"}, keys: "y", but: holes{"7501 tells": {why: "Codex's reports have no text"}}},
		{shows: "the file is there", hides: "esc to interrupt", is: "idle"}}},
	{name: "permission, Esc", text: "SCN:shell again", steps: []step{
		{shows: "Press enter to confirm or esc", is: "blocked/permission", keys: esc},
		{shows: codexReady, hides: "Press enter to confirm", is: "idle/interrupted"}}},
	{name: "Esc", text: "SCN:slow please", steps: []step{
		{shows: "parser walks", is: "working", keys: esc},
		{shows: `stack of open scopes(.|\n)*interrupted`, hides: "esc to interrupt", is: "idle/interrupted"}}},
	{name: "failure", text: "SCN:err please", steps: []step{
		{shows: "prompt is not acceptable", hides: "esc to interrupt", is: "idle/error"}}},
	{name: "question", steps: []step{
		{shows: codexReady, keys: "\x1b[Z"},
		{shows: "Plan mode", keys: "SCN:ask please"},
		{shows: "SCN:ask please", keys: enter},
		{shows: "Which database should", is: "blocked/question", tells: []string{"Which database should the loader use?", "SQLite", "Postgres"}, keys: enter,
			but: holes{"7501 tells": {why: "Codex's reports have no text"}}},
		{shows: "I will use that", hides: "esc to interrupt", is: "idle"}}},
	{name: "plan", text: "SCN:plan please", steps: []step{
		{shows: "Implement this plan", is: "blocked/plan", keys: esc, but: holes{
			"7501": {"idle", "Codex 0.171.0 says done"},
			"all":  {"idle|working|blocked/plan → blocked/plan", "Codex 0.171.0 says done, a moment before it draws the dialog"}}},
		{shows: codexReady, hides: "Implement this plan", is: "idle|idle/interrupted"}}},
}

func TestCodex(t *testing.T) {
	for _, c := range []column{{"all", nil}, {"7501", []string{"--sources=7501,process"}}, {"screen", []string{"--sources=screen,process"}}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			api, err := mockapi.Start("127.0.0.1:0", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer api.Close()
			h := agents.Codex{API: api.URL}.Home(t)
			j, env := newJournal(t)
			bus, err := notifyspy.Start(t.TempDir(), notifyspy.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer bus.Close()
			argv := append([]string{fwrapBin, "--config=" + quick(t)}, c.flags...)
			p := ptyrun.Start(t, ptyrun.Options{Dir: h.Project, Terminal: ptyrun.Xterm{},
				Env: append(h.Env, env, "DBUS_SESSION_BUS_ADDRESS="+bus.Address())},
				append(argv, agents.Bin(t, "codex"), "--no-daemon")...)
			results := map[string]outcome{}
			play{t, p, j, bus, api, c.name}.rows(codexTable, results)
			var b strings.Builder
			for _, r := range codexTable {
				b.WriteString("\n" + r.name + ": " + results[r.name].said)
			}
			t.Log(b.String())
		})
	}
}

// TestCodexNotify: Codex's notify program ends the turn where nothing else is
// heard, not for the thread that makes a title, and the person's own still runs.
func TestCodexNotify(t *testing.T) {
	t.Parallel()
	api, err := mockapi.Start("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	dir := t.TempDir()
	own, calls := filepath.Join(dir, "own"), filepath.Join(dir, "calls")
	if err := os.WriteFile(own, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" >>'"+calls+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	h := agents.Codex{API: api.URL, Config: fmt.Sprintf("notify = [%q, \"an argument\"]", own)}.Home(t)
	j, env := newJournal(t)
	p := ptyrun.Start(t, ptyrun.Options{Dir: h.Project, Terminal: ptyrun.Xterm{}, Env: append(h.Env, env, "DBUS_SESSION_BUS_ADDRESS=")},
		fwrapBin, "--sources=hook,process", "--hooks=always", agents.Bin(t, "codex"), "--no-daemon")
	p.Until("the composer", limit, ptyrun.Matches(codexReady))
	ask(p, "SCN:shell please")
	p.Held("the dialog", attentive, limit, ptyrun.Matches("Press enter to confirm or esc"))
	p.Send("y")
	p.Until("the end of the turn", limit, ptyrun.Matches("the file is there"))
	j.wait(t, p, "idle", limit, func() bool { return j.now() == "idle" })
	j.wait(t, p, "call of the person's own program", limit, func() bool {
		b, _ := os.ReadFile(calls)
		return strings.HasPrefix(string(b), "an argument\n") && strings.Contains(string(b), `"type":"agent-turn-complete"`)
	})
	if got := j.states(0); !slices.Equal(got, []string{"idle"}) {
		t.Errorf("states %q, want the turn's end and no more", got)
	}
}
