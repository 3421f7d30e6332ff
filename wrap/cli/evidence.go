package cli

import (
	"fmt"
	"strings"

	"fwrap/detect"
)

// evidence says which sources of the state count. All do unless the person
// says otherwise, to find out which one is wrong.
type evidence struct {
	screen, program, hook, process bool
}

var allEvidence = evidence{screen: true, program: true, hook: true, process: true}

// parseEvidence reads a list like "screen,7501". The empty list is all.
func parseEvidence(list string) (evidence, error) {
	if list == "" {
		return allEvidence, nil
	}
	var e evidence
	for _, w := range strings.Split(list, ",") {
		switch detect.Source(w) {
		case detect.FromScreen:
			e.screen = true
		case detect.FromProgram:
			e.program = true
		case detect.FromHook:
			e.hook = true
		case detect.FromProcess:
			e.process = true
		default:
			return allEvidence, fmt.Errorf("--sources is a list of screen, 7501, hook and process, not %q", w)
		}
	}
	return e, nil
}
