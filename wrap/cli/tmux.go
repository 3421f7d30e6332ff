package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// tmuxDeadline is how long tmux may take to answer. It answers in 3 ms.
	tmuxDeadline = time.Second
	// tmuxFresh is how long an answer holds: people attach from elsewhere.
	tmuxFresh = 3 * time.Second
	// tmuxAfter is when it is asked first, after the start. A notice takes
	// longer to come, and the start is the agent's.
	tmuxAfter = 300 * time.Millisecond
	// tmuxOutput bounds what is read of its answer.
	tmuxOutput = 4 << 10
)

// tmuxFacts is what tmux says of the terminals outside of it. The environment of
// a pane says where tmux was when the pane was made.
type tmuxFacts struct {
	known       bool
	version     string // of tmux
	passthrough string // allow-passthrough: off, on, all; empty: a tmux that has no such option
	viewers     int    // clients that show the pane's window
	clients     string // TERM of the client that was used last; empty: none is attached
	terminal    string // its answer to XTVERSION, if it gave one
	sshKnown    bool   // ssh is what the client that attached last has brought
	ssh         string // SSH_CONNECTION; empty: it came from this machine
}

// passes says whether what is passed through is let out at all, and whether it
// would reach nobody now. Before 3.3 there was no option, and it always was.
func (f tmuxFacts) passes() (on, hidden bool) {
	switch {
	case !f.known:
		return false, false
	case f.passthrough == "all":
		return true, false
	case f.passthrough == "on":
		return true, f.viewers == 0
	case f.passthrough == "":
		return olderThan(f.version, 3, 3), f.viewers == 0
	}
	return false, false
}

// olderThan compares the beginning of a version such as "3.3a" or "next-3.4".
func olderThan(version string, major, minor int) bool {
	version = strings.TrimPrefix(version, "next-")
	a, rest, ok := strings.Cut(version, ".")
	x, err := strconv.Atoi(a)
	if !ok || err != nil {
		return false
	}
	b := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	y, err := strconv.Atoi(b)
	return err == nil && (x < major || x == major && y < minor)
}

// getenv is the environment with what tmux knows better.
func (f tmuxFacts) getenv(env func(string) string) func(string) string {
	if !f.sshKnown {
		return env
	}
	return func(k string) string {
		switch k {
		case "SSH_CONNECTION":
			return f.ssh
		case "SSH_TTY", "SSH_CLIENT":
			return ""
		}
		return env(k)
	}
}

// tmuxFormat asks for all of it in one line. client_termtype comes last: a
// terminal may answer anything.
const tmuxFormat = "#{version}|#{allow-passthrough}|#{window_active_clients}|#{client_termname}|#{client_termtype}"

// askTmux asks the tmux that environ names.
func askTmux(ctx context.Context, environ []string, pane string) (tmuxFacts, error) {
	ctx, cancel := context.WithTimeout(ctx, tmuxDeadline)
	defer cancel()
	args := []string{"display-message", "-p"}
	env := []string{";", "show-environment"}
	if pane != "" { // else tmux takes the session that was used last
		args, env = append(args, "-t", pane), append(env, "-t", pane)
	}
	args = append(append(append(args, tmuxFormat), env...), "SSH_CONNECTION")
	cmd := exec.CommandContext(ctx, "tmux", args...)
	cmd.Env = environ
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 100 * time.Millisecond
	out, err := cmd.StdoutPipe()
	if err != nil {
		return tmuxFacts{}, fmt.Errorf("ask tmux: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return tmuxFacts{}, fmt.Errorf("ask tmux: %w", err)
	}
	text, _ := io.ReadAll(io.LimitReader(out, tmuxOutput))
	err = cmd.Wait()
	// It fails where the variable is not known, after the line that counts.
	facts, ok := readTmux(string(text))
	if !ok {
		if err == nil {
			err = errors.New("no answer that can be read")
		}
		return tmuxFacts{}, fmt.Errorf("ask tmux: %w", err)
	}
	return facts, nil
}

// readTmux reads the answer.
func readTmux(text string) (tmuxFacts, bool) {
	first, rest, _ := strings.Cut(text, "\n")
	f := strings.SplitN(first, "|", 5)
	if len(f) != 5 || f[0] == "" {
		return tmuxFacts{}, false
	}
	t := tmuxFacts{known: true, version: f[0], passthrough: f[1], clients: f[3], terminal: f[4]}
	// Formats give the number of a choice, "show" its name.
	switch f[1] {
	case "0":
		t.passthrough = "off"
	case "1":
		t.passthrough = "on"
	case "2":
		t.passthrough = "all"
	}
	t.viewers, _ = strconv.Atoi(f[2])
	// "-NAME" is a variable that the client which attached last did not have.
	line, _, _ := strings.Cut(rest, "\n")
	if v, ok := strings.CutPrefix(line, "SSH_CONNECTION="); ok {
		t.sshKnown, t.ssh = true, v
	} else if line == "-SSH_CONNECTION" {
		t.sshKnown = true
	}
	return t, true
}

// watchTmux returns a watch of the tmux that fwrap runs in. changed gets every
// answer; where there is none the last one stands.
func (a *app) watchTmux(log *slog.Logger, changed func(tmuxFacts)) *tmuxWatch {
	return &tmuxWatch{
		ask: func(ctx context.Context) (tmuxFacts, error) { return askTmux(ctx, a.environ, a.env["TMUX_PANE"]) },
		answer: func(f tmuxFacts, err error) {
			if err != nil {
				log.Info("tmux", "err", err)
				return
			}
			changed(f)
		},
	}
}

// tmuxWatch asks tmux, and asks again when that is wanted and the answer is old.
// Nobody waits for it: who needs the answer is called when it is there.
type tmuxWatch struct {
	ask func(context.Context) (tmuxFacts, error)
	// answer gets every answer. It is called by a goroutine of the watch's.
	answer func(tmuxFacts, error)

	mu      sync.Mutex
	at      time.Time // of the last answer
	asking  bool
	waiting []func()
	stopped bool
	cancel  context.CancelFunc
}

// fresh calls then when the answer is not older than tmuxFresh: at once, by the
// caller's goroutine, or after tmux has answered, at the latest after
// tmuxDeadline.
func (w *tmuxWatch) fresh(then func()) {
	w.mu.Lock()
	if w.stopped || !w.asking && time.Since(w.at) < tmuxFresh {
		w.mu.Unlock()
		then()
		return
	}
	w.waiting = append(w.waiting, then)
	if !w.asking {
		w.asking = true
		ctx, cancel := context.WithCancel(context.Background())
		w.cancel = cancel
		go w.run(ctx) // ends with tmux's answer or its deadline
	}
	w.mu.Unlock()
}

func (w *tmuxWatch) run(ctx context.Context) {
	facts, err := w.ask(ctx)
	w.answer(facts, err)
	w.mu.Lock()
	w.at, w.asking = time.Now(), false
	waiting := w.waiting
	w.waiting = nil
	w.cancel()
	w.mu.Unlock()
	for _, then := range waiting {
		then()
	}
}

// stop ends a question that is under way; who waits is called with what is known.
func (w *tmuxWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.asking {
		w.cancel()
	}
}
