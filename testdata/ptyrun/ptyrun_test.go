package ptyrun

import (
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fwrap/detect"
)

const limit = 20 * time.Second

func TestProgram(t *testing.T) {
	p := Start(t, Options{Cols: 40, Rows: 10}, "sh", "-c",
		`printf '\033]0;first\007ready\n'; read x; printf '\033]0;second\007got <%s>\n' "$x"; exit 7`)
	begin := time.Now()
	p.Until("prompt", limit, Shows("ready"))
	p.Send("hello\n")
	if s := p.Until("answer", limit, Matches(`^got <hello>$`)); len(s.Rows) != 10 || s.Cols != 40 {
		t.Errorf("the screen is %dx%d", s.Cols, len(s.Rows))
	}
	if got := p.Wait(limit); got != 7 {
		t.Errorf("status %d, want 7", got)
	}
	if p.Running() {
		t.Error("it still runs")
	}
	var titles []string
	for _, m := range p.History(func(s detect.Snapshot) string { return s.Title }) {
		titles = append(titles, m.Value)
	}
	if !slices.Equal(titles, []string{"", "first", "second"}) {
		t.Errorf("titles %q", titles)
	}
	at, ok := p.First(time.Time{}, Title("second"))
	if !ok || at.Before(begin.Add(-time.Second)) || at.After(time.Now()) {
		t.Errorf("first at %v, %v", at, ok)
	}
	if _, ok := p.First(time.Time{}, Shows("never")); ok {
		t.Error("what never was on the screen was found")
	}
	if d := p.Describe(); !strings.Contains(d, "|got <hello>") || !strings.Contains(d, `title "second"`) {
		t.Errorf("description:\n%s", d)
	}
}

func TestSignalStatus(t *testing.T) {
	p := Start(t, Options{}, "sh", "-c", "kill -TERM $$")
	if got, want := p.Wait(limit), 128+int(syscall.SIGTERM); got != want {
		t.Errorf("status %d, want %d", got, want)
	}
}

func TestResize(t *testing.T) {
	p := Start(t, Options{Cols: 50, Rows: 12}, "sh", "-c",
		`stty size; trap 'stty size' WINCH; echo ready; while :; do read x; done`)
	p.Until("first size", limit, All(Shows("12 50"), Shows("ready")))
	p.Resize(60, 15)
	if s := p.Until("second size", limit, Shows("15 60")); s.Cols != 60 || len(s.Rows) != 15 {
		t.Errorf("the screen is %dx%d", s.Cols, len(s.Rows))
	}
}

func TestReplies(t *testing.T) {
	p := Start(t, Options{Terminal: Xterm{}}, "bash", "-c",
		`printf 'abc\033[6n'; read -s -d R pos; printf '\n<%s>\n' "${pos#*[}"; printf '\033[c'; read -s -d c da; printf '<%s>\n' "${da#*[}"`)
	p.Until("the cursor's place", limit, Shows("<1;4>"))
	p.Until("the attributes", limit, Shows("<?64;1;2;6;9;15;16;17;18;21;22;28>"))
}

func TestStill(t *testing.T) {
	p := Start(t, Options{}, "sh", "-c", `for i in 1 2 3 4 5; do echo $i; sleep 0.1; done; echo end; read x`)
	s := p.Settled("numbers", 400*time.Millisecond, limit, Shows("1"))
	if !Shows("end")(s) {
		t.Errorf("settled before the end\n%s", p.Describe())
	}
	got := p.Still("end", 10*time.Millisecond, limit, func(s detect.Snapshot) string {
		if Shows("end")(s) {
			return "there"
		}
		return ""
	})
	if got != "there" {
		t.Errorf("still %q", got)
	}
	p.Held("end", 10*time.Millisecond, limit, All(Shows("end"), Not(Shows("6"))))
}

func TestScanner(t *testing.T) {
	const stream = "text\x1b[c\x1b]11;?\a\x1b[1;31mred\x1b]11;?\x1b\\\x1b[>0q\x1b7\x1b]0;ti\x1btle\x1b[6n" +
		"\x1b]52;c;" + "0123456789012345678901234567890123456789012345678901234567890123456789" + "\a\x1b[5n"
	want := []Query{"[c", "]11;?", "[1;31m", "]11;?", "[>0q", "]0;ti", "[6n", "[5n"}
	for _, size := range []int{1, 2, 3, 7, len(stream)} {
		var s scanner
		var got []Query
		for b := []byte(stream); len(b) > 0; {
			n := min(size, len(b))
			got = append(got, s.scan(b[:n])...)
			b = b[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("cut into %d: %q, want %q", size, got, want)
		}
	}
}

// TestRecording: what is recorded is what was read, typed and resized, in order.
func TestRecording(t *testing.T) {
	p := Start(t, Options{Cols: 40, Rows: 10}, "sh", "-c", "echo one; read x; echo two; read x")
	p.Until("one", 10*time.Second, Shows("one"))
	p.Send("\r")
	p.Until("two", 10*time.Second, Shows("two"))
	p.Resize(50, 12)
	h, events := p.Recording()
	if h.Width != 40 || h.Height != 10 {
		t.Errorf("%+v", h)
	}
	var text string
	var last time.Duration
	for _, e := range events {
		if e.At < last || e.At > p.Elapsed() {
			t.Errorf("%v after %v", e.At, last)
		}
		last = e.At
		text += string(rune(e.Code)) + e.Data
	}
	if !regexp.MustCompile(`(?s)^oone\r\n(o)?i\r.*two\r\nr50x12$`).MatchString(text) {
		t.Errorf("recorded %q", text)
	}
}
