package wrap

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestLookPath(t *testing.T) {
	root := t.TempDir()
	write := func(name string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("exit 0\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("a/tool", 0o755)
	write("b/tool", 0o755)
	write("a/plain", 0o644)
	write("b/plain", 0o755)
	write("a/only", 0o644)
	write("a/dir/x", 0o755)
	write("here", 0o755)
	t.Chdir(root)
	path := "PATH=" + root + "/a:" + root + "/none:" + root + "/a/tool:" + root + "/b:"
	for _, tt := range []struct {
		name string
		env  []string
		skip func(string) bool
		want string // below root, or as it is if it begins with "."
		code int
	}{
		{"tool", []string{path}, nil, "a/tool", 0},
		{"tool", []string{path}, func(p string) bool { return strings.Contains(p, "/a/") }, "b/tool", 0},
		{"tool", []string{"PATH=" + root + "/b", path}, nil, "b/tool", 0},
		{"plain", []string{path}, nil, "b/plain", 0},
		{"only", []string{path}, nil, "", ExitCannot},
		{"dir", []string{path}, nil, "", ExitNotFound},
		{"here", []string{path}, nil, "./here", 0}, // by the empty element at the end
		{"here", []string{"PATH=" + root + "/a"}, nil, "", ExitNotFound},
		{"./here", nil, nil, "./here", 0},
		{"./none", nil, nil, "", ExitNotFound},
		{"a/plain", nil, nil, "", ExitCannot},
		{"./a", nil, nil, "", ExitCannot},
		{"./here/x", nil, nil, "", ExitCannot},
		{"", []string{path}, nil, "", ExitNotFound},
		{"sh", nil, nil, "/bin/sh", 0},
	} {
		got, err := LookPath(tt.name, tt.env, tt.skip)
		want := tt.want
		if want != "" && want[0] != '.' && want[0] != '/' {
			want = filepath.Join(root, want)
		}
		if got != want || ExitCode(err) != tt.code {
			t.Errorf("LookPath(%q, %q) = %q, %v (%d); want %q, %d", tt.name, tt.env, got, err, ExitCode(err), want, tt.code)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
		text string
	}{
		{nil, 0, ""},
		{errors.New("x"), ExitFailure, "x"},
		{&ExecError{"x", errNotInPath}, ExitNotFound, "x: command not found"},
		{&ExecError{"x", syscall.ENOENT}, ExitNotFound, "x: no such file or directory"},
		{&ExecError{"x", syscall.EACCES}, ExitCannot, "x: cannot execute: permission denied"},
	} {
		if got := ExitCode(tt.err); got != tt.want {
			t.Errorf("ExitCode(%v) = %d, want %d", tt.err, got, tt.want)
		}
		if tt.err != nil && tt.err.Error() != tt.text {
			t.Errorf("got %q, want %q", tt.err, tt.text)
		}
	}
}

func TestStatusOf(t *testing.T) {
	if got := statusOf(7 << 8); got != (Status{Code: 7}) || got.ExitCode() != 7 {
		t.Errorf("exit 7 is %+v", got)
	}
	if got := statusOf(15); got != (Status{Signal: syscall.SIGTERM}) || got.ExitCode() != 143 {
		t.Errorf("SIGTERM is %+v", got)
	}
}

func TestQueue(t *testing.T) {
	var q queue
	if !q.put([]byte("a")) || !q.put([]byte("b")) || q.put(make([]byte, maxQueued-1)) {
		t.Error("put")
	}
	if got := string(q.take()); got != "ab" || !q.empty() {
		t.Errorf("take gives %q", got)
	}
	if !q.put(make([]byte, maxQueued)) || q.put([]byte("x")) {
		t.Error("the bound is not kept")
	}
	if got := q.close(); len(got) != maxQueued || q.put([]byte("x")) {
		t.Error("close")
	}
}

func TestTitlePrefixIsClean(t *testing.T) {
	var s Session
	for in, want := range map[string]string{
		"● ":                       "● ",
		"a\x1b]0;\a\u009cb\xff":    "a]0;b",
		strings.Repeat("x", 40):    strings.Repeat("x", maxPrefix),
		strings.Repeat("●", 11)[:]: strings.Repeat("●", 10),
		"":                         "",
	} {
		s.SetTitlePrefix(in)
		if got := *s.out.prefix.Load(); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
