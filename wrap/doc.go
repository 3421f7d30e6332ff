// Package wrap runs a command on a pty of its own, transparent to the byte.
//
// It knows bytes, ttys, processes and signals, and nothing of agents, screens
// or notifications. What it copies out for others it hands to a tap that may
// lose data but can never slow or harm the person's session.
//
// The layout is sudo's use_pty: this process, a monitor that leads the session
// on the pty, and the command in its own process group, made foreground.
package wrap
