package manifests_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"fwrap/detect"
	"fwrap/detect/manifest"
	"fwrap/manifests"
)

// Every rule has a screen that it wins and one that it must not, and the whole
// manifest judges them so.
func TestExamples(t *testing.T) {
	for _, agent := range agents(t) {
		m := load(t, agent)
		for _, f := range m.Check() {
			t.Error(f)
		}
		wins, losses := map[string]bool{}, map[string]bool{}
		for _, e := range m.Examples {
			if e.Match {
				wins[e.Rule] = true
			} else {
				losses[e.Rule] = true
			}
		}
		for _, r := range m.Rules.List {
			if !wins[r.ID] || !losses[r.ID] {
				t.Errorf("%s:%d: rule %s needs an example that it wins and one that it must not", m.File, r.Line, r.ID)
			}
		}
	}
}

func TestHeads(t *testing.T) {
	commands := map[string]string{}
	for _, agent := range agents(t) {
		m := load(t, agent)
		if m.Agent != agent {
			t.Errorf("%s.toml is of agent %q", agent, m.Agent)
		}
		// "generic" is for commands that nobody knows.
		if m.Version == "" || (len(m.Commands) == 0) != (agent == "generic") {
			t.Errorf("%s.toml has no version or no commands", agent)
		}
		for _, c := range slices.Concat(m.Commands, m.ACP) {
			if other, taken := commands[c]; taken {
				t.Errorf("the command %s is of %s and of %s", c, other, agent)
			}
			commands[c] = agent
		}
		for _, r := range m.Rules.List {
			if r.State == detect.Blocked && r.Region == detect.Whole && r.Box != detect.Absent {
				t.Errorf("%s:%d: rule %s is blocked by what stands anywhere on the screen", m.File, r.Line, r.ID)
			}
		}
	}
}

// TestFieldReports judges small screens from public reports of wrong states.
func TestFieldReports(t *testing.T) {
	known := agents(t)
	for _, f := range table(t, fieldDir+"/cases.tsv") {
		if !slices.Contains(known, f["agent"]) {
			continue
		}
		t.Run(strings.TrimSuffix(f["file"], ".screen.txt"), func(t *testing.T) {
			s := fieldReport(t, f)
			v := load(t, f["agent"]).Rules.Match(&s)
			if v.State.String() != f["state"] {
				t.Errorf("%s, want %s: %s\n%s", v.State, f["state"], f["why"], describe(v))
			}
			if v.State == detect.Blocked && (v.Question.Text == "" || len(v.Question.Options) == 0) {
				t.Errorf("the question is read as %+v", v.Question)
			}
		})
	}
}

func describe(v detect.Verdict) string {
	if v.Rule == nil {
		return "no rule matches"
	}
	return v.Name + " at " + v.At + " by the line " + v.Line
}

// TestRulesAlone: a session's rules are those of the whole file, places
// included, though the examples are passed over.
func TestRulesAlone(t *testing.T) {
	for _, agent := range agents(t) {
		data, err := manifests.FS.ReadFile(agent + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		m, err := manifest.LoadRules(agent+".toml", data)
		if err != nil {
			t.Errorf("%s: %v", agent, err)
			continue
		}
		want := load(t, agent)
		if len(want.Examples) == 0 || len(m.Examples) != 0 {
			t.Errorf("%s: %d examples, and %d of the rules alone", agent, len(want.Examples), len(m.Examples))
		}
		m.Examples = want.Examples
		if !reflect.DeepEqual(m, want) {
			t.Errorf("%s: other rules", agent)
		}
	}
}
