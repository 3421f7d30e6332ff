package realagent

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/detect/manifest"
	"fwrap/manifests"
	"fwrap/testdata/agents"
	"fwrap/testdata/capture"
	"fwrap/testdata/mockapi"
	"fwrap/testdata/ptyrun"
)

var (
	otherAgent = flag.String("agent", "codex", "the agent that TestOtherScreens plays, by its manifest's name")
	otherBin   = flag.String("bin", "", "that agent's program; if empty, the one that .ci/run agents installs")
	unjudged   = flag.Bool("unjudged", false, "do not wait for the rules to agree: for an agent or a version that they do not know yet")
)

// beatOf is a moment of a scene for any agent. It comes when all that is given
// holds: the agent has asked the mock for the answer after so many results of
// tools, a text stands on the screen, another one does not.
type beatOf struct {
	say   string // first: typed and entered, "SCN:NAME please"
	asked int    // the answer after this many results less one is asked for; 0: not waited for
	shows string // $ready, $asks, $question and $trust are the agent's
	hides string

	label string // of the capture; empty: it is none
	state detect.State
	kind  detect.Kind
	of    string // with the kind in the table: "shell"
	note  string

	open mockapi.Gate
	keys string // $yes, $no, $stop, $accept and $menu are the agent's
	read bool   // the screen is what the scenario "quote" quotes

	needs string // left out with an agent that has not this, as a scene is
}

type sceneOf struct {
	name       string
	cols, rows int
	needs      []string // $asks, $question, …: what the agent has to have; with ! must not
	untrusted  bool
	beats      []beatOf
}

const (
	ending = `Nothing else is left`
)

var startOf = beatOf{shows: "$ready", label: "start", state: detect.Idle, note: "start"}

