package wrap

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Exit statuses that say something about the wrapper and not the command, as
// env(1), nohup(1) and timeout(1) use them.
const (
	ExitFailure  = 125 // the wrapper itself failed
	ExitCannot   = 126 // the command was found but cannot be run
	ExitNotFound = 127 // the command was not found
)

// Status is how the command ended.
type Status struct {
	// Code is the exit status, 0 to 255; 0 if a signal killed the command.
	Code int
	// Signal killed the command, or is 0.
	Signal syscall.Signal
}

// statusOf turns the wait status of an ended command into a Status.
func statusOf(ws syscall.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Signal: ws.Signal()}
	}
	return Status{Code: ws.ExitStatus()}
}

// Success reports whether the command exited with status 0.
func (s Status) Success() bool { return s == Status{} }

// ExitCode is the status as a shell shows it: 128+N for signal N.
func (s Status) ExitCode() int {
	if s.Signal != 0 {
		return 128 + int(s.Signal)
	}
	return s.Code
}

// String describes the status as a shell would: "exit status 3", "killed by
// signal 9 (killed)".
func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("killed by signal %d (%v)", int(s.Signal), s.Signal)
	}
	return fmt.Sprintf("exit status %d", s.Code)
}

// Raise ends this process as the command ended, if a signal killed the command:
// bash tells an interrupted command from one that has failed by WIFSIGNALED of
// its child, which is this process, and stops a script only for the former. No
// core file is left. Raise returns [Status.ExitCode] for the caller to exit
// with, at once if there was no signal, else if the signal does not kill.
func (s Status) Raise() int {
	if s.Signal != 0 {
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
		// The runtime catches most signals, prints a dump for SIGQUIT, and
		// signal.Reset does not bring the kernel's default back.
		if err := defaultAction(s.Signal); err == nil {
			unblock(s.Signal)
			_ = syscall.Kill(os.Getpid(), s.Signal)
			time.Sleep(200 * time.Millisecond) // another thread may be the one to get it
		}
	}
	return s.ExitCode()
}

// ExecError says that the command could not be executed.
type ExecError struct {
	Name string // the command as it was named
	Err  error
}

func (e *ExecError) Error() string {
	if e.ExitCode() == ExitNotFound {
		return e.Name + ": " + e.Err.Error()
	}
	return e.Name + ": cannot execute: " + e.Err.Error()
}

func (e *ExecError) Unwrap() error { return e.Err }

// ExitCode is 127 if the command, or the interpreter that it names, does not
// exist, and 126 if it does.
func (e *ExecError) ExitCode() int {
	if errors.Is(e.Err, errNotInPath) || errors.Is(e.Err, syscall.ENOENT) {
		return ExitNotFound
	}
	return ExitCannot
}

// ExitCode returns the exit status for an error of this package: that of an
// [ExecError], else [ExitFailure]; 0 for nil.
func ExitCode(err error) int {
	var e *ExecError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.ExitCode()
	}
	return ExitFailure
}
