package wrap

import (
	"runtime/debug"

	"fwrap/wrap/monitor"
)

// TrimMemory gives memory back that a start has needed and the session does not.
// It takes a few milliseconds and is for the moment when all is set up.
func TrimMemory() {
	debug.FreeOSMemory()
	monitor.ReleaseImage()
}
