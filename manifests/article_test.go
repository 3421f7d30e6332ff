package manifests_test

import (
	"strings"
	"testing"

	"fwrap/detect"
	"fwrap/detect/manifest"
	"fwrap/detect/screen"
)

// articleRules are the rules that this program's idea comes from, as published.
const articleRules = `[[rules]]
state = "blocked"
any = [
  'Do you want to (proceed|continue|make this edit|create)',
  '❯\s*1\.\s*Yes',
  'Esc to cancel · Tab to amend',
  'Enter to select · ↑/↓ to navigate',
  'Exit plan mode\?',
]

[[rules]]
state = "working"
any = ['esc to interrupt']

[[rules]]
state = "idle"
any = ['\? for shortcuts', '(?:⏸|⏵⏵) [a-z ]+ mode on']
`

// articleBytes are the bytes that Claude Code 2.1.303 wrote for a permission,
// as published: words placed by column, lines by moving down, no newline.
const articleBytes = "\r\x1b[1C\x1b[1B\x1b[39mDo\x1b[5Gyou\x1b[9Gwant\x1b[14Gto\x1b[17Gproceed?" +
	"\r\x1b[1C\x1b[1B\x1b[38;2;177;185;249m❯\x1b[4G\x1b[38;2;153;153;153m1. \x1b[38;2;177;185;249mYes" +
	"\r\x1b[3C\x1b[1B\x1b[38;2;153;153;153m2. \x1b[39mYes,\x1b[12Gand\x1b[16Galways\x1b[23Gallow ..."

func TestArticle(t *testing.T) {
	m, err := manifest.Load("claude.toml", []byte(articleRules))
	if err != nil {
		t.Fatal(err)
	}
	if m.Agent != "claude" || len(m.Rules.List) != 3 {
		t.Fatalf("agent %q with %d rules", m.Agent, len(m.Rules.List))
	}
	judge := func(out string) detect.Verdict {
		s := screen.New(120, 32)
		s.Write([]byte(out))
		snap := s.Snapshot()
		return m.Rules.Match(&snap)
	}
	v := judge(articleBytes)
	if v.State != detect.Blocked || v.At != "claude.toml:1" || v.Line != "Do you want to proceed?" {
		t.Errorf("%s at %s by %q, want blocked at claude.toml:1", v.State, v.At, v.Line)
	}
	// Each line decides by itself.
	for i, line := range strings.SplitAfter(articleBytes, "?") {
		if v := judge(line); v.State != detect.Blocked {
			t.Errorf("line %d: %s, want blocked", i, v.State)
		}
	}
	// Blocked stands first because the footer says so while a prompt is open.
	for out, want := range map[string]detect.State{
		articleBytes + "\r\x1b[2Besc to interrupt": detect.Blocked,
		"\r\x1b[1Cesc\x1b[6Gto\x1b[9Ginterrupt":    detect.Working,
		"  ? for shortcuts":                        detect.Idle,
		"  ⏸ plan mode on":                         detect.Idle,
		"Would you like me to add a test?":         detect.Idle,
		"":                                         detect.Idle,
	} {
		if v := judge(out); v.State != want {
			t.Errorf("%q: %s, want %s", out, v.State, want)
		}
	}
}