// otherScenes are played with every agent.
var otherScenes = func() []sceneOf {
	turn := []beatOf{startOf,
		{say: "hold", asked: 1, label: "wait", state: detect.Working, note: "nothing has come yet", open: "first"},
		{shows: "$begun", label: "stream", state: detect.Working, note: "in the middle of the answer", open: "rest"},
		{shows: ending, label: "end", state: detect.Idle, note: "answered"}}
	approve := func(name, of string) []beatOf {
		asked := 2
		if name == "edit" {
			asked = 3
		}
		return []beatOf{{shows: "$ready"},
			{say: name, shows: "$asks", label: "ask", state: detect.Blocked, kind: detect.Permission, of: of, note: "asks", keys: "$yes"},
			{asked: asked, hides: "$asks", label: "approved", state: detect.Working, note: "after the approval", open: "after"},
			{shows: ending, label: "end", state: detect.Idle, note: "answered"}}
	}
	refuse := func(name, of, keys string) []beatOf {
		return []beatOf{{shows: "$ready", open: "after"},
			{say: name, shows: "$asks", label: "ask", state: detect.Blocked, kind: detect.Permission, of: of, note: "asks", keys: keys},
			{hides: "$asks", label: "refused", state: detect.Idle, note: "refused"}}
	}
	question := []beatOf{{shows: "$ready"},
		{say: "ask", shows: "Which database(.|\n)*($question)", label: "ask", state: detect.Blocked, kind: detect.Ask, note: "question", keys: enter},
		{needs: "$review", shows: "$review", label: "review", state: detect.Blocked, kind: detect.Ask, of: "review", note: "before the answers are sent", keys: enter},
		{asked: 2, label: "answered", state: detect.Working, note: "after the answer", open: "after"},
		{shows: ending, label: "end", state: detect.Idle, note: "answered"}}
	unasked := []beatOf{{shows: "$ready"},
		{say: "run", asked: 2, label: "ran", state: detect.Working, note: "a tool has run, nothing was asked", open: "after"},
		{shows: ending, label: "end", state: detect.Idle, note: "answered"}}
	quote := func(more ...beatOf) []beatOf {
		return append([]beatOf{{shows: "$ready", open: "after"},
			{say: "run", shows: "$asks", read: true, keys: "$yes"},
			{shows: ending, hides: "$asks"}}, more...)
	}
	small := func(list []sceneOf) []sceneOf {
		for i := range list {
			list[i].name = fmt.Sprintf("%s at %dx%d", list[i].name, list[i].cols, list[i].rows)
		}
		return list
	}
	list := []sceneOf{
		{name: "turn", beats: turn},
		{name: "run yes", needs: []string{"$asks"}, beats: approve("run", "shell")},
		{name: "run no", needs: []string{"$asks"}, beats: refuse("run", "shell", "$no")},
		{name: "run Esc", needs: []string{"$asks", "!$firmrun"}, beats: refuse("run", "shell", esc)},
		{name: "run Esc in vain", needs: []string{"$asks", "$firmrun"}, beats: []beatOf{{shows: "$ready"},
			{say: "run", shows: "$asks", keys: esc},
			{label: "escaped", state: detect.Blocked, kind: detect.Permission, of: "shell", note: "Esc leaves the dialog open"}}},
		{name: "run", needs: []string{"!$asks"}, beats: unasked},
		{name: "edit yes", needs: []string{"$asks", "!$unasked"}, beats: approve("edit", "edit")},
		{name: "write no", needs: []string{"$asks", "!$unasked"}, beats: refuse("write", "write", "$no")},
		{name: "tworun", needs: []string{"$asks"}, beats: []beatOf{{shows: "$ready", open: "after"},
			{say: "two", shows: "touch(.|\n)*($asks)", keys: "$yes"},
			{shows: "push origin(.|\n)*($asks)", label: "second", state: detect.Blocked, kind: detect.Permission, of: "shell", note: "right after another"}}},
		{name: "quiet tool", needs: []string{"$asks"}, beats: []beatOf{{shows: "$ready", open: "after"},
			{say: "quiet", shows: "$asks", keys: "$yes"},
			{hides: "$asks", label: "tool", state: detect.Working, note: "a tool runs and says nothing"},
			{shows: ending, label: "end", state: detect.Idle, note: "answered"}}},
		{name: "tool unasked", needs: []string{"!$asks"}, beats: []beatOf{{shows: "$ready", open: "after"},
			{say: "quiet", asked: 1},
			{shows: `sleep 6`, label: "tool", state: detect.Working, note: "a tool runs and says nothing"},
			{shows: ending, label: "end", state: detect.Idle, note: "answered"}}},
		{name: "interrupted", beats: []beatOf{{shows: "$ready", open: "first"},
			{say: "hold", asked: 1, shows: "$begun", keys: "$stop"},
			{label: "stopped", state: detect.Idle, note: "interrupted"}}},
		{name: "queued", beats: []beatOf{{shows: "$ready", open: "first"},
			{say: "hold", asked: 1, shows: "$begun", keys: "and then update the docs"},
			{shows: "and then update the docs", label: "typed", state: detect.Working, note: "the person types meanwhile", keys: enter},
			{label: "queued", state: detect.Working, note: "and has entered it"}}},
		{name: "question", needs: []string{"$question"}, beats: question},
		{name: "question Esc", needs: []string{"$question", "!$firmask"}, beats: []beatOf{{shows: "$ready", open: "after"},
			{say: "ask", shows: "Which database(.|\n)*($question)", keys: esc},
			{hides: "($question)", label: "escaped", state: detect.Idle, note: "question left"}}},
		{name: "question Esc in vain", needs: []string{"$question", "$firmask"}, beats: []beatOf{{shows: "$ready"},
			{say: "ask", shows: "Which database(.|\n)*($question)", keys: esc},
			{label: "escaped", state: detect.Blocked, kind: detect.Ask, note: "Esc leaves the question open"}}},
		{name: "prose", beats: []beatOf{{shows: "$ready"}, {say: "prose", shows: "regression test", label: "end", state: detect.Idle, note: "the answer asks in prose"}}},
		{name: "choice", beats: []beatOf{{shows: "$ready"}, {say: "choice", shows: `y/n`, label: "end", state: detect.Idle, note: "the answer asks in prose"}}},
		{name: "quote", needs: []string{"$asks"}, beats: quote(beatOf{say: "quote", shows: "That is all of it", label: "end", state: detect.Idle, note: "the answer quotes a dialog"})},
		{name: "quote last", needs: []string{"$asks"}, beats: quote(beatOf{say: "quotelast", asked: 1, label: "end", state: detect.Idle, note: "the answer ends in a quoted dialog"})},
		{name: "quote held", needs: []string{"$asks", "!$whole"}, beats: quote(beatOf{say: "quoteheld", shows: "That is all of it", label: "stream", state: detect.Working, note: "the answer quotes a dialog and goes on", open: "rest"})},
		{name: "thinking", beats: []beatOf{{shows: "$ready"}, {say: "think", asked: 1, label: "think", state: detect.Working, note: "thinking", open: "first"},
			{shows: ending, label: "end", state: detect.Idle, note: "answered"}}},
		{name: "error", beats: []beatOf{{shows: "$ready"}, {say: "err", shows: "not acceptable", label: "end", state: detect.Idle, kind: detect.Failed, note: "the API refuses"}}},
		{name: "typing", beats: []beatOf{{shows: "$ready", keys: "fix the bug in hello.txt and"},
			{shows: "bug in hello.txt and", label: "typed", state: detect.Idle, note: "half a prompt"}}},
		{name: "menu", needs: []string{"$menu"}, beats: []beatOf{{shows: "$ready", keys: "$menu"},
			{shows: "$menu", label: "popup", state: detect.Idle, note: "a command is typed", keys: enter},
			{label: "open", state: detect.Idle, note: "the person's own menu"}}},
		{name: "trust", needs: []string{"$trust"}, untrusted: true, beats: []beatOf{
			{shows: "$trust", label: "ask", state: detect.Blocked, kind: detect.Trust, note: "the folder is new", keys: "$accept"},
			{shows: "$ready", hides: "$trust", label: "ready", state: detect.Idle, note: "start"}}},
	}
	list = append(list, small([]sceneOf{
		{name: "turn", cols: 80, rows: 24, beats: turn},
		{name: "run yes", cols: 80, rows: 24, needs: []string{"$asks"}, beats: approve("run", "shell")},
		{name: "run", cols: 80, rows: 24, needs: []string{"!$asks"}, beats: unasked},
		{name: "edit yes", cols: 80, rows: 24, needs: []string{"$asks", "!$unasked"}, beats: approve("edit", "edit")},
		{name: "question", cols: 80, rows: 24, needs: []string{"$question"}, beats: question},
		{name: "turn", cols: 60, rows: 20, beats: turn},
		{name: "run yes", cols: 60, rows: 20, needs: []string{"$asks"}, beats: approve("run", "shell")},
		{name: "edit yes", cols: 60, rows: 20, needs: []string{"$asks", "!$unasked"}, beats: approve("edit", "edit")},
		{name: "question", cols: 60, rows: 20, needs: []string{"$question"}, beats: question},
	})...)
	return list
}()

