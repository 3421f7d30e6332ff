package ptyrun

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"fwrap/detect"
)

// Options say how a program is run. The zero value is a terminal of 120 by 32
// in the current directory with the test's own environment.
type Options struct {
	Dir  string
	Env  []string // nil: the test's own
	Cols int
	Rows int
	// Terminal answers the program's queries; nil is a terminal that never does.
	Terminal Terminal
}

// Program is a running program and its terminal.
type Program struct {
	t    testing.TB
	cmd  *exec.Cmd
	tty  *os.File
	opt  Options
	done chan struct{} // closed when the program has ended and all its output was read

	mu      sync.Mutex
	screen  detect.Screen
	output  []byte
	chunks  []chunk
	changed chan struct{} // closed and replaced whenever something was written
	typed   sync.Mutex    // one writer at a time, so that answers do not cut typed keys
	queries scanner
}

// chunk is one read from the terminal, a resize, or what was typed.
type chunk struct {
	at         time.Time
	end        int // length of the output with it
	cols, rows int // of a resize
	keys       string
}

// Start runs argv. The program is ended with the test.
func Start(t testing.TB, opt Options, argv ...string) *Program {
	t.Helper()
	if opt.Cols == 0 {
		opt.Cols, opt.Rows = 120, 32
	}
	p := &Program{
		t: t, opt: opt, cmd: exec.Command(argv[0], argv[1:]...),
		done: make(chan struct{}), changed: make(chan struct{}),
		screen: newScreen(opt.Cols, opt.Rows),
	}
	p.cmd.Dir, p.cmd.Env = opt.Dir, opt.Env
	tty, err := pty.StartWithSize(p.cmd, &pty.Winsize{Cols: uint16(opt.Cols), Rows: uint16(opt.Rows)})
	if err != nil {
		t.Fatalf("start %q on a pty: %v", argv, err)
	}
	p.tty = tty
	p.chunks = append(p.chunks, chunk{at: time.Now(), cols: opt.Cols, rows: opt.Rows})
	go p.read() // ends when the terminal's last holder has gone
	t.Cleanup(p.end)
	return p
}

func (p *Program) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := p.tty.Read(buf)
		if n > 0 {
			p.draw(buf[:n])
		}
		// Linux reports EIO, macOS EOF, when no process holds the terminal any more.
		if err != nil {
			break
		}
	}
	p.cmd.Wait()
	close(p.done)
}

func (p *Program) draw(b []byte) {
	p.mu.Lock()
	p.output = append(p.output, b...)
	p.chunks = append(p.chunks, chunk{at: time.Now(), end: len(p.output)})
	p.screen.Write(b)
	var replies []byte
	if p.opt.Terminal != nil {
		for _, q := range p.queries.scan(b) {
			replies = append(replies, p.opt.Terminal.Reply(q, p.screen.Snapshot())...)
		}
	}
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	if len(replies) > 0 {
		p.write(replies)
	}
}

func (p *Program) write(b []byte) error {
	p.typed.Lock()
	defer p.typed.Unlock()
	_, err := p.tty.Write(b)
	return err
}

// end hangs up and, if that does not help within 3 s, kills.
func (p *Program) end() {
	select {
	case <-p.done:
	default:
		p.cmd.Process.Signal(syscall.SIGHUP)
		select {
		case <-p.done:
		case <-time.After(3 * time.Second):
			syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
			p.cmd.Process.Kill()
		}
	}
	p.tty.Close()
	<-p.done
}

// Pid is the program's process id, which is also its session's.
func (p *Program) Pid() int { return p.cmd.Process.Pid }

// Send types s as it is.
func (p *Program) Send(s string) {
	p.t.Helper()
	p.mu.Lock()
	p.chunks = append(p.chunks, chunk{at: time.Now(), end: len(p.output), keys: s})
	p.mu.Unlock()
	if err := p.write([]byte(s)); err != nil {
		p.t.Fatalf("type %q: %v\n%s", s, err, p.Describe())
	}
}

// Type types s and waits until it stands on the screen, so that an Enter sent
// next cannot arrive in one read with it: full-screen programs take such a
// one for part of a paste.
func (p *Program) Type(s string) {
	p.t.Helper()
	p.Send(s)
	p.Until(fmt.Sprintf("the typed %q", s), 20*time.Second, Shows(s))
}

// Resize changes the terminal's size.
func (p *Program) Resize(cols, rows int) {
	p.t.Helper()
	p.mu.Lock()
	p.screen.Resize(cols, rows)
	p.opt.Cols, p.opt.Rows = cols, rows
	p.chunks = append(p.chunks, chunk{at: time.Now(), end: len(p.output), cols: cols, rows: rows})
	p.mu.Unlock()
	if err := pty.Setsize(p.tty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		p.t.Fatalf("resize: %v", err)
	}
}

// Screen is the screen as it stands.
func (p *Program) Screen() detect.Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.screen.Snapshot()
}

// Output is everything that the program wrote so far.
func (p *Program) Output() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]byte(nil), p.output...)
}

