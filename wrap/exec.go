package wrap

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"fwrap/wrap/monitor"
)

// defaultPath is where execvp looks when there is no PATH (confstr _CS_PATH).
const defaultPath = "/bin:/usr/bin"

var errNotInPath = errors.New("command not found")

// LookPath finds the file that execvp would run for name. A name with a slash
// is taken as it is; another is looked for in the PATH of env ("NAME=value"
// strings), where an empty element is the working directory. skip, which may be
// nil, passes over candidates: a wrapper that was started under the command's
// name must not find itself.
//
// The error is an [*ExecError].
//
// os/exec's LookPath will not do: it refuses what it finds by way of an empty
// element or "." and does not tell "not found" from "not executable".
func LookPath(name string, env []string, skip func(path string) bool) (string, error) {
	if strings.Contains(name, "/") {
		if err := executable(name); err != nil {
			return "", &ExecError{name, err}
		}
		return name, nil
	}
	found := error(errNotInPath)
	if name != "" {
		for _, dir := range filepath.SplitList(pathOf(env)) {
			file := dir + "/" + name
			if dir == "" {
				file = "./" + name
			}
			err := executable(file)
			switch {
			case err == nil && (skip == nil || !skip(file)):
				return file, nil
			case err != nil && !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.EISDIR):
				found = err // as execvp: EACCES if nothing better comes
			}
		}
	}
	return "", &ExecError{name, found}
}

// pathOf returns the PATH in env, the first one, as getenv does.
func pathOf(env []string) string {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			return v
		}
	}
	return defaultPath
}

func executable(file string) error {
	fi, err := os.Stat(file)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			return pe.Err
		}
		return err
	}
	if fi.IsDir() {
		return syscall.EISDIR
	}
	if err := unix.Access(file, unix.X_OK); err != nil {
		return err
	}
	return nil
}

// Exec replaces this process by the command, as the shell would have started
// it: the same process id, descriptors and terminal. It returns only an
// [*ExecError].
func Exec(path string, argv, env []string) error {
	err := syscall.Exec(path, argv, env)
	if err == syscall.ENOEXEC {
		p, a := monitor.Script(path, argv)
		err = syscall.Exec(p, a, env)
	}
	return &ExecError{argv[0], err}
}
