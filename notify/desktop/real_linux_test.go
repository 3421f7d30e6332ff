//go:build realdesktop

// These tests need Debian's dbus, dbus-x11, libnotify-bin, dunst, xfce4-notifyd,
// xfconf, xvfb, xdotool and a font:
//
//	go test -tags realdesktop -run '^TestReal' ./notify/desktop
package desktop_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"fwrap/detect"
	"fwrap/notify"
	"fwrap/notify/desktop"
)

// asking is the notice of a session that asks q.
func asking(project, q string, options ...string) notify.Notice {
	return notify.Compose(notify.Session{Agent: "claude", Project: project}, notify.Action{
		Event:  notify.NeedsYou,
		Status: detect.Status{State: detect.Blocked, Kind: detect.Permission, Question: detect.Question{Text: q, Options: options}},
	}, notify.Full, desktop.Limits)
}

// session is what one fwrap has of the desktop.
type session struct {
	t *testing.T
	*desktop.Sender
}

func (k desk) session(tag string) session {
	s := session{k.t, desktop.NewSender(desktop.Host{Environ: []string{"DBUS_SESSION_BUS_ADDRESS=" + k.addr, "PATH=/nowhere"}}, tag, nil)}
	k.t.Cleanup(s.end)
	return s
}

func (s session) show(n notify.Notice) {
	s.t.Helper()
	done := make(chan desktop.Result, 1)
	s.Show(n, func(r desktop.Result) { done <- r })
	if r := <-done; r.Outcome != desktop.Shown || r.Via != "dbus" || r.Handle.ID == 0 {
		s.t.Fatalf("result %+v", r)
	}
}

func (s session) end() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Close()
	s.Stop(ctx)
}

// TestRealBubbles: on the screen there is one bubble for a question, the next
// question takes its place, and the answer takes it away; that of another
// session and of another program stay as they are.
func TestRealBubbles(t *testing.T) {
	for _, d := range daemons {
		t.Run(d.name, func(t *testing.T) {
			k := newDesk(t, d, false)
			k.bubbles(d, 0, "before anything is asked")
			s := k.session("fwrap-1")
			s.show(asking("api", "run make?", "Yes", "No"))
			first := k.bubbles(d, 1, "for a question")[0]
			s.show(asking("api", "push --force to the branch that everybody works on?", "Yes", "No"))
			// The old bubble may stand for a while after the service has answered.
			until(t, "the next question in the bubble's place", func() bool {
				return !same(k.bubbles(d, 1, "for the next question")[0].lines(), first.lines())
			})
			s.show(asking("api", "run make?", "Yes", "No"))
			until(t, "the first question in its place", func() bool {
				return same(k.bubbles(d, 1, "for the first question again")[0].lines(), first.lines())
			})

			id := k.tell("mail", "from another program")
			k.bubbles(d, 2, "with another program's")
			b := k.session("fwrap-2")
			b.show(asking("web", "run npm test?", "Yes", "No"))
			k.bubbles(d, 3, "with another session's")
			s.show(asking("api", "run go test?", "Yes", "No"))
			k.bubbles(d, 3, "for a question among others")
			s.Close()
			k.bubbles(d, 2, "after the answer")
			b.Close()
			left := k.bubbles(d, 1, "after the other session's answer")[0]
			k.untell(id)
			k.bubbles(d, 0, "when all is over")
			k.tell("mail", "from another program")
			if alone := k.bubbles(d, 1, "of another program")[0]; !same(left.lines(), alone.lines()) {
				t.Error("what was left is not the other program's")
			}

			s.show(asking("api", "run make?", "Yes", "No"))
			k.bubbles(d, 2, "for a question after the answer")
			s.end() // fwrap ends
			k.bubbles(d, 1, "after the end")
		})
	}
}

