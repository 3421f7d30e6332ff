package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// verbs is the closed list of words that are not commands. A new one takes a
// program's name away from everybody, so new needs become sub-verbs.
var verbs = []string{
	"run", "demo", "list", "board", "wait", "send", "answer", "report",
	"explain", "record", "doctor", "manifests", "init", "completion",
	"version", "help",
}

func isVerb(word string) bool {
	for _, v := range verbs {
		if v == word {
			return true
		}
	}
	return false
}

// invocation is a command line of fwrap, taken apart.
type invocation struct {
	verb    string   // "" if a command is to be wrapped
	args    []string // the verb's own arguments
	command []string // the command to wrap and its arguments, untouched
	flags   wrapFlags
}

// wrapFlags are fwrap's own flags, which stand before the first word.
type wrapFlags struct {
	agent   string // --agent: the manifest to use
	name    string // --name: what the person calls this session
	config  string // --config: the configuration file
	pure    bool   // --pure: change nothing in the stream
	quiet   bool   // --no-notify: tell nothing on the desktop
	hooks   string // --hooks: auto, always or never
	sources string // --sources: which sources of the state count
	record  string // --record: the file that the session is recorded in
	help    bool
	version bool

	recordInput bool // --record-input: what is typed, too
}

// errUsage marks an error of the command line itself.
var errUsage = errors.New("usage")

// parse takes a command line apart, without the program's name. fwrap's own
// flags end at the first word; what follows a command belongs to the command,
// byte for byte (happy scans all of argv and swallows claude's --settings and
// --version).
func parse(args []string) (invocation, error) {
	var inv invocation
	fs := flag.NewFlagSet("fwrap", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	f := &inv.flags
	fs.StringVar(&f.agent, "agent", "", "")
	fs.StringVar(&f.name, "name", "", "")
	fs.StringVar(&f.config, "config", "", "")
	fs.BoolVar(&f.pure, "pure", false, "")
	fs.BoolVar(&f.quiet, "no-notify", false, "")
	fs.StringVar(&f.hooks, "hooks", "", "")
	fs.StringVar(&f.sources, "sources", "", "")
	fs.StringVar(&f.record, "record", "", "")
	fs.BoolVar(&f.recordInput, "record-input", false, "")
	fs.BoolVar(&f.version, "version", false, "")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			f.help = true
			return inv, nil
		}
		return inv, fmt.Errorf("%w: %s", errUsage, plainFlagError(err))
	}
	switch f.hooks {
	case "", "auto", "always", "never":
	default:
		return inv, fmt.Errorf("%w: --hooks is auto, always or never, not %q", errUsage, f.hooks)
	}
	if _, err := parseEvidence(f.sources); err != nil {
		return inv, fmt.Errorf("%w: %w", errUsage, err)
	}
	rest := fs.Args()
	// flag.Parse swallows "--"; it stood there if it is the last argument that
	// was consumed and was not some flag's value.
	dashes := endsInDashes(fs, args[:len(args)-len(rest)])
	if f.recordInput && f.record == "" && (len(rest) == 0 || rest[0] != "record") {
		return inv, fmt.Errorf("%w: --record-input needs --record FILE", errUsage)
	}
	if f.version || len(rest) == 0 && !dashes {
		return inv, nil
	}
	if len(rest) == 0 {
		return inv, fmt.Errorf("%w: no command after --", errUsage)
	}
	word := rest[0]
	if dashes || strings.Contains(word, "/") || !isVerb(word) {
		inv.command = rest
		return inv, nil
	}
	if word == "run" {
		rest = rest[1:]
		if len(rest) > 0 && rest[0] == "--" {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return inv, fmt.Errorf("%w: run needs a command", errUsage)
		}
		inv.command = rest
		return inv, nil
	}
	inv.verb, inv.args = word, rest[1:]
	return inv, nil
}

// endsInDashes says whether the consumed arguments end in the "--" that ends
// flags, and not in a "--" that is the value of the flag before it.
func endsInDashes(fs *flag.FlagSet, consumed []string) bool {
	for i := 0; i < len(consumed); i++ {
		a := consumed[i]
		if a == "--" {
			return true
		}
		name := strings.TrimLeft(a, "-")
		if strings.Contains(name, "=") {
			continue
		}
		if fl := fs.Lookup(name); fl != nil && !isBoolFlag(fl) {
			i++ // its value
		}
	}
	return false
}

func isBoolFlag(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// plainFlagError says in the command line's own words what package flag says
// in Go's.
func plainFlagError(err error) string {
	s := err.Error()
	if rest, ok := strings.CutPrefix(s, "flag provided but not defined: "); ok {
		return "unknown flag -" + rest
	}
	if rest, ok := strings.CutPrefix(s, "flag needs an argument: "); ok {
		return "flag -" + rest + " needs a value"
	}
	return s
}
