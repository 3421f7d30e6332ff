package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"fwrap/detect"
	"fwrap/detect/report"
	"fwrap/wrap/process"
)

// foreground follows who has the command's terminal. It is asked when output or
// a report has come and never polls. Only the mirror's goroutine uses it, but
// for started.
type foreground struct {
	watch   func() *process.Watcher // makes the watcher, when there is something to look at
	watcher *process.Watcher
	group   func() (int, error) // the terminal's foreground process group
	direct  bool                // the command itself is the agent
	child   atomic.Int64        // the command's process, which leads its group; 0: not started

	agent process.Foreground // the agent that was seen last

	dir     string // Claude Code's configuration, for its status files
	fileMod time.Time
	fileAt  time.Time // of the last look at the file
	fileDue time.Time // of one more look, or zero
}

func (f *foreground) started(pid int) { f.child.Store(int64(pid)) }

// sight is what a look has shown.
type sight struct {
	came  string // an agent that was not there before
	gone  bool   // the agent that was there has ended
	front detect.Foreground
}

// look asks the kernel. watched says that an agent is being watched.
func (f *foreground) look(watched bool) sight {
	if f.watcher == nil {
		f.watcher = f.watch()
	}
	fg := f.watcher.Look()
	if f.direct {
		// The command's own end is the session's and comes from the relay.
		child := int(f.child.Load())
		if fg.Role == process.Agent {
			f.agent = fg
		}
		if child == 0 || fg.Role == process.Agent || fg.Role == process.Gone || fg.PGID == child {
			return sight{front: detect.ForegroundAgent}
		}
		return sight{front: detect.ForegroundOther}
	}
	if fg.Role == process.Agent {
		if !watched || !f.continues(fg) {
			f.agent = fg
			return sight{came: fg.Agent, front: detect.ForegroundAgent}
		}
		return sight{front: detect.ForegroundAgent}
	}
	if !watched {
		return sight{}
	}
	if alive, _ := process.Alive(f.agent.PID, f.agent.Start); !alive {
		return sight{gone: true}
	}
	if fg.Role == process.Shell {
		return sight{front: detect.ForegroundShell}
	}
	return sight{front: detect.ForegroundOther}
}

// continues reports whether an agent is the one that was seen last. A child that
// the agent has forked and that has not executed its program yet looks like
// another of the same name in its group, before the leader has been seen or after.
func (f *foreground) continues(fg process.Foreground) bool {
	was := f.agent
	if fg.PID == was.PID && fg.Start == was.Start {
		f.agent = fg
		return true
	}
	if fg.Agent != was.Agent || fg.PGID != was.PGID {
		return false
	}
	if fg.PID == fg.PGID {
		f.agent = fg
		return true
	}
	alive, _ := process.Alive(was.PID, was.Start)
	return alive
}

const (
	sessionFileEvery = 250 * time.Millisecond
	sessionFileMax   = 64 << 10
)

// sessionFile reads what Claude Code 2.1.139 and later keep of their own state,
// if it has changed. A file of an earlier process with the same number is told
// by its time.
//
// The file is written about when the screen is, before or after: so it is looked
// at when something has come (fresh), and once more when nothing more comes.
func (f *foreground) sessionFile(now time.Time, fresh bool, hooks *report.Hooks) (detect.Report, bool) {
	pid := f.agent.PID
	if f.direct && pid == 0 {
		pid = int(f.child.Load())
	}
	if f.dir == "" || pid == 0 {
		return detect.Report{}, false
	}
	f.fileDue = time.Time{}
	if fresh {
		f.fileDue = now.Add(sessionFileEvery)
		if now.Sub(f.fileAt) < sessionFileEvery {
			return detect.Report{}, false
		}
	}
	f.fileAt = now
	name := filepath.Join(f.dir, "sessions", strconv.Itoa(pid)+".json")
	fi, err := os.Stat(name)
	if err != nil || fi.ModTime().Equal(f.fileMod) || !fi.Mode().IsRegular() {
		return detect.Report{}, false
	}
	f.fileMod = fi.ModTime()
	data, err := readLimited(name, sessionFileMax)
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return detect.Report{}, false
	}
	s, err := report.ReadSessionFile(data)
	if err != nil || s.PID != pid {
		return detect.Report{}, false
	}
	return hooks.SessionFile(s)
}
