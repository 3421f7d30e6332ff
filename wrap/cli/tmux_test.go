package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fwrap/testdata/ptyrun"
)

func TestReadTmux(t *testing.T) {
	for _, tt := range []struct {
		text string
		want tmuxFacts
		on   bool
		hid  bool
	}{
		{"3.3a|0|1|xterm-kitty|\n-SSH_CONNECTION\n", tmuxFacts{true, "3.3a", "off", 1, "xterm-kitty", "", true, ""}, false, false},
		{"3.3a|1|0|foot|foot(1.13)\nSSH_CONNECTION=1.2.3.4 5 6.7.8.9 22\n", tmuxFacts{true, "3.3a", "on", 0, "foot", "foot(1.13)", true, "1.2.3.4 5 6.7.8.9 22"}, true, true},
		{"3.5|2|0||\n", tmuxFacts{true, "3.5", "all", 0, "", "", false, ""}, true, false},
		{"3.5|all|2|xterm|a|b\n", tmuxFacts{true, "3.5", "all", 2, "xterm", "a|b", false, ""}, true, false},
		{"3.2a||1|xterm|\n", tmuxFacts{true, "3.2a", "", 1, "xterm", "", false, ""}, true, false},
		{"next-3.7||1|xterm|\n", tmuxFacts{true, "next-3.7", "", 1, "xterm", "", false, ""}, false, true},
	} {
		got, ok := readTmux(tt.text)
		if !ok || got != tt.want {
			t.Errorf("%q: %+v, %v", tt.text, got, ok)
		}
		on, hidden := got.passes()
		if on != tt.on || on && hidden != tt.hid {
			t.Errorf("%q: passes %v, hidden %v", tt.text, on, hidden)
		}
	}
	for _, bad := range []string{"", "\n", "no server running", "|||||\n"} {
		if f, ok := readTmux(bad); ok {
			t.Errorf("%q is read as %+v", bad, f)
		}
	}
}

// TestTmuxWatch: an answer that is not old is not asked for again, who comes
// while it is asked shares the answer, and nobody waits for ever.
func TestTmuxWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var asked, answered []float64
		note := func(list *[]float64) {
			mu.Lock()
			defer mu.Unlock()
			*list = append(*list, time.Since(start).Seconds())
		}
		var hang atomic.Bool
		w := &tmuxWatch{
			ask: func(ctx context.Context) (tmuxFacts, error) {
				note(&asked)
				if !hang.Load() {
					time.Sleep(10 * time.Millisecond)
					return tmuxFacts{}, nil
				}
				ctx, cancel := context.WithTimeout(ctx, tmuxDeadline)
				defer cancel()
				<-ctx.Done()
				return tmuxFacts{}, errors.New("late")
			},
			answer: func(tmuxFacts, error) {},
		}
		at := func(s float64, n int) {
			time.Sleep(time.Until(start.Add(time.Duration(s * float64(time.Second)))))
			for range n {
				w.fresh(func() { note(&answered) })
			}
		}
		at(0, 2)
		at(2, 1) // still fresh
		at(9, 1)
		synctest.Wait()
		time.Sleep(time.Second)
		hang.Store(true)
		at(20, 1)
		time.Sleep(2 * time.Second)
		at(30, 1)
		w.stop()
		synctest.Wait()
		at(40, 1)
		synctest.Wait()
		if want := []float64{0, 9, 20, 30}; !slices.Equal(asked, want) {
			t.Errorf("asked at %v, want %v", asked, want)
		}
		if want := []float64{0.01, 0.01, 2, 9.01, 21, 30, 40}; !slices.Equal(answered, want) {
			t.Errorf("answered at %v, want %v", answered, want)
		}
	})
}

// tmuxServer is a tmux of a test's own.
type tmuxServer struct {
	t   *testing.T
	dir string
}

func (s tmuxServer) args(args ...string) []string {
	return append([]string{"tmux", "-f", "/dev/null", "-S", s.dir + "/s"}, args...)
}

