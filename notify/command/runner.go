package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// maxOutput bounds what is kept of what the program prints; the rest is read
// and thrown away, so that the program does not fail over it.
const maxOutput = 4 << 10

// Command is the program and where it runs.
type Command struct {
	// Argv is the program and its arguments, as the config has them.
	Argv []string
	// Environ is fwrap's own environment, to which the facts are added. What
	// belongs to the wrapped command or to fwrap's settings is left out.
	Environ []string
	// Timeout is after how long the program is killed, with all that it has
	// started in its process group; 0: 10 s.
	Timeout time.Duration
}

// Result is how one run went.
type Result struct {
	Facts  Facts
	Output string // what it printed to either stream, at most 4 KiB
	Err    error
	Took   time.Duration
}

// Run runs the program once and waits for it, until ctx ends or its time is up.
func (c Command) Run(ctx context.Context, f Facts) Result {
	start := time.Now()
	res := Result{Facts: f}
	done := func(err error) Result {
		res.Err, res.Took = err, time.Since(start)
		return res
	}
	if len(c.Argv) == 0 {
		return done(errors.New("run the command: none is configured"))
	}
	limit := c.Timeout
	if limit <= 0 {
		limit = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Env = append(clean(c.Environ), f.env()...)
	cmd.Stdin = bytes.NewReader(f.json())
	out := &head{}
	cmd.Stdout, cmd.Stderr = out, out
	// A session of its own: no terminal that it could write to or read from,
	// and one process group to kill.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// What it has left running may hold its output open; that is not waited for.
	cmd.WaitDelay = 100 * time.Millisecond
	if err := cmd.Start(); err != nil {
		return done(fmt.Errorf("run the command: %w", err))
	}
	group := -cmd.Process.Pid
	stop := context.AfterFunc(ctx, func() { syscall.Kill(group, syscall.SIGKILL) })
	err := cmd.Wait()
	stop()
	res.Output = out.String()
	switch {
	case ctx.Err() != nil:
		// Its leader may have gone before; the rest of the group has not.
		syscall.Kill(group, syscall.SIGKILL)
		return done(fmt.Errorf("run the command: killed after %v: %w", time.Since(start).Round(time.Millisecond), ctx.Err()))
	case errors.Is(err, exec.ErrWaitDelay), isPipe(err):
		// It has done what it wanted; that it did not read all of the JSON, or
		// has left something running, is its own affair.
		return done(nil)
	case err != nil:
		return done(fmt.Errorf("run the command: %w", err))
	}
	return done(nil)
}

// isPipe says that only the JSON could not be written to the end.
func isPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// clean leaves out what is not the program's business: every FWRAP_ variable.
func clean(environ []string) []string {
	env := make([]string, 0, len(environ)+16)
	for _, e := range environ {
		if !strings.HasPrefix(e, "FWRAP_") {
			env = append(env, e)
		}
	}
	return env
}

// head keeps the beginning of what is written to it.
type head struct {
	mu  sync.Mutex
	buf bytes.Buffer
	cut bool
}

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := min(len(p), maxOutput-h.buf.Len())
	h.buf.Write(p[:n])
	h.cut = h.cut || n < len(p)
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := strings.ToValidUTF8(strings.TrimRight(h.buf.String(), "\n"), "�")
	if h.cut {
		s += " …"
	}
	return s
}

var _ io.Writer = (*head)(nil)

// Runner runs the program for one session. Its methods never block. One runs at
// a time; what is told meanwhile waits, and of that only the newest is run: who
// was away for long is told where things stand, not what they have missed.
type Runner struct {
	command Command
	result  func(Result)

	mu      sync.Mutex
	next    *Facts
	running bool
	last    int // the notice that the program was last run for, and that is not closed
	ctx     context.Context
	stop    context.CancelFunc
	idle    chan struct{} // closed while nothing runs
}

// NewRunner returns a runner that starts nothing until it is asked to. Every run
// is reported to result, from a goroutine of the runner's.
func NewRunner(c Command, result func(Result)) *Runner {
	ctx, stop := context.WithCancel(context.Background())
	r := &Runner{command: c, result: result, ctx: ctx, stop: stop, idle: make(chan struct{})}
	close(r.idle)
	return r
}

// Tell runs the program with the facts, now or after the run that is under way.
// A close that nothing was run for is not worth a run.
func (r *Runner) Tell(f Facts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return
	}
	if f.Event == "close" && r.last == 0 {
		r.next = nil // what was waiting is over
		return
	}
	r.next = &f
	if !r.running {
		r.running = true
		r.idle = make(chan struct{})
		go r.loop(r.idle)
	}
}

func (r *Runner) loop(idle chan struct{}) {
	defer close(idle)
	for {
		r.mu.Lock()
		f := r.next
		r.next = nil
		if f == nil || r.ctx.Err() != nil {
			r.running = false
			r.mu.Unlock()
			return
		}
		r.last = f.ID
		if f.Event == "close" {
			r.last = 0
		}
		r.mu.Unlock()
		res := r.command.Run(r.ctx, *f)
		if r.result != nil {
			r.result(res)
		}
	}
}

// Stop ends the runner: what it has been asked for is finished until ctx ends,
// then killed.
func (r *Runner) Stop(ctx context.Context) {
	r.mu.Lock()
	idle := r.idle
	r.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	r.stop()
	<-idle
}
