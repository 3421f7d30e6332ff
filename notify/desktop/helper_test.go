package desktop_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fwrap/notify"
	"fwrap/notify/desktop"
)

// TestMain lets the test's own program be the helper, as fwrap's main does.
func TestMain(m *testing.M) {
	if desktop.IsHelper(os.Args) {
		os.Exit(desktop.Helper())
	}
	os.Exit(m.Run())
}

var hello = notify.Notice{Title: "claude · api", Body: "Needs your permission\nrun make?", Urgency: notify.Critical}

// script writes a shell program that plays the helper.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "helper")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// environ is an environment with a bus address, so that a helper is started.
func environ(more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"}, more...)
}

// gone waits until the process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && bytes.Contains(b, []byte(") Z ")) {
			return // dead; whoever took it in has not looked yet
		}
		if time.Now().After(end) {
			t.Fatalf("process %d lives on", pid)
		}
	}
}

func readPID(t *testing.T, file string) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestHungHelperIsKilledWithItsChildren(t *testing.T) {
	dir := t.TempDir()
	exe := script(t, `
		sleep 1000 & echo $! >`+dir+`/child
		echo $$ >`+dir+`/self
		wait`)
	start := time.Now()
	r := desktop.Send(context.Background(), desktop.Host{Environ: environ(), Exe: exe}, hello, "", desktop.Handle{})
	took := time.Since(start)
	if r.Outcome != desktop.NotSent || r.Err == nil {
		t.Errorf("result %+v", r)
	}
	if took < 2500*time.Millisecond || took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
	gone(t, readPID(t, dir+"/self"))
	gone(t, readPID(t, dir+"/child"))
}

func TestEndedHelperLeavesNoChildren(t *testing.T) {
	dir := t.TempDir()
	// The child holds the reply's pipe open: the reader must not wait for it.
	exe := script(t, `
		sleep 1000 & echo $! >`+dir+`/child
		echo '{"outcome":"shown","handle":{"id":7,"owner":":1.5"},"via":"dbus"}' >&3
		exec 3>&-`)
	start := time.Now()
	r := desktop.Send(context.Background(), desktop.Host{Environ: environ(), Exe: exe}, hello, "", desktop.Handle{})
	if r.Outcome != desktop.Shown || r.Handle != (desktop.Handle{ID: 7, Owner: ":1.5"}) || r.Err != nil {
		t.Errorf("result %+v", r)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	gone(t, readPID(t, dir+"/child"))
}

func TestCancelKillsTheHelper(t *testing.T) {
	dir := t.TempDir()
	exe := script(t, `echo $$ >`+dir+`/self.new; mv `+dir+`/self.new `+dir+`/self; sleep 1000`)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan desktop.Result)
	go func() {
		done <- desktop.Send(ctx, desktop.Host{Environ: environ(), Exe: exe}, hello, "", desktop.Handle{})
	}()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(dir + "/self"); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the helper did not start")
		}
	}
	cancel()
	select {
	case r := <-done:
		if r.Outcome != desktop.NotSent {
			t.Errorf("result %+v", r)
		}
	case <-time.After(2 * time.Second):
		t.Fatal("Send does not return")
	}
	gone(t, readPID(t, dir+"/self"))
}

// TestHelperSeesNothingOfTheSession: no terminal, no output, none of the
// person's variables, nothing of the text in its arguments.
func TestHelperSeesNothingOfTheSession(t *testing.T) {
	dir := t.TempDir()
	exe := script(t, `
		env >`+dir+`/env
		echo "$#" >`+dir+`/args
		cat >`+dir+`/stdin
		(: </dev/tty) 2>/dev/null && echo yes >`+dir+`/tty
		pwd >`+dir+`/pwd
		echo noise; echo noise >&2
		echo '{"outcome":"shown"}' >&3`)
	h := desktop.Host{Environ: environ("SECRET=hunter2", "ANTHROPIC_API_KEY=x", "HOME=/home/p", "DISPLAY=:7"), Exe: exe}
	if r := desktop.Send(context.Background(), h, hello, "tag", desktop.Handle{ID: 3}); r.Outcome != desktop.Shown {
		t.Fatalf("result %+v", r)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	env := read("env")
	for _, bad := range []string{"SECRET", "ANTHROPIC", "FWRAP"} {
		if strings.Contains(env, bad) {
			t.Errorf("the helper's environment has %s:\n%s", bad, env)
		}
	}
	for _, good := range []string{"HOME=/home/p", "DISPLAY=:7", "PATH="} {
		if !strings.Contains(env, good) {
			t.Errorf("the helper's environment lacks %s:\n%s", good, env)
		}
	}
	if args := read("args"); args != "0\n" {
		t.Errorf("the helper has arguments: %s", args)
	}
	if in := read("stdin"); !strings.Contains(in, "run make?") || !strings.Contains(in, `"id":3`) {
		t.Errorf("the helper reads %s", in)
	}
	if pwd := read("pwd"); pwd != "/\n" {
		t.Errorf("the helper holds on to the directory %s", pwd)
	}
	if _, err := os.Stat(dir + "/tty"); err == nil {
		t.Error("the helper has a controlling terminal")
	}
}

func TestGarbledReplies(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":        ``,
		"no JSON":        `echo 'panic: oh no' >&3`,
		"half":           `printf '{"outcome":"sho' >&3`,
		"unknown":        `echo '{"outcome":"excellent"}' >&3`,
		"too much":       `head -c 10000000 /dev/zero >&3`,
		"status":         `exit 7`,
		"killed":         `kill -9 $$`,
		"closed at once": `exec 3>&-; sleep 0.1`,
	} {
		t.Run(name, func(t *testing.T) {
			r := desktop.Send(context.Background(), desktop.Host{Environ: environ(), Exe: script(t, body)}, hello, "", desktop.Handle{})
			if r.Outcome != desktop.NotSent || r.Err == nil {
				t.Errorf("result %+v", r)
			}
		})
	}
	t.Run("asked, then died", func(t *testing.T) {
		r := desktop.Send(context.Background(), desktop.Host{Environ: environ(),
			Exe: script(t, `echo '{"asked":true,"outcome":"not sent","via":"beeep"}' >&3; kill -9 $$`)}, hello, "", desktop.Handle{})
		if r.Outcome != desktop.Unanswered || r.Err == nil {
			t.Errorf("result %+v", r)
		}
	})
	t.Run("no such program", func(t *testing.T) {
		r := desktop.Send(context.Background(), desktop.Host{Environ: environ(), Exe: "/no/such/program"}, hello, "", desktop.Handle{})
		if r.Outcome != desktop.NotSent || r.Err == nil {
			t.Errorf("result %+v", r)
		}
	})
}

