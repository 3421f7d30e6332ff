package desktop_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fwrap/notify"
	"fwrap/notify/desktop"
	"fwrap/testdata/notifyspy"
)

func serve(t *testing.T, o notifyspy.Options) (*notifyspy.Bus, desktop.Host) {
	t.Helper()
	// Not t.TempDir: the path of a socket may not be longer than 107 bytes.
	dir, err := os.MkdirTemp("", "spy")
	if err != nil {
		t.Fatal(err)
	}
	bus, err := notifyspy.Start(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Close(); os.RemoveAll(dir) })
	return bus, desktop.Host{Environ: []string{"PATH=/nowhere", "DBUS_SESSION_BUS_ADDRESS=" + bus.Address()}}
}

func notices(bus *notifyspy.Bus) []notifyspy.Call {
	var n []notifyspy.Call
	for _, c := range bus.Calls() {
		if c.Method == "Notify" {
			n = append(n, c)
		}
	}
	return n
}

func TestShown(t *testing.T) {
	bus, h := serve(t, notifyspy.Options{})
	r := desktop.Send(context.Background(), h, hello, "fwrap-12", desktop.Handle{})
	if r.Outcome != desktop.Shown || r.Handle.ID != 1 || r.Via != "dbus" || r.Err != nil {
		t.Fatalf("result %+v", r)
	}
	n := notices(bus)
	if len(n) != 1 {
		t.Fatalf("%d notices", len(n))
	}
	c := n[0]
	if c.App != "fwrap" || c.Summary != hello.Title || c.Body != hello.Body || c.Replace != 0 {
		t.Errorf("the notice is %+v", c)
	}
	if c.Hints["urgency"] != byte(2) || c.Hints["desktop-entry"] != "fwrap" || c.Hints["x-dunst-stack-tag"] != "fwrap-12" {
		t.Errorf("its hints are %v", c.Hints)
	}
	if c.Expire != 0 {
		t.Errorf("a question goes away by itself after %d ms", c.Expire)
	}
	if !c.NoStart {
		t.Error("the bus was asked to start the service")
	}
	if len(c.Actions) != 0 {
		t.Errorf("actions %q, and nobody is there to hear of them", c.Actions)
	}

	r = desktop.Send(context.Background(), h, notify.Notice{Title: "t", Body: "b", Urgency: notify.Normal}, "", r.Handle)
	if r.Outcome != desktop.Shown || r.Handle.ID != 1 {
		t.Errorf("result %+v", r)
	}
	if n = notices(bus); n[1].Replace != 1 || n[1].Expire != -1 || n[1].Hints["urgency"] != byte(1) {
		t.Errorf("the second notice is %+v", n[1])
	}
	if r = desktop.Withdraw(context.Background(), h, r.Handle); r.Outcome != desktop.Closed || r.Err != nil {
		t.Errorf("result %+v", r)
	}
	if up := bus.Shown(); len(up) != 0 {
		t.Errorf("still up: %v", up)
	}
}

func TestMarkupIsEscapedWhereItIsRead(t *testing.T) {
	n := notify.Notice{Title: "a<b> & c", Body: `rm -rf a<b && c>d "q" 'q' $(x)`}
	for _, tt := range []struct{ caps, body string }{
		{"body,body-markup", `rm -rf a&lt;b &amp;&amp; c&gt;d "q" 'q' $(x)`},
		{"body", n.Body},
	} {
		bus, h := serve(t, notifyspy.Options{Caps: strings.Split(tt.caps, ",")})
		if r := desktop.Send(context.Background(), h, n, "", desktop.Handle{}); r.Outcome != desktop.Shown {
			t.Fatalf("result %+v", r)
		}
		c := notices(bus)[0]
		if c.Body != tt.body {
			t.Errorf("with %s the body is %s", tt.caps, c.Body)
		}
		if c.Summary != n.Title {
			t.Errorf("the summary is %s", c.Summary)
		}
	}
}

