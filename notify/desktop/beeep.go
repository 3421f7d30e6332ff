package desktop

import (
	"strings"

	"github.com/gen2brain/beeep"
)

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

// plain makes text safe for the programs that beeep falls back to. notify-send
// takes an argument that begins with a dash for an option ("-w" blocks, "--help"
// succeeds and shows nothing); agents print lists with dashes. What reads
// markup there cannot be known, so nothing may look like it.
func plain(s string) string {
	s = strings.NewReplacer("<", "‹", ">", "›").Replace(s)
	if strings.HasPrefix(s, "-") {
		s = " " + s
	}
	return s
}
