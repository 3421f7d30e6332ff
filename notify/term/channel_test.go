package term_test

import (
	"strings"
	"testing"

	"fwrap/notify/term"
)

func TestAuto(t *testing.T) {
	for _, tt := range []struct {
		name    string
		goos    string
		env     string
		desktop bool
		pass    bool   // tmux lets sequences through
		hidden  bool   // but no client shows the window
		client  string // tmux's client_termname
		version string // tmux's client_termtype
		want    term.Channel
		mux     term.Mux
	}{
		{name: "Linux desktop", env: "TERM=xterm-256color", desktop: true, want: term.Desktop},
		{name: "Linux desktop in kitty", env: "TERM=xterm-kitty", desktop: true, want: term.Desktop},
		{name: "Linux desktop in tmux", env: "TERM=tmux-256color TMUX=x", desktop: true, want: term.Desktop, mux: term.Tmux},
		{name: "Linux desktop in zellij", env: "TERM=xterm-kitty ZELLIJ=0", desktop: true, want: term.Desktop},
		{name: "Linux without a bus", env: "TERM=xterm-256color", want: term.BEL},
		{name: "console", env: "TERM=linux", want: term.BEL},
		{name: "dumb", env: "TERM=dumb TERM_PROGRAM=iTerm.app", want: term.BEL},
		{name: "nothing known", want: term.BEL},

		{name: "ssh to a desktop", env: "TERM=xterm-256color SSH_TTY=/dev/pts/1", desktop: true, want: term.BEL},
		{name: "ssh from kitty", env: "TERM=xterm-kitty SSH_TTY=/dev/pts/1", desktop: true, want: term.OSC99},
		{name: "ssh from iTerm2", env: "TERM=xterm-256color LC_TERMINAL=iTerm2 SSH_CONNECTION=x", want: term.OSC9},
		{name: "ssh from Ghostty", env: "TERM=xterm-ghostty SSH_CLIENT=x", want: term.OSC777},
		{name: "ssh from foot", env: "TERM=foot SSH_TTY=x", want: term.OSC777},
		{name: "ssh from foot-extra", env: "TERM=foot-extra SSH_TTY=x", want: term.OSC777},
		{name: "ssh from WezTerm", env: "TERM=wezterm SSH_TTY=x", want: term.OSC777},
		{name: "ssh from Alacritty", env: "TERM=alacritty SSH_TTY=x", want: term.BEL},

		{name: "ssh, then tmux", env: "TERM=tmux-256color TMUX=x SSH_TTY=x", client: "xterm-kitty", want: term.BEL, mux: term.Tmux},
		{name: "ssh, then tmux with passthrough", env: "TERM=tmux-256color TMUX=x SSH_TTY=x", pass: true, client: "xterm-kitty", want: term.OSC99, mux: term.Tmux},
		{name: "tmux with passthrough in an unknown terminal", env: "TERM=tmux-256color TMUX=x TERM_PROGRAM=tmux SSH_TTY=x", pass: true, client: "xterm-256color", want: term.BEL, mux: term.Tmux},
		{name: "tmux with passthrough, in a window that is not shown", env: "TERM=tmux-256color TMUX=x SSH_TTY=x", pass: true, hidden: true, client: "xterm-kitty", want: term.BEL, mux: term.Tmux},
		{name: "tmux with passthrough in a terminal that names itself", env: "TERM=tmux-256color TMUX=x SSH_TTY=x KITTY_WINDOW_ID=1", pass: true, client: "xterm-256color", version: "WezTerm 20260101", want: term.OSC777, mux: term.Tmux},
		{name: "tmux with passthrough in a real xterm", env: "TERM=tmux-256color TMUX=x SSH_TTY=x KITTY_WINDOW_ID=1", pass: true, client: "xterm-256color", version: "XTerm(379)", want: term.BEL, mux: term.Tmux},
		{name: "tmux with passthrough in iTerm2", env: "TERM=screen TMUX=x TERM_PROGRAM=tmux LC_TERMINAL=iTerm2 SSH_TTY=x", pass: true, want: term.OSC9, mux: term.Tmux},
		{name: "ssh, then screen", env: "TERM=screen STY=1.pts SSH_TTY=x LC_TERMINAL=iTerm2", want: term.OSC9, mux: term.Screen},
		{name: "ssh, then zellij", env: "TERM=xterm-kitty ZELLIJ=0 SSH_TTY=x", want: term.BEL},

		{name: "VS Code, no bus", env: "TERM=xterm-256color TERM_PROGRAM=vscode", want: term.OSC99},
		{name: "Zed, no bus", env: "TERM=xterm-256color TERM_PROGRAM=zed", want: term.OSC9},
		{name: "Warp, no bus", env: "TERM=xterm-256color TERM_PROGRAM=WarpTerminal", want: term.OSC9},
		{name: "WSL", env: "TERM=xterm-256color WT_SESSION=x WSL_DISTRO_NAME=Debian", want: term.OSC777},
		{name: "Konsole, no bus", env: "TERM=xterm-256color KONSOLE_VERSION=230800", want: term.OSC777},
		{name: "VTE, no bus", env: "TERM=xterm-256color VTE_VERSION=7600", want: term.BEL},
		{name: "Alacritty started from kitty", env: "TERM=alacritty KITTY_WINDOW_ID=1", want: term.BEL},
		{name: "kitty with another TERM", env: "TERM=xterm-256color KITTY_WINDOW_ID=1", want: term.OSC99},

		{name: "macOS iTerm2", goos: "darwin", env: "TERM=xterm-256color TERM_PROGRAM=iTerm.app", desktop: true, want: term.OSC9},
		{name: "macOS Ghostty", goos: "darwin", env: "TERM=xterm-ghostty", desktop: true, want: term.OSC777},
		{name: "macOS Terminal", goos: "darwin", env: "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal", desktop: true, want: term.Desktop},
		{name: "macOS Alacritty", goos: "darwin", env: "TERM=alacritty", desktop: true, want: term.Desktop},
		{name: "macOS iTerm2 with tmux", goos: "darwin", env: "TERM=screen TERM_PROGRAM=tmux LC_TERMINAL=iTerm2 TMUX=x", desktop: true, pass: true, want: term.Desktop, mux: term.Tmux},
		{name: "ssh to a Mac", goos: "darwin", env: "TERM=xterm-256color TERM_PROGRAM=Apple_Terminal SSH_TTY=x", desktop: true, want: term.BEL},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{}
			for kv := range strings.FieldsSeq(tt.env) {
				k, v, _ := strings.Cut(kv, "=")
				env[k] = v
			}
			goos := tt.goos
			if goos == "" {
				goos = "linux"
			}
			r := term.Auto(term.Host{
				GOOS: goos, Getenv: func(k string) string { return env[k] },
				Desktop: tt.desktop, TmuxPassthrough: tt.pass, TmuxHidden: tt.hidden, TmuxClient: tt.client, TmuxType: tt.version,
			})
			if r.Channel != tt.want || r.Mux != tt.mux || r.Why == "" {
				t.Errorf("%v, mux %d (%s), want %v, mux %d", r.Channel, r.Mux, r.Why, tt.want, tt.mux)
			}
		})
	}
}

func TestChannelNames(t *testing.T) {
	for _, name := range []string{"off", "desktop", "osc99", "osc777", "osc9", "bell"} {
		c, ok := term.ParseChannel(name)
		if !ok || c.String() != name {
			t.Errorf("%s is read as %v, %v", name, c, ok)
		}
		if l := c.Limits(); l.Title <= 0 || l.Body <= 0 {
			t.Errorf("%s shows nothing: %+v", name, l)
		}
	}
	for _, name := range []string{"auto", "", "OSC9"} {
		if c, ok := term.ParseChannel(name); ok {
			t.Errorf("%q is read as %v", name, c)
		}
	}
}
