// Package wrap runs a command on a pty of its own, transparent to the byte.
//
// It knows bytes, ttys, processes and signals, and nothing of agents, screens
// or notifications. What it copies out for others it hands to a [Tap] that may
// lose data but can never slow or harm the person's session.
//
// # Processes
//
// The layout is that of sudo's use_pty. This process stays a job of the person's
// shell. It starts itself again as a monitor, package monitor, which leads a session
// on the command's pty, and the monitor starts the command in a process group of its
// own, in the foreground of that pty. Only so can the command be stopped: the
// kernel ignores SIGTSTP for the orphaned process group of a session leader.
// When the command stops, the monitor says so, this process gives the terminal
// back and stops its own group, and after fg all goes the other way.
//
// # Bytes
//
// Two pumps carry the bytes, each in its own goroutine with one fixed buffer,
// so that input which the command does not read never delays its output. The
// session ends with the command and not with the pty, which something in the
// background may hold open; what has been written by then still passes.
//
// Input passes unread, apart from answers put in by [Session.Answer] and replies
// kept back by [Options.Reply]. Output is read along with a scanner, package seq,
// which knows where sequences begin and end: there, and nowhere else, titles get
// a prefix, chosen sequences are taken out, and own ones are put in. The modes
// that the command sets are noted, so that those which it leaves on when it is
// killed can be reset. [Options.Pure] turns all of this off.
//
// # Limits
//
// Keys that the command has not read when it ends are lost; without a relay they
// would go to the shell. A program that looks at its parent sees the monitor.
// Signals that the caller ignores stay ignored in the command only if they are
// SIGHUP, SIGINT or the job control signals: the Go runtime takes the others
// before any code of ours runs. It also ends the process, and leaves the terminal
// raw, where the system refuses it a thread (RLIMIT_NPROC, a full pids cgroup).
// Ctrl-D typed ahead of the start reaches the command as NUL: Linux keeps it so
// when the terminal becomes raw. Inherited descriptors stay open in this process
// until it ends, so that a pipe's reader sees its end then.
package wrap
