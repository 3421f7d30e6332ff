package cli

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fwrap/notify"
)

func TestNoticeOf(t *testing.T) {
	for _, tt := range []struct {
		num  int
		data string
		want ownKind
	}{
		{9, "Approval requested: rm", ownNotice},
		{9, "4;3", ownOther},
		{9, "4;1;50", ownOther},
		{9, "4", ownOther},
		{9, "9;/home", ownOther},
		{9, "12", ownOther},
		{9, "4 files changed", ownNotice},
		{9, "2026 is over", ownNotice},
		{9, "", ownOther},
		{777, "notify;Claude;waits", ownNotice},
		{777, "precmd", ownOther},
		{99, ";hello", ownNotice},
		{99, "i=1:d=0:p=title;hello", ownNotice},
		{99, "i=1:p=body:e=1;aGVsbG8=", ownNotice},
		{99, "i=1:p=?;", ownOther},
		{99, "i=1:p=alive;", ownOther},
		{99, "i=1:p=close;", ownClose},
		{99, "broken", ownOther},
		{52, "c;x", ownOther},
	} {
		if got := noticeOf(tt.num, []byte(tt.data)); got != tt.want {
			t.Errorf("OSC %d;%s: %d, want %d", tt.num, tt.data, got, tt.want)
		}
	}
}

// TestOwnNotices plays what agent, fwrap and person do. Each line is a time in
// seconds and an act; what reaches the terminal has the time at which it did.
func TestOwnNotices(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"told before", `
			0 told
			5 agent 9;waits`, ``},
		{"told half a minute before", `
			0 told
			31 agent 9;waits`, `33.5 9;waits`},
		{"told soon after", `
			0 agent 9;waits
			1 told`, ``},
		{"not told", `
			0 agent 777;notify;t;waits`, `2.5 777;notify;t;waits`},
		{"told later than it can be kept back", `
			0 agent 9;waits
			10 told`, `2.5 9;waits`},
		{"two parts and a close stay in order", `
			0 agent 99;i=1:d=0;title
			0 agent 99;i=1:p=body;body
			1 agent 99;i=1:p=close;`, `2.5 99;i=1:d=0;title
			2.5 99;i=1:p=body;body
			2.5 99;i=1:p=close;`},
		{"a close alone passes", `0 agent 99;i=1:p=close;`, `0 99;i=1:p=close;`},
		{"progress passes", `
			0 told
			1 agent 9;4;3`, `1 9;4;3`},
		{"a query passes", `
			0 told
			1 agent 99;i=x:p=?;`, `1 99;i=x:p=?;`},
		{"what comes after a key can be something new", `
			0 told
			5 over
			6 agent 9;waits`, `8.5 9;waits`},
		{"fwrap could only ring the bell", `
			0 agent 9;waits
			1 release`, `1 9;waits`},
		{"no agent", `
			0 idle
			0 agent 9;waits`, `0 9;waits`},
		{"a flood passes", `
			0 agent 9;0123456789 x 2000`, strings.Repeat("0 9;0123456789\n", 2000-ownHeld) + strings.Repeat("2.5 9;0123456789\n", ownHeld)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var mu sync.Mutex
				var got []string
				say := func(seq string) {
					mu.Lock()
					defer mu.Unlock()
					s := strings.NewReplacer("\x1b]", "", "\a", "").Replace(seq)
					got = append(got, fmt.Sprintf("%v %s", time.Since(start).Seconds(), s))
				}
				o := newOwnNotices(slog.New(slog.DiscardHandler), func(b []byte) bool { say(string(b)); return true }, time.Second)
				o.active.Store(true)
				for line := range strings.Lines(strings.TrimSpace(tt.script)) {
					var at float64
					f := strings.Fields(line)
					fmt.Sscan(f[0], &at)
					time.Sleep(time.Until(start.Add(time.Duration(at * float64(time.Second)))))
					synctest.Wait()
					switch f[1] {
					case "told":
						o.told()
					case "over":
						o.over()
					case "release":
						o.release()
					case "idle":
						o.active.Store(false)
					case "agent":
						n := 1
						if len(f) == 5 {
							fmt.Sscan(f[4], &n)
						}
						var num int
						digits, data, _ := strings.Cut(f[2], ";")
						fmt.Sscan(digits, &num)
						for range n {
							seq := "\x1b]" + f[2] + "\a"
							v := o.output(num, []byte(data))
							if v.Take != nil {
								v.Take([]byte(seq))
							}
							if !v.Drop {
								say(seq)
							}
						}
					}
				}
				time.Sleep(notify.Echo)
				synctest.Wait()
				var want []string
				for line := range strings.Lines(tt.want) {
					want = append(want, strings.TrimSpace(line))
				}
				if !slices.Equal(got, want) {
					t.Errorf("got\n%.600s\nwant\n%.600s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		})
	}
}
