// Package term builds the sequences that tell a terminal something: titles,
// notifications, progress, tab labels, and their wrapping for tmux and screen.
// It builds bytes and does not write them.
package term
