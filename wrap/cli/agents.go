package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"syscall"

	"fwrap/detect/manifest"
	"fwrap/manifests"
)

// catalog is where manifests come from: the built-in ones, newer ones that were
// downloaded, and the person's own directory. Nothing is read before it is asked for: compiling the rules of one
// agent costs more than starting the agent may.
type catalog struct {
	builtin fs.FS  // NAME.toml at its root
	userDir string // may not exist
	downloads

	mu    sync.Mutex
	heads map[string]manifest.Head // those that have been read
}

func newCatalog(userDir string) *catalog {
	return &catalog{builtin: manifests.FS, userDir: userDir}
}

// errNoAgent says that no manifest has the name.
var errNoAgent = errors.New("no such agent")

// names lists the agents that have a manifest, sorted.
func (c *catalog) names() []string { return c.with(c.foreign()) }

// with lists the agents that have a built-in manifest and the others, sorted.
func (c *catalog) with(others map[string]bool) []string {
	seen := map[string]bool{}
	if list, err := fs.ReadDir(c.builtin, "."); err == nil {
		for _, e := range list {
			if n, ok := strings.CutSuffix(e.Name(), ".toml"); ok {
				seen[n] = true
			}
		}
	}
	for n := range others {
		seen[n] = true
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// validAgent says whether a name can be that of a manifest's file.
func validAgent(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsAny(name, "/\\\x00")
}

// source reads an agent's files as they stand; a part that does not exist is
// nil. What was downloaded counts as built-in where it is newer.
func (c *catalog) source(agent string) (builtin, user []byte, userFile string, err error) {
	if !validAgent(agent) {
		return nil, nil, "", fmt.Errorf("%w: %q", errNoAgent, agent)
	}
	builtin, err = fs.ReadFile(c.builtin, agent+".toml")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, "", err
	}
	if newer := c.newer(agent, builtin); newer != nil {
		builtin = newer
	}
	if c.userDir != "" {
		userFile = filepath.Join(c.userDir, agent+".toml")
		user, err = readLimited(userFile, manifest.MaxSize)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return builtin, nil, userFile, err
		}
	}
	if builtin == nil && user == nil {
		return nil, nil, userFile, fmt.Errorf("%w: %q", errNoAgent, agent)
	}
	return builtin, user, userFile, nil
}

// load compiles an agent's rules. A user's file that is refused gives both the
// built-in manifest, if there is one, and the error.
func (c *catalog) load(agent string) (*manifest.Manifest, error) {
	builtin, user, userFile, err := c.source(agent)
	if builtin == nil && err != nil {
		return nil, err
	}
	name := agent + ".toml"
	if err == nil && user != nil {
		m, uerr := c.override(name, builtin, userFile, user)
		if uerr == nil {
			return m, nil
		}
		err = uerr
	}
	if builtin == nil {
		return nil, err
	}
	m, berr := c.base(name, builtin)
	if m == nil {
		return nil, berr
	}
	return m, errors.Join(err, berr)
}

// checkUser reads a user's manifest for an agent, if there is one, so that an
// error in it can be said before the agent starts.
func (c *catalog) checkUser(agent string) error {
	builtin, user, userFile, err := c.source(agent)
	if errors.Is(err, errNoAgent) || user == nil {
		return err
	}
	_, err = c.override(agent+".toml", builtin, userFile, user)
	return err
}

// readLimited reads a file of at most max bytes, and nothing that is no file: a
// fifo would block the start.
func readLimited(name string, max int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil {
		return nil, err
	} else if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is not a regular file", name)
	}
	var buf bytes.Buffer
	n, err := buf.ReadFrom(io.LimitReader(f, max+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if n > max {
		// The place where it becomes too much, as for any other mistake in it.
		all := buf.Bytes()[:max]
		line := bytes.Count(all, []byte{'\n'}) + 1
		return nil, fmt.Errorf("%s:%d:%d: larger than %d bytes", name, line, len(all)-bytes.LastIndexByte(all, '\n'), max)
	}
	return buf.Bytes(), nil
}
