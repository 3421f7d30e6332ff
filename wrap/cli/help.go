package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"fwrap/detect/manifest"
)

const helpText = `usage: fwrap [flags] COMMAND [ARG...]
       fwrap VERB [flags] [ARG...]

Run a coding agent exactly as without fwrap, and be told when it waits for you
(a permission, a question) or has finished: a desktop notification and the
window title.

fwrap's flags end at the first word; every ARG reaches the command untouched.
A word below is a verb; fwrap -- COMMAND, fwrap run COMMAND and a path with a
slash are always a command.

Flags
  --agent NAME     use this agent's rules (else the command's name decides)
  --name TEXT      call the session TEXT in notifications and the title
  --no-notify      no notifications; the title still shows the state
  --pure           change nothing in the stream: no title, no sequence
  --config FILE    use this configuration file
  --record FILE    record the session, without what you type; see fwrap record
  --hooks WORD     auto, always or never: make the agent report by hooks, for this
                   launch; auto: Claude Code before 2.1.295
  --sources LIST   what counts: screen, 7501, hook, process (all)
  --version, --help

Verbs
  demo             try fwrap with a pretend agent
  explain FILE     what state a recording or a screen shows, and why
  report STATE     say to the fwrap around this script what it does
  record FILE COMMAND
                   run a command and record its session (asciicast)
  doctor           what fwrap finds here, and what to do if you are not told
  manifests        list, show, test the rules
  completion SHELL print completions for bash, zsh or fish
  version, help

Files
  ~/.config/fwrap/config.toml           the configuration, optional
  ~/.config/fwrap/manifests/AGENT.toml  your own rules, optional
FWRAP_LOG=FILE logs what fwrap does; it never logs what you type.

Exit status: the command's own. 125 fwrap failed, 126 the command cannot be run,
127 it was not found. Verbs: 0 yes, 1 no or failed, 2 wrong usage.
`

func (a *app) help(args []string) int {
	if len(args) > 0 && isVerb(args[0]) && args[0] != "help" {
		return a.verb(args[0], []string{"--help"})
	}
	fmt.Fprint(a.stdout, helpText)
	return exitOK
}

func (a *app) version(args []string) int {
	if len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
		fmt.Fprintln(a.stdout, "usage: fwrap version")
		return exitOK
	}
	newest := ""
	for _, n := range a.catalog.names() {
		if h, ok := a.catalog.head(n); ok && strings.Compare(h.Version, newest) > 0 {
			newest = h.Version
		}
	}
	fmt.Fprintf(a.stdout, "fwrap %s (%s %s/%s, manifests %s, schema %d)\n", buildVersion(),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, newest, manifest.Schema)
	return exitOK
}

// buildVersion is fwrap's own version.
func buildVersion() string {
	if bi, ok := debug.ReadBuildInfo(); ok && bi.Main.Version != "" {
		return bi.Main.Version
	}
	return "(devel)"
}
