package session

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// shortDir is a directory whose path is short enough for sockets: on macOS
// t.TempDir is not.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "fwrap-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestDir(t *testing.T) {
	top := shortDir(t)
	path := func(n string) string { return filepath.Join(top, n) }
	if err := os.Mkdir(path("loose"), 0o755); err != nil {
		t.Fatal(err)
	}
	os.Mkdir(path("open"), 0o700)
	os.Chmod(path("open"), 0o777)
	os.Mkdir(path("parent"), 0o700)
	os.Chmod(path("parent"), 0o777)
	os.Mkdir(path("sticky"), 0o700)
	os.Chmod(path("sticky"), 0o777|os.ModeSticky)
	os.Symlink(path("loose"), path("link"))
	os.WriteFile(path("file"), nil, 0o600)

	for _, c := range []struct {
		dir string
		why string // part of the error; empty if the directory is taken
	}{
		{path("new"), ""},
		{path("new"), ""},
		{path("loose"), ""},
		{path("sticky/fwrap-1"), ""},
		{path("open"), "may be written to by others"},
		{path("link"), "is a symbolic link"},
		{path("file"), "is not a directory"},
		{path("parent/x"), "may be written to by anybody"},
		{path("missing/x"), "no such file"},
		{"relative", "not an absolute path"},
		{path(strings.Repeat("x", 90)), "too long"},
	} {
		got, err := Dir(c.dir)
		if c.why != "" {
			if err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("Dir(%s): %v, want an error with %q", c.dir, err, c.why)
			}
			continue
		}
		if err != nil || got != c.dir {
			t.Errorf("Dir(%s) = %q, %v", c.dir, got, err)
			continue
		}
		fi, err := os.Lstat(c.dir)
		if err != nil || fi.Mode().Perm() != 0o700 || !fi.IsDir() {
			t.Errorf("%s: %v, %v", c.dir, fi.Mode(), err)
		}
	}

	if got, err := Dir("", path("link"), path("second")); err != nil || got != path("second") {
		t.Errorf("the second candidate: %q, %v", got, err)
	}
	if _, err := Dir(); err == nil {
		t.Error("no candidate, no error")
	}
	if _, err := Dir(path("link"), path("open")); err == nil || !strings.Contains(err.Error(), "symbolic link") || !strings.Contains(err.Error(), "by others") {
		t.Errorf("the error names not every reason: %v", err)
	}
}

// Another user's directory in the place of ours, which only root can make.
func TestDirOfAnotherUser(t *testing.T) {
	top := shortDir(t)
	dir := filepath.Join(top, "theirs")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := private(fi); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, 65534, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := Dir(dir); err == nil || !strings.Contains(err.Error(), "belongs to user 65534") {
			t.Errorf("a directory of nobody's: %v", err)
		}
		if _, err := Dir(filepath.Join(dir, "in")); err == nil || !strings.Contains(err.Error(), "belongs to user 65534") {
			t.Errorf("a directory in one of nobody's: %v", err)
		}
		return
	}
	fi.Sys().(*syscall.Stat_t).Uid++
	if err := private(fi); err == nil || !strings.Contains(err.Error(), "belongs to user") {
		t.Errorf("a directory of another's: %v", err)
	}
}
