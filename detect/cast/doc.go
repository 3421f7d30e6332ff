// Package cast reads and writes asciicast v2 recordings. It must not know what
// the recorded bytes mean.
package cast
