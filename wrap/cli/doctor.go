package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"fwrap/notify/desktop"
	"fwrap/notify/term"
	"fwrap/wrap"
	"fwrap/wrap/config"
	"fwrap/wrap/hooks"
	"fwrap/wrap/process"
	"fwrap/wrap/session"
)

const doctorUsage = `usage: fwrap doctor [--json] [--send [--delay TIME]]

Say what fwrap has found here: the terminal and what it can do, how you are
notified and why so, tmux's settings, the agents in PATH and what they can tell
of themselves, the configuration with the origin of each value, the rules, the
sessions. Exit status 1 if something is wrong; then it says what to do.

  --json        the same for programs
  --send        send a test notification on each channel and ask whether you saw it
  --delay TIME  wait so long before each, to look at another window (2s): many
                terminals show no notification of the window that you look at
`

// checkup is what doctor finds. It is printed as text or as JSON.
type checkup struct {
	V        int             `json:"v"`
	OK       bool            `json:"ok"`
	Problems []problem       `json:"problems"`
	Notes    []problem       `json:"notes"`
	Version  string          `json:"version"`
	Terminal checkedTerminal `json:"terminal"`
	Tmux     *checkedTmux    `json:"tmux,omitempty"`
	Channels []checkedWay    `json:"channels"`
	Agents   []checkedAgent  `json:"agents"`
	Config   checkedConfig   `json:"config"`
	Rules    []checkedRules  `json:"manifests"`
	Sessions checkedSessions `json:"sessions"`
}

// problem is something that is wrong, or worth knowing, and what to do about it.
type problem struct {
	What string `json:"what"`
	Hint string `json:"hint"`
}

type checkedTerminal struct {
	Is      bool   `json:"is_terminal"`
	Term    string `json:"term"`
	Program string `json:"program"` // TERM_PROGRAM, or LC_TERMINAL
	Mux     string `json:"multiplexer"`
	SSH     bool   `json:"ssh"`
	Columns int    `json:"columns"`
	Rows    int    `json:"rows"`
	Unasked string `json:"unasked"` // why it could not be asked; empty: it was
	terminalAnswer
}

type checkedTmux struct {
	Version     string `json:"version"`
	Passthrough string `json:"allow_passthrough"`
	Viewers     int    `json:"viewers"`
	Term        string `json:"client_term"`
	Type        string `json:"client_type"`
	Error       string `json:"error"`
}

type checkedWay struct {
	Channel string `json:"channel"`
	Rank    int    `json:"rank"` // 1: chosen, 2: takes its place if it fails, 0: not used
	Usable  bool   `json:"usable"`
	Why     string `json:"why"`
}

type checkedAgent struct {
	Agent   string   `json:"agent"`
	Path    string   `json:"path"`
	Version string   `json:"version"`
	Reports []string `json:"reports"`
	Checked bool     `json:"checked"` // its rules were checked with a recording of this version
}

type checkedConfig struct {
	File   string         `json:"file"`
	Exists bool           `json:"exists"`
	Values []checkedValue `json:"values"`
}

type checkedValue struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

type checkedRules struct {
	Agent   string   `json:"agent"`
	Version string   `json:"version"`
	From    string   `json:"from"`
	Rules   int      `json:"rules"`
	Checked []string `json:"checked_with"`
}

type checkedSessions struct {
	Dir   string `json:"dir"`
	Live  int    `json:"live"`
	Error string `json:"error"`
}

func (c *checkup) problem(what, hint string) { c.Problems = append(c.Problems, problem{what, hint}) }
func (c *checkup) note(what, hint string)    { c.Notes = append(c.Notes, problem{what, hint}) }

