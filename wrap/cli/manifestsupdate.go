package cli

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fwrap/detect/manifest"
	"fwrap/wrap/config"
	"fwrap/wrap/update"
)

// manifestsUpdate fetches newer rules, or goes back.
func (a *app) manifestsUpdate(args []string) int {
	fs := flag.NewFlagSet("update", flag.ContinueOnError)
	back := fs.Bool("rollback", false, "")
	if done, code := a.verbFlags(fs, args, manifestsUsage); done {
		return code
	}
	if fs.NArg() > 0 {
		return a.usage(manifestsUsage, "manifests update takes no name: it fetches all")
	}
	if a.dirs.Data == "" {
		a.err.errorf("manifests update: there is no directory for data")
		a.err.hint("set HOME or XDG_DATA_HOME")
		return exitNegative
	}
	u := a.updater()
	if *back {
		r, err := u.Rollback()
		if err != nil {
			a.err.errorf("manifests update --rollback: %v", err)
			return exitNegative
		}
		a.updated(r)
		return exitOK
	}
	cfg, err := config.Load(a.configSource())
	if err != nil {
		a.configErrors(err, "correct it first: an update is fetched from where it says")
		return exitNegative
	}
	if cfg.Updates.URL == "" || cfg.Updates.Key == "" {
		a.err.errorf("manifests update: no address and key of rules are configured, and none are built in")
		a.err.hint("in %s: [manifests] url = \"https://…/manifests.tar.gz\" and key = \"…\", the maker's Ed25519 public key", cfg.File)
		return exitNegative
	}
	key, err := base64.StdEncoding.DecodeString(cfg.Updates.Key)
	if err != nil { // the configuration has checked it
		panic(err)
	}
	r, err := u.Update(context.Background(), cfg.Updates.URL, ed25519.PublicKey(key))
	if err != nil {
		a.err.errorf("manifests update: %v", err)
		if errors.Is(err, update.ErrSignature) {
			a.err.hint("ask whoever runs %s for the key that they sign with", cfg.Updates.URL)
		}
		a.err.hint("nothing was changed")
		return exitNegative
	}
	a.updated(r)
	return exitOK
}

// roundTripper is what updates go through; tests put their own server's here.
var roundTripper http.RoundTripper

func (a *app) updater() *update.Updater {
	return &update.Updater{
		Dir: filepath.Join(a.dirs.Data, "manifests"),
		Builtin: func(agent string) string {
			data, err := fs.ReadFile(a.catalog.builtin, agent+".toml")
			if err != nil {
				return ""
			}
			return manifest.QuickVersion(data)
		},
		Check:     checkCommands,
		Transport: roundTripper,
	}
}

// checkCommands keeps a manifest from claiming a word of fwrap's own.
func checkCommands(m *manifest.Manifest) error {
	for _, c := range slices.Concat(m.Commands, m.ACP) {
		if isVerb(c) {
			return fmt.Errorf("%s: the command %s is a verb of fwrap", m.File, c)
		}
	}
	return nil
}

// updated says what an update has changed.
func (a *app) updated(r update.Result) {
	if r.Unchanged {
		fmt.Fprintln(a.stdout, "the rules are as new as those there")
		return
	}
	or := func(v, none string) string {
		if v == "" {
			return none
		}
		return v
	}
	for _, c := range r.Changes {
		fmt.Fprintf(a.stdout, "%s %s → %s\n", c.Agent, or(c.From, "none"), or(c.To, "none"))
	}
	fmt.Fprintf(a.stdout, "%d changed; fwrap manifests update --rollback undoes it\n", len(r.Changes))
}

// manifestsCheck reads every manifest there is, also those that another one
// hides, and runs their examples.
func (a *app) manifestsCheck() int {
	c := a.catalog
	counts := map[string]int{}
	bad := 0
	fail := func(err error) {
		a.err.errorf("%v", err)
		bad++
	}
	take := func(where string, m *manifest.Manifest, err error) {
		counts[where]++
		if err != nil {
			fail(err)
			return
		}
		for _, f := range m.Check() {
			fail(fmt.Errorf("%s, %s", where, f.Error()))
		}
		if err := checkCommands(m); err != nil {
			fail(err)
		}
	}
	list, err := fs.ReadDir(c.builtin, ".")
	if err != nil {
		fail(err)
	}
	for _, e := range list {
		data, err := fs.ReadFile(c.builtin, e.Name())
		var m *manifest.Manifest
		if err == nil {
			m, err = manifest.Load(e.Name(), data)
		}
		take("built-in", m, err)
	}
	for _, d := range []struct {
		where, dir string
	}{{"downloaded", c.downloaded}, {"your own", c.userDir}} {
		list, err := os.ReadDir(d.dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && d.dir != "" {
			fail(err)
		}
		for _, e := range list {
			agent, ok := strings.CutSuffix(e.Name(), ".toml")
			if !ok || !validAgent(agent) {
				continue
			}
			name := filepath.Join(d.dir, e.Name())
			data, err := readLimited(name, manifest.MaxSize)
			var m *manifest.Manifest
			switch {
			case err != nil:
			case manifest.Extends(data):
				var base []byte
				if base, _, _, err = c.source(agent); err == nil && base == nil {
					err = fmt.Errorf("%s extends built-in rules, and there are none for %s", name, agent)
				}
				if err == nil {
					m, err = manifest.Override(e.Name(), base, name, data)
				}
			default:
				m, err = manifest.Load(name, data)
			}
			take(d.where, m, err)
		}
	}
	fmt.Fprintf(a.stdout, "%d built-in, %d downloaded, %d of your own: ", counts["built-in"], counts["downloaded"], counts["your own"])
	if bad > 0 {
		fmt.Fprintf(a.stdout, "%d wrong\n", bad)
		return exitNegative
	}
	fmt.Fprintln(a.stdout, "all right")
	return exitOK
}
