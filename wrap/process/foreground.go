package process

import (
	"errors"
	"os"
)

// Role is what the foreground process is to somebody who watches an agent.
type Role uint8

const (
	Gone  Role = iota // nothing lives in the foreground group
	Agent             // a program that Commands knows
	Shell             // an interactive shell: its prompt is, or will be, on the screen
	Other             // any other program
)

var roleNames = [...]string{Gone: "gone", Agent: "agent", Shell: "shell", Other: "other"}

// String returns the role in lower case.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return "role?"
}

// Foreground is the program in the terminal's foreground. Values can be
// compared with ==: a different value is a different program.
type Foreground struct {
	Role  Role
	PGID  int    // the foreground process group, 0 if unknown
	PID   int    // the process that the rest describes: the agent's, else the group leader's, else a living member's
	Start uint64 // its start stamp, see [Process]
	Name  string // the command's name, without directory, version and interpreter
	Agent string // the agent's name in [Commands], empty unless Role is Agent
	Via   string // the wrapper in whose arguments the name was found ("sudo"), else empty
	Exe   string // path of the executable, may be empty
}

// ErrNoGroup is returned when the terminal has no foreground process group
// that can be named here: the line is hung up, or the group lives in another
// PID namespace.
var ErrNoGroup = errors.New("no foreground process group")

// Group returns the foreground process group of the terminal on fd. For a
// pty either the master, or the slave that is the caller's own controlling
// terminal; Linux answers ENOTTY for the slave of somebody else's session.
func Group(fd uintptr) (int, error) {
	n, err := foregroundGroup(fd)
	if err != nil {
		return 0, err
	}
	if n <= 0 {
		return 0, ErrNoGroup
	}
	return n, nil
}

// Master returns a function that asks the pty master f for its foreground
// process group. It does not keep f open: after f.Close it returns an error.
func Master(f *os.File) func() (int, error) {
	return func() (pgid int, err error) {
		rc, err := f.SyscallConn()
		if err != nil {
			return 0, err
		}
		cerr := rc.Control(func(fd uintptr) { pgid, err = Group(fd) })
		if cerr != nil {
			return 0, cerr
		}
		return pgid, err
	}
}

// Watcher looks at one terminal's foreground. It is not safe for use by
// several goroutines at once.
type Watcher struct {
	group    func() (int, error)
	commands Commands
	shell    string

	fg      Foreground
	subject Process // the process that fg was read from
	scan    scanner
}

// NewWatcher returns a Watcher of the terminal whose foreground group is told
// by group, usually [Master]. shell is the person's own shell ($SHELL), which
// counts as one under whatever name; it may be empty.
func NewWatcher(group func() (int, error), commands Commands, shell string) *Watcher {
	return &Watcher{group: group, commands: commands, shell: base(shell)}
}

// Look says what stands in the foreground now. Between two calls with nothing
// new it costs one ioctl and one read; with a program in front that is no
// agent it also looks whether one has been started in the same group.
func (w *Watcher) Look() Foreground {
	pgid, err := w.group()
	if err != nil {
		return w.set(Foreground{Role: Gone}, Process{})
	}
	if w.fg.Role != Gone && pgid == w.fg.PGID && w.unchanged() {
		return w.fg
	}
	return w.read(pgid)
}

// unchanged reports whether the last answer still holds.
func (w *Watcher) unchanged() bool {
	now, err := stat(w.subject.PID)
	if err != nil || !now.same(&w.subject) {
		return false
	}
	if w.fg.Role == Agent {
		return true
	}
	// A program that is no agent may have become one without a trace that the
	// kernel shows cheaply, or may have started one as its child.
	return execShows && w.scan.quiet()
}

func (w *Watcher) set(fg Foreground, subject Process) Foreground {
	w.fg, w.subject = fg, subject
	return fg
}

// read looks at the whole group. The leader is asked first, so that an agent
// is not mistaken for one that it runs as its own tool.
func (w *Watcher) read(pgid int) Foreground {
	leader, err := stat(pgid)
	if err == nil && leader.PGID == pgid {
		detail(&leader)
		if agent, name, via := w.commands.Agent(leader); agent != "" && via == "" {
			return w.set(w.describe(pgid, leader, Agent, agent, name, via), leader)
		}
	} else {
		leader = Process{}
	}
	members := w.scan.members(pgid)
	for i := range members {
		if members[i].PID == leader.PID {
			continue
		}
		detail(&members[i])
		if agent, name, via := w.commands.Agent(members[i]); agent != "" && via == "" {
			return w.set(w.describe(pgid, members[i], Agent, agent, name, via), members[i])
		}
	}
	// Only then what a wrapper was told to run: sudo's command sits on a
	// terminal of sudo's own, while npx may still be downloading.
	if leader.PID != 0 {
		members = append([]Process{leader}, members...)
	}
	for _, m := range members {
		if agent, name, via := w.commands.Agent(m); agent != "" {
			return w.set(w.describe(pgid, m, Agent, agent, name, via), m)
		}
	}
	if len(members) == 0 {
		return w.set(Foreground{Role: Gone, PGID: pgid}, Process{})
	}
	m := members[0]
	role := Other
	if isShell(m, w.shell) {
		role = Shell
	}
	return w.set(w.describe(pgid, m, role, "", Name(m), ""), m)
}

func (w *Watcher) describe(pgid int, p Process, role Role, agent, name, via string) Foreground {
	return Foreground{Role: role, PGID: pgid, PID: p.PID, Start: p.Start,
		Name: name, Agent: agent, Via: via, Exe: p.Exe}
}
