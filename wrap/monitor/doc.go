// Package monitor is fwrap's second process. It leads a session on the command's
// pty, starts the command in that session and watches it for the first process,
// package wrap.
//
// It exists because the process group of a session leader is orphaned, and the
// kernel throws SIGTSTP, SIGTTIN and SIGTTOU away for orphaned groups: a command
// that led the session itself could not be stopped by Ctrl-Z. And because a
// session leader's end is a hangup for the terminal's foreground group: by taking
// the terminal itself before it ends, the monitor lets what the command has left
// in the background live on. Both are as in sudo's exec_monitor.c.
//
// The two processes are of the same program, so that there is no protocol to
// keep: over a socket come one [Launch] and then orders, and messages go back.
//
// It must not import what it can do without: its part of the program's start is
// part of each start of a command. It knows nothing of the person's terminal.
package monitor