// shownOthers are the scenes that are played when no captures are wanted.
var shownOthers = []string{"turn", "run yes", "run no", "interrupted"}

// TestOtherScreens plays the scenes with the agent of -agent. With -captures it
// plays all of them and adds their recordings.
func TestOtherScreens(t *testing.T) {
	o, ok := others[*otherAgent]
	if !ok {
		t.Fatalf("there is no agent %q", *otherAgent)
	}
	bin := *otherBin
	if bin == "" {
		name := o.program
		if name == "" {
			name = *otherAgent
		}
		bin = agents.Bin(t, name)
	}
	known := o.rules
	if known == "" {
		known = *otherAgent
	}
	rules := builtinRules(t, known)
	var add func(*testing.T, string, capture.Recording)
	if *captureDir != "" {
		api, err := mockapi.Start("127.0.0.1:0", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer api.Close()
		add = collect(t, known, otherVersion(t, bin, o.home(t, api.URL, true)))
	}
	for _, sc := range otherScenes {
		if !o.has(sc.needs...) || add == nil && !contains(shownOthers, sc.name) {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			if add == nil {
				t.Parallel()
			}
			pl := playOther{T: t, other: o, rules: rules}
			r := pl.scene(bin, sc)
			if add != nil {
				add(t, strings.NewReplacer(" ", "-").Replace(sc.name), r)
			}
		})
	}
}

