//go:build race

package screen

// sample is of how many recordings one is played. The race detector makes the
// drawing of them ten times as slow, and there is no second goroutine in it to
// race with; without the detector every one is played.
const sample = 8