// TestBadServices: whatever the bus and the service do, an answer comes in time
// and nobody is told twice.
func TestBadServices(t *testing.T) {
	const now, soon, late = 500 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second
	for _, tt := range []struct {
		name    string
		opts    notifyspy.Options
		outcome desktop.Outcome
		within  time.Duration
		notices int
	}{
		{"hangs on Notify", notifyspy.Options{Mode: notifyspy.Hang}, desktop.Unanswered, late, 1},
		{"hangs on everything", notifyspy.Options{Mode: notifyspy.HangNo}, desktop.NotSent, soon, 0},
		{"takes a second", notifyspy.Options{Slow: time.Second}, desktop.Shown, late, 1},
		{"takes three seconds", notifyspy.Options{Slow: 3 * time.Second}, desktop.Unanswered, late, 1},
		{"refuses", notifyspy.Options{Mode: notifyspy.Error}, desktop.NotSent, now, 1},
		{"is absent", notifyspy.Options{Mode: notifyspy.Absent}, desktop.NotSent, now, 0},
		{"is started on demand", notifyspy.Options{Mode: notifyspy.Lazy}, desktop.Shown, now, 1},
		{"never comes up", notifyspy.Options{Mode: notifyspy.Trap}, desktop.NotSent, late, 0},
		{"has a mute bus", notifyspy.Options{Mode: notifyspy.Mute}, desktop.NotSent, soon, 0},
		{"has a bus that is none", notifyspy.Options{Mode: notifyspy.Garble}, desktop.NotSent, soon, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bus, h := serve(t, tt.opts)
			r := desktop.Send(context.Background(), h, hello, "", desktop.Handle{})
			if r.Outcome != tt.outcome {
				t.Errorf("outcome %v, want %v (%v)", r.Outcome, tt.outcome, r.Err)
			}
			if (r.Err != nil) != (tt.outcome != desktop.Shown) {
				t.Errorf("error %v", r.Err)
			}
			// A second of slack for a machine that is busy.
			if r.Took > tt.within+time.Second {
				t.Errorf("it took %v", r.Took)
			}
			if n := notices(bus); len(n) != tt.notices {
				t.Errorf("%d notices, want %d", len(n), tt.notices)
			}
			if r.Outcome != desktop.Shown && r.Handle.ID != 0 {
				t.Errorf("number %d of a notice that is not known to be up", r.Handle.ID)
			}
		})
	}
	t.Run("left a stale socket", func(t *testing.T) {
		bus, h := serve(t, notifyspy.Options{})
		bus.Close()
		r := desktop.Send(context.Background(), h, hello, "", desktop.Handle{})
		if r.Outcome != desktop.NotSent || r.Err == nil || r.Took > now+time.Second {
			t.Errorf("result %+v", r)
		}
	})
	t.Run("goes while a notice is up", func(t *testing.T) {
		_, h := serve(t, notifyspy.Options{Mode: notifyspy.Absent})
		if r := desktop.Withdraw(context.Background(), h, desktop.Handle{ID: 5, Owner: notifyspy.Owner}); r.Outcome != desktop.Closed {
			t.Errorf("result %+v", r)
		}
	})
	t.Run("hangs while a notice is to go", func(t *testing.T) {
		_, h := serve(t, notifyspy.Options{Mode: notifyspy.HangNo})
		if r := desktop.Withdraw(context.Background(), h, desktop.Handle{ID: 5, Owner: notifyspy.Owner}); r.Outcome != desktop.NotSent || r.Took > soon+time.Second {
			t.Errorf("result %+v", r)
		}
	})
}

// TestAnotherService: a number that a service gave away before it was restarted
// may be that of another program's notice now.
func TestAnotherService(t *testing.T) {
	bus, h := serve(t, notifyspy.Options{})
	old := desktop.Handle{ID: 5, Owner: ":1.42"}
	r := desktop.Send(context.Background(), h, hello, "", old)
	if n := notices(bus); r.Outcome != desktop.Shown || len(n) != 1 || n[0].Replace != 0 {
		t.Errorf("result %+v, notices %+v", r, n)
	}
	if r := desktop.Withdraw(context.Background(), h, old); r.Outcome != desktop.Closed {
		t.Errorf("result %+v", r)
	}
	for _, c := range bus.Calls() {
		if c.Method == "CloseNotification" {
			t.Errorf("closed %d of another service", c.ID)
		}
	}
}

