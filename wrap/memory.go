package wrap

import (
	"runtime/debug"
	"time"
)

// releaseAfter is how long after the command's start the monitor gives memory
// back: one wakeup, when nobody waits for it.
const releaseAfter = 300 * time.Millisecond

// TrimMemory gives memory back that a start has needed and the session does not.
// It takes a few milliseconds and is for the moment when all is set up.
func TrimMemory() {
	debug.FreeOSMemory()
	releaseImage()
}
