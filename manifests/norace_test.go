//go:build !race

package manifests_test

// sample is of how many recordings one is played.
const sample = 1
