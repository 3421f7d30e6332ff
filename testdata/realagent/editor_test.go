package realagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fwrap/testdata/agents"
	"fwrap/testdata/notifyspy"
)

// rpc is a JSON-RPC message from the adapter.
type rpc struct {
	at     time.Time // when the editor read it
	line   string
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID string
		Message   string
		Options   []struct{ OptionID, Kind string }
		Update    struct {
			State, Content json.RawMessage // State is a string, but of a subagent_update an object
			StopReason     string
		}
	}
	Result struct {
		ProtocolVersion int
		SessionID       string
		StopReason      string
	}
	Error *struct{ Message string }
}

// editor plays an ACP client that has fwrap, and so the adapter, on pipes.
type editor struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	copy string // directory of what passed at the adapter's side
	log  *journal
	bus  *notifyspy.Bus

	sent   bytes.Buffer
	nextID int
	asks   int // questions that were told
	seen   int // messages up to the last one awaited

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at each message
	out     bytes.Buffer
	err     bytes.Buffer
	said    []rpc
	over    chan struct{} // closed at the end of output
	exited  chan struct{}
}

// edit starts fwrap with the adapter, as an editor does.
func edit(t *testing.T, h agents.Home, env ...string) *editor {
	t.Helper()
	e := &editor{t: t, copy: t.TempDir(), changed: make(chan struct{}), over: make(chan struct{}), exited: make(chan struct{})}
	bus, err := notifyspy.Start(e.copy, notifyspy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	e.bus = bus
	var log string
	e.log, log = newJournal(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, adapter)); err != nil {
		t.Fatal(err)
	}
	e.cmd = exec.Command(fwrapBin, "--config="+quick(t), adapter)
	e.cmd.Dir = h.Project
	e.cmd.Env = append(append(h.Env, log, "DBUS_SESSION_BUS_ADDRESS="+bus.Address(),
		"PATH="+bin+":"+os.Getenv("PATH"), tapEnv+"="+e.copy+":"+agents.Bin(t, adapter)), env...)
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	// Pipes of our own: Wait is called while they are still read.
	out, outTo, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	e.cmd.Stdout, e.cmd.Stderr = outTo, locked{e}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	outTo.Close()
	go e.read(out)
	go func() {
		defer close(e.exited)
		e.cmd.Wait()
	}()
	t.Cleanup(func() {
		e.cmd.Process.Kill()
		e.in.Close()
		<-e.exited
		<-e.over
		if t.Failed() {
			for _, c := range bus.Calls() {
				t.Logf("bus: %s %s id=%d replaces=%d %q %q", c.At.Format("15:04:05.000"), c.Method, c.ID, c.Replace, c.Summary, c.Body)
			}
			t.Logf("standard error:\n%s", e.err.String())
			for _, m := range e.said {
				t.Logf("%s %.400s", m.at.Format("15:04:05.000"), m.line)
			}
		}
	})
	return e
}

// locked collects standard error.
type locked struct{ *editor }

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err.Write(p)
}

