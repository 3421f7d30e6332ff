//go:build !race

package screen

// sample is of how many recordings one is played.
const sample = 1
