package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// State is what a session's state file says. The file is JSON; fields may be
// added to it, so that readers must ignore those that they do not know.
type State struct {
	V     int    `json:"v"`     // 1
	ID    string `json:"id"`    // names the session: the wrapper's PID as a rule
	PID   int    `json:"pid"`   // the wrapper's
	Start uint64 `json:"start"` // its start stamp, which tells it from a later process of that PID

	Name    string `json:"name,omitempty"` // as the person named the session
	Agent   string `json:"agent,omitempty"`
	Command string `json:"command,omitempty"` // the command's name; its arguments may hold secrets and are left out
	Child   int    `json:"child,omitempty"`   // the command's PID
	TTY     string `json:"tty,omitempty"`     // the device of the command's terminal
	Dir     string `json:"dir,omitempty"`
	Project string `json:"project,omitempty"`

	State    string    `json:"state"`
	Kind     string    `json:"kind,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	Source   string    `json:"source,omitempty"`
	Rule     string    `json:"rule,omitempty"`
	Title    string    `json:"title,omitempty"`
	Question Question  `json:"question,omitzero"`

	Report string `json:"report"` // path of the report socket
}

// Question is what a blocked agent asks; untrusted text.
type Question struct {
	Text    string   `json:"text"`
	Options []string `json:"options,omitempty"`
}

// maxState is the longest state file in bytes.
const maxState = 256 << 10

const (
	stateSuffix  = ".json"
	reportSuffix = ".report"
	filesSuffix  = ".d"
)

// Alive says whether the process of that PID and start stamp still runs.
type Alive func(pid int, start uint64) bool

// List returns the states of the living sessions in dir, the oldest first, and
// sweeps those of dead ones. A state file that cannot be read is passed over.
func List(dir string, alive Alive) ([]State, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var found []State
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), stateSuffix)
		if !ok || !isWord(id, maxFrom, true) {
			continue
		}
		s, err := readState(filepath.Join(dir, e.Name()))
		switch {
		case err != nil && errors.Is(err, errGarbage):
			// Its writer renames whole files, so this is none of ours: keep it
			// out of the list, and away when nobody listens.
			sweepOne(dir, id)
		case err != nil || s.ID != id:
		case alive(s.PID, s.Start) || !sweepOne(dir, id):
			found = append(found, s)
		}
	}
	for _, e := range entries {
		// A session killed before its state file was written.
		id, isSocket := strings.CutSuffix(e.Name(), reportSuffix)
		if !isSocket {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, id+stateSuffix)); errors.Is(err, fs.ErrNotExist) {
			sweepOne(dir, id)
		}
	}
	slices.SortFunc(found, func(a, b State) int {
		if a.Start != b.Start {
			if a.Start < b.Start {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return found, nil
}

// sweepOne removes what a dead session left, unless somebody listens on its
// socket: a process that cannot be seen from here (in another PID namespace
// that shares the directory) lives all the same.
func sweepOne(dir, id string) bool {
	if listens(filepath.Join(dir, id+reportSuffix)) {
		return false
	}
	remove(dir, id)
	return true
}

func remove(dir, id string) {
	os.RemoveAll(filepath.Join(dir, id+filesSuffix))
	os.Remove(filepath.Join(dir, id+reportSuffix))
	os.Remove(filepath.Join(dir, id+stateSuffix))
}

var errGarbage = errors.New("not a state file")

// readState reads a state file. It does not follow a link and takes a regular
// file of the user's own only.
func readState(path string) (State, error) {
	var s State
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return s, fmt.Errorf("read a state file: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return s, fmt.Errorf("read a state file: %w", err)
	}
	if !fi.Mode().IsRegular() || ownerOf(fi) != os.Geteuid() {
		return s, fmt.Errorf("%s: not a file of this user", path)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxState+1))
	if err != nil {
		return s, fmt.Errorf("read a state file: %w", err)
	}
	if len(b) > maxState || json.Unmarshal(b, &s) != nil || s.PID <= 0 {
		return s, fmt.Errorf("%s: %w", path, errGarbage)
	}
	return s, nil
}

// encodeState encodes s; of a question that would make the file too long the
// options go first.
func encodeState(s State) ([]byte, error) {
	for {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			return nil, fmt.Errorf("encode the state: %w", err)
		}
		switch {
		case b.Len() <= maxState:
			return b.Bytes(), nil
		case s.Question.Options != nil:
			s.Question.Options = nil
		case s.Question.Text != "":
			s.Question.Text = ""
		default:
			return nil, errors.New("encode the state: too long")
		}
	}
}
