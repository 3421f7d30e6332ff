package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// The test binary stands in for agents, interpreters and wrappers: linked
// under another name it says that it is there and waits for a line.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "claude", "node", "assistant", "2.1.332", "codex", "viewer":
		fmt.Println("ready", filepath.Base(os.Args[0]), os.Getpid())
		bufio.NewReader(os.Stdin).ReadString('\n')
		os.Exit(0)
	case "parent", "leaver": // starts the command given, in its own group
		cmd := exec.Command(os.Args[1], os.Args[2:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			fmt.Println("start:", err)
			os.Exit(1)
		}
		if filepath.Base(os.Args[0]) == "parent" {
			cmd.Wait()
		}
		os.Exit(0)
	case "becomes": // executes the command given
		fmt.Println("ready becomes", os.Getpid())
		bufio.NewReader(os.Stdin).ReadString('\n')
		err := syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
		fmt.Println("exec:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// terminal is a pty with an interactive POSIX shell on it.
type terminal struct {
	t      *testing.T
	master *os.File
	shell  int
	dir    string

	mu  sync.Mutex
	out strings.Builder
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"claude", "node", "codex", "viewer", "parent", "leaver", "becomes"} {
		if err := os.Symlink(self, filepath.Join(dir, n)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/bin/sh", "-i")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "PS1=prompt> ", "TERM=dumb", "HOME=" + dir, "ENV=",
		"GORACE=atexit_sleep_ms=0"} // or every stand-in takes a second to end under -race
	master, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, master: master, shell: cmd.Process.Pid, dir: dir}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			x.mu.Lock()
			x.out.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		if pgid, err := Master(master)(); err == nil {
			syscall.Kill(-pgid, syscall.SIGKILL)
		}
		cmd.Process.Kill()
		cmd.Wait()
		master.Close()
		<-done
	})
	return x
}

func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}

func (x *terminal) typ(s string) {
	x.t.Helper()
	if _, err := x.master.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

// await looks until the foreground is as wanted.
func (x *terminal) await(w *Watcher, what string, want func(Foreground) bool) Foreground {
	x.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		fg := w.Look()
		if want(fg) {
			return fg
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("no %s; foreground is %+v; output:\n%s", what, fg, x.output())
		}
		time.Sleep(time.Millisecond)
	}
}

// ready waits until the stand-in called name has said that it runs, and
// returns its PID.
func (x *terminal) ready(name string) int {
	x.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		if _, rest, ok := strings.Cut(x.output(), "ready "+name+" "); ok {
			if n, _, ok := strings.Cut(rest, "\r\n"); ok {
				pid, err := strconv.Atoi(n)
				if err != nil {
					x.t.Fatal(err)
				}
				return pid
			}
		}
		time.Sleep(time.Millisecond)
	}
	x.t.Fatalf("%s did not start; output:\n%s", name, x.output())
	return 0
}

func isAgent(name string) func(Foreground) bool {
	return func(f Foreground) bool { return f.Role == Agent && f.Agent == name }
}

func isRole(r Role) func(Foreground) bool {
	return func(f Foreground) bool { return f.Role == r }
}

