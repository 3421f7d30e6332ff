package wrap

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// releaseImage gives back the pages of this program's own file that the start
// has brought in: package initialisation touches nearly all of it once, a
// session at rest needs a small part, and there are two processes for each. What
// is needed again comes from the page cache.
//
// Only mappings of the file that cannot be written and hold no page of their own
// are touched: a position-independent executable has relocated pages, which the
// file does not have.
func releaseImage() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	var from, to uintptr
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := sc.Bytes()
		if own, ok := bytes.CutPrefix(line, []byte("Anonymous:")); ok {
			if kb := bytes.Fields(own); to > from && len(kb) > 0 && string(kb[0]) == "0" {
				_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
			}
			continue
		}
		field := bytes.Fields(line)
		if len(field) == 0 || bytes.HasSuffix(field[0], []byte(":")) {
			continue // one of a mapping's own lines
		}
		from, to = 0, 0
		if len(field) == 6 && string(field[5]) == exe && (string(field[1]) == "r-xp" || string(field[1]) == "r--p") {
			a, b, ok := bytes.Cut(field[0], []byte("-"))
			start, err1 := strconv.ParseUint(string(a), 16, 64)
			end, err2 := strconv.ParseUint(string(b), 16, 64)
			if ok && err1 == nil && err2 == nil {
				from, to = uintptr(start), uintptr(end)
			}
		}
	}
}
