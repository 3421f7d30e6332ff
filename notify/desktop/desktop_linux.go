package desktop

import (
	"errors"
	"os"
	"strconv"
	"strings"
)

// ErrNoBus says that this machine has no session bus to ask.
var ErrNoBus = errors.New("no session bus: neither DBUS_SESSION_BUS_ADDRESS nor /run/user/UID/bus")

// Available reports whether a notification service may be there to be asked. It
// looks for the bus and does not speak to it.
func Available(environ []string) bool { return busAddress(environ) != "" }

// busAddress returns the address of the session bus without ever starting one.
func busAddress(environ []string) string {
	if a := lookup(environ, "DBUS_SESSION_BUS_ADDRESS"); a != "" && !strings.HasPrefix(a, "autolaunch:") {
		return a
	}
	for _, dir := range []string{lookup(environ, "XDG_RUNTIME_DIR"), "/run/user/" + strconv.Itoa(os.Getuid())} {
		if !strings.HasPrefix(dir, "/") {
			continue
		}
		if fi, err := os.Stat(dir + "/bus"); err == nil && fi.Mode()&os.ModeSocket != 0 {
			return "unix:path=" + dir + "/bus"
		}
	}
	return ""
}

func platformEnv(env, environ []string) ([]string, error) {
	a := busAddress(environ)
	if a == "" {
		return nil, ErrNoBus
	}
	return append(env, "DBUS_SESSION_BUS_ADDRESS="+a), nil
}

// self is the running program's own file, even after an upgrade has replaced it.
func self() (string, error) { return "/proc/self/exe", nil }
