package desktop

import "github.com/gen2brain/beeep"

// viaBeeep shows the notice through beeep, which may hang, write to standard
// output or set variables: only ever in the helper.
func viaBeeep(req request, asked func(string)) reply {
	beeep.AppName = appName
	asked("beeep")
	if err := beeep.Notify(plain(req.Notice.Title), plain(req.Notice.Body), appIcon); err != nil {
		return reply{Via: "beeep", Err: err.Error()}
	}
	return reply{Outcome: Shown, Via: "beeep"}
}

const (
	appName = "fwrap"
	appIcon = "utilities-terminal"
)
