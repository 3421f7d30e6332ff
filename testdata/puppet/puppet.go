// Package puppet is an agent whose strings a test pulls: a program that draws,
// on the terminal that it was started on, what the test says, in the screens of
// Claude Code in their plainest form. What it gets from the terminal is kept.
package puppet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Agent is a puppet. It may be started once.
type Agent struct {
	// Path is the program: fwrap --agent claude PATH.
	Path string

	t     testing.TB
	strip *os.File
	keys  string
	open  bool
}

// New makes a puppet in a directory of its own. It ends with the test.
func New(t testing.TB) *Agent {
	t.Helper()
	dir := t.TempDir()
	a := &Agent{Path: filepath.Join(dir, "puppet"), t: t, open: true}
	fifo := filepath.Join(dir, "strings")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatalf("make the puppet's strings: %v", err)
	}
	// Open for both, so that it does not wait for the puppet.
	var err error
	if a.strip, err = os.OpenFile(fifo, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	a.keys = filepath.Join(dir, "keys")
	script := fmt.Sprintf(`#!/bin/sh
[ "$1" != --version ] || exec echo '2.1.332 (Claude Code)'
stty raw -echo
exec 3<&0
cat <&3 >'%s' &
exec cat '%s'
`, a.keys, fifo)
	if err := os.WriteFile(a.Path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Quit)
	return a
}

// Say writes s as it is.
func (a *Agent) Say(s string) {
	a.t.Helper()
	if _, err := a.strip.WriteString(s); err != nil {
		a.t.Fatalf("pull the puppet's strings: %v", err)
	}
}

// Got is what the terminal has sent: keys, and its reports.
func (a *Agent) Got() string {
	b, _ := os.ReadFile(a.keys) // not there before the puppet has started
	return string(b)
}

// Quit ends the puppet.
func (a *Agent) Quit() {
	if a.open {
		a.open = false
		a.strip.Close()
	}
}

const (
	rule = "────────────────────────────────────────────────────────────"
	box  = rule + "\n❯ \n" + rule + "\n"
)

// show draws a screen and puts the cursor up lines above its end, at column.
func (a *Agent) show(text string, up, column int) {
	a.t.Helper()
	a.Say("\x1b[?2026h\x1b[2J\x1b[H" + strings.ReplaceAll(text, "\n", "\r\n") +
		fmt.Sprintf("\x1b[%dA\x1b[%dG", up, column) + "\x1b[?2026l")
}

// Works draws a turn that goes on.
func (a *Agent) Works() {
	a.t.Helper()
	a.show("❯ deploy the website\n\n✻ Checking the site… (7s · esc to interrupt)\n\n"+box+"  ? for shortcuts\n", 3, 3)
}

// Asks draws a dialog that wants a permission for the command.
func (a *Agent) Asks(command string) {
	a.t.Helper()
	a.show("❯ deploy the website\n\n"+rule+"\n Bash command\n\n   "+command+"\n   Publish the website\n\n"+
		" Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend\n", 4, 2)
}

// Rests draws the end of a turn.
func (a *Agent) Rests() {
	a.t.Helper()
	a.show("❯ deploy the website\n\n● The website is live.\n\n✻ Worked for 1m 7s\n\n"+box+"  ? for shortcuts\n", 3, 3)
}
