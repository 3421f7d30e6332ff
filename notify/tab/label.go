package tab

import (
	"encoding/base64"
	"strings"
	"time"

	"fwrap/detect"
)

// Label is what the tab shows. People have these in their profiles' triggers
// and scripts, so they do not change, to the variation selector.
type Label string

const (
	Working    Label = "⚙️ working"
	Permission Label = "🔐 permission"
	Input      Label = "❓ input"
	Idle       Label = "💤 idle" // followed by the date and time at which it was written
	Background Label = "🧵 background"
	Compacting Label = "📦 compacting"
	Cleared    Label = ""
)

// Variable is the name of iTerm2's user variable.
const Variable = "claudeState"

// For returns the label of a status.
func For(s detect.Status) Label {
	switch {
	case s.State == detect.Blocked && s.Kind == detect.Ask:
		return Input
	case s.State == detect.Blocked:
		return Permission
	case s.State == detect.Working && s.Kind == detect.Compacting:
		return Compacting
	case s.State == detect.Working && s.Kind == detect.Background:
		return Background
	case s.State == detect.Working:
		return Working
	case s.State == detect.Idle:
		return Idle
	}
	return Cleared
}

// stamped is the label as it is written at now: idle with the time, as date
// '+%b %-d %H:%M' in the C locale has it.
func (l Label) stamped(now time.Time) string {
	if l == Idle {
		return string(l) + now.Format(" Jan 2 15:04")
	}
	return string(l)
}

// sequence is what sets the variable to value: OSC 1337 SetUserVar, ended by
// BEL, the value in base64. tmux passes it on only when it is wrapped, with
// every ESC doubled.
func sequence(value string, tmux bool) []byte {
	s := "\x1b]1337;SetUserVar=" + Variable + "=" + base64.StdEncoding.EncodeToString([]byte(value)) + "\a"
	if tmux {
		s = "\x1bPtmux;" + strings.ReplaceAll(s, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	return []byte(s)
}
