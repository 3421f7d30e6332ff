package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// acpAgent is a script that plays an ACP adapter: it asks for a permission,
// waits for the answer, and ends its turn.
const acpAgent = `#!/bin/sh
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read -r prompt
echo '{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"title":"make deploy"},"options":[{"optionId":"a","name":"Allow","kind":"allow_once"}]}}'
read -r answer
printf '%s\n' "$answer" >&2
read -r go
printf 'not json \377\n'
echo '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}'
exit 7
`

// TestACPIsCarriedVerbatim: bytes pass unchanged both ways, the exit status is
// the adapter's, and the log has the states in their order.
func TestACPIsCarriedVerbatim(t *testing.T) {
	dir := t.TempDir()
	adapter := dir + "/claude-agent-acp"
	if err := os.WriteFile(adapter, []byte(acpAgent), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], adapter)
	cmd.Env = append(os.Environ(), "FWRAP_TEST_SELF=1", "FWRAP_LOG="+dir+"/log", "HOME="+dir, "XDG_CONFIG_HOME="+dir, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }).Stop()
	const answer = `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"a"}}}`
	lines := bufio.NewReader(out)
	var got []byte
	states := []string{"", "idle", "idle working blocked", "idle working blocked working"}
	for i, l := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`,
		answer,
		"go",
	} {
		// What is copied first and read second has no order across the two
		// directions: wait until the tap has read each.
		awaitState(t, dir+"/log", states[i])
		if _, err := io.WriteString(in, l+"\n"); err != nil {
			t.Fatal(err)
		}
		if i < 2 { // the adapter answers, or asks
			b, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, b...)
		}
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, rest...)
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("exit: %v", err)
	}
	if stderr.String() != answer+"\n" {
		t.Errorf("the adapter read %q", stderr.String())
	}
	if want := 4; bytes.Count(got, []byte("\n")) != want || !bytes.Contains(got, []byte("not json \xff\n")) {
		t.Errorf("got %q", got)
	}
	awaitState(t, dir+"/log", "idle working blocked working idle none")
}

// awaitState waits until the log has the given states, in order.
func awaitState(t *testing.T, file, want string) {
	t.Helper()
	var log []byte
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); <-poll.C {
		log, _ = os.ReadFile(file)
		var states []string
		for l := range strings.Lines(string(log)) {
			if _, rest, ok := strings.Cut(l, "msg=state state="); ok {
				state, _, _ := strings.Cut(rest, " ")
				states = append(states, state)
			}
		}
		if strings.Join(states, " ") == want {
			return
		}
	}
	t.Fatalf("the states were not %q; the log:\n%s", want, log)
}

// acpAgain is an adapter that asks the same once more after it was refused.
const acpAgain = `#!/bin/sh
read -r line
echo '{"id":1,"result":{"protocolVersion":1}}'
read -r prompt
for i in 0 1; do
	echo '{"id":'$i',"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"title":"make deploy"}}}'
	read -r answer
done
read -r line
exit 0
`

// TestACPAsksAgain: an answer is the person's, so the notice of what they have
// answered goes at once, and the same question is a new one.
func TestACPAsksAgain(t *testing.T) {
	dir := t.TempDir()
	adapter := dir + "/claude-agent-acp"
	if err := os.WriteFile(adapter, []byte(acpAgain), 0o755); err != nil {
		t.Fatal(err)
	}
	config := dir + "/fwrap.toml"
	if err := os.WriteFile(config, []byte("[notify]\ncooldown = \"10ms\"\nsettle_blocked = \"10ms\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "--config", config, adapter)
	cmd.Env = append(os.Environ(), "FWRAP_TEST_SELF=1", "FWRAP_LOG="+dir+"/log", "HOME="+dir, "XDG_CONFIG_HOME="+dir, "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }).Stop()
	const refused = `{"id":%d,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}`
	for i, l := range []string{
		`{"id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`,
		fmt.Sprintf(refused, 0),
		fmt.Sprintf(refused, 1),
	} {
		awaitLog(t, dir+"/log", "msg=tell event=blocked", max(0, i-1))
		awaitLog(t, dir+"/log", "msg=withdraw event=blocked", max(0, i-2))
		if _, err := io.WriteString(in, l+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	awaitLog(t, dir+"/log", "msg=withdraw event=blocked", 2)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	log, err := os.ReadFile(dir + "/log")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(log, []byte("msg=tell")); n != 2 {
		t.Errorf("told %d times, want twice:\n%s", n, log)
	}
}

// awaitLog waits until the log has at least n such lines.
func awaitLog(t *testing.T, file, line string, n int) {
	t.Helper()
	var log []byte
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); <-poll.C {
		if log, _ = os.ReadFile(file); bytes.Count(log, []byte(line)) >= n {
			return
		}
	}
	t.Fatalf("no %d lines %q; the log:\n%s", n, line, log)
}
