package wrap

import "errors"

// Session is a command on its pty.
type Session struct{}

// ErrNoTerminal says that standard input and output are not one terminal, so
// that the command should take this process's place by [Exec].
var ErrNoTerminal = errors.New("standard input and output are no terminal")

// Run is Start and Wait.
func Run(o Options) (Status, error) { return Status{}, nil }

// Start makes a pty.
func Start(o Options) (*Session, error) { return nil, nil }

// Wait waits for the end.
func (s *Session) Wait() (Status, error) { return Status{}, nil }

// TTY returns the device name of the command's terminal.
func (s *Session) TTY() string { return "" }

// SetTitlePrefix sets the prefix.
func (s *Session) SetTitlePrefix(prefix string) {}

// Inject queues sequences for the terminal.
func (s *Session) Inject(seq []byte) bool { return false }

// Answer queues a reply for the command's input.
func (s *Session) Answer(seq []byte) bool { return false }

// Foreground reports whether this process may talk to the terminal now.
func (s *Session) Foreground() bool { return false }

// Restore gives the terminal its modes back.
func (s *Session) Restore() {}

// IsMonitor reports whether argv is the monitor's.
func IsMonitor(argv []string) bool { return false }

// Monitor is the monitor.
func Monitor() int { return 0 }

// MaxHeld is the longest OSC held.
const MaxHeld = 4096 + 64
