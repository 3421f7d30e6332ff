package wrap

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestRelayExit(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		for _, tt := range []struct{ order, want string }{
			{"exit 0", "exit status 0"},
			{"exit 7", "exit status 7"},
			{"exit 255", "exit status 255"},
			{"kill 15", "killed by signal 15 (terminated)"},
			{"kill 9", "killed by signal 9 (killed)"},
		} {
			r := newRig(t, options)
			r.child("raw")
			r.expect("child raw <nil>")
			r.write("last words")
			r.child(tt.order)
			r.expect("relay tapped 10 \"last words\"")
			if got := r.ended(); got != tt.want+" modes-kept=true" {
				t.Errorf("%s: %s", tt.order, got)
			}
			if got := r.output("last words"); got != "last words" {
				t.Errorf("%s: terminal got %q", tt.order, got)
			}
		}
	})
}

func TestRelayCannotExecute(t *testing.T) {
	r := newRig(t, "missing")
	if got := r.expect("relay error "); got != "child: no such file or directory" {
		t.Errorf("error: %s", got)
	}
	if got := r.ended(); got != "exit status 127 modes-kept=true" {
		t.Error(got)
	}
}

func TestRelayCommandsWorld(t *testing.T) {
	r := newRig(t, "")
	var pid int
	var tty string
	if _, err := fmt.Sscanf(r.expect("relay started "), "%d %s", &pid, &tty); err != nil {
		t.Fatal(err)
	}
	if got := r.expect("child env "); got != tty || got == "" {
		t.Errorf("FWRAP_TTY is %q, the terminal %q", got, tty)
	}
	if got := r.expect("relay resize "); got != "31 97 970 620" {
		t.Errorf("size at the start: %s", got)
	}
	r.child("tty")
	if got := r.expect("child foreground "); got != "true <nil>" {
		t.Errorf("in the foreground: %s", got)
	}
	want := []int{0, 1, 2, fdEvents} // and what this test was started with
	for _, fd := range openFiles() {
		if fd > fdChild {
			want = append(want, fd)
		}
	}
	r.child("fds")
	if got := r.expect("child fds "); got != fmt.Sprint(want) {
		t.Errorf("descriptors: %s, want %v", got, want)
	}
}

func TestRelayDrain(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		r.child("flood 100000")
		r.child("exit 3")
		r.expect("relay tapped 100000 ")
		if got := r.ended(); got != "exit status 3 modes-kept=true" {
			t.Error(got)
		}
		r.wait("100000 bytes", func() bool { return len(r.out) >= 100000 })
	})
}

func TestRelayInput(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		r.child("raw")
		r.expect("child raw <nil>")
		r.write("\x1b[?1004h")
		r.output("\x1b[?1004h")
		var all strings.Builder
		for i := range 256 {
			all.WriteByte(byte(i))
		}
		r.typed(all.String())
		r.child("read 256")
		if got := r.expect("child read "); got != strconv.Quote(all.String()) {
			t.Errorf("read %s", got)
		}
		r.expect("relay input 0")
		r.typed("\x1b[O")
		r.child("read 3")
		if got := r.expect("child read "); got != `"\x1b[O"` {
			t.Errorf("read %s", got)
		}
		r.expect("relay focus false")
	})
}

// TestRelayInputNotRead: input that the command does not read delays neither its
// output nor its end.
func TestRelayInputNotRead(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		r.child("raw")
		r.expect("child raw <nil>")
		go func() { _, _ = r.outer.WriteString(strings.Repeat("p", 256<<10)) }()
		r.expect("relay input 0")
		r.write("still here")
		r.output("still here")
		r.child("exit 16")
		if got := r.ended(); got != "exit status 16 modes-kept=true" {
			t.Error(got)
		}
	})
}

func TestRelayResize(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		for _, size := range []Winsize{{Rows: 40, Cols: 120, X: 1200, Y: 800}, {Rows: 40, Cols: 120, X: 2400, Y: 1600}} {
			r.resize(size)
			want := fmt.Sprintf("%d %d %d %d", size.Rows, size.Cols, size.X, size.Y)
			r.expect("child signal " + strconv.Itoa(int(syscall.SIGWINCH)) + " " + want)
			r.expect("relay resize " + want)
		}
	})
}