func (a *app) doctor(args []string) int {
	fs := flag.NewFlagSet("doctor", flag.ContinueOnError)
	asJSON := fs.Bool("json", false, "")
	send := fs.Bool("send", false, "")
	delay := fs.Duration("delay", 2*time.Second, "")
	if done, code := a.verbFlags(fs, args, doctorUsage); done {
		return code
	}
	switch {
	case fs.NArg() > 0:
		return a.usage(doctorUsage, "doctor takes no arguments")
	case *send && *asJSON:
		return a.usage(doctorUsage, "--send asks a person, --json is for programs")
	case *send && !wrap.OnTerminal(a.stdin, a.stdout):
		a.err.errorf("--send needs a terminal, to send through and to ask you on")
		return exitUsage
	}
	c, ways := a.examine()
	if *asJSON {
		enc := json.NewEncoder(a.stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(c); err != nil {
			a.err.errorf("write the findings: %v", err)
			return exitNegative
		}
	} else {
		c.print(a.stdout)
	}
	code := exitOK
	if !c.OK {
		code = exitNegative
	}
	if *send && !a.sendTests(ways, *delay) {
		code = exitNegative
	}
	return code
}

// examine finds everything out. ways are the channels that can be tried.
func (a *app) examine() (*checkup, []term.Route) {
	c := &checkup{
		V: 1, Version: buildVersion(), Problems: []problem{}, Notes: []problem{}, Agents: []checkedAgent{}, Rules: []checkedRules{},
	}
	cfg, err := config.Load(a.configSource())
	a.examineConfig(c, cfg, err)
	var agents sync.WaitGroup
	agents.Go(func() { a.examineAgents(c, cfg) }) // starts programs; touches c.Agents alone
	a.examineTerminal(c)
	facts := a.examineTmux(c)
	ways := a.examineChannels(c, cfg, facts)
	agents.Wait()
	if len(c.Agents) == 0 {
		c.note("no agent was found in PATH", "fwrap manifests list names the commands that are known")
	}
	a.examineRules(c)
	a.examineSessions(c)
	c.OK = len(c.Problems) == 0
	return c, ways
}

func (a *app) examineConfig(c *checkup, cfg *config.Config, err error) {
	c.Config.File = cfg.File
	if fi, err := os.Stat(cfg.File); err == nil {
		c.Config.Exists = fi.Mode().IsRegular()
	}
	for _, e := range split(err) {
		hint := "until then the built-in settings are used"
		var ce *config.Error
		if errors.As(e, &ce) && ce.Hint != "" {
			hint = ce.Hint
		}
		c.problem(e.Error(), hint)
	}
	for _, v := range cfg.Values() {
		c.Config.Values = append(c.Config.Values, checkedValue{v.Key, v.Value, v.Origin.String()})
	}
}

// split takes joined errors apart.
func split(err error) []error {
	if err == nil {
		return nil
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

func (a *app) examineTerminal(c *checkup) {
	t := &c.Terminal
	t.Term, t.Program = a.env["TERM"], a.env["TERM_PROGRAM"]
	if t.Program == "" {
		t.Program = a.env["LC_TERMINAL"]
	}
	for _, m := range []struct{ env, name string }{{"ZELLIJ", "zellij"}, {"TMUX", "tmux"}, {"STY", "screen"}} {
		if a.env[m.env] != "" {
			t.Mux = m.name
			break
		}
	}
	t.Focus, t.ProgramStatus = "unknown", "unknown"
	out := a.stdout
	if !wrap.IsTerminal(out) {
		out = a.stderr // of "fwrap doctor --json | jq"
	}
	switch {
	case !wrap.OnTerminal(a.stdin, out):
		t.Unasked = "standard input or output is no terminal"
		return
	case t.Term == "dumb" || t.Term == "":
		t.Is, t.Unasked = true, "TERM="+t.Term
		return
	}
	t.Is = true
	t.Columns, t.Rows = wrap.Size(out)
	answer, err := askTerminal(a.stdin, out)
	t.terminalAnswer = answer
	switch {
	case err != nil:
		t.Unasked = err.Error()
	case !answer.Answers:
		t.Unasked = "it does not answer within " + terminalDeadline.String()
	}
}

func (a *app) examineTmux(c *checkup) tmuxFacts {
	if a.env["TMUX"] == "" {
		return tmuxFacts{}
	}
	f, err := askTmux(context.Background(), a.environ, a.env["TMUX_PANE"])
	c.Tmux = &checkedTmux{
		Version: f.version, Passthrough: f.passthrough, Viewers: f.viewers,
		Term: f.clients, Type: visible(f.terminal),
	}
	if err != nil {
		c.Tmux.Error = err.Error()
		c.problem("tmux does not say how it is set", "try: tmux show -Apv allow-passthrough")
	}
	return f
}

// examineChannels tries what can be tried without showing anything.
func (a *app) examineChannels(c *checkup, cfg *config.Config, facts tmuxFacts) []term.Route {
	host := a.host(facts)
	first, second := a.routes(cfg, facts)
	for _, v := range []string{"SSH_TTY", "SSH_CONNECTION", "SSH_CLIENT"} {
		c.Terminal.SSH = c.Terminal.SSH || host.Getenv(v) != ""
	}
	var ways []term.Route
	best := term.Terminal(host)
	for ch := term.Desktop; ch <= term.BEL; ch++ {
		w := checkedWay{Channel: ch.String()}
		switch ch {
		case first.Channel:
			w.Rank, w.Why = 1, first.Why
		case second.Channel:
			w.Rank, w.Why = 2, second.Why
		}
		switch {
		case ch == term.Desktop:
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
			r := desktop.Probe(ctx, desktop.Host{Environ: a.environ})
			cancel()
			w.Usable = r.Outcome == desktop.Shown
			said := r.Server
			if !w.Usable {
				said = r.Err.Error()
			}
			w.Why = strings.TrimPrefix(w.Why+"; "+said, "; ")
		case !c.Terminal.Is:
			w.Why = "no terminal"
		case ch == term.BEL:
			w.Usable = true
		case best.Mux == term.Tmux && (!host.TmuxPassthrough || host.TmuxHidden):
			w.Why = "tmux does not let it through"
		default:
			w.Usable = true // as far as bytes go; only a person can say more
		}
		if w.Usable {
			ways = append(ways, term.Route{Channel: ch, Mux: best.Mux})
		}
		c.Channels = append(c.Channels, w)
	}
	a.judgeChannels(c, cfg, facts, first, second)
	return ways
}

// judgeChannels says what is wrong with the channel that would be taken.
func (a *app) judgeChannels(c *checkup, cfg *config.Config, facts tmuxFacts, first, second term.Route) {
	desktopWorks := c.Channels[0].Usable
	real := first
	if first.Channel == term.Desktop && !desktopWorks {
		if cfg.Notify.Channel == "desktop" {
			c.problem("the desktop cannot show notifications: "+c.Channels[0].Why, "start a notification service, or set channel = \"auto\" in [notify]")
		} else {
			c.note("the desktop cannot show notifications, so they go through the terminal", "start a notification service (dunst, mako, or your desktop's own)")
		}
		real = second
	}
	on, hidden := facts.passes()
	outside, _, known := term.ByVersion(facts.terminal)
	switch {
	case real.Channel == term.Off:
		c.note("notifications are off ("+cfg.Origin("notify.channel").String()+")", "")
	case real.Channel == term.Desktop || !c.Terminal.Is:
	case facts.known && !on && (real.Channel != term.BEL || !known || outside != term.BEL):
		c.problem("tmux lets no notification through, so you hear a bell at most",
			passthroughHint(facts.version))
	case facts.known && hidden && !olderThan(facts.version, 3, 4):
		c.problem("tmux lets notifications through only from the window that is shown",
			passthroughHint(facts.version))
	case real.Channel == term.BEL:
		if ch, name, ok := term.ByVersion(c.Terminal.Version); ok && ch != term.BEL {
			c.problem("the terminal is "+name+", which its environment does not tell, so you hear a bell at most",
				"set channel = \""+ch.String()+"\" in [notify] of "+cfg.File)
		} else {
			c.note("this terminal is not known to show notifications: you hear a bell", "fwrap doctor --send tries them; then set channel in [notify] of "+cfg.File)
		}
	}
}

// passthroughHint is what to do about tmux: all came with tmux 3.4.
func passthroughHint(version string) string {
	line := "set -g allow-passthrough all"
	if olderThan(version, 3, 4) {
		line = "set -g allow-passthrough on"
	}
	return "add this line to ~/.tmux.conf: " + line + "; now and here: tmux " + line
}

func (a *app) examineAgents(c *checkup, cfg *config.Config) {
	cache := hooks.Cache{File: filepath.Join(a.dirs.Cache, "versions.json")}
	self, _ := os.Executable()
	me, _ := os.Stat(self)
	type found struct {
		agent, path string
		helps       bool
	}
	var list []found
	for _, name := range a.catalog.names() {
		h, ok := a.catalog.head(name)
		if !ok {
			continue
		}
		for _, cmd := range h.Commands {
			path, err := wrap.LookPath(cmd, a.environ, func(file string) bool {
				fi, err := os.Stat(file)
				return err != nil || me != nil && os.SameFile(fi, me)
			})
			if err == nil {
				list = append(list, found{name, path, h.ProgramStatus})
				break
			}
		}
	}
	agents := make([]checkedAgent, len(list))
	var wg sync.WaitGroup
	for i, f := range list {
		wg.Go(func() {
			v := hooks.Version(f.path)
			if v == "" && a.dirs.Cache != "" {
				var ask bool
				if v, ask = cache.Lookup(f.path); ask {
					ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
					defer cancel()
					v, _ = cache.Refresh(ctx, f.path, "--version") // not known is said below
				}
			}
			agents[i] = checkedAgent{Agent: f.agent, Path: f.path, Version: v, Reports: reports(cfg, f.agent, v, f.helps)}
			if m, err := a.catalog.load(f.agent); err == nil && v != "" {
				for _, w := range m.CheckedWith {
					agents[i].Checked = agents[i].Checked || w == v
				}
			}
		})
	}
	wg.Wait()
	c.Agents = append(c.Agents, agents...)
}

// reports says how an agent's state is known here.
func reports(cfg *config.Config, agent, version string, helps bool) []string {
	var by []string
	spec, ok := hooks.Builtin(agent)
	inBand := helps && (!ok || spec.InBand == "" || version == "" || !hooks.Less(version, spec.InBand))
	if inBand && cfg.ProgramStatus == "on" {
		by = append(by, "OSC 7501")
	}
	if ok {
		mode := hooks.Mode(cfg.Hooks)
		wanted, _ := spec.Wanted(mode, version)
		switch {
		case mode == hooks.Never:
		case wanted && (mode == hooks.Always || spec.Auto):
			by = append(by, "hooks")
		case !inBand:
			by = append(by, "hooks with --hooks=always")
		}
	}
	return append(by, "screen")
}

func (a *app) examineRules(c *checkup) {
	for _, name := range a.catalog.names() {
		builtin, user, userFile, err := a.catalog.source(name)
		if err != nil {
			c.problem(err.Error(), "")
			continue
		}
		m, err := a.catalog.load(name)
		if err != nil {
			c.problem(err.Error(), "until then the built-in rules are used; fwrap manifests test "+name)
		}
		if m == nil {
			continue
		}
		from := "built-in"
		switch {
		case user != nil && builtin != nil:
			from = userFile + " over built-in"
		case user != nil:
			from = userFile
		}
		checked := m.CheckedWith
		if checked == nil {
			checked = []string{}
		}
		c.Rules = append(c.Rules, checkedRules{name, m.Version, from, len(m.Rules.List), checked})
	}
}

func (a *app) examineSessions(c *checkup) {
	dir, err := session.Dir(a.dirs.Runtime, filepath.Join("/tmp", "fwrap-"+strconv.Itoa(os.Getuid())))
	if err != nil {
		c.Sessions.Error = err.Error()
		c.problem("sessions cannot be listed: "+err.Error(), "make the directory's owner yourself and its mode 0700, or set XDG_RUNTIME_DIR")
		return
	}
	c.Sessions.Dir = dir
	list, err := session.List(dir, func(pid int, start uint64) bool {
		alive, _ := process.Alive(pid, start)
		return alive
	})
	if err != nil {
		c.Sessions.Error = err.Error()
		c.problem(fmt.Sprintf("sessions cannot be listed: %v", err), "")
	}
	c.Sessions.Live = len(list)
}
