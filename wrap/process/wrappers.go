package process

import "strings"

// interpreter describes how to find the script in an interpreter's arguments.
type interpreter struct {
	names  string // space-separated
	valued string // options whose value is the next argument
	ends   string // options that give the program as text: there is no script
	module string // the option that names a module instead of a script
	verbs  string // a first argument that stands before the script ("run")
	shell  bool
}

// interpreters is read, never written.
var interpreters = [...]interpreter{
	{names: "node nodejs", valued: "-r --require --import --loader --experimental-loader -C --conditions --env-file --inspect-port --title --icu-data-dir --openssl-config", ends: "-e --eval -p --print -pe"},
	{names: "bun", valued: "-r --preload --cwd -c --config --env-file --conditions", ends: "-e --eval -p --print", verbs: "run x"},
	{names: "deno", valued: "-c --config --import-map --lock --cert --env-file", ends: "eval", verbs: "run"},
	{names: "tsx ts-node", valued: "-r --require --import --tsconfig -P --project", ends: "-e --eval -p --print"},
	{names: "python pypy", valued: "-W -X --check-hash-based-pycs", ends: "-c", module: "-m"},
	{names: "ruby", valued: "-I -r -C -E -W", ends: "-e"},
	{names: "perl", valued: "-I -M -m", ends: "-e -E"},
	{names: "php", valued: "-c -d -z", ends: "-r"},
	{names: "sh bash dash zsh ksh mksh ash yash osh fish nu xonsh elvish pwsh tcsh csh", valued: "-o +o -O +O --rcfile --init-file -C --init-command --config", ends: "-c", shell: true},
}

// interpreterOf finds the interpreter of that name, with or without a version
// behind it ("python3.12", "node20").
func interpreterOf(name string) (interpreter, bool) {
	name, _ = cutSuffixFold(name, ".exe")
	bare := strings.TrimRight(name, "0123456789.")
	for _, in := range interpreters {
		if hasWord(in.names, name) || bare != "" && hasWord(in.names, bare) {
			return in, true
		}
	}
	return interpreter{}, false
}

// script finds the script or the module among an interpreter's arguments.
func (in interpreter) script(args []string) (script, module string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			if i+1 < len(args) {
				return args[i+1], ""
			}
			return "", ""
		case a == "-" || a == "":
			return "", ""
		case hasWord(in.ends, a) || in.shell && isBundleWith(a, 'c'):
			return "", ""
		case in.module != "" && a == in.module:
			if i+1 < len(args) {
				return "", args[i+1]
			}
			return "", ""
		case hasWord(in.valued, a):
			i++
		case a[0] == '-' || in.shell && a[0] == '+':
		case i == 0 && hasWord(in.verbs, a):
		default:
			return a, ""
		}
	}
	return "", ""
}

// isBundleWith reports whether a is a bundle of one-letter options with c in
// it, such as "-lc".
func isBundleWith(a string, c byte) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, c) > 0
}

// isShell reports whether p is an interactive shell: one without a script or a
// command text. own is the base name of the person's own shell.
func isShell(p Process, own string) bool {
	if len(p.Args) == 0 {
		in, ok := interpreterOf(p.Comm)
		return ok && in.shell
	}
	name := base(strings.TrimPrefix(p.Args[0], "-"))
	in, ok := interpreterOf(name)
	if !ok || !in.shell {
		if own == "" || name != own {
			return false
		}
		in = interpreters[len(interpreters)-1]
	}
	for _, a := range p.Args[1:] {
		if hasWord(in.ends, a) || isBundleWith(a, 'c') {
			return false
		}
	}
	script, _ := in.script(p.Args[1:])
	return script == ""
}

// wrapper describes a program whose arguments are another command.
type wrapper struct {
	names       string
	valued      string // options whose value is the next argument
	verbs       string // the first argument must be one of these
	positionals int    // arguments before the command: timeout's duration
	assigns     bool   // NAME=VALUE arguments stand before the command
	pkg         bool   // the command is a package: "@openai/codex@latest"
}

