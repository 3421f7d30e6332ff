package process

import (
	"errors"
	"os"
)

// Process is one process as the kernel describes it.
type Process struct {
	PID  int
	PPID int
	PGID int
	// Start tells a process from a later one with the same PID: clock ticks
	// since boot on Linux, microseconds since 1970 on macOS.
	Start uint64
	// Comm is the kernel's short name: at most 15 bytes (16 on macOS), and the
	// program may have set it itself.
	Comm string
	// Exe is the path of the executable, empty when the kernel does not tell
	// (a program of another user).
	Exe string
	// Args is the command line, at most 8 KiB of it. A program that sets its
	// title (node's process.title) has overwritten it with that title.
	Args []string
	// Stopped is set while the process is stopped by a signal (Ctrl-Z).
	Stopped bool

	// image changes when the process executes another program: PID and Start
	// stay the same over execve.
	image uint64
}

// same reports whether p and q are one process running one program.
func (p *Process) same(q *Process) bool {
	return p.PID == q.PID && p.Start == q.Start && p.PGID == q.PGID &&
		p.image == q.image && p.Comm == q.Comm
}

// ErrGone is returned for a process that has ended, a zombie included.
var ErrGone = errors.New("process has gone")

// Lookup describes the process pid. It returns ErrGone when there is none.
func Lookup(pid int) (Process, error) {
	p, err := stat(pid)
	if err != nil {
		return Process{}, err
	}
	detail(&p)
	return p, nil
}

// Self returns the PID and the start stamp of this process, which together
// name it for as long as the machine runs.
func Self() (pid int, start uint64) {
	pid = os.Getpid()
	p, err := stat(pid)
	if err != nil {
		return pid, 0
	}
	return pid, p.Start
}

// Alive reports whether the process with this PID and start stamp still runs;
// stopped says that it does but is stopped by a signal. A start of 0 stands
// for any.
func Alive(pid int, start uint64) (alive, stopped bool) {
	p, err := stat(pid)
	if err != nil || start != 0 && p.Start != start {
		return false, false
	}
	return true, p.Stopped
}

// older orders processes by birth.
func older(a, b Process) int {
	if a.Start != b.Start {
		if a.Start < b.Start {
			return -1
		}
		return 1
	}
	return a.PID - b.PID
}
