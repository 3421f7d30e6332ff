package process

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// execShows: kern.proc has nothing that changes with execve but the short
// name, so a program that is no agent is read anew each time.
const execShows = false

// Values of p_stat in XNU's sys/proc.h.
const (
	statStopped = 4
	statZombie  = 5
)

// maxArgs bounds how much of a command line is kept.
const maxArgs = 8 << 10

func stat(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, ErrGone
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid || k.Proc.P_stat == statZombie {
		return Process{}, ErrGone
	}
	return fromKinfo(k), nil
}

func fromKinfo(k *unix.KinfoProc) Process {
	t := k.Proc.P_starttime
	return Process{
		PID:     int(k.Proc.P_pid),
		PPID:    int(k.Eproc.Ppid),
		PGID:    int(k.Eproc.Pgid),
		Start:   uint64(t.Sec)*1e6 + uint64(t.Usec),
		Comm:    unix.ByteSliceToString(k.Proc.P_comm[:]),
		Stopped: k.Proc.P_stat == statStopped,
	}
}

// detail adds the executable and the command line. kern.procargs2 refuses
// programs of other users.
func detail(p *Process) {
	b, err := unix.SysctlRaw("kern.procargs2", p.PID)
	if err != nil {
		return
	}
	p.Exe, p.Args = parseProcargs(b)
	if real, err := filepath.EvalSymlinks(p.Exe); err == nil {
		p.Exe = real // the kernel keeps the path as it was executed
	}
}

// parseProcargs reads kern.procargs2: the number of arguments (int32), the
// path that was executed, NULs, the arguments, each with a NUL, then the
// environment.
func parseProcargs(b []byte) (exe string, args []string) {
	if len(b) < 4 {
		return "", nil
	}
	argc := int(int32(binary.NativeEndian.Uint32(b)))
	path, rest, ok := bytes.Cut(b[4:], []byte{0})
	if !ok {
		return "", nil
	}
	rest = bytes.TrimLeft(rest, "\x00")
	for size := 0; len(args) < argc && len(rest) > 0 && size < maxArgs; {
		a, tail, _ := bytes.Cut(rest, []byte{0})
		args = append(args, string(a[:min(len(a), maxArgs)]))
		size += len(a) + 1
		rest = tail
	}
	for len(args) > 0 && args[len(args)-1] == "" {
		args = args[:len(args)-1] // a title leaves NULs behind
	}
	return strings.Clone(string(path)), args
}

// scanner finds the members of a process group, which XNU can tell itself.
type scanner struct{}

// quiet is never sure here; execShows is false anyway.
func (*scanner) quiet() bool { return false }

// maxMembers bounds how much of a group is looked at.
const maxMembers = 64

// members returns the living processes of the group, the oldest first.
func (*scanner) members(pgid int) []Process {
	ks, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", pgid)
	if err != nil {
		return nil
	}
	var found []Process
	for i := range ks {
		if ks[i].Proc.P_stat != statZombie {
			found = append(found, fromKinfo(&ks[i]))
		}
	}
	slices.SortFunc(found, older)
	if len(found) > maxMembers {
		found = found[:maxMembers]
	}
	return found
}