// has reports whether the agent has what a scene or beat needs.
func (o other) has(needs ...string) bool {
	for _, n := range needs {
		if need, not := strings.CutPrefix(n, "!"); n != "" && (o.fill(need) == "") != not {
			return false
		}
	}
	return true
}

// fill puts in what is the agent's own.
func (o other) fill(s string) string {
	begun := `stack of open scopes`
	if o.whole {
		begun = ""
	}
	whole := ""
	if o.whole {
		whole = "whole"
	}
	part := func(list, word string) string {
		if strings.Contains(list, word) {
			return word
		}
		return ""
	}
	return strings.NewReplacer("$begun", begun, "$firmrun", part(o.firm, "run"), "$firmask", part(o.firm, "ask"), "$whole", whole, "$unasked", o.unasked, "$review", o.review, "$ready", o.ready, "$asks", o.asks, "$question", o.question, "$trust", o.trust, "$accept", o.accept,
		"$yes", o.yes, "$no", o.no, "$stop", o.stop, "$menu", o.menu).Replace(s)
}

type playOther struct {
	*testing.T
	other
	rules *detect.Rules
	api   *mockapi.Server
	p     *ptyrun.Program
}

// scene plays a scene and returns its recording with the moments.
func (pl *playOther) scene(bin string, sc sceneOf) capture.Recording {
	api, err := mockapi.Start("127.0.0.1:0", nil)
	if err != nil {
		pl.Fatal(err)
	}
	pl.Cleanup(func() { api.Close() })
	pl.api = api
	h := pl.home(pl.T, api.URL, !sc.untrusted)
	api.In(h.Project)
	pl.p = ptyrun.Start(pl.T, ptyrun.Options{Dir: h.Project, Env: h.Env, Cols: sc.cols, Rows: sc.rows, Terminal: ptyrun.Xterm{}}, pl.argv(bin, api.URL, h)...)
	pl.Cleanup(func() {
		if !pl.Failed() {
			return
		}
		for _, r := range api.Requests() {
			pl.Logf("%s %s kind=%s scenario=%s step=%d try=%d tools=%v last=%q %s", r.Method, r.Path, r.Kind, r.Scenario, r.Step, r.Try, r.Tools, r.Last, r.Error)
		}
	})
	type mark struct {
		at   time.Duration
		text string
	}
	var marks []mark
	said := ""
	for i, b := range sc.beats {
		if !pl.has(b.needs) {
			continue
		}
		if i == 0 && !sc.untrusted {
			pl.leave()
		}
		if b.say != "" {
			said = b.say
			// An Enter right after text is taken for part of a paste by some.
			pl.p.Type(fmt.Sprintf("SCN:%s please", b.say))
			pl.rest(600 * time.Millisecond)
			pl.p.Send(enter)
		}
		if b.asked > 0 {
			pl.requested(said, b.asked-1)
		}
		cond := pl.cond(b)
		pl.p.Until(fmt.Sprintf("beat %d: %q without %q", i+1, b.shows, b.hides), limit, cond)
		if b.label != "" {
			// Some clear the screen before each frame, so that nothing stands
			// there all the time. Of an answer that may go on nothing is known
			// but that it takes no longer.
			still := 1500 * time.Millisecond
			if b.asked > 0 && b.state == detect.Idle {
				still = 5 * time.Second
			}
			pl.rest(still)
			pl.p.Until(fmt.Sprintf("beat %d: %q without %q after a moment, on a screen that the rules call %s", i+1, b.shows, b.hides, b.state), limit, func(s detect.Snapshot) bool {
				return cond(s) && (*unjudged || pl.rules.Match(&s).State == b.state)
			})
			kind := string(b.kind)
			if b.of != "" {
				kind += "-" + b.of
			}
			if kind == "" {
				kind = "-"
			}
			marks = append(marks, mark{pl.p.Elapsed(), fmt.Sprintf("%d-%s: %s %s %s", len(marks)+1, b.label, b.state, kind, b.note)})
		} else if b.keys != "" || sc.beats[min(i+1, len(sc.beats)-1)].say != "" {
			pl.rest(attentive)
			pl.p.Until(fmt.Sprintf("beat %d: %q without %q after a moment", i+1, b.shows, b.hides), limit, cond)
		}
		if b.read {
			pl.quote()
		}
		if b.open != "" {
			api.Open(b.open)
		}
		pl.press(b.keys)
	}
	var r capture.Recording
	r.Header, r.Events = pl.p.Recording()
	r.Header.Env = map[string]string{"TERM": "xterm-256color"}
	for _, m := range marks {
		r.Mark(m.at, m.text)
	}
	if root := filepath.Dir(h.Project); !strings.HasPrefix(root, "/var/tmp/") {
		if err := r.Replace(root, "/work/"+strings.Repeat("w", len(root)-len("/work/"))); err != nil {
			pl.Fatal(err)
		}
	}
	return r
}

