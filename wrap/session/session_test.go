package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for a reporter in another process.
func TestMain(m *testing.M) {
	switch os.Getenv("FWRAP_TEST_AS") {
	case "sender":
		err := Send(os.Getenv("FWRAP_SOCK"), []byte(`{"v":1,"from":"x","state":"idle"}`+"\n"), 2*time.Second)
		fmt.Println("uid", os.Getuid(), "sent:", err)
		os.Exit(0)
	case "reporter":
		c := Client{Args: os.Args[1:], Stdin: os.Stdin, Sock: os.Getenv("FWRAP_SOCK"), Digest: firstKilobyte}
		then, err := c.Run()
		fmt.Printf("then %q err %v\n", then, err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// firstKilobyte is a digest that tells how long the payload was.
func firstKilobyte(agent, event string, r io.Reader) (json.RawMessage, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 || b[0] != '{' {
		return nil, errors.New("not an object")
	}
	return json.Marshal(map[string]any{"agent": agent, "length": len(b), "head": string(b[:min(len(b), 1024)])})
}

// heard collects messages.
type heard struct {
	mu  sync.Mutex
	got []Message
}

func (h *heard) handle(m Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got = append(h.got, m)
}

func (h *heard) all() []Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got)
}

func openTest(t *testing.T, h *heard) *Session {
	t.Helper()
	s, err := Open(shortDir(t), State{PID: os.Getpid(), Start: 7, State: "none"}, h.handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func send(t *testing.T, sock, line string) error {
	t.Helper()
	return Send(sock, []byte(line+"\n"), 10*time.Second)
}

func TestReports(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	for _, c := range []struct{ line, refused string }{
		{`{"v":1,"from":"claude","seq":3,"event":{"event":"Stop","x":[1,2]}}`, ""},
		{`{"v":1,"from":"script","state":"blocked","kind":"question","text":"Deploy <b>?"}`, ""},
		{`{"v":1,"from":"script","state":"working","new_field":{"a":1}}`, ""},
		{`{"v":2,"from":"script","state":"working"}`, "version 2"},
		{`{"from":"script","state":"working"}`, "version 0"},
		{`{"v":1,"state":"working"}`, "from"},
		{`{"v":1,"from":"Script","state":"working"}`, "from"},
		{`{"v":1,"from":"../../x","state":"working"}`, "from"},
		{`{"v":1,"from":"s","state":"busy"}`, "state"},
		{`{"v":1,"from":"s"}`, "neither"},
		{`{"v":1,"from":"s","event":null}`, "neither"},
		{`{"v":1,"from":"s","event":[1]}`, "object"},
		{`{"v":1,"from":"s","event":"x"}`, "object"},
		{`{"v":1,"from":"s","event":{},"state":"idle"}`, "both"},
		{`{"v":1,"from":"s","state":"blocked","kind":"a b"}`, "kind"},
		{`{"v":1,"from":"s","state":"blocked","text":"` + strings.Repeat("x", 5000) + `"}`, "text"},
		{`{"v":1,"from":"s","state":`, "JSON"},
		{`[]`, "JSON"},
		{``, "JSON"},
		{"\xff\x00\x1b]0;x\a", "JSON"},
		{strings.Repeat("[", MaxLine-10), "JSON"},
	} {
		err := send(t, s.Socket(), c.line)
		short := c.line[:min(len(c.line), 80)]
		if c.refused == "" {
			if err != nil {
				t.Errorf("%s: %v", short, err)
			}
		} else if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v, want it refused for %q", short, err, c.refused)
		}
	}
	got := h.all()
	if len(got) != 3 {
		t.Fatalf("%d reports were taken, want 3", len(got))
	}
	if got[0].From != "claude" || got[0].Seq != 3 || string(got[0].Event) != `{"event":"Stop","x":[1,2]}` {
		t.Errorf("%+v", got[0])
	}
	if got[1].State != "blocked" || got[1].Kind != "question" || got[1].Text != "Deploy <b>?" || got[1].Event != nil {
		t.Errorf("%+v", got[1])
	}
	if p := got[0].Peer; p.UID != os.Geteuid() || p.PID != os.Getpid() {
		t.Errorf("peer %+v", p)
	}
}

func TestMessageLine(t *testing.T) {
	m := Message{From: "claude", Seq: 9, Event: json.RawMessage(`{"text":"a<b>&\u2028"}`)}
	line, err := m.Line()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(line), "\n"); n != 1 || line[len(line)-1] != '\n' {
		t.Errorf("%q is not one line", line)
	}
	back, err := parseMessage(line[:len(line)-1])
	if err != nil || back.From != m.From || back.Seq != m.Seq || !strings.Contains(string(back.Event), "a<b>&") {
		t.Errorf("%+v, %v", back, err)
	}
	for _, bad := range []Message{
		{}, {From: "x"}, {From: "x", State: "odd"}, {From: "x", State: "idle", Text: "\xff"},
		{From: "x", Event: json.RawMessage(`{"a":"` + strings.Repeat("x", MaxLine) + `"}`)},
		{From: "x", Event: json.RawMessage(`{`)},
	} {
		if line, err := bad.Line(); err == nil {
			t.Errorf("%+v gives %q", bad, line)
		}
	}
}

// Order on one connection and over connections that wait for their answer.
func TestOrder(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	const n = 300
	for i := range n {
		if err := send(t, s.Socket(), fmt.Sprintf(`{"v":1,"from":"s","seq":%d,"state":"idle"}`, i+1)); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range h.all() {
		if m.Seq != uint64(i+1) {
			t.Fatalf("report %d has number %d", i, m.Seq)
		}
	}
	if len(h.all()) != n {
		t.Fatalf("%d of %d", len(h.all()), n)
	}
}

func dial(t *testing.T, s *Session) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", s.Socket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// ask sends a line in pieces and reads one answer.
func ask(t *testing.T, c net.Conn, pieces ...string) string {
	t.Helper()
	for _, p := range pieces {
		if _, err := io.WriteString(c, p); err != nil {
			return "closed"
		}
	}
	var b []byte
	one := make([]byte, 1)
	for {
		if _, err := c.Read(one); err != nil {
			return string(b) + "closed"
		}
		if one[0] == '\n' {
			return string(b)
		}
		b = append(b, one[0])
	}
}

const idleLine = `{"v":1,"from":"s","state":"idle"}`

func TestHostileLines(t *testing.T) {
	var h heard
	s := openTest(t, &h)

	// In pieces, several in one piece.
	c := dial(t, s)
	if got := ask(t, c, idleLine[:5], idleLine[5:20], idleLine[20:], "\n"+idleLine+"\n"); got != "ok" {
		t.Errorf("pieces: %q", got)
	}
	if got := ask(t, c); got != "ok" {
		t.Errorf("the second of a piece: %q", got)
	}
	// Half a line is no report.
	io.WriteString(c, idleLine)
	c.(*net.UnixConn).CloseWrite()
	if got := ask(t, c); got != "closed" {
		t.Errorf("half a line: %q", got)
	}
	if n := len(h.all()); n != 2 {
		t.Errorf("%d reports, want 2", n)
	}

	// The longest line, and one more byte.
	c = dial(t, s)
	pad := strings.Repeat(" ", MaxLine-1-len(idleLine))
	if got := ask(t, c, idleLine+pad+"\n"); got != "ok" {
		t.Errorf("the longest line: %q", got)
	}
	if got := ask(t, c, idleLine+pad+" \n"); got != "error: line too long" && got != "closed" {
		t.Errorf("a longer line: %q", got)
	}

	// 2 MB without a newline: cut off, not collected.
	c = dial(t, s)
	if got := ask(t, c, strings.Repeat("x", 2<<20)); !strings.Contains(got, "closed") && got != "error: line too long" {
		t.Errorf("2 MB: %q", got)
	}

	// 10,000 lines on one connection: the server has enough at some time.
	h.mu.Lock()
	h.got = nil
	h.mu.Unlock()
	c = dial(t, s)
	go func() {
		for range 10000 {
			if _, err := io.WriteString(c, idleLine+"\n"+"{\n"); err != nil {
				return
			}
		}
	}()
	io.Copy(io.Discard, c)
	if n := len(h.all()); n != 512 {
		t.Errorf("%d good lines were taken of a connection with as many bad ones, want 512", n)
	}
	// And it still works.
	if err := send(t, s.Socket(), idleLine); err != nil {
		t.Error(err)
	}
}

// 10,000 reports on many connections, contradictory and malformed: each is
// answered, memory and goroutines stay bounded.
func TestFlood(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	states := []string{"working", "blocked", "idle", "none", "odd"}
	var wg sync.WaitGroup
	var mu sync.Mutex
	ok, refused, lost := 0, 0, 0
	for w := range 20 {
		wg.Go(func() {
			for i := range 500 {
				line := fmt.Sprintf(`{"v":1,"from":"s","state":%q}`, states[(w+i)%len(states)])
				err := send(t, s.Socket(), line)
				mu.Lock()
				switch {
				case err == nil:
					ok++
				case errors.Is(err, ErrRefused):
					refused++
				default:
					lost++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if ok != 8000 || refused != 2000 || lost != 0 {
		t.Errorf("ok %d, refused %d, lost %d", ok, refused, lost)
	}
	if n := len(h.all()); n != ok {
		t.Errorf("%d heard, %d answered with ok", n, ok)
	}
}

// Those who connect and say nothing do not keep a reporter out.
func TestSilentConnections(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	for range 100 {
		dial(t, s)
	}
	for range 10 {
		if err := Send(s.Socket(), []byte(idleLine+"\n"), 5*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	s.reports.mu.Lock()
	n := len(s.reports.conns)
	s.reports.mu.Unlock()
	if n > 32 {
		t.Errorf("%d connections are held", n)
	}
	// One that is silent is let go by itself.
	c := dial(t, s)
	start := time.Now()
	if got := ask(t, c); got != "closed" {
		t.Errorf("%q", got)
	}
	if d := time.Since(start); d > 15*time.Second {
		t.Errorf("after %v", d)
	}
}

// A reporter that never reads its answers.
func TestAnswersNotRead(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	c := dial(t, s)
	go func() {
		for range 100000 {
			if _, err := io.WriteString(c, "{\n"); err != nil {
				return
			}
		}
	}()
	deadline := time.Now().Add(10 * time.Second)
	for range 20 {
		if time.Now().After(deadline) {
			t.Fatal("it takes too long")
		}
		if err := send(t, s.Socket(), idleLine); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSendGivesUp(t *testing.T) {
	dir := shortDir(t)
	line := []byte(idleLine + "\n")
	const limit = 100 * time.Millisecond
	within := func(what string, sock string) {
		t.Helper()
		start := time.Now()
		err := Send(sock, line, limit)
		if err == nil {
			t.Errorf("%s: no error", what)
		}
		if d := time.Since(start); d > limit+2*time.Second { // a loaded machine
			t.Errorf("%s: took %v", what, d)
		}
	}
	within("no socket", filepath.Join(dir, "none"))
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)
	within("a file", filepath.Join(dir, "file"))
	within("a path that is too long", filepath.Join(dir, strings.Repeat("x", 200)))

	mute, err := net.Listen("unix", filepath.Join(dir, "mute"))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	within("a socket that nobody accepts on", filepath.Join(dir, "mute"))
	// Fill the queue of connections: connect itself does not return then.
	for range 5000 {
		c, err := net.DialTimeout("unix", filepath.Join(dir, "mute"), 10*time.Millisecond)
		if err != nil {
			break
		}
		defer c.Close()
	}
	within("a full queue", filepath.Join(dir, "mute"))

	odd, err := net.Listen("unix", filepath.Join(dir, "odd"))
	if err != nil {
		t.Fatal(err)
	}
	defer odd.Close()
	go func() {
		for {
			c, err := odd.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, strings.Repeat("y", 10000))
			c.Close()
		}
	}()
	within("a server that babbles", filepath.Join(dir, "odd"))
}

// A reporter of another user is not heard, even where the directory and the
// socket let it connect; and a reporter does not talk to another's socket.
func TestOtherUser(t *testing.T) {
	for _, c := range []struct {
		p  Peer
		ok bool
	}{{Peer{UID: os.Geteuid()}, true}, {Peer{UID: 0}, true}, {Peer{UID: 65534}, false}, {Peer{UID: -1}, false}} {
		if got := c.p.trusted(); got != c.ok {
			t.Errorf("%+v: trusted %v", c.p, got)
		}
	}
	if os.Geteuid() != 0 {
		return // only root can be two users; the rest of the check is above
	}
	var h heard
	s := openTest(t, &h)
	dir := filepath.Dir(s.Socket())
	bin := filepath.Join(dir, "sender")
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		exe, _ := os.Executable()
		if self, err = os.ReadFile(exe); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(bin, self, 0o755); err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir, 0o711)
	os.Chmod(s.Socket(), 0o666)
	run := func(uid uint32) string {
		cmd := exec.Command(bin)
		cmd.Dir = "/"
		cmd.Env = []string{"GORACE=atexit_sleep_ms=0", "FWRAP_TEST_AS=sender", "FWRAP_SOCK=" + s.Socket()}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := run(65534); !strings.Contains(out, "uid 65534") || strings.Contains(out, "sent: <nil>") {
		t.Errorf("nobody: %s", out)
	}
	if n := len(h.all()); n != 0 {
		t.Errorf("%d reports of another user were taken", n)
	}
	if out := run(0); !strings.Contains(out, "sent: <nil>") {
		t.Errorf("root: %s", out)
	}
	if n := len(h.all()); n != 1 {
		t.Errorf("%d reports, want root's", n)
	}
}

func TestStateFile(t *testing.T) {
	var h heard
	s := openTest(t, &h)
	dir := filepath.Dir(s.Socket())
	alive := func(pid int, start uint64) bool { return pid == os.Getpid() && start == 7 }
	since := time.Date(2026, 11, 30, 20, 11, 0, 0, time.UTC)
	st := State{PID: os.Getpid(), Start: 7, Agent: "claude", Command: "claude", Project: "demo", State: "blocked",
		Kind: "permission", Since: since, Question: Question{Text: "rm -rf <x>", Options: []string{"Yes", "No"}}}
	if err := s.Update(st); err != nil {
		t.Fatal(err)
	}
	list, err := List(dir, alive)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	got := list[0]
	if got.V != 1 || got.ID != s.ID() || got.Report != s.Socket() || !got.Since.Equal(since) ||
		got.Question.Text != "rm -rf <x>" || len(got.Question.Options) != 2 || got.Kind != "permission" {
		t.Errorf("%+v", got)
	}
	path := filepath.Join(dir, s.ID()+".json")
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	// The same state again is not written again.
	if err := os.Chtimes(path, since, since); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(st); err != nil {
		t.Fatal(err)
	}
	if fi, _ := os.Stat(path); !fi.ModTime().Equal(since) {
		t.Error("an unchanged state was written")
	}
	// A question of a megabyte does not make a file that nobody reads.
	st.Question = Question{Text: strings.Repeat("x", 1<<20), Options: []string{strings.Repeat("y", 1<<20)}}
	if err := s.Update(st); err != nil {
		t.Fatal(err)
	}
	if list, _ := List(dir, alive); len(list) != 1 || list[0].Kind != "permission" {
		t.Errorf("after a long question: %+v", list)
	}

	// Readers never see half a file.
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			st.Question = Question{Text: strings.Repeat("z", i%5000)}
			s.Update(st)
		}
	})
	for range 300 {
		if list, err := List(dir, alive); err != nil || len(list) != 1 {
			t.Errorf("while it is written: %d, %v", len(list), err)
			break
		}
	}
	close(stop)
	wg.Wait()

	if _, err := s.WriteFile("a/settings.json", []byte("{}")); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"../x", "/etc/x", ""} {
		if p, err := s.WriteFile(bad, nil); err == nil {
			t.Errorf("WriteFile(%q) wrote %s", bad, p)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if err := s.Update(st); err == nil {
		t.Error("a closed session was updated")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// leave makes what a killed session leaves: a socket that nobody listens on, a
// state file, files.
func leave(t *testing.T, dir, id string, pid int) {
	t.Helper()
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, id+".report"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	ln.SetUnlinkOnClose(false)
	ln.Close()
	b, _ := json.Marshal(State{V: 1, ID: id, PID: pid, Start: 1, State: "working"})
	if err := os.WriteFile(filepath.Join(dir, id+".json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	os.MkdirAll(filepath.Join(dir, id+".d", "plugin"), 0o700)
	os.WriteFile(filepath.Join(dir, id+".d", "plugin", "x"), nil, 0o600)
}

func names(t *testing.T, dir string) string {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var ns []string
	for _, e := range es {
		ns = append(ns, e.Name())
	}
	return strings.Join(ns, " ")
}

func TestSweep(t *testing.T) {
	dir := shortDir(t)
	leave(t, dir, "11", 11)
	leave(t, dir, "12", 12)
	os.Remove(filepath.Join(dir, "12.json")) // killed before it was written
	os.WriteFile(filepath.Join(dir, "13.json"), []byte("{half"), 0o600)
	os.WriteFile(filepath.Join(dir, "14.json"), []byte(strings.Repeat("x", maxState+10)), 0o600)
	os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("keep"), 0o600)
	secret := filepath.Join(shortDir(t), "secret")
	os.WriteFile(secret, []byte(`{"v":1,"id":"15","pid":1}`), 0o600)
	os.Symlink(secret, filepath.Join(dir, "15.json"))
	if err := syscall.Mkfifo(filepath.Join(dir, "16.json"), 0o600); err != nil {
		t.Fatal(err)
	}

	// Not alive by PID and start, but it answers: another PID namespace.
	var h heard
	elsewhere, err := Open(dir, State{PID: 17, Start: 1, State: "idle"}, h.handle)
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	here, err := Open(dir, State{PID: 18, Start: 5, State: "idle"}, h.handle)
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()

	list, err := List(dir, func(pid int, start uint64) bool { return pid == 18 && start == 5 })
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	if got := strings.Join(ids, " "); got != "17 18" {
		t.Errorf("listed %q, want 17 and 18", got)
	}
	if got, want := names(t, dir), "15.json 16.json 17.json 17.report 18.json 18.report notes.txt"; got != want {
		t.Errorf("left: %s\nwant: %s", got, want)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Errorf("what a link pointed to: %v", err)
	}
	if list, err := List(filepath.Join(dir, "none"), nil); err != nil || list != nil {
		t.Errorf("no directory: %v, %v", list, err)
	}
}

func TestOpenOverStale(t *testing.T) {
	dir := shortDir(t)
	leave(t, dir, "21", 21)
	var h heard
	a, err := Open(dir, State{PID: 21, Start: 2, State: "none"}, h.handle)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if a.ID() != "21" {
		t.Errorf("ID %s", a.ID())
	}
	if _, err := os.Stat(filepath.Join(dir, "21.d")); err == nil {
		t.Error("an earlier session's files are still there")
	}
	b, err := Open(dir, State{PID: 21, Start: 3, State: "none"}, h.handle)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.ID() != "21-2" {
		t.Errorf("ID %s beside a living session", b.ID())
	}
	if err := send(t, a.Socket(), idleLine); err != nil {
		t.Error(err)
	}
	if err := send(t, b.Socket(), idleLine); err != nil {
		t.Error(err)
	}
	if _, err := Open(dir, State{}, h.handle); err == nil {
		t.Error("a session without a PID")
	}
	if _, err := Open(filepath.Join(dir, "none"), State{PID: 1}, h.handle); err == nil {
		t.Error("a session in a directory that is not there")
	}
}

// No report is handled after Close.
func TestCloseWhileReporting(t *testing.T) {
	for range 20 {
		var h heard
		s := openTest(t, &h)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for Send(s.Socket(), []byte(idleLine+"\n"), time.Second) == nil {
				}
			})
		}
		for len(h.all()) == 0 {
			time.Sleep(50 * time.Microsecond)
		}
		s.Close()
		n := len(h.all())
		wg.Wait()
		if m := len(h.all()); m != n {
			t.Fatalf("%d reports after Close", m-n)
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(idleLine))
	f.Add([]byte(`{"v":1,"from":"claude","event":{"a":1}}`))
	f.Add([]byte(`{"v":1,"from":"claude","event":{"a":1},"event":null,"state":"idle","text":"\ud800"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMessage(b)
		if err != nil {
			return
		}
		line, err := m.Line()
		if err != nil {
			if len(b) < MaxLine/8 {
				t.Errorf("%q is taken but cannot be written: %v", b, err)
			}
			return
		}
		back, err := parseMessage(line[:len(line)-1])
		if err != nil || back.State != m.State || back.Text != m.Text || back.From != m.From {
			t.Errorf("%q comes back as %+v, %v", line, back, err)
		}
	})
}

func BenchmarkSend(b *testing.B) {
	dir, err := os.MkdirTemp("/tmp", "fwrap-bench-")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := Open(dir, State{PID: os.Getpid(), State: "none"}, func(Message) {})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for b.Loop() {
		if err := Send(s.Socket(), []byte(idleLine+"\n"), time.Second); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	dir, err := os.MkdirTemp("/tmp", "fwrap-bench-")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := Open(dir, State{PID: os.Getpid(), State: "none"}, func(Message) {})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	st := s.State()
	for i := 0; b.Loop(); i++ {
		st.Title = fmt.Sprint(i)
		if err := s.Update(st); err != nil {
			b.Fatal(err)
		}
	}
}
