package process

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// execShows: /proc/PID/stat tells when a process has executed another program,
// by where the arguments lie in memory and by the short name.
const execShows = true

// maxArgs bounds what is read of a command line: a prompt given as an argument
// may have 128 KiB, the program's name is at the start.
const maxArgs = 8 << 10

func procFile(pid int, name string) string {
	return "/proc/" + strconv.Itoa(pid) + "/" + name
}

// stat reads what tells one process from another (proc_pid_stat(5)).
func stat(pid int) (Process, error) {
	if pid <= 0 {
		return Process{}, ErrGone
	}
	var buf [1024]byte
	n, err := readInto(procFile(pid, "stat"), buf[:])
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			return Process{}, ErrGone
		}
		return Process{}, err
	}
	p, ok := parseStat(buf[:n])
	if !ok {
		return Process{}, ErrGone
	}
	return p, nil
}

// parseStat reads one line of /proc/PID/stat. ok is false for a process that
// has ended. The name in parentheses may itself hold parentheses and spaces.
func parseStat(b []byte) (p Process, ok bool) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 1 || end < open {
		return p, false
	}
	p.PID, _ = strconv.Atoi(string(bytes.TrimSpace(b[:open])))
	p.Comm = string(b[open+1 : end])
	const first = 3 // the number that the manual gives to the field behind the name
	field := first
	for rest := bytes.TrimSpace(b[end+1:]); len(rest) > 0; field++ {
		word, tail, _ := bytes.Cut(rest, []byte(" "))
		rest = tail
		switch field {
		case 3:
			switch word[0] {
			case 'Z', 'X', 'x':
				return p, false
			case 'T', 't':
				p.Stopped = true
			}
		case 4:
			p.PPID, _ = strconv.Atoi(string(word))
		case 5:
			p.PGID, _ = strconv.Atoi(string(word))
		case 22:
			p.Start, _ = strconv.ParseUint(string(word), 10, 64)
		case 48: // arg_start; 0 for a process that we may not trace
			p.image, _ = strconv.ParseUint(string(word), 10, 64)
		}
		if len(word) == 0 {
			return p, false
		}
	}
	return p, field > 22 && p.PID > 0
}

// detail adds the executable and the command line.
func detail(p *Process) {
	p.Exe, _ = os.Readlink(procFile(p.PID, "exe"))
	var buf [maxArgs]byte
	n, err := readInto(procFile(p.PID, "cmdline"), buf[:])
	if err != nil {
		return
	}
	p.Args = splitArgs(buf[:n])
}

// splitArgs splits a command line at its NULs. A title that overwrote it
// leaves NULs behind, which are no arguments.
func splitArgs(b []byte) []string {
	b = bytes.TrimRight(b, "\x00")
	if len(b) == 0 {
		return nil
	}
	return strings.Split(string(b), "\x00")
}

// readInto fills buf with one read. The files of /proc are written in one
// piece for a buffer that is large enough.
func readInto(name string, buf []byte) (int, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, buf)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// scanner finds the members of a process group. Linux has no call for it:
// every process must be looked at, so it is done only when a process has been
// born since the last time.
type scanner struct {
	newest string
	at     time.Time     // of the last scan
	cost   time.Duration // what it took
}

// share bounds scanning to one part in share of the time: beside a build that
// starts programs all the time, every look would be a scan.
const share = 20

// quiet reports whether no process has been started since the last scan, or it
// is too early for another. The last word of /proc/loadavg is the PID that was
// given out last.
func (s *scanner) quiet() bool {
	if time.Since(s.at) < share*s.cost {
		return true
	}
	n := newestPID()
	return n != "" && n == s.newest
}

func newestPID() string {
	var buf [128]byte
	n, err := readInto("/proc/loadavg", buf[:])
	if err != nil {
		return ""
	}
	f := bytes.Fields(buf[:n])
	if len(f) == 0 {
		return ""
	}
	return string(f[len(f)-1])
}

// maxMembers bounds how much of a group is looked at.
const maxMembers = 64

// members returns the living processes of the group, the oldest first.
func (s *scanner) members(pgid int) []Process {
	s.newest = newestPID() // before the scan: what is born during it is looked at next time
	begun := time.Now()
	defer func() {
		s.at = time.Now()
		s.cost = s.at.Sub(begun)
	}()
	if unix.Kill(-pgid, 0) == unix.ESRCH {
		return nil
	}
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	var found []Process
	for {
		names, err := d.Readdirnames(512)
		for _, n := range names {
			if n[0] < '1' || n[0] > '9' {
				continue
			}
			pid, err := strconv.Atoi(n)
			if err != nil {
				continue
			}
			// getpgid costs a fraction of reading stat.
			if g, err := unix.Getpgid(pid); err != nil || g != pgid {
				continue
			}
			if p, err := stat(pid); err == nil && p.PGID == pgid {
				found = append(found, p)
			}
		}
		if err != nil {
			break
		}
	}
	slices.SortFunc(found, older)
	if len(found) > maxMembers {
		found = found[:maxMembers]
	}
	return found
}
