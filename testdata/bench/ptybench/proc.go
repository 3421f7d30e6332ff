//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// wrapperPids returns the processes below and with root that are no role of
// this program: those of the wrapper.
func wrapperPids(root int) []int {
	parent, role := map[int]int{}, map[int]bool{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(d))
		f := statFields(d + "/stat")
		if len(f) < 2 {
			continue
		}
		parent[pid], _ = strconv.Atoi(f[1])
		cmd, _ := os.ReadFile(d + "/cmdline")
		role[pid] = strings.HasPrefix(string(cmd), self+"\x00-role\x00")
	}
	var out []int
	for pid := range parent {
		for p := pid; p != 0; p = parent[p] {
			if p == root {
				if !role[pid] {
					out = append(out, pid)
				}
				break
			}
		}
	}
	return out
}

// statFields returns the fields of a stat file after the name, "state" first.
func statFields(path string) []string {
	b, err := os.ReadFile(path)
	i := strings.LastIndexByte(string(b), ')')
	if err != nil || i < 0 {
		return nil
	}
	return strings.Fields(string(b[i+1:]))
}

// usage is what processes have used so far, and their memory now.
type usage struct {
	switches int     // voluntary context switches: wakeups
	cpu      float64 // milliseconds, to the nanosecond where the kernel has schedstat
	rss      int     // KiB
}

func usageOf(pids []int) (u usage) {
	for _, p := range pids {
		u.rss += statusField(fmt.Sprintf("/proc/%d/status", p), "VmRSS:")
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", p))
		for _, t := range tasks {
			u.switches += statusField(t+"/status", "voluntary_ctxt_switches:")
			if b, err := os.ReadFile(t + "/schedstat"); err == nil {
				if f := strings.Fields(string(b)); len(f) > 0 {
					ns, _ := strconv.ParseFloat(f[0], 64)
					u.cpu += ns / 1e6
				}
			} else if f := statFields(t + "/stat"); len(f) > 12 {
				user, _ := strconv.ParseFloat(f[11], 64)
				system, _ := strconv.ParseFloat(f[12], 64)
				u.cpu += (user + system) * 10
			}
		}
	}
	return u
}

func statusField(path, key string) int {
	b, _ := os.ReadFile(path)
	for l := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(l, key); ok {
			if f := strings.Fields(v); len(f) > 0 {
				n, _ := strconv.Atoi(f[0])
				return n
			}
		}
	}
	return 0
}
