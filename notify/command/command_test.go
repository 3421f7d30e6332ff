package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/notify"
	"fwrap/notify/command"
)

const limit = 20 * time.Second

// hostile is what an agent may ask.
const hostile = "Run $(touch pwned); `id` && echo \"x\" 'y' \x1b[31m\u202e -w --help\nsecond line?"

func show(id int, q detect.Question) notify.Action {
	return notify.Action{
		Op: notify.Show, Event: notify.NeedsYou, ID: id, Waited: 1234 * time.Millisecond,
		Status: detect.Status{State: detect.Blocked, Kind: detect.Permission, Question: q},
	}
}

var session = notify.Session{Agent: "claude", Project: "orchard", Name: "night; rm -rf /"}

// script writes a program that does what the shell text says.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFacts: what the program gets, by both ways, is the truth and the same.
func TestFacts(t *testing.T) {
	dir := t.TempDir()
	prog := script(t, `cat > "$1/json"; env | grep -z . > /dev/null; for v in EVENT ID SESSION REMINDER AGENT PROJECT NAME DIR KIND QUESTION OPTIONS SUMMARY BODY URGENCY TURN WAITED SOCK TTY; do
eval "printf '%s=%s\n' $v \"\$FWRAP_$v\""; done > "$1/env"; printf 'args:%s\n' "$@"; echo oops >&2; tty`)
	c := command.Command{
		Argv:    []string{prog, dir, "$FWRAP_QUESTION", "a b"},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "FWRAP_SOCK=/secret", "FWRAP_TTY=/dev/pts/1", "FWRAP_TITLE=on"},
	}
	f := command.FactsOf(session, "fwrap-7", "/home/o/orchard", show(3, detect.Question{Text: hostile, Options: []string{"Yes", "No\x07"}}), notify.Full)
	r := c.Run(t.Context(), f)
	if r.Err != nil && !strings.Contains(r.Err.Error(), "exit status 1") { // tty's
		t.Fatal(r.Err)
	}
	if want := "args:" + dir + "\nargs:$FWRAP_QUESTION\nargs:a b\noops\nnot a tty"; r.Output != want {
		t.Errorf("output %q, want %q", r.Output, want)
	}
	b, err := os.ReadFile(dir + "/json")
	if err != nil {
		t.Fatal(err)
	}
	var got command.Facts
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%v in %q", err, b)
	}
	if fmt.Sprint(got) != fmt.Sprint(f) || strings.Count(string(b), "\n") != 1 {
		t.Errorf("JSON %s", b)
	}
	env, _ := os.ReadFile(dir + "/env")
	for _, want := range []string{
		"EVENT=blocked", "ID=3", "SESSION=fwrap-7", "REMINDER=", "AGENT=claude", "PROJECT=orchard", "NAME=night; rm -rf /",
		"DIR=/home/o/orchard", "KIND=permission", "OPTIONS=Yes\nNo", "URGENCY=critical", "WAITED=1.2", "SOCK=", "TTY=",
		"QUESTION=Run $(touch pwned); `id` && echo \"x\" 'y' [31m -w --help second line?",
	} {
		if !strings.Contains("\n"+string(env), "\n"+want+"\n") {
			t.Errorf("the environment has no %q:\n%s", want, env)
		}
	}
	if _, err := os.Stat("pwned"); err == nil {
		t.Error("a word of the agent's was run")
	}
}

func TestFactsShort(t *testing.T) {
	a := show(1, detect.Question{Text: "Delete secret.txt?", Options: []string{"secret"}})
	f := command.FactsOf(session, "s", "/", a, notify.Short)
	if b, _ := json.Marshal(f); strings.Contains(string(b), "secret") {
		t.Errorf("a short text says %s", b)
	}
	a = notify.Action{Op: notify.Close, Event: notify.NeedsYou, ID: 1}
	f = command.FactsOf(session, "s", "/", a, notify.Full)
	if f.Event != "close" || f.ID != 1 || f.Question != "" {
		t.Errorf("%+v", f)
	}
}

// alive counts the processes that a pid file names and that still run.
func alive(t *testing.T, file string) bool {
	b, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatalf("%q in %s", b, file)
	}
	return syscall.Kill(pid, 0) == nil
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(limit)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(end) {
			t.Fatalf("no %s within %v", what, limit)
		}
		<-tick.C
	}
}