func TestRelaySignals(t *testing.T) {
	r := newRig(t, "")
	for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGINT} {
		if err := syscall.Kill(r.job, sig); err != nil {
			t.Fatal(err)
		}
		r.expect("child signal " + strconv.Itoa(int(sig)) + " ")
	}
	r.typed("\x03") // the command's own terminal makes the signal of it
	r.expect("child signal 2 ")
	if err := syscall.Kill(r.job, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := r.ended(); got != "killed by signal 15 (terminated) modes-kept=true" {
		t.Error(got)
	}
}

func TestRelayTitlePrefix(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		r.relay(`prefix "● "`)
		r.expect("relay prefix")
		r.write("\x1b]0;one\a\x1b]2;")
		r.write("two\x1b\\\x1b]0;\a.")
		r.output("\a.")
		r.relay(`prefix ""`)
		r.expect("relay prefix")
		r.write("\x1b]2;three\x1b\\")
		r.child("exit 0")
		r.expect(`relay tapped 34 "\x1b]0;one\a\x1b]2;two\x1b\\\x1b]0;\a.\x1b]2;three\x1b\\"`)
		r.ended()
		want := "\x1b]0;● one\a\x1b]2;● two\x1b\\\x1b]0;\a.\x1b]2;three\x1b\\"
		if got := r.output("three\x1b\\"); got != want {
			t.Errorf("terminal got %q", got)
		}
	})
}

func TestRelayInject(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		for _, tt := range []struct{ name, first, second string }{
			{"in a CSI", "a\x1b[3", "1mb"},
			{"in an OSC", "a\x1b]0;ti", "tle\ab"},
			{"in a character", "a\xe2\x9c", "\xb3b"},
			{"in an update", "a\x1b[?2026hb", "c\x1b[?2026ld"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				r := newRig(t, options)
				r.write(tt.first)
				r.output(tt.first)
				r.relay(`inject "\x1b]2;mine\a"`)
				r.expect("relay inject true")
				r.relay(`inject "\x1b]9;too\a"`)
				r.expect("relay inject true")
				r.write(tt.second)
				if got := r.output("\x1b]9;too\a"); got != tt.first+tt.second+"\x1b]2;mine\a\x1b]9;too\a" {
					t.Errorf("terminal got %q", got)
				}
			})
		}
		t.Run("at rest", func(t *testing.T) {
			r := newRig(t, options)
			r.relay(`inject "\x1b]2;mine\a"`)
			r.output("\x1b]2;mine\a")
			r.child("exit 0")
			r.ended()
		})
		t.Run("in a flood", func(t *testing.T) {
			r := newRig(t, options)
			r.child("flood 50000000")
			r.output("xxxx")
			r.relay(`inject "\x1b]2;mine\a"`)
			r.output("x\x1b]2;mine\ax")
		})
	})
}

func TestRelayOSC(t *testing.T) {
	r := newRig(t, "osc")
	r.write("a\x1b]7501;state=")
	r.write("working\x1b\\b\x1b]9;kept\a")
	if got := r.expect("relay osc "); got != `"state=working"` {
		t.Errorf("asked about %s", got)
	}
	if got := r.output("kept\a"); got != "ab\x1b]9;kept\a" {
		t.Errorf("terminal got %q", got)
	}
}

func TestRelayAnswer(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		r.child("raw")
		r.expect("child raw <nil>")
		r.child("read 3")
		r.relay(`answer "one"`)
		if got := r.expect("child read "); got != `"one"` {
			t.Errorf("at rest: %s", got)
		}
		r.typed("\x1b[200~abc")
		r.expect("relay input 1")
		r.relay(`answer "two"`)
		r.expect("relay answer true")
		r.expect("relay answer true")
		r.typed("def\x1b[201~")
		r.child("read 21")
		if got := r.expect("child read "); got != `"\x1b[200~abcdef\x1b[201~two"` {
			t.Errorf("in a paste: %s", got)
		}
		r.typed("\x1b") // the Esc key, after which nothing comes
		r.expect("relay input 0")
		r.relay(`answer "three"`)
		r.child("read 6")
		if got := r.expect("child read "); got != `"\x1bthree"` {
			t.Errorf("after Esc: %s", got)
		}
	})
}