func (s tmuxServer) run(args ...string) string {
	s.t.Helper()
	argv := s.args(args...)
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newTmux(t *testing.T) tmuxServer {
	dir, err := os.MkdirTemp("", "tmux")
	if err != nil {
		t.Fatal(err)
	}
	s := tmuxServer{t, dir}
	t.Cleanup(func() {
		argv := s.args("kill-server")
		_ = exec.Command(argv[0], argv[1:]...).Run() // gone already, if all went well
		os.RemoveAll(dir)
	})
	return s
}

// TestTmux: through a real tmux a notice comes out at the terminal outside if
// tmux lets it, and as a bell if not, whatever the environment said when the
// pane was made.
func TestTmux(t *testing.T) {
	const told = "\x1b]99;"
	for _, tt := range []struct {
		name    string
		setup   func(s tmuxServer)
		outside []string // the environment of the terminal outside
		desktop bool     // told there
		want    string   // at the terminal outside
		not     string
	}{
		{
			name: "passthrough on, over ssh", outside: []string{"TERM=xterm-kitty", "SSH_CONNECTION=1.2.3.4 5 6.7.8.9 22"},
			setup: func(s tmuxServer) { s.run("set", "-g", "allow-passthrough", "on") },
			want:  told,
		},
		{
			name: "passthrough off, over ssh", outside: []string{"TERM=xterm-kitty", "SSH_CONNECTION=1.2.3.4 5 6.7.8.9 22"},
			setup: func(s tmuxServer) { s.run("set", "-g", "allow-passthrough", "off") },
			want:  "\a", not: told,
		},
		{
			name: "passthrough on, in a window that is not shown", outside: []string{"TERM=xterm-kitty", "SSH_CONNECTION=1.2.3.4 5 6.7.8.9 22"},
			setup: func(s tmuxServer) {
				s.run("set", "-g", "allow-passthrough", "on")
				s.run("neww", "cat")
			},
			want: "\a", not: told,
		},
		{name: "on the desktop's own machine", outside: []string{"TERM=xterm-kitty"}, desktop: true, not: told},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			var outside *ptyrun.Program
			r := newRig(t, rigOptions{
				// The pane was made when somebody was there over ssh, or not: the
				// opposite of what holds when the notice is due.
				env: []string{"SSH_CONNECTION=9.9.9.9 1 8.8.8.8 22"},
				wrap: func(argv []string) []string {
					return s.args(append([]string{"new", "-s", "s", "-x", "100", "-y", "30"}, argv...)...)
				},
			})
			defer func() { // it lives on in tmux
				r.agent.Quit()
				eventually(t, limit, "end", func() bool { return strings.Contains(r.logged(), "agent gone") && r.entries() == 0 }, r.logged)
			}()
			r.agent.Works()
			r.Until("work", limit, ptyrun.Shows("Checking the site"))
			if tt.setup != nil {
				tt.setup(s)
			}
			// The person goes elsewhere and attaches from there.
			s.run("detach", "-s", "s")
			r.Wait(limit)
			outside = ptyrun.Start(t, ptyrun.Options{Dir: r.dir, Cols: 100, Rows: 30, Env: rigEnv(r.dir, tt.outside...)}, s.args("attach", "-t", "s")...)
			outside.Until("attached", limit, ptyrun.Matches(`Checking the site|\[s\]`))
			r.agent.Asks("make deploy")
			describe := func() string { return outside.Describe() + r.logged() }
			if tt.desktop {
				r.desktop(t, 1)
			} else {
				eventually(t, limit, "notice", func() bool { return strings.Contains(string(outside.Output()), tt.want) }, describe)
				if n := len(r.notices()); n != 0 {
					t.Errorf("told on the desktop of a machine where nobody sits, too")
				}
			}
			if tt.not != "" && strings.Contains(string(outside.Output()), tt.not) {
				t.Errorf("%q at the terminal outside\n%s", tt.not, describe())
			}
		})
	}
}
