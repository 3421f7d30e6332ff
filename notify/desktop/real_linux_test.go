//go:build realdesktop

// These tests need Debian's dbus, dbus-x11, libnotify-bin, dunst, xfce4-notifyd,
// xfconf, xvfb, xdotool,
// a font and procps:
//
//	go test -tags realdesktop ./notify/desktop
package desktop_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fwrap/notify"
	"fwrap/notify/desktop"
)

// background starts a program that ends with the test.
func background(t *testing.T, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain for " + what)
		}
	}
}

// realBus starts dbus-daemon with the service files in services, if any.
func realBus(t *testing.T, services string) (addr string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if services != "" {
		services = "<servicedir>" + services + "</servicedir>"
	}
	conf := `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=` + dir + `/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>` + services + `</busconfig>`
	if err := os.WriteFile(dir+"/bus.conf", []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	background(t, nil, "dbus-daemon", "--config-file="+dir+"/bus.conf", "--nofork", "--nopidfile")
	until(t, "the bus", func() bool { _, err := os.Stat(dir + "/bus"); return err == nil })
	return "DBUS_SESSION_BUS_ADDRESS=unix:path=" + dir + "/bus"
}

// dunst shows notifications on a virtual X server.
type dunst struct {
	t    *testing.T
	env  []string
	home string
}

// startX starts a virtual X server and returns the variables of its clients.
func startX(t *testing.T, addr string) (env []string, home string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x400x24", "-nolisten", "tcp")
	x.ExtraFiles = []*os.File{w}
	if err := x.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Process.Kill(); x.Wait() })
	w.Close()
	b := make([]byte, 16)
	n, err := r.Read(b)
	if err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	home = t.TempDir()
	return []string{addr, "DISPLAY=:" + strings.TrimSpace(string(b[:n])), "HOME=" + home}, home
}

func startDunst(t *testing.T, addr string) dunst {
	t.Helper()
	env, home := startX(t, addr)
	d := dunst{t, env, home}
	background(t, d.env, "sh", "-c", "exec dunst -print >"+home+"/log")
	until(t, "dunst", func() bool {
		cmd := exec.Command("dunstctl", "count", "displayed")
		cmd.Env = append(os.Environ(), d.env...)
		return cmd.Run() == nil
	})
	return d
}

// xfce is xfce4-notifyd on a virtual X server, seen by its windows.
type xfce struct {
	t   *testing.T
	env []string
}

func startXfce(t *testing.T, addr string) xfce {
	t.Helper()
	programs, _ := filepath.Glob("/usr/lib/*/xfce4/notifyd/xfce4-notifyd")
	if len(programs) == 0 {
		t.Fatal("there is no xfce4-notifyd")
	}
	env, home := startX(t, addr)
	d := xfce{t, append(env, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home)}
	background(t, d.env, programs[0])
	until(t, "xfce4-notifyd", func() bool {
		cmd := exec.Command("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.GetNameOwner",
			"string:org.freedesktop.Notifications")
		cmd.Env = append(os.Environ(), d.env...)
		return cmd.Run() == nil
	})
	return d
}

// bubbles are the windows that can be seen, with their widths.
func (d xfce) bubbles() map[string]int {
	run := func(args ...string) string {
		cmd := exec.Command("xdotool", args...)
		cmd.Env = append(os.Environ(), d.env...)
		out, _ := cmd.Output() // nothing found is a failure to xdotool
		return string(out)
	}
	list := map[string]int{}
	for _, id := range strings.Fields(run("search", "--onlyvisible", "--class", "xfce4-notifyd")) {
		w := 0
		for line := range strings.Lines(run("getwindowgeometry", "--shell", id)) {
			fmt.Sscanf(line, "WIDTH=%d", &w)
		}
		list[id] = w
	}
	return list
}

// one waits until one bubble and no other can be seen, and stays the only one,
// and returns its width.
func (d xfce) one(after string) (width int) {
	d.t.Helper()
	until(d.t, "one bubble after "+after, func() bool { return len(d.bubbles()) == 1 })
	for _, w := range d.bubbles() {
		width = w
	}
	return width
}

