package tab

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
)

var start = time.Date(2026, 11, 30, 20, 11, 0, 0, time.UTC)

func at(sec float64) time.Time { return start.Add(time.Duration(sec * float64(time.Second))) }

func TestFor(t *testing.T) {
	for _, tt := range []struct {
		s    detect.Status
		want Label
	}{
		{detect.Status{}, Cleared},
		{detect.Status{State: detect.Working}, Working},
		{detect.Status{State: detect.Working, Kind: detect.Retrying}, Working},
		{detect.Status{State: detect.Working, Kind: detect.Compacting}, Compacting},
		{detect.Status{State: detect.Working, Kind: detect.Background}, Background},
		{detect.Status{State: detect.Blocked}, Permission},
		{detect.Status{State: detect.Blocked, Kind: detect.Permission}, Permission},
		{detect.Status{State: detect.Blocked, Kind: detect.Plan}, Permission},
		{detect.Status{State: detect.Blocked, Kind: detect.Trust}, Permission},
		{detect.Status{State: detect.Blocked, Kind: detect.Ask}, Input},
		{detect.Status{State: detect.Idle}, Idle},
		{detect.Status{State: detect.Idle, Kind: detect.Shell}, Idle},
		{detect.Status{State: detect.Idle, Kind: detect.Failed}, Idle},
	} {
		if got := For(tt.s); got != tt.want {
			t.Errorf("%v/%s: %q", tt.s.State, tt.s.Kind, got)
		}
	}
}

// The labels to the byte: others' scripts look for them.
func TestBytes(t *testing.T) {
	if Working != "\u2699\ufe0f working" || Permission != "\U0001f510 permission" || Input != "\u2753 input" || Idle != "\U0001f4a4 idle" ||
		Background != "\U0001f9f5 background" || Compacting != "\U0001f4e6 compacting" || Cleared != "" {
		t.Error("a label has changed")
	}
	b64 := base64.StdEncoding.EncodeToString([]byte("⚙️ working"))
	if got := string(sequence("⚙️ working", false)); got != "\x1b]1337;SetUserVar=claudeState="+b64+"\a" {
		t.Errorf("%q", got)
	}
	if got := string(sequence("", true)); got != "\x1bPtmux;\x1b\x1b]1337;SetUserVar=claudeState=\a\x1b\\" {
		t.Errorf("%q", got)
	}
	if got := Idle.stamped(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)); got != "💤 idle Mar 4 05:06" {
		t.Errorf("%q", got)
	}
}

var errWrite = errors.New("no")

