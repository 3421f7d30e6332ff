package term_test

import (
	"strings"
	"testing"
	"time"

	"fwrap/notify/term"
)

func TestProgressBar(t *testing.T) {
	for _, tt := range []struct {
		env    string
		repeat time.Duration
		ok     bool
	}{
		{"TERM=xterm-256color", 0, false},
		{"TERM=xterm-kitty KITTY_WINDOW_ID=1", 0, false},
		{"TERM=xterm-256color WT_SESSION=x", 0, true},
		{"TERM=xterm-ghostty TERM_PROGRAM=ghostty TERM_PROGRAM_VERSION=1.2.0", 10 * time.Second, true},
		{"TERM=xterm-ghostty TERM_PROGRAM=ghostty TERM_PROGRAM_VERSION=1.1.3", 10 * time.Second, false},
		{"TERM=xterm-ghostty SSH_TTY=x", 10 * time.Second, true},
		{"TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.6.6", 0, true},
		{"TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.10", 0, true},
		{"TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.6", 0, false},
		{"TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.5.14", 0, false},
		{"TERM_PROGRAM=vscode TERM_PROGRAM_VERSION=1.103.0-insider", 0, true},
		{"TERM_PROGRAM=WezTerm VTE_VERSION=9000", 0, false},
		{"VTE_VERSION=8000", 0, true},
		{"VTE_VERSION=7603", 0, false},
		{"VTE_VERSION=8000 TMUX=x", 0, false},
		{"WT_SESSION=x STY=x", 0, false},
		{"", 0, false},
	} {
		env := map[string]string{}
		for kv := range strings.FieldsSeq(tt.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		repeat, ok := term.ProgressBar(term.Host{Getenv: func(k string) string { return env[k] }})
		if ok != tt.ok || ok && repeat != tt.repeat {
			t.Errorf("%s: %v, %v", tt.env, repeat, ok)
		}
	}
}
