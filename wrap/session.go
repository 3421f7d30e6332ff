package wrap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fwrap/wrap/monitor"
)

// ErrNoTerminal says that standard input and output are not one terminal. There
// is nothing to relay then: the command should take this process's place, by
// [Exec], and see what it would have seen.
var ErrNoTerminal = errors.New("standard input and output are not a terminal")

// Session is a command on a pty of its own, joined to the terminal that is this
// process's standard input and output. There can be one at a time. Its methods
// may be called by any goroutine, and after its end.
type Session struct {
	path string
	argv []string
	tty  terminal
	name string // device of the pty
	log  *slog.Logger
	tap  tapper
	out  output
	in   input

	sigs    chan os.Signal
	reports chan report
	hung    chan error // of the pumps
	broken  chan error // a goroutine has panicked
	outDone chan struct{}

	back    *os.File // socket to the monitor
	monitor int      // process id

	sizeMu sync.Mutex
	size   Winsize

	pid     atomic.Int32 // the command's, while it runs
	pending []syscall.Signal
	gone    bool // the terminal is, and the pty has been hung up

	ended  chan struct{}
	status Status
	err    error
}

// report is a message from the monitor. Kind 0 says that there will be no more.
type report struct {
	kind  byte
	value uint32
}

// forwarded are the signals that are sent to the command when somebody sends
// them to this process. The terminal itself never does: it is raw, so that
// Ctrl-C travels as a byte and the command's own terminal makes the signal of
// it, exactly once.
var forwarded = []syscall.Signal{
	syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGTSTP,
}

// flushTime is how long the command's last words before a stop may take to
// reach the terminal.
const flushTime = 500 * time.Millisecond

// stopTime is how long a stop of this process may take to come about. The
// kernel throws it away if the process group is orphaned.
const stopTime = 200 * time.Millisecond

// Run is [Start] and [Session.Wait].
func Run(o Options) (Status, error) {
	s, err := Start(o)
	if err != nil {
		return Status{Code: ExitCode(err)}, err
	}
	return s.Wait()
}

// Start is [Prepare] and [Stage.Start].
func Start(o Options) (*Session, error) {
	st, err := Prepare()
	if err != nil {
		return nil, err
	}
	defer st.Close()
	return st.Start(o)
}

// Start sets the terminal to raw mode and starts the command. It does not wait
// until the command runs: that it could not be executed is said by Wait. When
// Start itself returns an error it has changed nothing, the Stage is still to be
// closed, and the command can be run by [Exec].
func (st *Stage) Start(o Options) (s *Session, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s = &Session{
		path: o.Path, argv: o.Argv, log: o.Log,
		name: st.name, monitor: st.monitor,
		tap:     tapper{tap: o.Tap, log: o.Log},
		sigs:    st.sigs,
		reports: make(chan report, 8),
		hung:    make(chan error, 2),
		broken:  make(chan error, 4),
		outDone: make(chan struct{}),
		ended:   make(chan struct{}),
	}
	s.out.tty, s.out.tap = &s.tty, &s.tap
	s.out.buf = make([]byte, outputSize)
	s.out.pauses = make(chan chan struct{}, 1)
	s.out.edit.pure, s.out.edit.nums, s.out.edit.hook, s.out.edit.log = o.Pure, o.OSCNumbers, o.OSC, s.log
	s.in.tty, s.in.tap = &s.tty, &s.tap
	s.in.buf = make([]byte, inputSize)
	s.in.focus, s.in.pure = &s.out.edit.modes.focus, o.Pure
	s.in.regain = make(chan struct{}, 1)
	if o.Reply != nil && !o.Pure {
		s.in.replies = newReplies(o.ReplyNumber, o.Reply)
	}
	s.out.master, s.out.keepModes = st.master, o.KeepModes
	if s.out.pty, err = newPort(st.master, nil); err != nil {
		return nil, fmt.Errorf("opening a pty: %w", err)
	}
	if s.in.src, s.out.quick, err = openTerminal(s.in.may); err != nil {
		return nil, fmt.Errorf("opening the terminal: %w", err)
	}
	s.in.pty = s.out.pty

	l := monitor.Launch{Path: o.Path, Argv: o.Argv}
	if o.Env != nil {
		l.Env = o.Env(s.name)
	} else {
		l.Env = os.Environ()
	}
	// From here on nothing that is sent is lost; what comes before the command
	// runs waits for it. The size is read after that for the same reason.
	st.handOver()
	s.copySize()
	s.tty.given = st.modes
	if l.Foreground = s.tty.makeRaw(); l.Foreground {
		s.tty.passModes(st.master)
	}
	s.out.hold.Store(!l.Foreground)
	if o.Ready != nil {
		o.Ready(s)
	}
	if err := writeAll(st.back, l.Encode()); err != nil {
		s.tty.restore()
		return nil, fmt.Errorf("%w: %w", errMonitor, err)
	}
	st.used = true
	_ = unix.SetNonblock(st.back, true) // so that it is waited for in the runtime's poller
	s.back = os.NewFile(uintptr(st.back), "monitor")
	go s.conduct(o.ResetAlways)
	return s, nil
}