// TestHungServiceIsLeftAlone: what it is told nobody sees, so that the next
// event is told elsewhere at once.
func TestHungServiceIsLeftAlone(t *testing.T) {
	bus, h := serve(t, notifyspy.Options{Mode: notifyspy.Hang})
	results := make(chan desktop.Result, 4)
	s := desktop.NewSender(h, "", func(r desktop.Result) { results <- r })
	s.Show(hello, nil)
	if r := <-results; r.Outcome != desktop.Unanswered {
		t.Fatalf("result %+v", r)
	}
	s.Show(hello, nil)
	if r := <-results; r.Outcome != desktop.NotSent || r.Err == nil || r.Took > 0 {
		t.Errorf("result %+v", r)
	}
	s.Stop(context.Background())
	if n := notices(bus); len(n) != 1 {
		t.Errorf("%d notices", len(n))
	}
}

// TestNoBusIsEverStarted: without an address the D-Bus libraries run
// dbus-launch, which leaves a daemon behind for good.
func TestNoBusIsEverStarted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"dbus-launch", "dbus-daemon", "notify-send", "kdialog"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho $0 $* >>"+dir+"/started\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, addr := range []string{"", "DBUS_SESSION_BUS_ADDRESS=", "DBUS_SESSION_BUS_ADDRESS=autolaunch:", "DBUS_SESSION_BUS_ADDRESS=autolaunch:scope=*user"} {
		env := []string{"PATH=" + dir, "XDG_RUNTIME_DIR=" + dir, "DISPLAY=:0", addr}
		if desktop.Available(env) {
			continue // /run/user has a bus of this user's, so none would be started
		}
		r := desktop.Send(context.Background(), desktop.Host{Environ: env}, hello, "", desktop.Handle{})
		if r.Outcome != desktop.NotSent || !errors.Is(r.Err, desktop.ErrNoBus) {
			t.Errorf("with %q: %+v", addr, r)
		}
	}
	// A stale address is no reason to start a bus either. notify-send may be
	// tried; it has the same address.
	env := []string{"PATH=" + dir, "DISPLAY=:0", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + dir + "/gone"}
	desktop.Send(context.Background(), desktop.Host{Environ: env}, hello, "", desktop.Handle{})
	if b, err := os.ReadFile(dir + "/started"); err == nil && strings.Contains(string(b), "dbus-") {
		t.Errorf("started: %s", b)
	}
}

// TestFallback: on a bus without a service beeep tries notify-send and kdialog.
// What an agent wrote must not be taken for their options.
func TestFallback(t *testing.T) {
	for _, n := range []notify.Notice{
		{Title: "--help", Body: "-w"},
		{Title: "-", Body: "- item one\n- item two"},
		{Title: "--hint=string:desktop-entry:evil", Body: "--action=x=Open"},
		{Title: "t", Body: "<img src=x>"},
	} {
		dir := t.TempDir()
		send := "#!/bin/sh\nfor a; do printf '%s\\n--\\n' \"$a\" >>" + dir + "/args; done\n"
		if err := os.WriteFile(filepath.Join(dir, "notify-send"), []byte(send), 0o755); err != nil {
			t.Fatal(err)
		}
		_, h := serve(t, notifyspy.Options{Mode: notifyspy.Absent})
		h.Environ = append(h.Environ, "PATH="+dir)
		r := desktop.Send(context.Background(), h, n, "", desktop.Handle{})
		if r.Outcome != desktop.Shown || r.Via != "beeep" || r.Handle.ID != 0 {
			t.Errorf("result %+v", r)
			continue
		}
		b, err := os.ReadFile(dir + "/args")
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(string(b), "\n--\n")
		if len(args) < 2 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[1], "-") || strings.Contains(args[1], "<") {
			t.Errorf("notify-send gets %q", args)
		}
		if len(args) > 1 && (args[0] == "" || strings.TrimLeft(args[1], " ") == "") {
			t.Errorf("notify-send gets nothing to show: %q", args)
		}
	}
}

