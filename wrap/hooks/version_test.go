package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseVersion(t *testing.T) {
	for in, want := range map[string]string{
		"2.1.332 (Claude Code)\n":           "2.1.332",
		"codex-cli 0.171.0":                 "0.171.0",
		"v1.2.3-beta.4 x":                   "1.2.3-beta.4",
		"aider 0.86":                        "0.86",
		"opencode 1.18.33.":                 "1.18.33",
		"warning: 12 things\n3.4.5":         "3.4.5",
		"1":                                 "",
		"":                                  "",
		"a.b.c":                             "",
		"1..2":                              "",
		strings.Repeat("1.", 100) + "1":     "",
		"node v20.20.2":                     "20.20.2",
		"2026.11.30-abc":                    "2026.11.30-abc",
		"1.2.3-":                            "1.2.3",
		"\x1b[1mclaude\x1b[0m 2.0.1 - done": "2.0.1",
	} {
		if got := ParseVersion(in); got != want {
			t.Errorf("ParseVersion(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLess(t *testing.T) {
	order := []string{"0.9", "1.0.61", "1.0.62", "1.1.0-alpha.1", "1.1.0-beta.1", "1.1.0", "1.1.1", "2.1.9", "2.1.100", "10.0.0"}
	for i, a := range order {
		for j, b := range order {
			if got := Less(a, b); got != (i < j) {
				t.Errorf("Less(%s, %s) = %v", a, b, got)
			}
		}
	}
	if Less("1.0", "1.0.0") || Less("1.0.0", "1.0") {
		t.Error("1.0 and 1.0.0 are the same")
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("2.1.332 (Claude Code)", "1.2-x")
	f.Fuzz(func(t *testing.T, a, b string) {
		v, w := ParseVersion(a), ParseVersion(b)
		if v != "" && ParseVersion(v) != v {
			t.Errorf("%q gives %q, which gives %q", a, v, ParseVersion(v))
		}
		if Less(v, w) && Less(w, v) {
			t.Errorf("%q and %q are each older than the other", v, w)
		}
	})
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestVersionWithoutRunning(t *testing.T) {
	dir := t.TempDir()
	in := func(p string) string { return filepath.Join(dir, p) }
	native := writeFile(t, in("share/claude/versions/2.1.300"), "", 0o755)
	cask := writeFile(t, in("Caskroom/claude-code/2.1.301/claude"), "", 0o755)
	writeFile(t, in("lib/node_modules/@x/agent/package.json"), `{"version":"2.1.302","bin":{"claude":"bin/claude.exe"}}`, 0o644)
	npm := writeFile(t, in("lib/node_modules/@x/agent/bin/claude.exe"), "", 0o755)
	// Its platform package has no command of its own, and is not asked.
	writeFile(t, in("lib/node_modules/@x/agent-linux/package.json"), `{"version":"9.9.9"}`, 0o644)
	platform := writeFile(t, in("lib/node_modules/@x/agent-linux/claude"), "", 0o755)
	nvm := writeFile(t, in("versions/node/v22.1.0/bin/claude"), "", 0o755)
	plain := writeFile(t, in("bin/claude"), "", 0o755)
	for _, c := range []struct{ path, want string }{
		{native, "2.1.300"}, {cask, "2.1.301"}, {npm, "2.1.302"}, {platform, ""}, {nvm, ""}, {plain, ""}, {in("none"), ""},
	} {
		if got := Version(c.path); got != c.want {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
		link := in("link")
		os.Remove(link)
		if err := os.Symlink(c.path, link); err != nil {
			t.Fatal(err)
		}
		if got := Version(link); got != c.want {
			t.Errorf("a link to %s: %q, want %q", c.path, got, c.want)
		}
	}
}

func TestCache(t *testing.T) {
	dir := t.TempDir()
	c := Cache{File: filepath.Join(dir, "deep", "er", "versions.json")}
	prog := func(name, body string) string {
		return writeFile(t, filepath.Join(dir, name), "#!/bin/sh\n"+body+"\n", 0o755)
	}
	t.Setenv("FWRAP_SOCK", "/secret")
	agent := prog("agent", `echo "agent 1.2.3 $1 [$FWRAP_SOCK]" >&2; echo "agent 1.2.4 $1 [$FWRAP_SOCK]"; cat`)
	if v, ask := c.Lookup(agent); v != "" || !ask {
		t.Errorf("an unknown program: %q, %v", v, ask)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if v, err := c.Refresh(ctx, agent, "--version"); err != nil || v != "1.2.4" {
		t.Fatalf("%q, %v", v, err)
	}
	if v, ask := c.Lookup(agent); v != "1.2.4" || ask {
		t.Errorf("a known program: %q, %v", v, ask)
	}
	// By a link it is the same program.
	link := filepath.Join(dir, "link")
	os.Symlink(agent, link)
	if v, _ := c.Lookup(link); v != "1.2.4" {
		t.Errorf("by a link: %q", v)
	}
	// Changed: not known any more.
	prog("agent", `echo agent 1.2.50`)
	if v, ask := c.Lookup(agent); v != "" || !ask {
		t.Errorf("a changed program: %q, %v", v, ask)
	}
	c.Refresh(ctx, agent, "--version")
	if v, _ := c.Lookup(agent); v != "1.2.50" {
		t.Errorf("asked again: %q", v)
	}
	// The same size, another time.
	if err := os.Chtimes(agent, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	if v, _ := c.Lookup(agent); v != "" {
		t.Errorf("another time: %q", v)
	}

	// What goes wrong is remembered as well.
	for name, body := range map[string]string{"silent": "exit 0", "failing": "exit 3", "text": "echo no version here"} {
		p := prog(name, body)
		if v, err := c.Refresh(ctx, p, "--version"); err == nil {
			t.Errorf("%s: %q", name, v)
		}
		if v, ask := c.Lookup(p); v != "" || ask {
			t.Errorf("%s: %q, %v", name, v, ask)
		}
	}
	// One that says its version and then fails has said it.
	p := prog("both", "echo 5.6.7; exit 1")
	if v, _ := c.Refresh(ctx, p, "--version"); v != "5.6.7" {
		t.Errorf("%q", v)
	}

	// One that never ends is ended, with what it has started.
	p = prog("hang", "sleep 1000 & echo 1; sleep 1000")
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := c.Refresh(short, p, "--version"); err == nil {
		t.Error("a program that hangs gave a version")
	}
	if d := time.Since(start); d > 15*time.Second {
		t.Errorf("it took %v", d)
	}
	// One that floods is cut.
	p = prog("flood", "echo 7.7.7; i=0; while [ $i -lt 2000 ]; do echo "+strings.Repeat("x", 1000)+"; i=$((i+1)); done")
	if v, err := c.Refresh(ctx, p, "--version"); err != nil || v != "7.7.7" {
		t.Errorf("%q, %v", v, err)
	}

	if _, err := c.Refresh(ctx, filepath.Join(dir, "none")); err == nil {
		t.Error("a program that is not there")
	}
	if _, ask := c.Lookup(dir); ask {
		t.Error("a directory")
	}
}

func TestCacheIsBounded(t *testing.T) {
	dir := t.TempDir()
	c := Cache{File: filepath.Join(dir, "versions.json")}
	for i := range maxPrograms + 10 {
		if err := c.remember(program{Path: fmt.Sprint("/p", i), Version: "1.0"}); err != nil {
			t.Fatal(err)
		}
	}
	f := c.read()
	if len(f.Programs) != maxPrograms || f.Programs[0].Path != fmt.Sprint("/p", maxPrograms+9) {
		t.Errorf("%d programs, the first %s", len(f.Programs), f.Programs[0].Path)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	// Garbage is replaced.
	for _, junk := range []string{"", "{", `{"v":99}`, strings.Repeat("x", 2<<20)} {
		os.WriteFile(c.File, []byte(junk), 0o600)
		if err := c.remember(program{Path: "/x", Version: "2.0"}); err != nil {
			t.Fatal(err)
		}
		if f := c.read(); len(f.Programs) != 1 || f.Programs[0].Version != "2.0" {
			t.Errorf("after %.10q: %+v", junk, f)
		}
	}
	// Old answers are asked for again.
	p := writeFile(t, filepath.Join(dir, "agent"), "", 0o755)
	id, err := identify(p)
	if err != nil {
		t.Fatal(err)
	}
	id.Version, id.Asked = "3.0", time.Now().Add(-2*askAgain)
	c.remember(id)
	if v, ask := c.Lookup(p); v != "3.0" || !ask {
		t.Errorf("%q, %v", v, ask)
	}
	if err := (Cache{}).remember(id); err == nil {
		t.Error("no file, no error")
	}
}

func BenchmarkLookup(b *testing.B) {
	dir := b.TempDir()
	c := Cache{File: filepath.Join(dir, "versions.json")}
	p := filepath.Join(dir, "agent")
	os.WriteFile(p, nil, 0o755)
	id, err := identify(p)
	if err != nil {
		b.Fatal(err)
	}
	id.Version, id.Asked = "1.0", time.Now()
	if err := c.remember(id); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if v, _ := c.Lookup(p); v != "1.0" {
			b.Fatal(v)
		}
	}
}
