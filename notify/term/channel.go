package term

import (
	"fmt"
	"strings"
)

// Channel is a way to reach the person. An event goes out on one.
type Channel uint8

const (
	Off     Channel = iota // tell nobody
	Desktop                // the local desktop's notification service
	OSC99
	OSC777
	OSC9
	BEL // BEL: a sound, a flash, a mark on the tab
)

var channelNames = [...]string{Off: "off", Desktop: "desktop", OSC99: "osc99", OSC777: "osc777", OSC9: "osc9", BEL: "bell"}

// String returns the channel's name as the config spells it.
func (c Channel) String() string {
	if int(c) < len(channelNames) {
		return channelNames[c]
	}
	return fmt.Sprintf("channel(%d)", uint8(c))
}

// ParseChannel reads a channel's name; "auto" is not one.
func ParseChannel(s string) (Channel, bool) {
	for i, n := range channelNames {
		if n == s {
			return Channel(i), true
		}
	}
	return Off, false
}

// Host is what is known of where fwrap runs. Nothing in it is certain: the
// environment survives into tmux, sudo and containers and goes stale there.
type Host struct {
	GOOS    string
	Getenv  func(string) string
	Desktop bool // a notification service of this machine's desktop can be asked
	// TmuxClient is tmux's client_termname, the TERM of the terminal outside;
	// empty if it was not asked.
	TmuxClient string
	// TmuxType is tmux's client_termtype, the name and version with which the
	// terminal outside answers XTVERSION; empty if it does not or was not asked.
	TmuxType string
	// TmuxPassthrough says that tmux's allow-passthrough is on. Not knowing is
	// off, the default: what tmux drops nobody sees, and nothing tells of it.
	TmuxPassthrough bool
	// TmuxHidden says that what is passed through reaches no terminal all the
	// same: allow-passthrough is not "all", and no client shows the window.
	TmuxHidden bool
}

// Route is a channel with the way to it and the reason, for doctor to print.
type Route struct {
	Channel Channel
	Mux     Mux
	Why     string
}

// Auto chooses the channel for a host: over ssh the person's own terminal, never
// the remote machine's desktop; locally on Linux the desktop; on macOS a terminal
// that shows notifications itself, since a click on them brings up the right
// window, which it does not for those of an unbundled program; BEL last.
func Auto(h Host) Route {
	r := Terminal(h)
	where := ""
	for _, v := range []string{"SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"} {
		if h.Getenv(v) != "" {
			where = v
			break
		}
	}
	switch {
	case where != "":
		r.Why = "over ssh (" + where + "): " + r.Why
	case !h.Desktop:
		r.Why = "no desktop notification service: " + r.Why
	case h.GOOS == "darwin" && r.Mux == Direct && r.Channel != BEL:
		r.Why = "local: " + r.Why
	default:
		r = Route{Channel: Desktop, Mux: r.Mux, Why: "local desktop"}
	}
	return r
}

// Terminal chooses among the ways through the terminal itself: the one to take
// when the desktop is not there or has failed.
func Terminal(h Host) Route {
	switch {
	case h.Getenv("ZELLIJ") != "":
		// Only builds from 2026 on pass OSC 9, 99 and 777, and zellij does
		// not tell which it is.
		return Route{Channel: BEL, Why: "zellij passes BEL"}
	case h.Getenv("TMUX") != "":
		if !h.TmuxPassthrough {
			return Route{Channel: BEL, Mux: Tmux, Why: "tmux without allow-passthrough passes BEL only"}
		}
		if h.TmuxHidden {
			return Route{Channel: BEL, Mux: Tmux, Why: "tmux passes BEL only from a window that is not shown, unless allow-passthrough is all"}
		}
		c, why, ok := ByVersion(h.TmuxType)
		if !ok {
			c, why = identify(h.TmuxClient, outside(h.Getenv))
		}
		return Route{Channel: c, Mux: Tmux, Why: "tmux with allow-passthrough, " + why}
	case h.Getenv("STY") != "":
		c, why := identify("", outside(h.Getenv))
		return Route{Channel: c, Mux: Screen, Why: "screen, " + why}
	}
	c, why := identify(h.Getenv("TERM"), h.Getenv)
	return Route{Channel: c, Why: why}
}

// outside hides what a multiplexer sets for itself from what it inherited.
func outside(getenv func(string) string) func(string) string {
	return func(k string) string {
		v := getenv(k)
		if k == "TERM_PROGRAM" && (v == "tmux" || v == "screen") {
			return ""
		}
		return v
	}
}

// versions are the beginnings of what terminals answer to XTVERSION, in lower
// case.
var versions = []struct {
	name    string
	channel Channel
	why     string
}{
	{"kitty", OSC99, "kitty"},
	{"ghostty", OSC777, "Ghostty"},
	{"foot", OSC777, "foot"},
	{"wezterm", OSC777, "WezTerm"},
	{"iterm2", OSC9, "iTerm2"},
	{"konsole", OSC777, "Konsole"},
	{"xterm.js", OSC99, "VS Code"},
	{"xterm(", BEL, "xterm shows no notifications"},
	{"alacritty", BEL, "Alacritty shows no notifications"},
}

// ByVersion names a terminal that has answered XTVERSION, and its best channel.
func ByVersion(version string) (Channel, string, bool) {
	version = strings.ToLower(version)
	for _, v := range versions {
		if strings.HasPrefix(version, v.name) {
			return v.channel, v.why, true
		}
	}
	return Off, "", false
}

// identify names the terminal and its best channel. TERM comes first: it alone
// crosses ssh, and a variable like KITTY_WINDOW_ID is inherited by any other
// terminal started from that one.
func identify(termName string, getenv func(string) string) (Channel, string) {
	program := getenv("TERM_PROGRAM")
	switch {
	case termName == "dumb" || termName == "linux":
		return BEL, "TERM=" + termName
	case strings.HasPrefix(termName, "xterm-kitty"):
		return OSC99, "kitty"
	case strings.HasPrefix(termName, "xterm-ghostty") || termName == "ghostty":
		return OSC777, "Ghostty"
	case termName == "foot" || strings.HasPrefix(termName, "foot-"):
		// 99 as well, but only from 1.18 on.
		return OSC777, "foot"
	case strings.HasPrefix(termName, "wezterm"):
		return OSC777, "WezTerm"
	case strings.HasPrefix(termName, "alacritty"):
		return BEL, "Alacritty shows no notifications"
	case strings.HasPrefix(termName, "rxvt-unicode"):
		return BEL, "rxvt shows notifications only with an extension"
	}
	switch program {
	case "iTerm.app":
		return OSC9, "iTerm2"
	case "WezTerm":
		return OSC777, "WezTerm"
	case "ghostty":
		return OSC777, "Ghostty"
	case "vscode":
		return OSC99, "VS Code"
	case "zed", "Zed":
		return OSC9, "Zed"
	case "WarpTerminal":
		return OSC9, "Warp"
	case "Apple_Terminal":
		return BEL, "Terminal.app shows no notifications"
	}
	switch {
	case strings.Contains(getenv("LC_TERMINAL"), "iTerm"):
		return OSC9, "iTerm2" // sent on by ssh's SendEnv LC_*
	case getenv("WT_SESSION") != "":
		return OSC777, "Windows Terminal"
	case getenv("KITTY_WINDOW_ID") != "":
		return OSC99, "kitty"
	case getenv("WEZTERM_PANE") != "":
		return OSC777, "WezTerm"
	case getenv("KONSOLE_VERSION") != "":
		return OSC777, "Konsole"
	}
	return BEL, "terminal not known to show notifications"
}
