package realagent

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fwrap/testdata/agents"
	"fwrap/testdata/mockapi"
	"fwrap/testdata/notifyspy"
	"fwrap/testdata/ptyrun"
)

// TestTabLabels: in iTerm2 the tab shows each state of a real session once, in
// order and with nothing between, and nothing in the end; the log has each write.
func TestTabLabels(t *testing.T) {
	rows := []row{
		{name: "start", steps: []step{{shows: ready, is: "idle"}}},
		{name: "permission", text: "SCN:errand please", steps: []step{
			{shows: permission, is: "blocked/permission", keys: enter},
			{shows: "errand is done", hides: prompt, is: "idle"}}},
		{name: "question", text: "SCN:ask1 please", steps: []step{
			{shows: `Which database(.|\n)*to navigate`, is: "blocked/question", keys: enter},
			{shows: "going on with your choice", hides: prompt, is: "idle"}}},
		{name: "background agent", text: "SCN:agentback please", steps: []step{
			{shows: "Waiting for 1 background agent", is: "working/background", open: "back"},
			{shows: `Look at the parser. finished(.|\n)*· done`, hides: prompt, is: "idle"}}},
		{name: "/compact", text: "/compact", steps: []step{
			{shows: "Compacting", is: "working/compacting"},
			{shows: "Compacted", hides: "Compacting", is: "idle"}}},
		{name: "/clear", text: "/clear", steps: []step{
			{shows: "manual mode on", hides: "Compacted", is: "idle|idle/interrupted"}}},
		{name: "/exit", text: "/exit", steps: []step{{is: "none"}}},
	}
	// /clear may count as work for a moment, and the work before a dialog may be
	// left out, see tableScenarios.
	const idle, working = `💤 idle \w{3} \d{1,2} \d\d:\d\d\n`, "⚙️ working\n"
	want := idle + working + "🔐 permission\n" + working + idle +
		"(" + working + ")?❓ input\n" + working + idle +
		working + "🧵 background\n" + working + idle +
		working + "📦 compacting\n" + idle +
		"(" + working + idle + ")?\n"
	for _, tt := range []struct {
		name, begins string
		env          []string
	}{
		{"iTerm2", "\x1b]1337;", []string{"TERM_PROGRAM=iTerm.app", "TERM_PROGRAM_VERSION=3.6.9"}},
		{"in tmux", "\x1bPtmux;\x1b\x1b]1337;", []string{"LC_TERMINAL=iTerm2", "TMUX=/nonexistent,1,0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
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
			log := filepath.Join(t.TempDir(), "tab.log")
			opt := ptyrun.Options{Dir: h.Project, Terminal: ptyrun.Xterm{}, Env: append(append(h.Env, tt.env...),
				env, "FWRAP_STATE_LOG="+log, "DBUS_SESSION_BUS_ADDRESS="+bus.Address())}
			p := ptyrun.Start(t, opt, fwrapBin, agents.Bin(t, "claude"), "--permission-mode", "manual")
			play{t, p, j, bus, api, "all"}.rows(rows, map[string]outcome{})

			b, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("the log:\n%s", b)
			var wrote []string
			line := regexp.MustCompile(`^\d\d:\d\d:\d\d #(\d+) \+\d+ms \S.* tty=/dev/\S+ wrote=\[(.*)\] rc=0$`)
			for l := range strings.Lines(string(b)) {
				m := line.FindStringSubmatch(strings.TrimSpace(l))
				if m == nil {
					t.Fatalf("a line of another form: %q", l)
				}
				wrote = append(wrote, m[2])
			}
			if got := strings.Join(wrote, "\n") + "\n"; !regexp.MustCompile("^" + want + "$").MatchString(got) {
				t.Errorf("the tab was labelled\n%s\n\nwant\n%s", got, want)
			}
			var shown []string
			for _, s := range strings.Split(string(p.Output()), tt.begins+"SetUserVar=claudeState=")[1:] {
				code, _, ok := strings.Cut(s, "\a")
				label, err := base64.StdEncoding.DecodeString(code)
				if err != nil || !ok {
					t.Errorf("%q: %v", code, err)
				}
				shown = append(shown, string(label))
			}
			if !slices.Equal(shown, wrote) {
				t.Errorf("the terminal got %q, the log has %q", shown, wrote)
			}
		})
	}
}
