package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"fwrap/notify/desktop"
	"fwrap/wrap"
	"fwrap/wrap/config"
	"fwrap/wrap/update"
)

// Main runs fwrap and returns its exit status. args[0] is the name that it was
// started under; env is its environment as os.Environ gives it.
func Main(args, env []string, stdin, stdout, stderr *os.File) int {
	// Before all else: it is part of telling, and must cost nothing that it does
	// not need. The other form in which fwrap starts itself is wrap/monitor.
	if desktop.IsHelper(args) {
		return desktop.Helper()
	}
	a := &app{env: environ(env), environ: env, stdin: stdin, stdout: stdout, stderr: stderr, err: printer{stderr}}
	if len(args) == 0 {
		args = []string{"fwrap"}
	}
	if args[0] == demoAgentName {
		return a.demoAgent()
	}
	a.dirs = config.DirsOf(env, os.Getuid())
	userDir := ""
	if a.dirs.Config != "" {
		userDir = filepath.Join(a.dirs.Config, "manifests")
	}
	a.catalog = newCatalog(userDir)
	if a.dirs.Data != "" {
		a.catalog.downloaded = update.Current(filepath.Join(a.dirs.Data, "manifests"))
	}
	if code, ok := a.asAgent(args); ok {
		return code
	}
	inv, err := parse(args[1:])
	if err != nil {
		return a.usage("see fwrap --help", strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
	}
	a.flags = inv.flags
	switch {
	case inv.flags.help:
		fmt.Fprint(stdout, helpText)
		return exitOK
	case inv.flags.version:
		return a.version(nil)
	case inv.command != nil:
		return a.wrap(inv.command)
	case inv.verb == "":
		fmt.Fprint(stderr, helpText)
		return exitUsage
	}
	return a.verb(inv.verb, inv.args)
}

// app is one run of fwrap: its environment, its streams and where its files are.
type app struct {
	env     map[string]string
	environ []string
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	err     printer
	flags   wrapFlags
	dirs    config.Dirs
	catalog *catalog
	isDemo  bool // the command is the pretend agent
}

// environ turns "NAME=value" lines into a map; of a name that is there twice
// the last counts, as for a shell.
func environ(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, e := range env {
		if k, v, ok := strings.Cut(e, "="); ok {
			m[k] = v
		}
	}
	return m
}

func (a *app) getenv(name string) string { return a.env[name] }

func (a *app) verb(name string, args []string) int {
	switch name {
	case "demo":
		return a.demo(args)
	case "explain":
		return a.explain(args)
	case "record":
		return a.record(args)
	case "report":
		return a.report(args)
	case "doctor":
		return a.doctor(args)
	case "manifests":
		return a.manifestsVerb(args)
	case "completion":
		return a.completion(args)
	case "version":
		return a.version(args)
	case "help":
		return a.help(args)
	}
	// The word is taken, so that scripts which use it for a program today do
	// not change their meaning on an upgrade.
	a.err.errorf("this version of fwrap has no %s yet; the word is kept for it", name)
	a.err.hint("to run a program called %s: fwrap -- %s", name, strings.Join(append([]string{name}, args...), " "))
	return exitUsage
}

// verbFlags parses a verb's own flags. done says that the verb is over.
func (a *app) verbFlags(fs *flag.FlagSet, args []string, usage string) (done bool, code int) {
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(a.stdout, usage)
		return true, exitOK
	}
	if err != nil {
		return true, a.usage(usage, plainFlagError(err))
	}
	return false, exitOK
}

// usage says that the command line is wrong; text is the usage, of which the
// first line is shown.
func (a *app) usage(text, what string) int {
	first, _, _ := strings.Cut(text, "\n")
	a.err.errorf("%s", what)
	a.err.hint("%s", first)
	return exitUsage
}

// asAgent wraps the agent whose name fwrap was started under: a symlink
// claude -> fwrap early in PATH. The real one is the next in PATH, never fwrap.
func (a *app) asAgent(args []string) (int, bool) {
	base := filepath.Base(args[0])
	if base == "fwrap" || strings.HasPrefix(base, "fwrap") {
		return 0, false
	}
	if _, _, ok := a.catalog.forCommand(base); !ok {
		return 0, false
	}
	self, err := os.Executable()
	var me os.FileInfo
	if err == nil {
		me, err = os.Stat(self)
	}
	if err != nil {
		a.err.errorf("find fwrap's own file: %v", err)
		return exitOwn, true
	}
	path, err := wrap.LookPath(base, a.environ, func(file string) bool {
		fi, err := os.Stat(file)
		return err != nil || os.SameFile(fi, me)
	})
	if err != nil {
		a.err.errorf("%v", err)
		a.err.hint("fwrap was started as %s and found no other %s in PATH", args[0], base)
		return wrap.ExitCode(err), true
	}
	return a.wrapPath(path, append([]string{base}, args[1:]...)), true
}
