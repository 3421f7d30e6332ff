package cli

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fwrap/detect"
	"fwrap/testdata/ptyrun"
)

func TestProgressBar(t *testing.T) {
	for _, tt := range []struct {
		name, script, want string
		repeat             time.Duration
	}{
		{name: "a turn with a prompt", script: "0 idle, 1 working, 2 working, 5 blocked, 9 working, 12 idle, 20 end", want: "1 3, 5 4;100, 9 3, 12 0"},
		{name: "killed at work", script: "1 working, 5 end", want: "1 3, 5 0"},
		{name: "a terminal that forgets", repeat: 10 * time.Second, script: "1 working, 25 blocked, 60 working, 65 idle, 90 end",
			want: "1 3, 11 3, 21 3, 25 4;100, 60 3, 65 0"},
		{name: "a job that is stopped for a while", repeat: 10 * time.Second, script: "1 working, 5 stop, 35 cont, 45 end", want: "1 3, 41 3, 45 0"},
		{name: "an agent that shows it itself", repeat: 10 * time.Second, script: "1 agent=3;0, 1 working, 20 agent=1;50, 25 blocked, 30 working, 40 agent=0;0, 41 idle, 50 end",
			want: "25 4;100, 30 1;50"},
		{name: "one that begins to", repeat: 10 * time.Second, script: "1 working, 5 agent=3;0, 30 idle, 40 end", want: "1 3, 40 0"},
		{name: "and is killed", script: "1 agent=3;0, 5 end", want: "5 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var mu sync.Mutex
				var got []string
				stopped := false
				b := &progressBar{repeat: tt.repeat, front: func() bool { return !stopped }, inject: func(seq []byte) bool {
					mu.Lock()
					defer mu.Unlock()
					s := strings.TrimSuffix(strings.TrimPrefix(string(seq), "\x1b]9;4;"), "\x1b\\")
					got = append(got, fmt.Sprintf("%.0f %s", time.Since(start).Seconds(), s))
					return true
				}}
				states := map[string]detect.State{"idle": detect.Idle, "working": detect.Working, "blocked": detect.Blocked}
				for _, step := range strings.Split(tt.script, ", ") {
					var at float64
					var what string
					fmt.Sscan(step, &at, &what)
					time.Sleep(time.Until(start.Add(time.Duration(at * float64(time.Second)))))
					synctest.Wait()
					if own, ok := strings.CutPrefix(what, "agent="); ok {
						b.heard([]byte("4;" + own))
					} else if what == "stop" || what == "cont" {
						b.mu.Lock()
						stopped = what == "stop"
						b.mu.Unlock()
					} else if st, ok := states[what]; ok {
						b.show(detect.Status{State: st})
					} else {
						b.clear()
					}
				}
				time.Sleep(time.Minute) // nothing more comes
				mu.Lock()
				defer mu.Unlock()
				if got := strings.Join(got, ", "); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// TestProgress: off unless wanted, and never for a terminal that is not known.
func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		env          []string
		want         bool
	}{
		{"on", `progress = "on"`, nil, true},
		{"auto, known", `progress = "auto"`, []string{"WT_SESSION=x"}, true},
		{"auto, not known", `progress = "auto"`, nil, false},
		{"as it is", "", []string{"WT_SESSION=x"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, rigOptions{config: tt.config, env: tt.env})
			r.agent.Works()
			r.Until("work", limit, ptyrun.Title("⏳"))
			r.agent.Asks("make deploy")
			r.Until("question", limit, ptyrun.Title("🔐"))
			r.agent.Quit()
			r.Wait(limit)
			out := string(r.Output())
			busy, paused, clear := strings.Index(out, "\x1b]9;4;3"), strings.Index(out, "\x1b]9;4;4;100"), strings.LastIndex(out, "\x1b]9;4;0")
			if got := busy >= 0 && busy < paused && paused < clear; got != tt.want || !tt.want && strings.Contains(out, "\x1b]9;4") {
				t.Errorf("busy at %d, paused at %d, cleared at %d", busy, paused, clear)
			}
		})
	}
}