// TestRealTexts: whatever an agent writes is on the screen as it is: to the
// pixel as the service draws it when each of its characters is given by number.
func TestRealTexts(t *testing.T) {
	const head = "Needs your permission\n"
	texts := []struct{ name, project, question, body string }{ // no body: as Compose cuts it
		// Well-formed and not: xfce4-notifyd shows what it cannot parse as it is.
		{"tags", "api", "<b>bold</b>", head + "<b>bold</b>"},
		{"broken tags", "api", "<b>bold <i>", head + "<b>bold <i>"},
		{"link", "api", `<a href="http://a.b/">x</a><img src="y"/>`, head + `<a href="http://a.b/">x</a><img src="y"/>`},
		{"shell", "api", `rm -rf a<b && c>d "q" 'q' $(x) %s \n`, head + `rm -rf a<b && c>d "q" 'q' $(x) %s \n`},
		{"entities", "api", "&lt;b&gt; &amp; &#60;", head + "&lt;b&gt; &amp; &#60;"},
		{"no entity", "api", "&nope; a&b", head + "&nope; a&b"},
		{"option", "-w", "-w --help", head + "-w --help"},
		{"newlines", "api", "make\nall\r\n\ttest", head + "make all test"},
		{"controls", "api", "a\x1b]0;x\ab\x00c\u202ed\xff", head + "a]0;xbcd\ufffd"},
		{"marked title", "<b>x</b> &amp; y", "ok?", head + "ok?"},
		{"long", "api", strings.Repeat("long ", 200_000), ""},
		{"long markup", "api", strings.Repeat("<b>&amp;", 125_000), ""},
		{"long word", "api", strings.Repeat("w", 1_000_000), ""},
	}
	for _, d := range daemons {
		t.Run(d.name, func(t *testing.T) {
			k := newDesk(t, d, false)
			s := k.session("fwrap-1")
			for _, tt := range texts {
				t.Run(tt.name, func(t *testing.T) {
					k, s := k.in(t), session{t, s.Sender}
					long := tt.body == ""
					var options []string
					if long {
						options = []string{"Yes", "No, <tell> it"}
					}
					n := asking(tt.project, tt.question, options...)
					const choices = "1 Yes · 2 No, <tell> it"
					if long {
						if utf8.RuneCountInString(n.Body) > notify.MaxText || !strings.HasSuffix(n.Body, "…\n"+choices) {
							t.Fatalf("the body is %q", n.Body)
						}
						tt.body = n.Body
					}
					s.show(n)
					got := k.bubbles(d, 1, "of "+tt.name)[0]
					s.Close()
					k.bubbles(d, 0, "after "+tt.name)
					byNumber := func(body string) *picture {
						id := k.tell("claude · "+tt.project, k.literally(body))
						p := k.bubbles(d, 1, "by number")[0]
						k.untell(id)
						k.bubbles(d, 0, "after that by number")
						return p
					}
					want := byNumber(tt.body)
					lines := len(want.lines())
					if lines < 3 || long && lines < 6 {
						t.Fatalf("%d lines in %s", lines, keep(t, want))
					}
					if !same(got.lines(), want.lines()) {
						t.Errorf("shown as %s, and should be as %s", keep(t, got), keep(t, want))
					}
					if long { // however the service cuts the question, the choices are there
						last := byNumber(choices).lines()
						if !got.lines()[len(got.lines())-1].same(last[len(last)-1]) {
							t.Errorf("there are no choices in %s", keep(t, got))
						}
					}
				})
			}
		})
	}
}

