package term

import (
	"strconv"
	"strings"
	"time"
)

// ProgressBar reports whether the terminal is known to draw OSC 9;4 as progress,
// and how often it wants to hear of it lest it takes the bar away; 0: once is
// enough. A terminal that is not known gets none: some show "4;3" as a
// notification. Nothing passes a multiplexer, whose panes would share one bar.
func ProgressBar(h Host) (repeat time.Duration, ok bool) {
	for _, v := range []string{"TMUX", "STY", "ZELLIJ"} {
		if h.Getenv(v) != "" {
			return 0, false
		}
	}
	version := h.Getenv("TERM_PROGRAM_VERSION")
	switch program := h.Getenv("TERM_PROGRAM"); {
	case program == "ghostty":
		// Builds before 1.2 knew OSC 9 and not 9;4; the bar goes after 15 s.
		return 10 * time.Second, atLeast(version, 1, 2)
	case strings.HasPrefix(h.Getenv("TERM"), "xterm-ghostty"):
		return 10 * time.Second, true // over ssh, where it does not tell its version
	case program == "iTerm.app":
		return 0, atLeast(version, 3, 6, 6) // a notification before, gnachman/iterm2#12587
	case program == "vscode":
		return 0, atLeast(version, 1, 97)
	case program != "":
		return 0, false
	}
	if v, err := strconv.Atoi(h.Getenv("VTE_VERSION")); err == nil {
		return 0, v >= 8000
	}
	return 0, h.Getenv("WT_SESSION") != "" || h.Getenv("ConEmuANSI") == "ON"
}

// atLeast compares the beginning of a version, number by number.
func atLeast(version string, want ...int) bool {
	parts := strings.Split(version, ".")
	for i, w := range want {
		if i >= len(parts) {
			return false
		}
		digits := parts[i][:len(parts[i])-len(strings.TrimLeft(parts[i], "0123456789"))]
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil || n < w:
			return false
		case n > w:
			return true
		}
	}
	return true
}