// TestDeadline: a program that hangs is killed with its children, one that has
// gone and left something running is not waited for.
func TestDeadline(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	for _, tt := range []struct {
		name, text string
		killed     bool
	}{
		{"hangs", `sleep 1000 & echo $! > "$1"; wait`, true},
		{"ignores TERM", `trap '' TERM HUP INT; sleep 1000 & echo $! > "$1"; while :; do wait; done`, true},
		{"leaves something running", `sleep 1000 & echo $! > "$1"`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			os.Remove(pid)
			c := command.Command{Argv: []string{script(t, tt.text), pid}, Environ: os.Environ(), Timeout: 500 * time.Millisecond}
			r := c.Run(t.Context(), command.Facts{})
			if killed := r.Err != nil; killed != tt.killed {
				t.Errorf("error %v", r.Err)
			}
			if r.Took > 5*time.Second {
				t.Errorf("took %v", r.Took)
			}
			if tt.killed {
				until(t, "end of the child", func() bool { return !alive(t, pid) })
				return
			}
			if !alive(t, pid) {
				t.Error("what it left running was killed")
			}
			b, _ := os.ReadFile(pid)
			n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
			syscall.Kill(n, syscall.SIGKILL)
		})
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name string
		argv []string
		err  string
		out  int
	}{
		{"not found", []string{"/nonexistent/program"}, "no such file", 0},
		{"none", nil, "none is configured", 0},
		{"fails", []string{script(t, "exit 3")}, "exit status 3", 0},
		{"reads nothing", []string{script(t, "exit 0")}, "", 0},
		{"prints much", []string{script(t, "head -c 1000000 /dev/zero | tr '\\0' x")}, "", 4<<10 + len(" …")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := command.Command{Argv: tt.argv, Environ: os.Environ()}
			r := c.Run(t.Context(), command.Facts{Body: strings.Repeat("x", 100<<10)})
			if tt.err == "" && r.Err != nil || tt.err != "" && (r.Err == nil || !strings.Contains(r.Err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", r.Err, tt.err)
			}
			if len(r.Output) != tt.out {
				t.Errorf("%d bytes of output, want %d", len(r.Output), tt.out)
			}
		})
	}
}

// TestRunner: one at a time, of what waits the newest, and no close for what
// was never told.
func TestRunner(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	prog := script(t, `while [ ! -e "$1" ]; do sleep 0.01; done; echo "$FWRAP_EVENT $FWRAP_ID"`)
	var mu sync.Mutex
	var got []string
	r := command.NewRunner(command.Command{Argv: []string{prog, gate}, Environ: os.Environ()}, func(r command.Result) {
		mu.Lock()
		defer mu.Unlock()
		if r.Err != nil {
			r.Output += r.Err.Error()
		}
		got = append(got, r.Output)
	})
	fact := func(event string, id int) command.Facts { return command.Facts{Event: event, ID: id} }
	ran := func(n int) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(got) == n
		}
	}
	r.Tell(fact("close", 9))
	r.Tell(fact("blocked", 1))
	r.Tell(fact("blocked", 2))
	r.Tell(fact("blocked", 3))
	r.Tell(fact("idle", 4))
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "last run", func() bool { mu.Lock(); defer mu.Unlock(); return len(got) > 0 && got[len(got)-1] == "idle 4" })
	mu.Lock()
	if n := len(got); n > 2 {
		t.Errorf("ran %q", got)
	}
	n := len(got)
	mu.Unlock()
	r.Tell(fact("close", 4))
	until(t, "close", ran(n+1))
	r.Tell(fact("close", 4))
	r.Tell(fact("blocked", 5))
	until(t, "run after the close", ran(n+2))
	mu.Lock()
	if a, b := got[n], got[n+1]; a != "close 4" || b != "blocked 5" {
		t.Errorf("ran %q, then %q", a, b)
	}
	mu.Unlock()

	// A run that is under way at the end is waited for as long as is allowed.
	os.Remove(gate)
	r.Tell(fact("blocked", 6))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	r.Stop(ctx)
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("the end took %v", d)
	}
	r.Tell(fact("blocked", 7))
	if !ran(n + 3)() {
		t.Error("the run that was killed was not reported, or one began after the end")
	}
}
