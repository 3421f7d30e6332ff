package realagent

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/detect/manifest"
	"fwrap/manifests"
	"fwrap/testdata/agents"
	"fwrap/testdata/capture"
	"fwrap/testdata/ptyrun"
)

// captureDir is where the captures of the scenes go; testdata/README.md has the
// command.
var captureDir = flag.String("captures", "", "add captures of all scenes to this directory")

// shown are the scenes that TestScreens plays when no captures are wanted: one
// for each kind of screen.
var shown = []string{"interrupted", "bash yes", "write at 80x24", "multiple choice", "plan", "trust", "quiet tool", "background shell"}

// TestScreens plays scenes without fwrap: at each beat the rules alone, without
// the agent's own word, say of its live screen what state it is in.
func TestScreens(t *testing.T) {
	rules := claudeRules(t)
	add := func(*testing.T, string, capture.Recording) {}
	if *captureDir != "" {
		add = collect(t, "claude", agents.ClaudeVersion(t))
	}
	for _, sc := range scenes {
		if *captureDir == "" && !slices.Contains(shown, sc.name) {
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			var p *ptyrun.Program
			var root string
			type mark struct {
				at   time.Duration
				text string
			}
			var marks []mark
			resized := false
			sc.run(t, func(t *testing.T, h agents.Home, opt ptyrun.Options, args []string) *ptyrun.Program {
				root = filepath.Dir(h.Project)
				p = ptyrun.Start(t, opt, append([]string{agents.Bin(t, "claude")}, args...)...)
				return p
			}, func(p *ptyrun.Program, b beat) {
				cond := ptyrun.Matches(b.shows)
				p.Until(fmt.Sprintf("screen that the rules call %s (%q)", b.state, b.shows), 20*time.Second, func(s detect.Snapshot) bool {
					return rules.Match(&s).State == b.state && cond(s)
				})
				if !resized {
					kind := string(b.kind)
					if kind == "" {
						kind = "-"
					}
					marks = append(marks, mark{p.Elapsed(), fmt.Sprintf("%d-%s: %s %s %s", len(marks)+1, b.state, b.state, kind, sc.name)})
				}
				resized = resized || b.resize != [2]int{}
			})
			var r capture.Recording
			r.Header, r.Events = p.Recording()
			r.Header.Env = map[string]string{"TERM": "xterm-256color"}
			for _, m := range marks {
				r.Mark(m.at, m.text)
			}
			if err := r.Replace(root, "/work/"+strings.Repeat("w", len(root)-len("/work/"))); err != nil {
				t.Fatal(err)
			}
			add(t, strings.NewReplacer(" ", "-", ",", "").Replace(sc.name), r)
		})
	}
}

func claudeRules(t *testing.T) *detect.Rules {
	t.Helper()
	data, err := manifests.FS.ReadFile("claude.toml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Load("claude.toml", data)
	if err != nil {
		t.Fatal(err)
	}
	return m.Rules
}

// collect returns what adds a recording to the captures.
func collect(t *testing.T, agent, version string) func(*testing.T, string, capture.Recording) {
	t.Helper()
	draw, cleanup, err := capture.XTerm()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cleanup)
	c := capture.Collection{Dir: *captureDir, Draw: draw, Private: capture.Private()}
	var one sync.Mutex // the table is one file
	return func(t *testing.T, name string, r capture.Recording) {
		t.Helper()
		if !slices.ContainsFunc(r.Events, func(e cast.Event) bool { return e.Code == cast.Marker }) {
			return
		}
		one.Lock()
		defer one.Unlock()
		if err := c.Add(agent, version, name, r); err != nil {
			t.Error(err)
		}
	}
}
