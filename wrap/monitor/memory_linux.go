package monitor

import (
	"os"
	"strconv"
	"syscall"
)

// ReleaseImage gives back the pages of this program's own file that the start
// has brought in: package initialisation touches nearly all of it once, a
// session at rest needs a small part, and there are two processes for each. What
// is needed again comes from the page cache.
//
// Only mappings of the file that cannot be written and hold no page of their own
// are touched: a position-independent executable has relocated pages, which the
// file does not have.
func ReleaseImage() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range imageMappings(string(smaps), exe) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED)
	}
}

// mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// imageMappings finds the mappings of the file exe in smaps (proc_pid_smaps(5))
// that cannot be written and of which no page is anonymous.
func imageMappings(smaps, exe string) []mapping {
	var list []mapping
	var at mapping
	for smaps != "" {
		var line string
		line, smaps = cut(smaps, '\n')
		f := fields(line)
		switch {
		case len(f) == 0:
		case f[0] == "Anonymous:":
			if at.to > at.from && len(f) > 1 && f[1] == "0" {
				list = append(list, at)
			}
		case f[0][len(f[0])-1] == ':': // another of a mapping's own lines
		default:
			at = mapping{}
			if len(f) == 6 && f[5] == exe && (f[1] == "r-xp" || f[1] == "r--p") {
				a, b := cut(f[0], '-')
				from, err1 := strconv.ParseUint(a, 16, 64)
				to, err2 := strconv.ParseUint(b, 16, 64)
				if err1 == nil && err2 == nil {
					at = mapping{uintptr(from), uintptr(to)}
				}
			}
		}
	}
	return list
}

// cut and fields are those of package strings for ASCII; that needs unicode.
func cut(s string, sep byte) (before, after string) {
	for i := range len(s) {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

func fields(s string) (list []string) {
	for s != "" {
		var f string
		if f, s = cut(s, ' '); f != "" {
			list = append(list, f)
		}
	}
	return list
}
