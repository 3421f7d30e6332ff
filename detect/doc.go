// Package detect says what an agent is doing: working, blocked on the person,
// idle, or gone.
//
// It is pure. Time, bytes of output, window sizes, reports and the foreground
// process come in as values; a [Status] comes out, together with the next
// instant at which it could change with no new input. There is no goroutine,
// clock, file, environment or global in this package, so that an hour's
// recording replays in a second and a live session and a replay run the same
// code.
//
// It must not know ptys, processes, notifications or the format of manifests.
package detect