func TestRelayPure(t *testing.T) {
	r := newRig(t, "pure osc")
	r.relay(`prefix "● "`)
	r.expect("relay prefix")
	r.relay(`inject "\x1b]2;mine\a"`)
	r.expect("relay inject false")
	r.relay(`answer "x"`)
	r.expect("relay answer false")
	stream := "\x1b]0;title\a\x1b]7501;x\a\x1b[?1000h\x1b[?25l"
	r.write(stream)
	r.child("kill 9")
	r.ended()
	if got := r.output("25l"); got != stream {
		t.Errorf("terminal got %q", got)
	}
}

func TestRelayResetsModes(t *testing.T) {
	const on, off = "\x1b[?1000h\x1b[?25l", "\x1b[?1000l\x1b[?25h"
	for _, tt := range []struct{ options, order, want string }{
		{"", "kill 9", on + off},
		{"", "exit 1", on + off},
		{"", "exit 0", on},
		{"reset", "exit 0", on + off},
	} {
		r := newRig(t, tt.options)
		r.write(on)
		r.child(tt.order)
		r.ended()
		if got := r.output(on); got != tt.want {
			t.Errorf("%s %s: terminal got %q", tt.options, tt.order, got)
		}
	}
}

func TestRelayTapPanics(t *testing.T) {
	r := newRig(t, "panic")
	r.write("one")
	r.write("two")
	r.output("onetwo")
	r.child("exit 4")
	if got := r.ended(); got != "exit status 4 modes-kept=true" {
		t.Error(got)
	}
}

func TestRelayStop(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGSTOP} {
			r := newRig(t, options)
			raw := r.modes()
			r.child("raw")
			r.expect("child raw <nil>")
			r.write("goodbye")
			r.child("kill " + strconv.Itoa(int(sig)))
			if got, want := r.expect("shell stopped "), fmt.Sprintf("%d modes-kept=true", int(sig)); got != want {
				t.Fatalf("shell saw %q, want %q", got, want)
			}
			r.expect("relay stopped " + strconv.Itoa(int(sig)))
			if got := r.output("goodbye"); got != "goodbye" {
				t.Errorf("terminal got %q", got)
			}
			r.resize(Winsize{Rows: 44, Cols: 111})
			r.shell("fg")
			r.expect("child signal " + strconv.Itoa(int(syscall.SIGCONT)) + " ")
			r.expect("relay continued true")
			r.expect("child signal " + strconv.Itoa(int(syscall.SIGWINCH)) + " 44 111 0 0")
			if r.modes() != raw {
				t.Error("the terminal is not raw again")
			}
			r.child("read 2")
			r.typed("z\x03")
			if got := r.expect("child read "); got != `"z\x03"` {
				t.Errorf("after fg the command read %s", got)
			}
			r.child("exit 0")
			if got := r.ended(); got != "exit status 0 modes-kept=true" {
				t.Error(got)
			}
		}
	})
}

// TestRelayStopped: SIGTSTP to the relay stops the command too, SIGSTOP cannot,
// and in both cases all works again after fg.
func TestRelayStopped(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGSTOP} {
		r := newRig(t, "")
		r.child("raw")
		r.expect("child raw <nil>")
		if err := syscall.Kill(r.job, sig); err != nil {
			t.Fatal(err)
		}
		r.expect("shell stopped " + strconv.Itoa(int(sig)))
		r.shell("fg")
		r.expect("relay continued true")
		r.child("read 1")
		r.typed("k")
		if got := r.expect("child read "); got != `"k"` {
			t.Errorf("after fg the command read %s", got)
		}
	}
}

