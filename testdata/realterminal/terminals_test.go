//go:build realterminal

package realterminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kitty starts fwrap in kitty and returns its window.
func (s *stage) kitty(argv []string) string {
	s.t.Helper()
	s.start(nil, append([]string{"kitty", "--config", "NONE", "--name", "stage", "-o", "update_check_interval=0",
		"-o", "enable_audio_bell=no", "-o", "command_on_bell=touch " + s.rung()}, argv...)...)
	return s.window("stage")
}

// rung is a file that is there when kitty has heard a bell.
func (s *stage) rung() string { return filepath.Join(s.dir, "rung") }

// xterm starts a command in xterm and returns its window.
func (s *stage) xterm(name string, argv []string) string {
	s.t.Helper()
	s.start(nil, append([]string{"xterm", "-name", name, "-xrm", "*bellIsUrgent: true", "-xrm", "*utf8Title: true", "-e"}, argv...)...)
	return s.window(name)
}

// tmux is the command line that runs argv in a tmux of the stage's own.
func (s *stage) tmux(passthrough string, argv []string) []string {
	s.t.Helper()
	conf := filepath.Join(s.dir, "tmux.conf")
	if err := os.WriteFile(conf, []byte("set -g allow-passthrough "+passthrough+"\nset -g set-titles on\nset -g set-titles-string '#T'\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	socket := filepath.Join(s.dir, "tmux")
	s.t.Cleanup(func() { s.run("tmux", "-S", socket, "kill-server") })
	return append([]string{"tmux", "-S", socket, "-f", conf, "new"}, argv...)
}

// ask has the puppet ask what the person is to be told.
func (s *stage) ask() {
	s.t.Helper()
	s.works()
	s.agent.Asks("make deploy")
}

// checkShown looks at the notification that came by way of a terminal.
func (s *stage) checkShown(app string) {
	s.t.Helper()
	c := s.told(1)
	if c.App != app {
		s.t.Errorf("shown by %q, not by %s", c.App, app)
	}
	if text := c.Summary + "\n" + c.Body; !strings.Contains(text, "claude · home") || !strings.Contains(text, "Needs your permission") ||
		!strings.Contains(text, "make deploy") || strings.Contains(text, "�") {
		s.t.Errorf("it says %q", text)
	}
	s.quiet(1, 2*time.Second)
}

// TestKitty: OSC 99 arrives at the notification service, through kitty, through
// screen in it, and through tmux if tmux lets it.
func TestKitty(t *testing.T) {
	t.Run("direct", func(t *testing.T) {
		s := newStage(t).x()
		s.kitty(s.fwrap(remote))
		s.ask()
		s.checkShown("kitty")
	})
	t.Run("tmux with passthrough", func(t *testing.T) {
		s := newStage(t).x()
		s.env = append(s.env, "SSH_CONNECTION=1.2.3.4 5 6.7.8.9 22") // by which tmux knows
		s.kitty(s.tmux("on", s.fwrap()))
		s.ask()
		s.checkShown("kitty")
	})
	t.Run("tmux without passthrough", func(t *testing.T) {
		s := newStage(t).x()
		s.env = append(s.env, "SSH_CONNECTION=1.2.3.4 5 6.7.8.9 22")
		s.kitty(s.tmux("off", s.fwrap()))
		s.ask()
		s.until("bell", func() bool { _, err := os.Stat(s.rung()); return err == nil })
		s.quiet(0, time.Second)
	})
	t.Run("screen", func(t *testing.T) {
		s := newStage(t).x()
		if err := os.Mkdir(s.dir+"/screen", 0o700); err != nil {
			t.Fatal(err)
		}
		s.env = append(s.env, "SCREENDIR="+s.dir+"/screen")
		t.Cleanup(func() { s.run("screen", "-S", "stage", "-X", "quit") })
		s.kitty(append([]string{"screen", "-c", "/dev/null", "-U", "-S", "stage"}, s.fwrap(remote)...))
		s.ask()
		s.checkShown("kitty")
	})
	t.Run("on the desktop", func(t *testing.T) {
		// Here fwrap asks the service itself, and kitty is told nothing.
		s := newStage(t).x()
		s.kitty(s.fwrap())
		s.ask()
		s.checkShown("fwrap")
		s.agent.Works()
		if !s.bus.Wait(limit, func() bool { return len(s.bus.Shown()) == 0 }) {
			t.Error("still shown when it is over")
		}
	})
}

// TestXterm: the title says the state, directly and through tmux; where nothing
// else is to be had a bell makes the window urgent; at the end the title is the
// one from before.
func TestXterm(t *testing.T) {
	title := func(s *stage, w, want string) {
		t.Helper()
		s.until("title "+want, func() bool { return strings.Contains(s.property(w, "_NET_WM_NAME"), want) })
	}
	t.Run("direct", func(t *testing.T) {
		s := newStage(t).x()
		w := s.xterm("stage", append([]string{"sh", "-c", `printf '\033]0;before\007'; "$@"; exec sleep 600`, "sh"}, s.fwrap(remote)...))
		s.works()
		title(s, w, `"⏳ claude · home"`)
		s.agent.Say("\x1b]0;my own title\a")
		title(s, w, `"⏳ my own title"`)
		s.xterm("other", []string{"sleep", "600"})
		s.focus(s.window("other"))
		s.agent.Asks("make deploy")
		title(s, w, `"🔐 my own title"`)
		s.urgent(w)
		s.agent.Quit()
		title(s, w, `"before"`)
		s.quiet(0, time.Millisecond)
	})
	t.Run("tmux", func(t *testing.T) {
		s := newStage(t).x()
		w := s.xterm("stage", s.tmux("off", s.fwrap()))
		s.ask()
		title(s, w, `"🔐 claude · home"`)
		s.told(1)
	})
}

// TestFoot: OSC 777 has foot run its notification command.
func TestFoot(t *testing.T) {
	s := newStage(t).x() // weston's headless backend has no keyboard, without which foot does not start
	s.start(nil, "weston", "--backend=x11-backend.so", "--socket=wayland-stage", "--idle-time=0")
	s.until("compositor", func() bool {
		fi, err := os.Stat(s.dir + "/run/wayland-stage")
		return err == nil && fi.Mode()&os.ModeSocket != 0
	})
	s.env = append(s.env, "WAYLAND_DISPLAY=wayland-stage")
	prog, heard := s.dir+"/notify", s.dir+"/heard"
	if err := os.WriteFile(prog, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" >>'"+heard+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.start(nil, append([]string{"foot", "--config", "/dev/null", "--override", "notify-focus-inhibit=no", "--override", "notify=" + prog + " ${title} ${body}"}, s.fwrap(remote)...)...)
	s.ask()
	var got string
	s.until("foot's notification", func() bool {
		b, _ := os.ReadFile(heard)
		got = string(b)
		return strings.Contains(got, "make deploy")
	})
	if !strings.HasPrefix(got, "claude · home\nNeeds your permission") {
		t.Errorf("foot says %q", got)
	}
}