// read reads what the adapter says until it says no more.
func (e *editor) read(from io.ReadCloser) {
	defer close(e.over)
	defer from.Close()
	buf := make([]byte, 64<<10)
	var rest []byte
	for {
		n, err := from.Read(buf)
		e.mu.Lock()
		e.out.Write(buf[:n])
		rest = append(rest, buf[:n]...)
		for {
			line, after, ok := bytes.Cut(rest, []byte("\n"))
			if !ok {
				break
			}
			m := rpc{at: time.Now(), line: string(line)}
			if err := json.Unmarshal(line, &m); err != nil {
				e.t.Errorf("not of the protocol: %q: %v", line, err)
			}
			e.said, rest = append(e.said, m), after
		}
		close(e.changed)
		e.changed = make(chan struct{})
		e.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await returns the first message that is wanted since the last one awaited.
func (e *editor) await(what string, want func(rpc) bool) rpc {
	e.t.Helper()
	timeout := time.After(limit)
	for {
		e.mu.Lock()
		said, changed := e.said, e.changed
		e.mu.Unlock()
		for i := e.seen; i < len(said); i++ {
			if want(said[i]) {
				e.seen = i + 1
				return said[i]
			}
		}
		select {
		case <-changed:
		case <-e.over:
			e.t.Fatalf("no %s, but the end of output", what)
		case <-timeout:
			e.t.Fatalf("no %s within %v", what, limit)
		}
	}
}

// result awaits the answer to a request of the editor's.
func (e *editor) result(id int) rpc {
	e.t.Helper()
	return e.await(fmt.Sprintf("answer to %d", id), func(m rpc) bool { return m.Method == "" && string(m.ID) == strconv.Itoa(id) })
}

// asked awaits a request of the adapter's.
func (e *editor) asked(method string) rpc {
	e.t.Helper()
	return e.await(method, func(m rpc) bool { return m.Method == method && m.ID != nil })
}

// write sends bytes to the adapter, in two pieces.
func (e *editor) write(s string) {
	e.t.Helper()
	e.sent.WriteString(s)
	for _, piece := range []string{s[:len(s)/2], s[len(s)/2:]} {
		if _, err := io.WriteString(e.in, piece); err != nil {
			e.t.Fatal(err)
		}
	}
}

// request sends a request, with spaces that nobody else would put.
func (e *editor) request(method, params string) (id int) {
	e.t.Helper()
	id = e.nextID
	e.nextID++
	e.write(fmt.Sprintf(`{ "id" : %d,"method":%q  ,"params": %s, "jsonrpc":"2.0" }`+"\n", id, method, params))
	return id
}

// prompt sends a prompt that names a scenario to a session.
func (e *editor) prompt(session, scenario string) (id int) {
	e.t.Helper()
	return e.request("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"SCN:%s \u2014 please"}]}`, session, scenario))
}

func (e *editor) answer(m rpc, result string) {
	e.t.Helper()
	e.write(fmt.Sprintf(`{"jsonrpc":"2.0", "id":%s, "result":%s}`+"\n", m.ID, result))
}

// choose answers a request for a permission by the kind of the option.
func (e *editor) choose(m rpc, kind string) {
	e.t.Helper()
	for _, o := range m.Params.Options {
		if o.Kind == kind {
			e.answer(m, fmt.Sprintf(`{"outcome":{"outcome":"selected","optionId":%q}}`, o.OptionID))
			return
		}
	}
	e.t.Fatalf("no option %s in %s", kind, m.line)
}

func (e *editor) cancel(session string) {
	e.t.Helper()
	e.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`+"\n", session))
}

// open opens a session.
func (e *editor) open(dir string) (session string) {
	e.t.Helper()
	m := e.result(e.request("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, dir)))
	if m.Result.SessionID == "" {
		e.t.Fatalf("no session: %s", m.line)
	}
	return m.Result.SessionID
}

// state awaits a state, as fwrap sees it.
func (e *editor) state(want string) {
	e.t.Helper()
	timeout := time.After(10 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for e.log.now() != want {
		select {
		case <-tick.C:
		case <-timeout:
			e.t.Fatalf("no state %s within 10 s, but %s", want, e.log.now())
		}
	}
}

// questions are the notices that say that the person is waited for.
func (e *editor) questions() (list []notifyspy.Call) {
	for _, c := range notices(e.bus) {
		if !strings.HasPrefix(c.Body, "Finished") && !strings.HasPrefix(c.Body, "Failed") {
			list = append(list, c)
		}
	}
	return list
}

// told awaits a notice of m, a question. It has to come within two seconds, to
// be the only new one, and to say all of it.
func (e *editor) told(m rpc, all ...string) {
	e.t.Helper()
	e.asks++
	if !e.bus.Wait(10*time.Second, func() bool { return len(e.questions()) >= e.asks }) {
		e.t.Fatalf("%d notices of questions, want %d", len(e.questions()), e.asks)
	}
	c := e.questions()[e.asks-1]
	late := c.At.Sub(m.at)
	e.t.Logf("told %v after it was asked: %q %q", late.Round(time.Millisecond), c.Summary, c.Body)
	if late > 2*time.Second {
		e.t.Errorf("told %v after it was asked, want within 2 s", late)
	}
	for _, s := range append(all, "orchard") {
		if !strings.Contains(c.Summary+"\n"+html.UnescapeString(c.Body), s) {
			e.t.Errorf("the notice does not say %q: %q %q", s, c.Summary, c.Body)
		}
	}
}

// withdrawn waits until no notice is shown.
func (e *editor) withdrawn() {
	e.t.Helper()
	if !e.bus.Wait(5*time.Second, func() bool { return len(e.bus.Shown()) == 0 }) {
		e.t.Error("a notice is still shown of what is over")
	}
}

// finished awaits the notice of a long turn's end, the nth of all notices, and
// sees that no other follows.
func (e *editor) finished(n int) {
	e.t.Helper()
	if !e.bus.Wait(10*time.Second, func() bool { return len(notices(e.bus)) >= n }) {
		e.t.Fatalf("%d notices, want %d", len(notices(e.bus)), n)
	}
	c := notices(e.bus)[n-1]
	e.t.Logf("told: %q %q", c.Summary, c.Body)
	if !strings.HasPrefix(c.Body, "Finished") || !strings.Contains(c.Summary, "orchard") {
		e.t.Errorf("%q %q does not tell of the turn's end", c.Summary, c.Body)
	}
	quiet(e.t, e.bus, n, 4*time.Second)
}

// end waits for the end and checks the status; that what passed is the same to
// the byte on either side of fwrap; that there was no notice too many, and none
// is left.
func (e *editor) end(status int, sig syscall.Signal) {
	e.t.Helper()
	select {
	case <-e.exited:
	case <-time.After(limit):
		e.t.Fatal("fwrap does not end")
	}
	<-e.over
	ws := e.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if sig != 0 && (!ws.Signaled() || ws.Signal() != sig) || sig == 0 && ws.ExitStatus() != status {
		e.t.Errorf("ended with %v, want status %d, signal %d", e.cmd.ProcessState, status, sig)
	}
	for name, got := range map[string][]byte{"in": e.sent.Bytes(), "out": e.out.Bytes(), "err": e.err.Bytes()} {
		passed, err := os.ReadFile(filepath.Join(e.copy, name))
		if err != nil {
			e.t.Fatal(err)
		}
		if !bytes.Equal(passed, got) {
			i := 0
			for i < len(passed) && i < len(got) && passed[i] == got[i] {
				i++
			}
			e.t.Errorf("%s: %d bytes at the adapter's side, %d at the editor's, different from %d: %.200q and %.200q",
				name, len(passed), len(got), i, passed[i:], got[i:])
			continue
		}
		e.t.Logf("%s: %d bytes at either side", name, len(got))
	}
	if got := e.questions(); len(got) != e.asks {
		e.t.Errorf("%d notices of questions, want %d", len(got), e.asks)
	}
	e.withdrawn()
}

// went checks what the states were, from the start to the end.
func (e *editor) went(states ...string) {
	e.t.Helper()
	if got := e.log.states(0); !slices.Equal(got, states) {
		e.t.Errorf("states\n%q, want\n%q", got, states)
	}
}

// begun awaits the first words of a gated turn.
func (e *editor) begun(session string) {
	e.t.Helper()
	e.await("first words", func(m rpc) bool {
		return m.Params.SessionID == session && strings.Contains(string(m.Params.Update.Content), "begun")
	})
}

// kill kills the adapter.
func (e *editor) kill() {
	e.t.Helper()
	b, err := os.ReadFile(filepath.Join(e.copy, "pid"))
	if err != nil {
		e.t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		e.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		e.t.Fatal(err)
	}
}