func TestRelayBackground(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		before := r.modes()
		r.child("kill " + strconv.Itoa(int(syscall.SIGTSTP)))
		r.expect("shell stopped ")
		cooked := r.modes()
		r.shell("bg")
		r.expect("relay continued false")
		r.expect("child signal " + strconv.Itoa(int(syscall.SIGCONT)) + " ")
		r.write("from behind\r\n")
		r.output("from behind")
		if r.modes() != cooked || cooked == before {
			t.Error("a background job has changed the terminal's modes")
		}
		r.relay(`inject "\x1b]2;mine\a"`)
		r.expect("relay inject true")
		r.write("more")
		if got := r.output("more"); strings.Contains(got, "mine") {
			t.Errorf("own sequence from the background: %q", got)
		}
		r.shell("fg")
		r.expect("relay continued true")
		r.output("\x1b]2;mine\a")
		r.expect("child signal " + strconv.Itoa(int(syscall.SIGCONT)) + " ")
		r.child("tty")
		if got := r.expect("child foreground "); got != "true <nil>" {
			t.Errorf("in the foreground again: %s", got)
		}
	})
}

// TestRelayModesChanged: what the person does to the modes while the job is
// stopped is what the command finds, and what it did itself stays otherwise.
func TestRelayModesChanged(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		stop := func() {
			t.Helper()
			r.child("kill " + strconv.Itoa(int(syscall.SIGTSTP)))
			r.expect("shell stopped ")
			r.expect("relay stopped ")
		}
		inside := func() string {
			t.Helper()
			r.shell("fg")
			r.expect("relay continued true")
			r.child("modes")
			return r.expect("child modes <nil> ")
		}
		r.child("raw")
		r.expect("child raw <nil>")
		r.child("modes")
		raw := r.expect("child modes <nil> ")
		stop()
		if got := inside(); got != raw {
			t.Errorf("the command's own modes are %s, were %s", got, raw)
		}
		stop()
		r.shell("stty erase ^B -echo")
		r.expect("shell stty <nil>")
		want := fmt.Sprint(r.modes())
		if got := inside(); got != want {
			t.Errorf("the command has modes %s, the person's are %s", got, want)
		}
		r.child("exit 0")
		r.ended()
	})
}

// TestRelayQuietForeground: a shell says nothing to a running job that it brings
// to the foreground.
func TestRelayQuietForeground(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options+" background")
		r.child("tty")
		if got := r.expect("child foreground "); got != "false <nil>" {
			t.Errorf("started in the background: %s", got)
		}
		r.shell("quiet-fg")
		r.typed("first line\n")
		r.expect("relay continued true")
		r.child("read 11")
		if got := r.expect("child read "); got != `"first line\n"` {
			t.Errorf("read %s", got)
		}
	})
}

func TestRelayHangup(t *testing.T) {
	everyPort(t, func(t *testing.T, options string) {
		r := newRig(t, options)
		r.outer.Close()
		r.expect("child signal 1 ")
		r.child("exit 5")
		r.expect("relay exited exit status 5")
		r.expect("end")
	})
}

func TestRelayKilled(t *testing.T) {
	r := newRig(t, "")
	if err := syscall.Kill(r.job, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.expect("child signal 1 ")
	r.child("exit 0")
	r.expect("end")
}

func TestRelayMonitorKilled(t *testing.T) {
	r := newRig(t, "")
	r.child("parent")
	monitor, err := strconv.Atoi(r.expect("child parent "))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(monitor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.expect("child signal 1 ")
	r.expect("relay error the monitor process was killed")
	if got := r.expect("shell ended "); got != "exit status 125 modes-kept=true" {
		t.Error(got)
	}
}

// TestRelayContinuedFromOutside: whoever continues the command continues the
// relay, which stopped with it.
func TestRelayContinuedFromOutside(t *testing.T) {
	r := newRig(t, "")
	var pid int
	var tty string
	if _, err := fmt.Sscanf(r.expect("relay started "), "%d %s", &pid, &tty); err != nil {
		t.Fatal(err)
	}
	r.child("kill " + strconv.Itoa(int(syscall.SIGSTOP)))
	r.expect("shell stopped ")
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.expect("relay continued false")
	r.write("on again")
	r.output("on again")
}
