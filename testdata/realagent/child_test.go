package realagent

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// child returns the process id of the Claude Code that descends from pid. ps
// is there on Linux and macOS alike.
func child(t *testing.T, pid int) int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,args=").Output()
	if err != nil {
		t.Fatalf("ps: %v", err)
	}
	type process struct {
		pid, parent int
		claude      bool
	}
	var all []process
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		id, _ := strconv.Atoi(f[0])
		parent, _ := strconv.Atoi(f[1])
		all = append(all, process{id, parent, strings.HasSuffix(f[2], "/claude") || f[2] == "claude"})
	}
	for ours := map[int]bool{pid: true}; ; {
		grown := false
		for _, p := range all {
			if ours[p.parent] && !ours[p.pid] {
				if p.claude {
					return p.pid
				}
				ours[p.pid], grown = true, true
			}
		}
		if !grown {
			t.Fatalf("no claude below process %d:\n%s", pid, out)
		}
	}
}
