package cli

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"fwrap/detect/manifest"
)

const manifestsUsage = `usage: fwrap manifests list | show AGENT | test [AGENT|FILE ...] | check | update

The rules by which fwrap reads an agent's screen, one TOML file for each agent.

  list        all agents, where their rules come from, the versions checked
  show AGENT  the manifest as it is used, on standard output
  test        run the examples inside the manifests: of all agents, of the named
              ones, or of a file; prints what fails, exit status 1
  check       read all there are, built-in, downloaded and your own, each by
              itself, and run their examples
  update      fetch newer rules from the address in the configuration; what is not
              signed with the key there is refused. --rollback goes back to the
              rules before the last update, and once more forth
`

func (a *app) manifestsVerb(args []string) int {
	fs := flag.NewFlagSet("manifests", flag.ContinueOnError)
	if done, code := a.verbFlags(fs, args, manifestsUsage); done {
		return code
	}
	rest := fs.Args()
	if len(rest) == 0 {
		return a.usage(manifestsUsage, "manifests needs a word: list, show, test, check or update")
	}
	switch sub, rest := rest[0], rest[1:]; sub {
	case "list":
		return a.manifestsList()
	case "show":
		if len(rest) != 1 {
			return a.usage(manifestsUsage, "manifests show needs one agent")
		}
		return a.manifestsShow(rest[0])
	case "test":
		return a.manifestsTest(rest)
	case "check":
		if len(rest) != 0 {
			return a.usage(manifestsUsage, "manifests check takes nothing; for one agent or file: manifests test")
		}
		return a.manifestsCheck()
	case "update":
		return a.manifestsUpdate(rest)
	default:
		return a.usage(manifestsUsage, fmt.Sprintf("manifests has no %q", sub))
	}
}

func (a *app) manifestsList() int {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "AGENT\tVERSION\tCOMMANDS\tCHECKED WITH\tFROM")
	code := exitOK
	for _, name := range a.catalog.names() {
		builtin, user, userFile, err := a.catalog.source(name)
		if err != nil {
			a.err.errorf("%v", err)
			code = exitNegative
			continue
		}
		from := "built-in"
		if a.catalog.isDownload(name) {
			from = "downloaded"
		}
		switch {
		case user != nil && builtin != nil && manifest.Extends(user):
			from = userFile + " over " + from
		case user != nil:
			from = userFile
		}
		m, err := a.catalog.load(name)
		if err != nil {
			a.err.errorf("%v", err)
			code = exitNegative
		}
		if m == nil {
			continue
		}
		checked := strings.Join(m.CheckedWith, " ")
		if checked == "" {
			checked = "unverified"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", name, m.Version, strings.Join(m.Commands, " "), checked, from)
	}
	w.Flush()
	return code
}

func (a *app) manifestsShow(agent string) int {
	builtin, user, userFile, err := a.catalog.source(agent)
	if err != nil {
		a.err.errorf("%v", err)
		a.err.hint("the agents are: %s", strings.Join(a.catalog.names(), " "))
		return exitNegative
	}
	if user != nil {
		fmt.Fprintf(a.stdout, "# %s\n", userFile)
		a.stdout.Write(user)
		if builtin == nil || !manifest.Extends(user) {
			return exitOK
		}
		fmt.Fprintf(a.stdout, "\n# built-in, after the above\n")
	}
	if a.catalog.isDownload(agent) {
		fmt.Fprintf(a.stdout, "# %s\n", a.catalog.file(agent))
	}
	a.stdout.Write(builtin)
	return exitOK
}

// manifestsTest runs inline examples.
func (a *app) manifestsTest(which []string) int {
	if len(which) == 0 {
		which = a.catalog.names()
	}
	bad, rules := 0, 0
	for _, w := range which {
		m, err := a.manifestOrFile(w)
		if err != nil {
			a.err.errorf("%v", err)
			bad++
			continue
		}
		rules += len(m.Rules.List)
		for _, f := range m.Check() {
			fmt.Fprintln(a.stdout, visible(f.Error()))
			bad++
		}
	}
	if bad > 0 {
		fmt.Fprintf(a.stdout, "%d failed\n", bad)
		return exitNegative
	}
	fmt.Fprintf(a.stdout, "%d rules, all examples right\n", rules)
	return exitOK
}

// manifestOrFile loads an agent's manifest, or a file if the word looks like one.
func (a *app) manifestOrFile(word string) (*manifest.Manifest, error) {
	if !strings.HasSuffix(word, ".toml") && !strings.Contains(word, "/") {
		return a.manifest(word)
	}
	data, err := readLimited(word, manifest.MaxSize)
	if err != nil {
		return nil, err
	}
	agent := strings.TrimSuffix(filepath.Base(word), ".toml")
	if builtin, _, _, err := a.catalog.source(agent); err == nil && builtin != nil {
		return manifest.Override(agent+".toml", builtin, word, data)
	}
	return manifest.Load(word, data)
}