// leave leaves the screens at the start that the scenes are not about.
func (pl *playOther) leave() {
	for _, f := range pl.first {
		pl.p.Held("a screen at the start", attentive, limit, ptyrun.Matches(f.shows))
		pl.p.Send(f.keys)
	}
}

// rest lets time pass, as a person does who reads or types.
func (pl *playOther) rest(d time.Duration) {
	pl.Helper()
	pl.p.Held("time to pass", d, limit, func(detect.Snapshot) bool { return true })
}

// press sends keys, an Esc apart from what comes after it, text apart from the
// Enter after it.
func (pl *playOther) press(keys string) {
	for keys = pl.fill(keys); keys != ""; {
		n := 1
		if m := keyName.FindString(keys); m != "" {
			n = len(m)
		}
		pl.p.Send(keys[:n])
		if keys = keys[n:]; keys != "" {
			// Two Esc in one read are Alt+Esc.
			pl.rest(150 * time.Millisecond)
		}
	}
}

var keyName = regexp.MustCompile("^(?:\x1b\\[[A-D]|[^\x1b\r]+|\x1b|\r)")

// requested waits for the request for the answer after so many results.
func (pl *playOther) requested(scenario string, step int) {
	pl.Helper()
	if _, err := pl.api.Wait(limit, func(r mockapi.Request) bool {
		return r.Kind == "turn" && strings.HasSuffix(r.Scenario, "_"+scenario) && r.Step == step
	}); err != nil {
		pl.Fatalf("%v\n%s", err, pl.p.Describe())
	}
}

func (pl *playOther) cond(b beatOf) func(detect.Snapshot) bool {
	all := []func(detect.Snapshot) bool{func(detect.Snapshot) bool { return true }}
	if b.shows != "" {
		all = append(all, ptyrun.Matches(pl.fill(b.shows)))
	}
	if b.hides != "" {
		all = append(all, ptyrun.Not(ptyrun.Matches(pl.fill(b.hides))))
	}
	return ptyrun.All(all...)
}

// quote has the scenarios about quotations quote the end of the screen.
func (pl *playOther) quote() {
	rows := pl.p.Screen().Rows
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	rows = rows[max(0, len(rows)-14):]
	text := "The dialog that you asked about looks like this:\n\n```\n" + strings.Join(rows, "\n") + "\n```"
	pl.api.Handle("any_quote", func(mockapi.Turn) []mockapi.Block {
		return []mockapi.Block{mockapi.Text{S: text + "\n\nThat is all of it.", Rate: 8000}}
	})
	pl.api.Handle("any_quotelast", func(mockapi.Turn) []mockapi.Block { return []mockapi.Block{mockapi.Text{S: text, Rate: 8000}} })
	pl.api.Handle("any_quoteheld", func(mockapi.Turn) []mockapi.Block {
		return []mockapi.Block{mockapi.Text{S: text + "\n\nThat is all of it.\n\n", Rate: 8000}, mockapi.Gate("rest"), mockapi.Text{S: "The end."}}
	})
}

// builtinRules are those of a built-in manifest; none if there is no such one
// yet, which only -unjudged allows.
func builtinRules(t *testing.T, agent string) *detect.Rules {
	t.Helper()
	data, err := manifests.FS.ReadFile(agent + ".toml")
	if err != nil {
		if *unjudged {
			return nil
		}
		t.Fatal(err)
	}
	m, err := manifest.Load(agent+".toml", data)
	if err != nil {
		t.Fatal(err)
	}
	return m.Rules
}
