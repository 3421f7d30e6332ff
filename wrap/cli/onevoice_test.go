package cli

import (
	"strings"
	"testing"

	"fwrap/testdata/notifyspy"
	"fwrap/testdata/ptyrun"
)

// TestOneVoice: an agent that notifies of itself, in a terminal and on a desktop
// that both work, is heard once; and where fwrap cannot tell, the agent's own
// notice reaches the terminal as it was written.
func TestOneVoice(t *testing.T) {
	const own = "\x1b]777;notify;Agent;needs you\x1b\\"
	t.Run("told", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{})
		r.agent.Works()
		r.Until("work", limit, ptyrun.Shows("Checking the site"))
		r.agent.Asks("make deploy")
		r.agent.Say(own) // at once, as most agents do
		r.desktop(t, 1)
		r.eventually(t, "word that it was dropped", func() bool { return strings.Contains(r.logged(), "dropped=1") })
		r.agent.Say(own + "\x1b]9;4;3\a\a") // once more, as Claude Code does after a while
		r.wrote(t, "\x1b]9;4;3\a\a")
		if out := string(r.Output()); strings.Contains(out, "needs you") {
			t.Error("the agent's own notice has reached the terminal, too")
		}
		r.Send("1")
		r.agent.Works()
		r.Until("work", limit, ptyrun.Shows("Checking the site"))
		r.agent.Say("\x1b]777;notify;Agent;something else\x1b\\")
		r.wrote(t, "\x1b]777;notify;Agent;something else\x1b\\")
		if n := len(r.notices()); n != 1 {
			t.Errorf("%d notices", n)
		}
	})
	for _, tt := range []struct {
		name, config string
		mode         notifyspy.Mode
		env          []string
	}{
		{name: "desktop absent, terminal with a bell only", mode: notifyspy.Absent},
		{name: "desktop hangs", mode: notifyspy.Hang},
		{name: "over ssh to a terminal with a bell only", env: []string{"SSH_TTY=/dev/pts/99"}},
		{name: "as the person wants it", config: `own_notices = "pass"`},
		{name: "notifications off", config: `notify = "off"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, rigOptions{config: tt.config, mode: tt.mode, env: tt.env})
			r.agent.Works()
			r.Until("work", limit, ptyrun.Shows("Checking the site"))
			r.agent.Asks("make deploy")
			r.agent.Say(own)
			r.wrote(t, own)
		})
	}
	t.Run("in tmux", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, rigOptions{env: []string{"TMUX=/nonexistent,1,0"}})
		r.agent.Works()
		r.Until("work", limit, ptyrun.Shows("Checking the site"))
		r.agent.Asks("make deploy")
		r.agent.Say("\x1bPtmux;\x1b\x1b]777;notify;Agent;needs you\x1b\x1b\\\x1b\\")
		r.desktop(t, 1)
		r.agent.Say("\x1b]2;behind it\a")
		r.wrote(t, "behind it")
		if out := string(r.Output()); strings.Contains(out, "needs you") || strings.Contains(out, "tmux;") {
			t.Errorf("something of the agent's own notice has reached tmux:\n%q", out)
		}
	})
}
