package process

import (
	"path"
	"strings"
)

// Commands maps command names, as manifests list them, to the agent that has
// them. Names are compared exactly, letter case included.
type Commands map[string]string

// Agent says which agent p is, and under which name. via names the wrapper in
// whose arguments the command stands ("sudo", "npx"); it is empty when p is
// the agent itself. All are empty for a process that is no known agent.
func (c Commands) Agent(p Process) (agent, name, via string) {
	args, exe, comm := p.Args, p.Exe, p.Comm
	for depth := 0; depth < maxWrappers; depth++ {
		for _, n := range names(exe, comm, args) {
			if a := c[n]; a != "" {
				return a, n, via
			}
		}
		w, rest := unwrap(args)
		if w == "" {
			break
		}
		via, args, exe, comm = w, rest, "", ""
	}
	return "", "", ""
}

// AgentOf is Agent for a command line that has not been started yet: the
// command and its arguments. Scripts are not opened.
func (c Commands) AgentOf(args []string) (agent, name, via string) {
	return c.Agent(Process{Args: args})
}

// maxWrappers bounds how many wrappers in one command line are looked through
// ("sudo nice env claude").
const maxWrappers = 6

// Name returns the best name of p: the script's for an interpreter, else the
// command's, without directory, extension, version and platform.
func Name(p Process) string {
	for _, n := range names(p.Exe, p.Comm, p.Args) {
		if n = versionless(extensionless(n)); n != "" {
			return n
		}
	}
	return p.Comm
}

// names lists the names under which a process may be known, the most telling
// first. It reads only its arguments, except that the package a node script
// belongs to is looked up beside the script.
func names(exe, comm string, args []string) []string {
	var l nameList
	if len(args) > 0 {
		arg0 := strings.TrimPrefix(args[0], "-") // a login shell's
		if in, ok := interpreterOf(base(arg0)); ok {
			script, module := in.script(args[1:])
			if script != "" {
				for _, b := range packageCommands(script) {
					l.add(b)
				}
				l.path(script)
				return l.names
			}
			if module != "" {
				l.add(module)
				first, _, _ := strings.Cut(module, ".")
				l.add(first)
				return l.names
			}
		}
		// node's process.title replaces the whole command line by one string:
		// "npm exec @openai/codex" is npm.
		if first, _, ok := strings.Cut(arg0, " "); ok && len(args) == 1 && arg0[0] != '/' {
			arg0 = first
		}
		l.path(arg0)
	}
	exe = strings.TrimSuffix(exe, " (deleted)") // replaced by an update while it runs
	if _, ok := interpreterOf(base(exe)); exe != "" && !ok {
		for _, b := range packageCommands(exe) {
			l.add(b)
		}
		l.path(exe)
	}
	if _, ok := interpreterOf(comm); comm != "" && !ok {
		l.path(strings.ReplaceAll(comm, "/", "_")) // not a path: "kworker/0:1"
	}
	return l.names
}

type nameList struct{ names []string }

func (l *nameList) add(n string) {
	if n == "" || n == "." || n == "/" {
		return
	}
	for _, have := range l.names {
		if have == n {
			return
		}
	}
	l.names = append(l.names, n)
}

// path adds the last element of p as it stands, and what is left of it
// without extension, version and platform.
func (l *nameList) path(p string) {
	b := base(p)
	l.add(b)
	bare := extensionless(b)
	l.add(bare)
	if v := versionless(bare); v != "" {
		l.add(v)
	} else {
		l.add(installedAs(p))
	}
}

var scriptExtensions = [...]string{".exe", ".cmd", ".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".pyz", ".pex", ".rb", ".sh", ".bash", ".zsh", ".AppImage"}

func extensionless(n string) string {
	for _, ext := range scriptExtensions {
		if s, ok := cutSuffixFold(n, ext); ok && s != "" {
			return s
		}
	}
	return n
}

func cutSuffixFold(s, suffix string) (string, bool) {
	if n := len(s) - len(suffix); n >= 0 && strings.EqualFold(s[n:], suffix) {
		return s[:n], true
	}
	return s, false
}

func base(p string) string {
	if p == "" {
		return ""
	}
	return path.Base(p)
}

// versionless removes from a name what packagers put around it: a version
// ("codex-0.171.0"), a platform ("codex-x86_64-unknown-linux-musl"), nix's
// ".claude-wrapped", a shim's "claude.real". It returns "" when nothing but a
// version is there: Claude Code's own installer names the binary "2.1.332".
func versionless(n string) string {
	if s, ok := strings.CutPrefix(n, "."); ok {
		if s, ok = strings.CutSuffix(strings.TrimRight(s, "_"), "-wrapped"); ok {
			n = s
		}
	}
	for _, suffix := range [...]string{"-unwrapped", ".real", "-real", ".orig", ".bin", "-bin", "_bin"} {
		if s, ok := strings.CutSuffix(n, suffix); ok && s != "" {
			n = s
			break
		}
	}
	if isVersion(n) {
		return ""
	}
	// From the left: the first separator after which everything is versions
	// and platform words.
	for i := 1; i < len(n); i++ {
		if isSeparator(n[i]) && allQualifiers(n[i+1:]) {
			return n[:i]
		}
	}
	return n
}

func isSeparator(c byte) bool { return c == '-' || c == '_' || c == '@' }

func allQualifiers(s string) bool {
	if s == "" {
		return false
	}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '@' || r == '+' }) {
		if !isVersion(w) && !isPlatformWord(w) {
			return false
		}
	}
	return true
}

// isVersion reports whether w is a version: digits and dots after an optional
// v, with a pre-release tail at most.
func isVersion(w string) bool {
	w = strings.TrimPrefix(w, "v")
	if w == "" || w[0] < '0' || w[0] > '9' {
		return false
	}
	for i := 0; i < len(w); i++ {
		c := w[i]
		if c >= '0' && c <= '9' || c == '.' {
			continue
		}
		return (c == '-' || c == '+') && isPlatformWord(strings.TrimRight(w[i+1:], "0123456789."))
	}
	return true
}

func isPlatformWord(w string) bool {
	switch w {
	case "x86", "x86_64", "x64", "amd64", "aarch64", "arm64", "armv7", "universal", "universal2",
		"unknown", "pc", "apple", "linux", "darwin", "macos", "gnu", "musl", "glibc", "baseline", "modern",
		"alpha", "beta", "rc", "dev", "next", "canary", "preview", "nightly", "latest", "stable":
		return true
	}
	if p, _, ok := strings.Cut(w, "."); ok { // "alpha.3"
		return isPlatformWord(p)
	}
	return false
}

// installedAs names a binary whose own name is a version after the directory
// that keeps the versions: ".../claude/versions/2.1.332" is claude.
func installedAs(p string) string {
	dir := path.Dir(p)
	switch base(dir) {
	case "versions", "version", "releases":
		dir = path.Dir(dir)
	}
	if b := base(dir); dir != p && !isVersion(b) {
		return b
	}
	return ""
}