func TestSenderReplacesAndCloses(t *testing.T) {
	bus, h := serve(t, notifyspy.Options{})
	results := make(chan desktop.Result, 16)
	s := desktop.NewSender(h, "fwrap-1", func(r desktop.Result) { results <- r })
	wait := func(want desktop.Outcome) {
		t.Helper()
		select {
		case r := <-results:
			if r.Outcome != want {
				t.Fatalf("result %+v, want %v", r, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no result")
		}
	}
	for _, body := range []string{"one", "two", "three"} {
		s.Show(notify.Notice{Title: "claude", Body: body}, nil)
		wait(desktop.Shown)
		up := bus.Shown()
		if len(up) != 1 || up[1].Body != body {
			t.Fatalf("up after %q: %v", body, up)
		}
	}
	s.Close()
	wait(desktop.Closed)
	if up := bus.Shown(); len(up) != 0 {
		t.Fatalf("up after the close: %v", up)
	}
	s.Show(hello, nil)
	wait(desktop.Shown)
	if n := notices(bus); n[3].Replace != 0 {
		t.Errorf("the next notice replaces %d, which is gone", n[3].Replace)
	}

	// Answered before the notice has come up: whatever the helpers' order, in
	// the end nothing is left.
	s.Show(notify.Notice{Title: "claude", Body: "four"}, nil)
	s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Stop(ctx)
	if up := bus.Shown(); len(up) != 0 {
		t.Errorf("left behind: %v", up)
	}
}

// TestResultOfItsOwn: a request that has its own listener is not reported twice.
func TestResultOfItsOwn(t *testing.T) {
	_, h := serve(t, notifyspy.Options{Mode: notifyspy.Error})
	general, own := make(chan desktop.Result, 4), make(chan desktop.Result, 4)
	s := desktop.NewSender(h, "", func(r desktop.Result) { general <- r })
	s.Show(hello, func(r desktop.Result) { own <- r })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Stop(ctx)
	if len(own) != 1 || len(general) != 0 {
		t.Fatalf("%d and %d results", len(own), len(general))
	}
	if r := <-own; r.Outcome != desktop.NotSent || !strings.Contains(r.Err.Error(), "too many") {
		t.Errorf("result %+v", r)
	}
}

func TestOddTexts(t *testing.T) {
	bus, h := serve(t, notifyspy.Options{})
	for _, s := range []string{"", "\x00\x1b[31m", "\xff\xfe", strings.Repeat("é", 100000), "a\nb\tc", "<b>", "🔐"} {
		n := notify.Notice{Title: notify.Sanitize(s, 80, false), Body: notify.Sanitize(s, 400, true)}
		if r := desktop.Send(context.Background(), h, n, "", desktop.Handle{}); r.Outcome != desktop.Shown {
			t.Errorf("%.20q: %+v", s, r)
		}
	}
	if n := notices(bus); len(n) != 7 {
		t.Errorf("%d notices", len(n))
	}
	// Even unsanitised nothing worse than a refusal comes of it.
	for _, s := range []string{"\x00", "\xff", strings.Repeat("x", 1<<20)} {
		if r := desktop.Send(context.Background(), h, notify.Notice{Title: s, Body: s}, "", desktop.Handle{}); r.Took > 4*time.Second {
			t.Errorf("%.20q: %+v", s, r)
		}
	}
}

func TestAvailable(t *testing.T) {
	dir := t.TempDir()
	if !desktop.Available([]string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/x"}) {
		t.Error("an address is not seen")
	}
	bus, _ := serve(t, notifyspy.Options{})
	run := filepath.Dir(strings.TrimPrefix(bus.Address(), "unix:path="))
	if !desktop.Available([]string{"XDG_RUNTIME_DIR=" + run}) {
		t.Error("a bus in XDG_RUNTIME_DIR is not seen")
	}
	if err := os.WriteFile(dir+"/bus", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if desktop.Available([]string{"XDG_RUNTIME_DIR=" + dir}) && !desktop.Available(nil) {
		t.Error("a file is taken for a bus")
	}
}

// TestProbe: who would show a notice is asked, and none is shown.
func TestProbe(t *testing.T) {
	for _, tt := range []struct {
		mode        notifyspy.Mode
		outcome     desktop.Outcome
		server, err string
	}{
		{notifyspy.OK, desktop.Shown, "notifyspy 1", ""},
		{notifyspy.Lazy, desktop.Shown, "started by the first notification", ""},
		{notifyspy.Absent, desktop.NotSent, "", "nobody on the session bus"},
		{notifyspy.HangNo, desktop.NotSent, "", "does not answer"},
		{notifyspy.Mute, desktop.NotSent, "", "does not answer"},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			bus, h := serve(t, notifyspy.Options{Mode: tt.mode})
			r := desktop.Probe(context.Background(), h)
			if r.Outcome != tt.outcome || r.Server != tt.server || (r.Err == nil) != (tt.err == "") ||
				r.Err != nil && !strings.Contains(r.Err.Error(), tt.err) {
				t.Errorf("%+v", r)
			}
			if n := len(notices(bus)); n != 0 {
				t.Errorf("%d notices", n)
			}
		})
	}
}
