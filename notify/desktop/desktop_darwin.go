package desktop

import (
	"context"
	"os"
)

// Available reports whether a notification service may be there to be asked.
// macOS has one wherever a person is logged in; over ssh it is not theirs.
func Available(environ []string) bool { return true }

func platformEnv(env, environ []string) ([]string, error) { return env, nil }

func self() (string, error) { return os.Executable() }

// deliver does the request. beeep can neither replace nor close a notice.
func deliver(_ context.Context, req request, asked func(string)) reply {
	if req.Op == "probe" {
		return reply{Outcome: Shown, Via: "beeep", Server: "macOS notification center"}
	}
	if req.Op != "show" {
		return reply{Outcome: Closed}
	}
	return viaBeeep(req, asked)
}

// plain returns s: neither the notification center nor osascript's quoted
// string, which notify.Sanitize prepares the text for, gives a character a
// meaning of its own.
func plain(s string) string { return s }
