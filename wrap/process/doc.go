// Package process tells which program stands in the foreground of a terminal:
// its name as a person would type it, and whether it lives.
//
// The question is asked of the kernel (the terminal's foreground process
// group, then that group's processes), never of the screen: an agent's last
// prompt stays drawn after the agent has gone, and a recording of a prompt may
// be printed by cat. The answer is made when somebody asks, which is when
// output or a report has arrived. There is no polling and no goroutine here,
// and the common case, the same program as a moment ago, costs one ioctl and
// one small read (12 µs in a small virtual machine; 20 µs while a program is in
// front that is no agent, 0.5 ms when its group has to be searched for one).
//
// The command line is turned into names by pure functions: scripts run by node,
// python or a shell are called after the script, what env or sudo runs after
// that command, binaries that carry a version or a platform in their name
// after what is left without it. [Commands] then maps a name to an agent. This
// package knows no agent's name of its own.
//
// Linux reads /proc; macOS asks sysctl kern.proc and kern.procargs2.
package process