// drain carries out all writes and returns their log lines.
func drain(tb *Tab, now time.Time, errs ...error) []string {
	var lines []string
	for {
		_, ok := tb.Next(now)
		if !ok {
			return lines
		}
		var err error
		if len(errs) > 0 {
			err, errs = errs[0], errs[1:]
		}
		lines = append(lines, tb.Done(now, err))
	}
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTab(t *testing.T) {
	tb := New(Config{ITerm: true, TTY: "/dev/ttys004"}, start)
	tb.Show(at(0.5), "session.start", Idle)
	check(t, drain(tb, at(0.6)), "20:11:00 #1 +500ms session.start tty=/dev/ttys004 wrote=[💤 idle Nov 30 20:11] rc=0")

	// A repeated idle keeps its first stamp and takes no number.
	tb.Show(at(90), "idle_prompt", Idle)
	check(t, drain(tb, at(90)))

	// In the order of the events, each change once.
	tb.Show(at(100), "a", Working)
	tb.Show(at(101), "b", Working)
	tb.Show(at(102), "c", Permission)
	tb.Show(at(103), "d", Working)
	check(t, drain(tb, at(104)),
		"20:12:44 #2 +100000ms a tty=/dev/ttys004 wrote=[⚙️ working] rc=0",
		"20:12:44 #3 +102000ms c tty=/dev/ttys004 wrote=[🔐 permission] rc=0",
		"20:12:44 #4 +103000ms d tty=/dev/ttys004 wrote=[⚙️ working] rc=0")

	// A failed write leaves the tab unknown: the next goes out, even the same.
	tb.Show(at(110), "e", Input)
	tb.Show(at(111), "f", Input)
	tb.Show(at(112), "g", Input)
	check(t, drain(tb, at(112), errWrite),
		"20:12:52 #5 +110000ms e tty=/dev/ttys004 wrote=[❓ input] rc=1",
		"20:12:52 #6 +111000ms f tty=/dev/ttys004 wrote=[❓ input] rc=0")
	tb.Show(at(120), "h", Idle)
	tb.Show(at(121), "i", Idle)
	check(t, drain(tb, at(121), errWrite),
		"20:13:01 #7 +120000ms h tty=/dev/ttys004 wrote=[💤 idle Nov 30 20:13] rc=1",
		"20:13:01 #8 +121000ms i tty=/dev/ttys004 wrote=[💤 idle Nov 30 20:13] rc=0")

	tb.Show(at(130), "session.end", Cleared)
	check(t, drain(tb, at(130)), "20:13:10 #9 +130000ms session.end tty=/dev/ttys004 wrote=[] rc=0")
}

func TestOneWriteAtATime(t *testing.T) {
	tb := New(Config{ITerm: true, TTY: "/dev/pts/1"}, start)
	tb.Show(start, "a", Working)
	w, ok := tb.Next(start)
	if !ok || len(w.Bytes) == 0 {
		t.Fatal("no write")
	}
	tb.Show(start, "b", Idle)
	if _, ok := tb.Next(start); ok {
		t.Error("a second write while the first is under way")
	}
	tb.Done(start, nil)
	if _, ok := tb.Next(start); !ok {
		t.Error("the second write is lost")
	}
	tb.Done(start, nil)
	if tb.Done(start, nil) != "" {
		t.Error("a write that was not")
	}
	// A write that never ends does not make the queue grow; the last label counts.
	tb.Show(start, "c", Working)
	tb.Next(start)
	for i := range 1000 {
		tb.Show(start, fmt.Sprint(i), []Label{Idle, Permission}[i&1])
	}
	if len(tb.queue) > maxQueued || tb.queue[len(tb.queue)-1].label != Permission {
		t.Errorf("%d queued", len(tb.queue))
	}
}

func TestOff(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		head bool
		rc   string
	}{
		{"another terminal", map[string]string{"TERM_PROGRAM": "ghostty"}, false, "off, not iTerm2"},
		{"no terminal's name", nil, false, "off, not iTerm2"},
		{"headless", map[string]string{"TERM_PROGRAM": "iTerm.app"}, true, "off, no person at the prompt"},
		{"both", nil, true, "off, no person at the prompt"},
		{"asked for", map[string]string{"TERM_PROGRAM": "iTerm.app", "FWRAP_HEADLESS": "1"}, true, "0"},
		{"asked for by the old name", map[string]string{"TERM_PROGRAM": "iTerm.app", "AGENT_STATE_HEADLESS": "1"}, true, "0"},
		{"iTerm2", map[string]string{"TERM_PROGRAM": "iTerm.app"}, false, "0"},
		{"iTerm2 over ssh or in tmux", map[string]string{"TERM_PROGRAM": "tmux", "LC_TERMINAL": "iTerm2", "TMUX": "/tmp/x,1,0"}, false, "0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := FromEnv(func(k string) string { return tt.env[k] }, "/dev/ttys001", tt.head)
			tb := New(cfg, start)
			tb.Show(start, "a", Working)
			tb.Show(start, "b", Idle)
			w, ok := tb.Next(start)
			if !ok || (len(w.Bytes) > 0) != (tt.rc == "0") {
				t.Fatalf("%v %q", ok, w.Bytes)
			}
			if strings.HasPrefix(string(w.Bytes), "\x1bPtmux;") != (tt.env["TMUX"] != "") && ok && tt.rc == "0" {
				t.Errorf("%q", w.Bytes)
			}
			line := tb.Done(start, nil)
			if !strings.HasSuffix(line, "wrote=[⚙️ working] rc="+tt.rc) {
				t.Errorf("%q", line)
			}
			off := tt.rc != "0"
			if off && !strings.Contains(line, " tty=none ") || tb.Off() != off {
				t.Errorf("%q, off %v", line, tb.Off())
			}
			tb.Show(start, "c", Permission)
			if _, ok := tb.Next(start); ok == off {
				t.Errorf("after it a write: %v", ok)
			}
		})
	}
}

func TestNoTTY(t *testing.T) {
	tb := New(Config{ITerm: true}, start)
	tb.Show(start, "a\nb", Working)
	tb.Show(start, "c", Working)
	check(t, drain(tb, start),
		"20:11:00 #1 +0ms a b tty=none wrote=[⚙️ working] rc=-",
		"20:11:00 #2 +0ms c tty=none wrote=[⚙️ working] rc=-")
}

func TestLogFile(t *testing.T) {
	env := map[string]string{}
	get := func(k string) string { return env[k] }
	if LogFile(get) != "" {
		t.Error("a log that nobody asked for")
	}
	env["AGENT_STATE_LOG"] = "/a"
	if LogFile(get) != "/a" {
		t.Error("the old name is not honoured")
	}
	env["FWRAP_STATE_LOG"] = "/b"
	if LogFile(get) != "/b" {
		t.Error("the new name does not count")
	}
}