func (d dunst) displayed() string {
	cmd := exec.Command("dunstctl", "count", "displayed")
	cmd.Env = append(os.Environ(), d.env...)
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("dunstctl: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// printed is what dunst has been given to show, as its own log has it.
func (d dunst) printed() string {
	b, err := os.ReadFile(d.home + "/log")
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// TestDunst: one bubble for a question, replaced by the next, gone when
// answered, and the text as it is.
func TestDunst(t *testing.T) {
	addr := realBus(t, "")
	d := startDunst(t, addr)
	h := desktop.Host{Environ: []string{addr, "PATH=/nowhere"}}
	s := desktop.NewSender(h, "fwrap-1", nil)
	show := func(body string) {
		t.Helper()
		done := make(chan desktop.Result, 1)
		s.Show(notify.Notice{Title: "claude · <api>", Body: notify.Sanitize(body, 400, true), Urgency: notify.Critical},
			func(r desktop.Result) { done <- r })
		if r := <-done; r.Outcome != desktop.Shown || r.Via != "dbus" {
			t.Fatalf("result %+v", r)
		}
		if n := d.displayed(); n != "1" {
			t.Errorf("%s bubbles after %.30q", n, body)
		}
	}
	show("run make?")
	show(`rm -rf a<b && c>d <b>bold</b> "q" $(x)` + "\n- w")
	show(strings.Repeat("long ", 200000))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Close()
	s.Stop(ctx)
	if n := d.displayed(); n != "0" {
		t.Errorf("%s bubbles after the answer", n)
	}
	r := desktop.Send(context.Background(), h, notify.Notice{Title: "t", Body: `a<b && c>d <b>bold</b> "q"`}, "", desktop.Handle{})
	desktop.Withdraw(context.Background(), h, r.Handle)
	until(t, "the text in dunst's log", func() bool {
		return strings.Contains(d.printed(), "a&lt;b &amp;&amp; c&gt;d &lt;b&gt;bold&lt;/b&gt; \"q\"")
	})
}

// TestXfce is the same as TestDunst; what the text is shown as is told by the
// width of the bubble, in which a tag that is shown takes room.
func TestXfce(t *testing.T) {
	addr := realBus(t, "/usr/share/dbus-1/services") // it needs xfconf
	d := startXfce(t, addr)
	h := desktop.Host{Environ: []string{addr, "PATH=/nowhere"}}
	s := desktop.NewSender(h, "fwrap-1", nil)
	show := func(body string) int {
		t.Helper()
		done := make(chan desktop.Result, 1)
		s.Show(notify.Notice{Title: "c", Body: notify.Sanitize(body, 400, true), Urgency: notify.Critical},
			func(r desktop.Result) { done <- r })
		if r := <-done; r.Outcome != desktop.Shown || r.Via != "dbus" {
			t.Fatalf("result %+v", r)
		}
		return d.one(fmt.Sprintf("%.30q", body))
	}
	const word = "iiiiiiiiiiiiiiiiiiii"
	plain := show(word)
	until(t, "the tags", func() bool { return show("<b>"+word+"</b>") > plain })
	show(`rm -rf a<b && c>d "q" $(x)` + "\n- w")
	show(strings.Repeat("long ", 200000))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Close()
	s.Stop(ctx)
	until(t, "no bubble after the answer", func() bool { return len(d.bubbles()) == 0 })
}

// TestActivation: a service that is started by its first notice, and one whose
// program never takes the name.
func TestActivation(t *testing.T) {
	t.Run("dunst", func(t *testing.T) {
		services := t.TempDir()
		addr := realBus(t, services)
		x := startDunst(t, realBus(t, "")) // for its X server only
		launch := filepath.Join(services, "launch")
		if err := os.WriteFile(launch, []byte("#!/bin/sh\nexport "+x.env[1]+" "+x.env[2]+"\nexec dunst\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		service := fmt.Sprintf("[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=%s\n", launch)
		if err := os.WriteFile(filepath.Join(services, "n.service"), []byte(service), 0o644); err != nil {
			t.Fatal(err)
		}
		r := desktop.Send(context.Background(), desktop.Host{Environ: []string{addr}}, hello, "", desktop.Handle{})
		if r.Outcome != desktop.Shown {
			t.Errorf("result %+v", r)
		}
		d := dunst{t, []string{addr, x.env[1], x.env[2]}, ""}
		if n := d.displayed(); n != "1" {
			t.Errorf("%s bubbles", n)
		}
	})
	t.Run("trap", func(t *testing.T) {
		services := t.TempDir()
		addr := realBus(t, services)
		if err := os.WriteFile(filepath.Join(services, "n.service"),
			[]byte("[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=/bin/sleep 20\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		r := desktop.Send(context.Background(), desktop.Host{Environ: []string{addr}}, hello, "", desktop.Handle{})
		if r.Outcome != desktop.NotSent || r.Took > 4*time.Second || r.Took < 2*time.Second {
			t.Errorf("result %+v", r)
		}
	})
}

// TestNoOrphans: with dbus-launch and notify-send on the machine and no bus, no
// bus daemon is left behind.
func TestNoOrphans(t *testing.T) {
	for _, p := range []string{"dbus-launch", "notify-send", "pgrep"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Fatal(err) // the test would prove nothing
		}
	}
	buses := func() int {
		out, _ := exec.Command("pgrep", "-c", "dbus-daemon").Output()
		n := 0
		fmt.Sscan(string(out), &n)
		return n
	}
	before := buses()
	for range 3 {
		desktop.Send(context.Background(), desktop.Host{Environ: []string{"PATH=" + os.Getenv("PATH"), "DISPLAY=:0", "HOME=" + os.Getenv("HOME")}}, hello, "", desktop.Handle{})
		desktop.Send(context.Background(), desktop.Host{Environ: []string{"PATH=" + os.Getenv("PATH"), "DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere"}}, hello, "", desktop.Handle{})
	}
	if after := buses(); after > before {
		t.Errorf("%d bus daemons before, %d after", before, after)
	}
}

// TestAbsentOnARealBus: dbus-daemon without a service; notify-send is there.
func TestAbsentOnARealBus(t *testing.T) {
	addr := realBus(t, "")
	r := desktop.Send(context.Background(), desktop.Host{Environ: []string{addr, "PATH=" + os.Getenv("PATH")}}, hello, "", desktop.Handle{})
	if r.Outcome != desktop.NotSent || r.Err == nil || !strings.Contains(r.Err.Error(), "notify-send") || r.Took > 2*time.Second {
		t.Errorf("result %+v", r)
	}
}
