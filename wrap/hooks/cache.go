package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Cache remembers what programs said of their version.
type Cache struct {
	// File is where it is kept, such as ~/.cache/fwrap/versions.json. It and
	// its directory are made when needed.
	File string
}

// program is a program as it was when it was asked.
type program struct {
	Path    string    `json:"path"` // without symbolic links
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mtime"`
	Version string    `json:"version"`
	Asked   time.Time `json:"asked"`
}

type cacheFile struct {
	V        int       `json:"v"`
	Programs []program `json:"programs"`
}

// maxPrograms is how many programs are remembered.
const maxPrograms = 64

// askAgain is after how long a program is asked again although it has not
// changed: a script may start a program that has.
const askAgain = 24 * time.Hour

// Lookup returns the version of the program at path, empty if it is not known,
// and whether it should be asked ([Cache.Refresh]). It takes microseconds and
// runs nothing.
func (c Cache) Lookup(path string) (version string, ask bool) {
	if v := Version(path); v != "" {
		return v, false
	}
	p, err := identify(path)
	if err != nil {
		return "", false
	}
	for _, k := range c.read().Programs {
		if k.Path == p.Path && k.Size == p.Size && k.ModTime.Equal(p.ModTime) {
			age := time.Since(k.Asked)
			return k.Version, age > askAgain || age < 0
		}
	}
	return "", true
}

// Refresh asks the program at path, by running it with args ("--version"), and
// remembers the answer. It is for the background: it may take as long as ctx
// lets it. The program has no terminal, no input, and nothing of the session
// in its environment.
func (c Cache) Refresh(ctx context.Context, path string, args ...string) (version string, err error) {
	p, err := identify(path)
	if err != nil {
		return "", fmt.Errorf("ask for the version: %w", err)
	}
	out, err := run(ctx, path, args)
	p.Version = ParseVersion(out)
	if err == nil && p.Version == "" {
		err = errors.New("the program names no version")
	}
	// A failure is remembered too, so that it is not repeated at each start.
	p.Asked = time.Now()
	if werr := c.remember(p); err == nil && werr != nil {
		err = werr
	}
	if err != nil {
		return p.Version, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	return p.Version, nil
}

func identify(path string) (program, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return program{}, err
	}
	fi, err := os.Stat(real)
	if err != nil {
		return program{}, err
	}
	if !fi.Mode().IsRegular() {
		return program{}, fmt.Errorf("%s: not a program", path)
	}
	return program{Path: real, Size: fi.Size(), ModTime: fi.ModTime()}, nil
}

// run returns the beginning of what the program prints.
func run(ctx context.Context, path string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	out := &head{left: 4096}
	cmd.Stdout, cmd.Stderr = out, nil
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "FWRAP_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	// A session of its own: no terminal to write to, and all of it can be ended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	return string(out.b), err
}

// head keeps the beginning of what is written to it.
type head struct {
	b    []byte
	left int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.b = append(h.b, p[:n]...)
	h.left -= n
	return len(p), nil
}

func (c Cache) read() cacheFile {
	var f cacheFile
	if c.File == "" {
		return f
	}
	b, err := readLimited(c.File)
	if err != nil || json.Unmarshal(b, &f) != nil || f.V != 1 {
		return cacheFile{} // it will be written anew
	}
	return f
}

// remember puts p first. Two wrappers that do so at once may lose one answer,
// which is then asked for again.
func (c Cache) remember(p program) error {
	if c.File == "" {
		return errors.New("no file for the cache is known")
	}
	f := cacheFile{V: 1, Programs: []program{p}}
	for _, k := range c.read().Programs {
		if k.Path != p.Path && len(f.Programs) < maxPrograms {
			f.Programs = append(f.Programs, k)
		}
	}
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	dir := filepath.Dir(c.File)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	t, err := os.CreateTemp(dir, ".versions-*")
	if err != nil {
		return err
	}
	_, err = t.Write(b)
	if cerr := t.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(t.Name(), c.File)
	}
	if err != nil {
		os.Remove(t.Name())
	}
	return err
}