// catchSignals begins to listen. What the caller ignores stays ignored: nohup,
// and shells without job control for what they run in the background, mean it
// so, and the command inherits it.
func catchSignals(to chan os.Signal) {
	for _, sig := range forwarded {
		if !ignored(sig) {
			signal.Notify(to, sig)
		}
	}
	signal.Notify(to, syscall.SIGWINCH, syscall.SIGCONT)
}

func ignored(sig syscall.Signal) bool {
	return signal.Ignored(sig) || sig == syscall.SIGTSTP && ignoredInKernel(sig)
}

// Wait waits until the command is over and the terminal has its modes back. It
// returns the command's status. If the command could not be executed the error
// is an [*ExecError]; any other error means that the relay failed, and the
// status has code 125.
func (s *Session) Wait() (Status, error) {
	<-s.ended
	return s.status, s.err
}

// TTY returns the device name of the command's terminal.
func (s *Session) TTY() string { return s.name }

// Pid returns the command's process id, which is its process group's too, and 0
// when it does not run.
func (s *Session) Pid() int { return int(s.pid.Load()) }

// Over reports whether the session has ended.
func (s *Session) Over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Size returns the terminal's size.
func (s *Session) Size() Winsize {
	s.sizeMu.Lock()
	defer s.sizeMu.Unlock()
	return s.size
}

// Foreground reports whether this process may use the terminal now.
func (s *Session) Foreground() bool { return s.tty.foreground() }

// SetTitlePrefix sets what is put before window titles (OSC 0 and 2) that the
// command sets from now on. An empty title passes as it is, since it makes
// terminals show a title of their own. The empty prefix changes nothing.
// Controls in prefix are left out, and it is cut at 32 bytes.
func (s *Session) SetTitlePrefix(prefix string) {
	prefix = strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(prefix, ""))
	for len(prefix) > maxPrefix {
		prefix = strings.ToValidUTF8(prefix[:maxPrefix], "")
	}
	s.out.prefix.Store(&prefix)
}

// Inject queues sequences for the terminal. They must be complete and leave the
// screen and the cursor alone: titles, notifications, progress. They are
// written in order, by the goroutine that writes the command's output, when
// that is between complete sequences and characters, outside a synchronised
// update and preferably at rest, and while this process is in the foreground
// and not stopped; until then they wait. It returns false if they are dropped:
// 16 KiB are waiting, the session is over, or it is Pure. It never blocks.
func (s *Session) Inject(seq []byte) bool {
	if s.out.edit.pure || !s.out.inject.put(seq) {
		return false
	}
	s.out.pty.interruptRead()
	return true
}

// Answer queues bytes for the command's input, such as the reply to a query
// that it has written. They are put in when the person's input is between
// complete sequences and characters and outside a bracketed paste, and are
// dropped after five seconds. It returns false if they are dropped at once, as
// for Inject. It never blocks.
func (s *Session) Answer(seq []byte) bool {
	if s.in.pure {
		return false
	}
	if s.in.answers.empty() {
		s.in.asked.Store(time.Now().UnixNano())
	}
	if !s.in.answers.put(seq) {
		return false
	}
	s.in.src.interruptRead()
	return true
}

// Restore gives the terminal its modes back, for a way out that does not lead
// through Wait, such as a panic in another goroutine. The session goes on if
// the process does, but with a terminal that is not raw.
func (s *Session) Restore() { s.tty.restore() }

// listen reads the monitor's messages.
func (s *Session) listen() {
	defer close(s.reports)
	var b [monitor.MessageSize]byte
	for {
		if _, err := io.ReadFull(s.back, b[:]); err != nil {
			return
		}
		s.reports <- report{b[0], binary.LittleEndian.Uint32(b[1:])}
	}
}

// protect is deferred in each goroutine: a panic there must not leave the
// terminal raw. The conductor ends the session.
func (s *Session) protect(what string) {
	if r := recover(); r != nil {
		s.tty.restore()
		s.log.Error("relay panicked", "in", what, "panic", r, "stack", string(debug.Stack()))
		s.broken <- fmt.Errorf("internal error in %s: %v", what, r)
	}
}

// order tells the monitor to continue the command.
func (s *Session) order(b byte) { _, _ = s.back.Write([]byte{b}) }

// signal sends sig to the command's process group, as soon as there is one.
func (s *Session) signal(sig syscall.Signal) {
	pid := s.Pid()
	if pid == 0 {
		s.pending = append(s.pending, sig)
		return
	}
	if syscall.Kill(-pid, sig) == syscall.ESRCH {
		_ = syscall.Kill(pid, sig) // it has changed its group
	}
}

// syncSize gives the pty the terminal's size and tells the tap, if that is new.
// The kernel tells the command.
func (s *Session) syncSize() {
	if s.copySize() {
		s.tap.resize(s.Size())
	}
}

func (s *Session) copySize() (changed bool) {
	size, err := winsize(stdin)
	if err != nil {
		return false
	}
	s.sizeMu.Lock()
	defer s.sizeMu.Unlock()
	if size == s.size {
		return false
	}
	s.size = size
	if err := setWinsize(s.out.master, size); err != nil {
		s.log.Warn("cannot set the size of the pty", "err", err)
	}
	return true
}
