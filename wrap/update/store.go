package update

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"fwrap/detect/manifest"
)

const (
	current  = "current"
	previous = "previous"
	sets     = "sets"
	lockFile = ".lock"
	// sourceFile says in a set where it came from.
	sourceFile = ".source.json"
)

// Current returns the directory that holds the installed manifests, AGENT.toml,
// for an [Updater] with the directory dir. It may not exist.
func Current(dir string) string { return filepath.Join(dir, current) }

// source is where a set came from.
type source struct {
	URL  string `json:"url"`
	ETag string `json:"etag,omitempty"`
}

// set is a set of manifests; the zero set is none.
type set struct {
	name   string            // relative to the store, "sets/…"
	files  map[string][]byte // by agent
	source source
}

func (s set) version(agent string) string { return manifest.QuickVersion(s.files[agent]) }

// store is the directory, locked.
type store struct {
	dir  string
	lock *os.File
}

// open locks the store against a second fwrap.
func (u *Updater) open() (*store, error) {
	if err := os.MkdirAll(filepath.Join(u.Dir, sets), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(u.Dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: another update runs: %w", u.Dir, err)
	}
	return &store{dir: u.Dir, lock: f}, nil
}

func (s *store) close() { s.lock.Close() }

// read reads the set that a link leads to; the zero set if there is none.
func (s *store) read(link string) (set, error) {
	name, err := os.Readlink(filepath.Join(s.dir, link))
	if errors.Is(err, fs.ErrNotExist) {
		return set{}, nil
	}
	if err != nil {
		return set{}, err
	}
	out := set{name: name, files: map[string][]byte{}}
	dir := filepath.Join(s.dir, name)
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return set{}, nil // its directory was removed by hand
	}
	if err != nil {
		return set{}, err
	}
	for _, e := range list {
		agent, ok := strings.CutSuffix(e.Name(), ".toml")
		if !ok || !isAgent(agent) || !e.Type().IsRegular() {
			continue
		}
		if out.files[agent], err = readFile(filepath.Join(dir, e.Name())); err != nil {
			return set{}, err
		}
	}
	// Without it the next request is not conditional.
	if data, err := readFile(filepath.Join(dir, sourceFile)); err == nil {
		_ = json.Unmarshal(data, &out.source)
	}
	return out, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, manifest.MaxSize+1))
	if err == nil && len(data) > manifest.MaxSize {
		err = fmt.Errorf("read %s: larger than %d bytes", name, manifest.MaxSize)
	}
	return data, err
}

// install writes a set and makes it the current one; what was current becomes
// the previous one, and older sets go.
func (s *store) install(next set) error {
	dir, err := os.MkdirTemp(filepath.Join(s.dir, sets), "set-")
	if err != nil {
		return err
	}
	installed := false
	defer func() {
		if !installed {
			os.RemoveAll(dir)
		}
	}()
	src, err := json.Marshal(next.source)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, sourceFile), src); err != nil {
		return err
	}
	for agent, data := range next.files {
		if err := writeFile(filepath.Join(dir, agent+".toml"), data); err != nil {
			return err
		}
	}
	if err := syncDir(dir); err != nil {
		return err
	}
	was, _ := os.Readlink(filepath.Join(s.dir, current))
	if err := s.point(current, filepath.Join(sets, filepath.Base(dir))); err != nil {
		return err
	}
	// From here on the new set counts, whatever becomes of the other link.
	installed = true
	if err := s.point(previous, was); err != nil {
		return fmt.Errorf("installed, but the set before cannot be gone back to: %w", err)
	}
	s.clean()
	return nil
}

// point replaces a link in one step.
func (s *store) point(link, target string) error {
	name := filepath.Join(s.dir, link)
	if target == "" {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	temp := name + ".new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, temp); err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		os.Remove(temp)
		return err
	}
	return syncDir(s.dir)
}

// clean removes the sets that no link leads to. What it cannot remove stays:
// it does no harm.
func (s *store) clean() {
	keep := map[string]bool{}
	for _, link := range []string{current, previous} {
		if name, err := os.Readlink(filepath.Join(s.dir, link)); err == nil {
			keep[filepath.Base(name)] = true
		}
	}
	list, _ := os.ReadDir(filepath.Join(s.dir, sets))
	for _, e := range list {
		if !keep[e.Name()] {
			os.RemoveAll(filepath.Join(s.dir, sets, e.Name()))
		}
	}
}

func writeFile(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}
