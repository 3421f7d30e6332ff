package realagent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/testdata/agents"
	"fwrap/testdata/ptyrun"
)

// chance is what differs between two runs of the same conversation.
var chance = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`/[^ ]*fwrap-claude\d+`), "DIR"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`^[·✢✳✶✻✽*] .*$`), "SPINNER"}, // its verb, its time and the clock
	{regexp.MustCompile(`^● `), "  "},                 // blinks while a tool runs
	// The logo beside the first lines moves.
	{regexp.MustCompile(`^[^\pL\d]+(Claude Code v|Opus |DIR)`), "$1"},
	{regexp.MustCompile(`^[ ~\x{2580}-\x{259f}]+$`), ""},
	{regexp.MustCompile(` · ← for agents$`), ""}, // comes some time after the turn
	{regexp.MustCompile(`~?/\.claude/plans/[\w-]+\.md`), "PLAN"},
}

// picture is all of a screen but its title, and but chance.
func picture(s detect.Snapshot) string {
	rows := slices.Clone(s.Rows)
	for i, r := range rows {
		for _, c := range chance {
			r = c.re.ReplaceAllString(r, c.to)
		}
		rows[i] = r
	}
	return fmt.Sprintf("%s\ncursor %d,%d visible %v, alternate screen %v",
		strings.Join(rows, "\n"), s.Cursor.X, s.Cursor.Y, s.Cursor.Visible, s.Alt)
}

// TestSameScreen plays conversations with and without fwrap: wherever the
// agent waits, the person sees the same, cursor included.
func TestSameScreen(t *testing.T) {
	for _, name := range []string{"bash yes", "edit", "question", "plan", "write at 80x24", "bash at 60x20", "trust", "markdown", "resized"} {
		i := slices.IndexFunc(scenes, func(s scene) bool { return s.name == name })
		if i < 0 {
			t.Fatalf("no scene %q", name)
		}
		sc := scenes[i]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []string
			sc.run(t, func(t *testing.T, _ agents.Home, opt ptyrun.Options, args []string) *ptyrun.Program {
				return ptyrun.Start(t, opt, append([]string{agents.Bin(t, "claude")}, args...)...)
			}, func(p *ptyrun.Program, b beat) {
				if b.state != detect.Working {
					want = append(want, p.Still("still screen", 2*time.Second, limit, picture))
				}
			})
			if len(want) == 0 {
				t.Fatal("no picture was taken")
			}
			sc.run(t, func(t *testing.T, h agents.Home, opt ptyrun.Options, args []string) *ptyrun.Program {
				p, _ := wrapped(t, h, opt, nil, args)
				return p
			}, func(p *ptyrun.Program, b beat) {
				if b.state == detect.Working {
					return
				}
				p.Until("screen as without fwrap, which was\n"+want[0]+"\nbut was", limit,
					func(s detect.Snapshot) bool { return picture(s) == want[0] })
				want = want[1:]
			})
		})
	}
}

// TestExit leaves the agent by /exit and by SIGKILL, with and without fwrap:
// the status and the screen that stays are the same, and after a kill, which
// without fwrap leaves the terminal in the agent's modes, they are reset.
func TestExit(t *testing.T) {
	start := func(t *testing.T, with bool) *ptyrun.Program {
		h := agents.Claude{API: "http://127.0.0.1:9"}.Home(t)
		opt := ptyrun.Options{Dir: h.Project, Env: h.Env, Terminal: ptyrun.Xterm{}}
		args := []string{"--permission-mode", "manual"}
		var p *ptyrun.Program
		if with {
			p, _ = wrapped(t, h, opt, nil, args)
		} else {
			p = ptyrun.Start(t, opt, append([]string{agents.Bin(t, "claude")}, args...)...)
		}
		p.Settled("prompt after the start", 500*time.Millisecond, limit, ptyrun.Matches(ready))
		return p
	}
	t.Run("exit", func(t *testing.T) {
		t.Parallel()
		leave := func(with bool) (int, string) {
			p := start(t, with)
			ask(p, "/exit")
			return p.Wait(limit), picture(p.Screen())
		}
		bareStatus, bare := leave(false)
		withStatus, with := leave(true)
		if bareStatus != withStatus {
			t.Errorf("status %d, without fwrap %d", withStatus, bareStatus)
		}
		if bare != with {
			t.Errorf("screen without fwrap:\n%s\n\nand with it:\n%s", bare, with)
		}
	})
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		p := start(t, true)
		pid := child(t, p.Pid())
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if got, want := p.Wait(limit), 128+int(syscall.SIGKILL); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
		if s := p.Screen(); s.Alt || !s.Cursor.Visible {
			t.Errorf("the terminal is not restored\n%s", p.Describe())
		}
		for _, mode := range []string{"1000", "1002", "1003", "1006", "2004", "1004"} {
			if last := lastMode(p.Output(), mode); last == 'h' {
				t.Errorf("mode %s is still set", mode)
			}
		}
	})
}

// lastMode returns how a DEC private mode was last set: 'h', 'l', or 0.
func lastMode(output []byte, mode string) (last byte) {
	for _, m := range regexp.MustCompile(`\x1b\[\?([\d;]+)([hl])`).FindAllSubmatch(output, -1) {
		if slices.Contains(strings.Split(string(m[1]), ";"), mode) {
			last = m[2][0]
		}
	}
	return last
}