func TestShellThenAgentThenShell(t *testing.T) {
	x := openTerminal(t)
	w := NewWatcher(Master(x.master), known, "")
	fg := x.await(w, "shell", isRole(Shell))
	if fg.PID != x.shell || fg.PGID != x.shell {
		t.Errorf("shell: %+v, want PID %d", fg, x.shell)
	}

	x.typ("claude --resume\n")
	fg = x.await(w, "claude", isAgent("claude"))
	if pid := x.ready("claude"); fg.PID != pid {
		t.Errorf("PID %d, want %d", fg.PID, pid)
	}
	if fg.Name != "claude" || fg.Via != "" || fg.Start == 0 {
		t.Errorf("claude: %+v", fg)
	}
	if again := w.Look(); again != fg {
		t.Errorf("the same program gives %+v, then %+v", fg, again)
	}
	if alive, stopped := Alive(fg.PID, fg.Start); !alive || stopped {
		t.Errorf("alive %v stopped %v", alive, stopped)
	}
	if alive, _ := Alive(fg.PID, fg.Start+1); alive {
		t.Error("alive although the start stamp is another's")
	}

	// Ctrl-Z: the shell is back in front, the agent is still there.
	x.typ("\x1a")
	x.await(w, "shell after ^Z", isRole(Shell))
	if alive, stopped := Alive(fg.PID, fg.Start); !alive || !stopped {
		t.Errorf("suspended: alive %v stopped %v", alive, stopped)
	}
	x.typ("fg\n")
	back := x.await(w, "claude after fg", isAgent("claude"))
	if back != fg {
		t.Errorf("after fg %+v, before %+v", back, fg)
	}

	x.typ("\n")
	x.await(w, "shell at the end", isRole(Shell))
	deadline := time.Now().Add(10 * time.Second)
	for {
		if alive, _ := Alive(fg.PID, fg.Start); !alive {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the agent never ends")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestScriptsAndLinks(t *testing.T) {
	x := openTerminal(t)
	versions := filepath.Join(x.dir, "share", "claude", "versions")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	native := filepath.Join(versions, "2.1.332")
	if err := os.Link(self, native); err != nil { // the build directory may be on another file system
		b, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(native, b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(native, filepath.Join(x.dir, "assistant")); err != nil {
		t.Fatal(err)
	}
	w := NewWatcher(Master(x.master), known, "")
	for _, c := range []struct{ line, agent string }{
		{"node --no-warnings /usr/lib/node_modules/x/gemini.js", "gemini"},
		{native, "claude"},
		{"assistant", "claude"}, // a link of another name: known by the executable
		{"env A=1 nice codex", "codex"},
	} {
		x.await(w, "shell", isRole(Shell))
		x.typ(c.line + "\n")
		fg := x.await(w, c.line, isAgent(c.agent))
		if fg.Name != c.agent {
			t.Errorf("%s: name %q", c.line, fg.Name)
		}
		x.typ("\n")
	}
	x.await(w, "shell", isRole(Shell))
	x.typ("viewer claude\n")
	fg := x.await(w, "viewer", isRole(Other))
	if fg.Name != "viewer" {
		t.Errorf("viewer claude: %+v", fg)
	}
}

// A wrapper that stays in front of the agent (a shell script without exec,
// npx, a version manager's shim).
func TestAgentIsChildOfWrapper(t *testing.T) {
	x := openTerminal(t)
	w := NewWatcher(Master(x.master), known, "")
	x.await(w, "shell", isRole(Shell))
	x.typ("parent claude\n")
	pid := x.ready("claude")
	fg := x.await(w, "claude below parent", isAgent("claude"))
	if fg.PID != pid || fg.PGID == pid {
		t.Errorf("%+v, want PID %d in its parent's group", fg, pid)
	}
	x.typ("\n")
	x.await(w, "shell", isRole(Shell))
}

// The group's leader has ended, a member lives: "cat notes | claude".
func TestLeaderGone(t *testing.T) {
	x := openTerminal(t)
	w := NewWatcher(Master(x.master), known, "")
	x.await(w, "shell", isRole(Shell))
	x.typ("true | claude\n") // claude's stdin is at its end: hold it by another
	x.await(w, "shell", isRole(Shell))
	x.typ("true | parent viewer | cat </dev/tty | codex\n")
	fg := x.await(w, "codex in a pipeline whose leader is gone", func(f Foreground) bool {
		_, err := stat(f.PGID)
		return isAgent("codex")(f) && err != nil
	})
	if fg.PID == fg.PGID {
		t.Errorf("%+v: the leader should be gone", fg)
	}
	x.typ("\n\n\x04")
	x.await(w, "shell", isRole(Shell))
}

// execve keeps PID and start time, so the answer must not be kept by them.
func TestExecIsNoticed(t *testing.T) {
	x := openTerminal(t)
	w := NewWatcher(Master(x.master), known, "")
	x.await(w, "shell", isRole(Shell))
	x.typ("becomes " + filepath.Join(x.dir, "claude") + "\n")
	x.ready("becomes")
	fg := x.await(w, "becomes", isRole(Other))
	x.typ("\n")
	got := x.await(w, "claude after exec", isAgent("claude"))
	if got.PID != fg.PID || got.Start != fg.Start {
		t.Errorf("exec changed the process: %+v to %+v", fg, got)
	}
}

func TestHangUp(t *testing.T) {
	x := openTerminal(t)
	w := NewWatcher(Master(x.master), known, "")
	x.await(w, "shell", isRole(Shell))
	syscall.Kill(x.shell, syscall.SIGKILL)
	x.await(w, "end", isRole(Gone))

	r, wr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer wr.Close()
	defer r.Close()
	if fg := NewWatcher(Master(r), known, "").Look(); fg.Role != Gone {
		t.Errorf("a pipe: %+v", fg)
	}
	r.Close()
	if fg := NewWatcher(Master(r), known, "").Look(); fg.Role != Gone {
		t.Errorf("a closed file: %+v", fg)
	}
}

func TestSelfAndLookup(t *testing.T) {
	pid, start := Self()
	if pid != os.Getpid() || start == 0 {
		t.Fatalf("Self() = %d, %d", pid, start)
	}
	p, err := Lookup(pid)
	if err != nil {
		t.Fatal(err)
	}
	if p.PPID != os.Getppid() || p.PGID != syscall.Getpgrp() || p.Start != start {
		t.Errorf("%+v", p)
	}
	if len(p.Args) != len(os.Args) || p.Args[0] != os.Args[0] {
		t.Errorf("arguments %q, want %q", p.Args, os.Args)
	}
	if p.Exe == "" {
		t.Error("no executable")
	}
	cmd := exec.Command("/bin/sh", "-c", "exit 0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for { // a zombie, until it is waited for
		if _, err := Lookup(cmd.Process.Pid); err == ErrGone {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a zombie is not gone")
		}
		time.Sleep(time.Millisecond)
	}
	cmd.Wait()
	for _, pid := range []int{0, -1, 1 << 30} {
		if _, err := Lookup(pid); err != ErrGone {
			t.Errorf("Lookup(%d): %v", pid, err)
		}
	}
}

func BenchmarkLook(b *testing.B) {
	pid := os.Getpid()
	p, err := Lookup(pid)
	if err != nil {
		b.Fatal(err)
	}
	group := func() (int, error) { return p.PGID, nil }
	b.Run("agent", func(b *testing.B) {
		leader, err := Lookup(p.PGID)
		if err != nil {
			b.Fatal(err)
		}
		w := NewWatcher(group, Commands{Name(leader): "x"}, "")
		if fg := w.Look(); fg.Role != Agent {
			b.Fatalf("%+v", fg)
		}
		for b.Loop() {
			w.Look()
		}
	})
	b.Run("other", func(b *testing.B) {
		w := NewWatcher(group, known, "")
		for b.Loop() {
			w.Look()
		}
	})
	b.Run("scan", func(b *testing.B) {
		w := NewWatcher(group, known, "")
		for b.Loop() {
			w.fg = Foreground{}
			w.Look()
		}
	})
}