// TestRealTitle: a title is never markup; it looks as the same in bold by number.
func TestRealTitle(t *testing.T) {
	for _, d := range daemons {
		if !d.markup {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			k := newDesk(t, d, false)
			const title = "claude · <b>x</b> &amp; -w $(y)"
			s := k.session("fwrap-1")
			s.show(asking("<b>x</b> &amp; -w $(y)", "ok?"))
			got := k.bubbles(d, 1, "with the title")[0]
			s.Close()
			k.bubbles(d, 0, "after it")
			k.tell("title", "<b>"+numbered(title)+"</b>")
			want := k.bubbles(d, 1, "with it by number")[0]
			g, w := got.lines(), want.lines()
			if len(g) < 3 || len(w) != 2 {
				t.Fatalf("%d and %d lines", len(g), len(w))
			}
			if !g[0].same(w[1]) {
				t.Errorf("shown as %s, and should be as %s", keep(t, g[0]), keep(t, w[1]))
			}
		})
	}
}

// TestRealActivation: a service that is started by its first notice, and one
// whose program never takes the name.
func TestRealActivation(t *testing.T) {
	for _, d := range daemons {
		t.Run(d.name, func(t *testing.T) {
			k := newDesk(t, d, true)
			s := k.session("fwrap-1")
			s.show(asking("api", "run make?"))
			k.bubbles(d, 1, "by the service that was started")
			s.show(asking("api", "run go test?"))
			k.bubbles(d, 1, "after the next question")
			s.Close()
			k.bubbles(d, 0, "after the answer")
		})
	}
	t.Run("trap", func(t *testing.T) {
		addr := realBus(t, nil, map[string]string{"org.freedesktop.Notifications": "/bin/sleep 20"})
		r := desktop.Send(context.Background(), desktop.Host{Environ: []string{"DBUS_SESSION_BUS_ADDRESS=" + addr}}, hello, "", desktop.Handle{})
		if r.Outcome != desktop.NotSent || r.Took > 4*time.Second || r.Took < 2*time.Second {
			t.Errorf("result %+v", r)
		}
	})
}

// TestRealNoOrphans: with dbus-launch and notify-send on the machine and no bus,
// no bus daemon is left behind. Ours would be known by the HOME that it has.
func TestRealNoOrphans(t *testing.T) {
	if _, err := exec.LookPath("notify-send"); err != nil {
		t.Fatal(err) // the test would prove nothing
	}
	home := "HOME=" + t.TempDir()
	environ := func(more string) []string {
		return []string{"PATH=" + os.Getenv("PATH"), "DISPLAY=:0", home, more}
	}
	buses := func() (pids []int) {
		list, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range list {
			env, _ := os.ReadFile(file) // it may have ended meanwhile
			exe, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
			if strings.Contains("\x00"+string(env), "\x00"+home+"\x00") && strings.HasPrefix(string(exe), "dbus-daemon") {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
				pids = append(pids, pid)
			}
		}
		return pids
	}
	for range 3 {
		for _, bus := range []string{"NO=bus", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"} {
			if r := desktop.Send(context.Background(), desktop.Host{Environ: environ(bus)}, hello, "", desktop.Handle{}); r.Outcome != desktop.NotSent || r.Err == nil {
				t.Errorf("result %+v", r)
			}
		}
	}
	if left := buses(); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	launch := exec.Command("dbus-launch")
	launch.Env = environ("NO=bus")
	if out, err := launch.Output(); err != nil {
		t.Fatalf("dbus-launch: %v %s", err, out)
	}
	found := buses()
	for _, pid := range found {
		syscall.Kill(pid, syscall.SIGTERM)
	}
	if len(found) != 1 {
		t.Errorf("of one that was left behind on purpose %d are seen", len(found))
	}
}

// TestRealAbsent: dbus-daemon without a service; notify-send is there.
func TestRealAbsent(t *testing.T) {
	addr := realBus(t, nil, nil)
	environ := []string{"DBUS_SESSION_BUS_ADDRESS=" + addr, "PATH=" + os.Getenv("PATH")}
	r := desktop.Send(context.Background(), desktop.Host{Environ: environ}, hello, "", desktop.Handle{})
	if r.Outcome != desktop.NotSent || r.Err == nil || !strings.Contains(r.Err.Error(), "notify-send") || r.Took > 2*time.Second {
		t.Errorf("result %+v", r)
	}
}
