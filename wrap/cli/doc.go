// Package cli is the command line and the composition root: the only room that
// knows all others. It reads arguments and environment, joins wrap, detect and
// notify, and turns the outcome into an exit status.
package cli