// wrappers is read, never written.
var wrappers = [...]wrapper{
	{names: "env", valued: "-u --unset -C --chdir -S --split-string -a --argv0", assigns: true},
	{names: "sudo", valued: "-u --user -g --group -h --host -p --prompt -C --close-from -T --command-timeout -r --role -t --type -R --chroot -D --chdir -U --other-user", assigns: true},
	{names: "doas", valued: "-u -C"},
	{names: "nice", valued: "-n --adjustment"},
	{names: "ionice", valued: "-c --class -n --classdata"},
	{names: "timeout gtimeout", valued: "-k --kill-after -s --signal", positionals: 1},
	{names: "chrt", valued: "-T --sched-runtime -P --sched-period -D --sched-deadline", positionals: 1},
	{names: "taskset", positionals: 1},
	{names: "nohup setsid stdbuf time gtime catchsegv unbuffer command exec noglob", valued: "-o -f -e -i -a"},
	{names: "caffeinate", valued: "-t -w"},
	{names: "arch", valued: "-arch -d -e"},
	{names: "rlwrap", valued: "-b -C -D -f -g -H -l -M -P -q -s -S -t -w -z"},
	{names: "systemd-run", valued: "-p --property -u --unit -M --machine -H --host -E --setenv --slice --description"},
	{names: "dbus-run-session", valued: "--config-file --dbus-daemon"},
	{names: "direnv", verbs: "exec", positionals: 1},
	{names: "mise rtx", verbs: "exec x", valued: "-C --cd -E --env -j --jobs"},
	{names: "asdf nodenv pyenv rbenv", verbs: "exec"},
	{names: "volta", verbs: "run", valued: "--node --npm --yarn --pnpm"},
	{names: "npx bunx pnpx uvx", valued: "-p --package -w --workspace --from --with --python", pkg: true},
	{names: "npm", verbs: "exec x", valued: "-p --package -w --workspace", pkg: true},
	{names: "pnpm yarn", verbs: "exec dlx", valued: "-p --package -C --dir", pkg: true},
	{names: "bun", verbs: "x", pkg: true},
	{names: "uv", verbs: "run", valued: "--with --python -p --project --directory --env-file --extra --group", pkg: true},
	{names: "pipx", verbs: "run", valued: "--spec --python", pkg: true},
	{names: "ssh", valued: "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -P", positionals: 1},
}

// unwrap takes one wrapper off a command line. It returns "" when the command
// is no wrapper or has no command behind it.
func unwrap(args []string) (via string, rest []string) {
	if len(args) == 1 && strings.Contains(args[0], " ") {
		args = strings.Fields(args[0]) // a process title: "npm exec @openai/codex"
	}
	if len(args) < 2 {
		return "", nil
	}
	name := base(args[0])
	for _, w := range wrappers {
		if hasWord(w.names, name) {
			if rest := w.rest(args[1:]); len(rest) > 0 {
				return name, rest
			}
		}
	}
	// node /usr/lib/node_modules/npm/bin/npx-cli.js -y PACKAGE
	if in, ok := interpreterOf(name); ok {
		if script, _ := in.script(args[1:]); script != "" {
			cli := strings.TrimSuffix(versionless(strings.TrimSuffix(base(script), ".js")), "-cli")
			for i, a := range args[1:] {
				if a == script && !in.shell && cli != name {
					return unwrap(append([]string{cli}, args[i+2:]...))
				}
			}
		}
	}
	return "", nil
}

func (w wrapper) rest(args []string) []string {
	left := w.positionals
	verb := w.verbs == ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			// What was to come before it has come, or never will.
			if i+1 < len(args) {
				return w.clean(args[i+1:])
			}
			return nil
		case hasWord(w.valued, a):
			i++
		case len(a) > 1 && a[0] == '-':
		case !verb:
			if !hasWord(w.verbs, a) {
				return nil
			}
			verb = true
		case w.assigns && isAssignment(a):
		case left > 0:
			left--
		case strings.HasPrefix(w.names, "mise") && strings.Contains(a, "@") && !strings.HasPrefix(a, "@"):
			// mise exec node@22 -- claude
		default:
			return w.clean(args[i:])
		}
	}
	return nil
}

// clean turns a package's name into the command that it is likely to have.
func (w wrapper) clean(args []string) []string {
	if !w.pkg || len(args) == 0 {
		return args
	}
	p := args[0]
	if i := strings.LastIndexByte(p, '@'); i > 0 {
		p = p[:i]
	}
	if i := strings.Index(p, "=="); i > 0 {
		p = p[:i]
	}
	return append([]string{base(p)}, args[1:]...)
}

func isAssignment(a string) bool {
	n := strings.IndexByte(a, '=')
	if n < 1 {
		return false
	}
	for i := 0; i < n; i++ {
		c := a[i]
		if !(c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

// hasWord reports whether w is one of the space-separated words of list.
func hasWord(list, w string) bool {
	if w == "" || strings.IndexByte(w, ' ') >= 0 {
		return false
	}
	for len(list) > 0 {
		word, rest, _ := strings.Cut(list, " ")
		if word == w {
			return true
		}
		list = rest
	}
	return false
}
