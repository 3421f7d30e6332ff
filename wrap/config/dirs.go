package config

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Dirs are fwrap's directories by the XDG Base Directory Specification, on macOS
// too: people keep the config of command-line programs in ~/.config there as
// well. A path that cannot be known is empty. None is created.
type Dirs struct {
	Config  string // $XDG_CONFIG_HOME/fwrap, ~/.config/fwrap
	State   string // $XDG_STATE_HOME/fwrap, ~/.local/state/fwrap
	Data    string // $XDG_DATA_HOME/fwrap, ~/.local/share/fwrap
	Cache   string // $XDG_CACHE_HOME/fwrap, ~/.cache/fwrap
	Runtime string // $XDG_RUNTIME_DIR/fwrap, $TMPDIR/fwrap-UID, /tmp/fwrap-UID
}

// DirsOf returns the directories of the user uid with the environment environ.
// The specification wants relative values ignored.
func DirsOf(environ []string, uid int) Dirs {
	home := absolute(environ, "HOME")
	dir := func(env, below string) string {
		if d := absolute(environ, env); d != "" {
			return filepath.Join(d, "fwrap")
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, below, "fwrap")
	}
	d := Dirs{
		Config: dir("XDG_CONFIG_HOME", ".config"),
		State:  dir("XDG_STATE_HOME", ".local/state"),
		Data:   dir("XDG_DATA_HOME", ".local/share"),
		Cache:  dir("XDG_CACHE_HOME", ".cache"),
	}
	own := "fwrap-" + strconv.Itoa(uid)
	switch run, tmp := absolute(environ, "XDG_RUNTIME_DIR"), absolute(environ, "TMPDIR"); {
	case run != "":
		d.Runtime = filepath.Join(run, "fwrap")
	case tmp != "":
		d.Runtime = filepath.Join(tmp, own) // macOS: a directory of the user's own
	default:
		d.Runtime = filepath.Join("/tmp", own)
	}
	return d
}

// file returns the config file's path, and whether the person named it.
func file(src Source) (path string, named bool) {
	if src.File != "" {
		return src.File, true
	}
	if f, _ := lookup(src.Environ, "FWRAP_CONFIG"); f != "" {
		return f, true
	}
	if d := DirsOf(src.Environ, 0).Config; d != "" {
		return filepath.Join(d, "config.toml"), false
	}
	return "", false
}

// Project names the project that dir belongs to: the base name of the nearest
// ancestor with a .git (a directory, or a worktree's file), else of dir itself.
// git is not run. For a directory without a name it returns "".
func Project(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	dir = filepath.Clean(dir)
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return base(d)
		}
		if d == filepath.Dir(d) {
			return base(dir)
		}
	}
}

func base(dir string) string {
	if b := filepath.Base(dir); b != "/" && b != "." {
		return b
	}
	return ""
}

// absolute returns the value of k if it is an absolute path.
func absolute(environ []string, k string) string {
	if v, _ := lookup(environ, k); filepath.IsAbs(v) {
		return v
	}
	return ""
}

// lookup returns the last value of k, as the C library's users see it.
func lookup(environ []string, k string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(environ[i], k+"="); ok {
			return v, true
		}
	}
	return "", false
}