func TestIsHelper(t *testing.T) {
	for _, argv := range [][]string{nil, {"fwrap"}, {"fwrap-notify", "x"}, {"/usr/bin/fwrap-notify"}, {"claude"}} {
		if desktop.IsHelper(argv) {
			t.Errorf("%q is taken for the helper", argv)
		}
	}
	if !desktop.IsHelper([]string{"fwrap-notify"}) {
		t.Error("the helper does not know itself")
	}
}

// TestHelperByHand: somebody starts fwrap under the helper's name.
func TestHelperByHand(t *testing.T) {
	for _, in := range []string{"", "nonsense", `{"op":"show"}`, strings.Repeat("x", 1<<20)} {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe)
		cmd.Args = []string{"fwrap-notify"}
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.CombinedOutput()
		if len(out) > 0 || cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("with input %.20q it says %q and ends with %v", in, out, err)
		}
	}
}

// counting is a helper that counts its runs and keeps what it was asked.
func counting(t *testing.T, pause string) (exe string, requests func() []string) {
	dir := t.TempDir()
	exe = script(t, `
		n=$(($(ls `+dir+` | wc -l) + 1))
		cat >`+dir+`/$n
		`+pause+`
		echo '{"outcome":"shown","handle":{"id":'$n'},"via":"dbus"}' >&3`)
	return exe, func() []string {
		var all []string
		names, _ := filepath.Glob(dir + "/*")
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(b))
		}
		return all
	}
}

// TestNewestWins: of what is asked for while a helper runs, only the last is done.
func TestNewestWins(t *testing.T) {
	exe, requests := counting(t, "sleep 0.3")
	s := desktop.NewSender(desktop.Host{Environ: environ(), Exe: exe}, "tag", nil)
	start := time.Now()
	for i := range 1000 {
		s.Show(notify.Notice{Title: "t", Body: strconv.Itoa(i)}, nil)
	}
	if took := time.Since(start); took > 250*time.Millisecond {
		t.Errorf("a thousand requests took %v: they block", took)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Stop(ctx)
	got := requests()
	if len(got) < 1 || len(got) > 2 {
		t.Fatalf("%d helpers for one burst", len(got))
	}
	if last := got[len(got)-1]; !strings.Contains(last, `"body":"999"`) {
		t.Errorf("the last request was %s", last)
	}
	if len(got) == 2 && !strings.Contains(got[1], `"id":1`) {
		t.Errorf("the second notice does not replace the first: %s", got[1])
	}
}

func TestCloseOfNothingStartsNothing(t *testing.T) {
	exe, requests := counting(t, "")
	s := desktop.NewSender(desktop.Host{Environ: environ(), Exe: exe}, "tag", nil)
	s.Close()
	s.Stop(context.Background())
	if got := requests(); len(got) != 0 {
		t.Errorf("helpers were started: %v", got)
	}
	s.Show(hello, nil)
	s.Stop(context.Background())
	if got := requests(); len(got) != 0 {
		t.Errorf("a stopped sender starts helpers: %v", got)
	}
}

// TestStopDoesNotWaitForAHungHelper: the person has left the agent and wants
// their shell.
func TestStopDoesNotWaitForAHungHelper(t *testing.T) {
	exe := script(t, "sleep 1000")
	s := desktop.NewSender(desktop.Host{Environ: environ(), Exe: exe}, "tag", nil)
	s.Show(hello, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	s.Stop(ctx)
	if took := time.Since(start); took > time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestStopLeavesAWithdrawalToItself: the notice goes although the person's shell
// is already back.
func TestStopLeavesAWithdrawalToItself(t *testing.T) {
	dir := t.TempDir()
	exe := script(t, `
		if grep -q '"op":"close"'; then
			sleep 0.5
			echo gone >`+dir+`/gone
		fi
		echo '{"outcome":"shown","handle":{"id":1},"via":"dbus"}' >&3`)
	shown := make(chan desktop.Result, 1)
	s := desktop.NewSender(desktop.Host{Environ: environ(), Exe: exe}, "tag", nil)
	s.Show(hello, func(r desktop.Result) { shown <- r })
	<-shown
	s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	start := time.Now()
	s.Stop(ctx)
	if took := time.Since(start); took > 400*time.Millisecond {
		t.Errorf("Stop waits for %v", took)
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(dir + "/gone"); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the notice stays behind")
		}
	}
}