// Until waits until the screen satisfies cond and returns it. It fails the
// test when that takes longer than limit, or when the program ends before.
func (p *Program) Until(what string, limit time.Duration, cond func(detect.Snapshot) bool) detect.Snapshot {
	p.t.Helper()
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		p.mu.Lock()
		snap, changed := p.screen.Snapshot(), p.changed
		p.mu.Unlock()
		if cond(snap) {
			return snap
		}
		select {
		case <-changed:
		case <-p.done:
			if snap = p.Screen(); cond(snap) {
				return snap
			}
			p.t.Fatalf("ended (%v) before %s\n%s", p.cmd.ProcessState, what, p.Describe())
		case <-timeout.C:
			p.t.Fatalf("no %s within %v\n%s", what, limit, p.Describe())
		}
	}
}

// Held waits until the screen has satisfied cond without a break for the time
// given, within limit in all.
func (p *Program) Held(what string, during, limit time.Duration, cond func(detect.Snapshot) bool) detect.Snapshot {
	p.t.Helper()
	end := time.Now().Add(limit)
	for {
		p.Until(what, time.Until(end), cond)
		if snap, ok := p.holds(during, cond); ok {
			return snap
		}
	}
}

// holds reports whether cond stays true for the time given.
func (p *Program) holds(during time.Duration, cond func(detect.Snapshot) bool) (detect.Snapshot, bool) {
	timeout := time.NewTimer(during)
	defer timeout.Stop()
	for {
		p.mu.Lock()
		snap, changed := p.screen.Snapshot(), p.changed
		p.mu.Unlock()
		if !cond(snap) {
			return snap, false
		}
		select {
		case <-changed:
		case <-timeout.C:
			return snap, true
		}
	}
}

// Settled waits until the screen satisfies cond and has then stood unchanged
// for the time given, within limit in all. Writes that draw the same do not count.
func (p *Program) Settled(what string, still, limit time.Duration, cond func(detect.Snapshot) bool) detect.Snapshot {
	p.t.Helper()
	var last detect.Snapshot
	p.Still(what, still, limit, func(s detect.Snapshot) string {
		if !cond(s) {
			return ""
		}
		last = s
		return fmt.Sprintf("%q %q %v %v", s.Rows, s.Title, s.Cursor, s.Alt)
	})
	return last
}

// Still waits until what read says of the screen is not empty and has not
// changed for the time given, and returns it.
func (p *Program) Still(what string, still, limit time.Duration, read func(detect.Snapshot) string) string {
	p.t.Helper()
	end := time.Now().Add(limit)
	for {
		var value string
		p.Until(what, time.Until(end), func(s detect.Snapshot) bool {
			value = read(s)
			return value != ""
		})
		if _, ok := p.holds(still, func(s detect.Snapshot) bool { return read(s) == value }); ok {
			return value
		}
		if time.Now().After(end) {
			p.t.Fatalf("%s: the screen never stood still for %v within %v\n%s", what, still, limit, p.Describe())
		}
	}
}

// Moment is a value that was read off the screen, and since when it stood there.
type Moment struct {
	At    time.Time
	Value string
}

// History replays what was written and returns what read said of the screen
// after each write, as often as that changed.
func (p *Program) History(read func(detect.Snapshot) string) []Moment {
	p.mu.Lock()
	chunks, output := p.chunks, p.output
	p.mu.Unlock()
	s := newScreen(chunks[0].cols, chunks[0].rows)
	list := []Moment{{chunks[0].at, read(s.Snapshot())}}
	from := 0
	for _, c := range chunks[1:] {
		if c.cols > 0 {
			s.Resize(c.cols, c.rows)
		}
		s.Write(output[from:c.end])
		from = c.end
		if v := read(s.Snapshot()); v != list[len(list)-1].Value {
			list = append(list, Moment{c.at, v})
		}
	}
	return list
}

// First returns the time of the write after which the screen first satisfied
// cond, at or after since.
func (p *Program) First(since time.Time, cond func(detect.Snapshot) bool) (time.Time, bool) {
	for _, m := range p.History(func(s detect.Snapshot) string { return fmt.Sprint(cond(s)) }) {
		if m.Value == "true" && !m.At.Before(since) {
			return m.At, true
		}
	}
	return time.Time{}, false
}

// Wait waits for the program's end and returns its exit status: as a shell
// sees it, 128+N for one that died of signal N.
func (p *Program) Wait(limit time.Duration) int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(limit):
		p.t.Fatalf("still runs after %v\n%s", limit, p.Describe())
	}
	if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Running reports whether the program has not ended yet.
func (p *Program) Running() bool {
	return !errors.Is(p.cmd.Process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Describe returns the screen in a frame, for failures.
func (p *Program) Describe() string {
	p.mu.Lock()
	snap, n := p.screen.Snapshot(), len(p.output)
	tail := string(p.output[max(0, n-200):])
	p.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%q, %dx%d, title %q, cursor %d,%d, alternate screen %v, %d bytes written\n",
		p.cmd.Args, snap.Cols, len(snap.Rows), snap.Title, snap.Cursor.X, snap.Cursor.Y, snap.Alt, n)
	rule := "+" + strings.Repeat("-", snap.Cols) + "\n"
	b.WriteString(rule)
	for _, r := range snap.Rows {
		b.WriteString("|" + r + "\n")
	}
	b.WriteString(rule)
	fmt.Fprintf(&b, "last bytes: %q\n", tail)
	return b.String()
}
