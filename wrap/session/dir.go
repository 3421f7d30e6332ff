package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxSocketPath is the longest path that fits into sockaddr_un with its NUL:
// 104 bytes on macOS, 108 on Linux. The shorter is used on both.
const maxSocketPath = 103

// longestName is the longest name that is appended to the directory.
const longestName = len("/4294967295-9.report")

// Dir makes and checks the directory of the sessions. It takes the first
// candidate that is safe and short enough for sockets; typically that is
// $XDG_RUNTIME_DIR/fwrap and, where there is none, /tmp/fwrap-UID. Empty
// candidates are passed over. The error says why each was refused.
//
// In /tmp anybody may have made the directory first, or a link in its place:
// one that is not the user's own, or that others may write to, is refused.
func Dir(candidates ...string) (string, error) {
	var refused []error
	for _, dir := range candidates {
		if dir == "" {
			continue
		}
		err := makeDir(dir)
		if err == nil {
			return dir, nil
		}
		refused = append(refused, err)
	}
	if len(refused) == 0 {
		return "", errors.New("no directory for sessions is known")
	}
	return "", errors.Join(refused...)
}

func makeDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("session directory %q: not an absolute path", dir)
	}
	if len(dir)+longestName > maxSocketPath {
		return fmt.Errorf("session directory %s: too long for a socket in it", dir)
	}
	if err := safeParent(filepath.Dir(dir)); err != nil {
		return fmt.Errorf("session directory %s: %w", dir, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the session directory: %w", err)
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the session directory: %w", err)
	}
	if err := private(fi); err != nil {
		return fmt.Errorf("session directory %s: %w", dir, err)
	}
	if fi.Mode().Perm() != 0o700 {
		// The user's own, made under another umask or copied: nobody else
		// could write to it, so what is in it can be trusted.
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("protect the session directory: %w", err)
		}
	}
	return nil
}

// safeParent reports why nothing should be made in a directory. It must be the
// user's own or, as /tmp, keep users from each other's files. After "sudo -E"
// $XDG_RUNTIME_DIR is another user's, who would then find a directory there
// that is not theirs.
func safeParent(dir string) error {
	fi, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case fi.Mode()&fs.ModeSticky != 0:
		return nil
	case ownerOf(fi) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d", dir, ownerOf(fi))
	case fi.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("%s may be written to by anybody", dir)
	}
	return nil
}

// private reports why a directory must not be used.
func private(fi fs.FileInfo) error {
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return errors.New("is a symbolic link")
	case !fi.IsDir():
		return errors.New("is not a directory")
	case ownerOf(fi) != os.Geteuid():
		return fmt.Errorf("belongs to user %d", ownerOf(fi))
	case fi.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("may be written to by others (mode %#o)", fi.Mode().Perm())
	}
	return nil
}

func ownerOf(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}
