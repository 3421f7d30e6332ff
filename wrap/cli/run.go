package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"fwrap/notify"
	"fwrap/notify/command"
	"fwrap/notify/desktop"
	"fwrap/notify/term"
	"fwrap/wrap"
	"fwrap/wrap/config"
	"fwrap/wrap/monitor"
	"fwrap/wrap/process"
)

// ttyEnv is the variable by which a command knows that it is wrapped: the
// device of its pty.
const ttyEnv = "FWRAP_TTY"

// wrap finds the command in PATH and wraps it.
func (a *app) wrap(command []string) int {
	path, err := wrap.LookPath(command[0], a.environ, nil)
	if err != nil {
		return a.cannotRun(command[0], err)
	}
	return a.wrapPath(path, command)
}

// cannotRun says why a command could not be started.
func (a *app) cannotRun(name string, err error) int {
	a.err.errorf("%v", err)
	if v, ok := nearVerb(name); ok && wrap.ExitCode(err) == exitNotFound {
		a.err.hint("did you mean the verb: fwrap %s", v)
	}
	return wrap.ExitCode(err)
}

// nearVerb finds the verb that a word is one slip away from.
func nearVerb(word string) (string, bool) {
	for _, v := range verbs {
		if len(word) > 2 && oneSlip(word, v) {
			return v, true
		}
	}
	return "", false
}

// oneSlip says whether b is a with one letter changed, added or left out, or
// two neighbours exchanged.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i == len(a) || a[i+1:] == b[i+1:] ||
			i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	}
	return a[i:] == b[i+1:]
}

// wrapPath runs the command on a pty, or takes its place where there is no
// terminal to relay.
func (a *app) wrapPath(path string, argv []string) int {
	if a.flags.record != "" && !a.canRecord() {
		return exitOwn
	}
	if !wrap.IsTerminal(a.stdin) && !wrap.IsTerminal(a.stdout) && !a.flags.pure {
		if agent, ok := a.catalog.forACP(argv[0]); ok {
			return a.acpTap(agent, path, argv)
		}
	}
	if !wrap.OnTerminal(a.stdin, a.stdout) || a.nested() {
		err := wrap.Exec(path, argv, a.environ)
		return a.cannotRun(argv[0], err)
	}
	stage, err := wrap.Prepare() // here, so that the rest costs no time
	if err != nil {
		return a.runBare(path, argv, err)
	}
	defer stage.Close()
	cfg, err := config.Load(a.configSource())
	if err != nil {
		a.configErrors(err, "the built-in settings are used")
	}
	ev, _ := parseEvidence(a.flags.sources) // checked with the command line
	agent, known := a.flags.agent, true
	if agent == "" {
		agent, _, known = a.catalog.forCommand(argv[0])
	}
	if known {
		if err := a.catalog.checkUser(agent); errors.Is(err, errNoAgent) {
			a.err.errorf("%v", err)
			a.err.hint("the agents are: %s", strings.Join(a.catalog.names(), " "))
			return exitOwn
		} else if err != nil {
			a.err.errorf("%v", err)
			a.err.hint("the built-in rules are used; fwrap manifests test %s", agent)
		}
	}
	log, closeLog := a.openLog()
	defer closeLog()
	cols, rows := wrap.Size(a.stdout)
	var rec *recorder
	if a.flags.record != "" {
		var ok bool
		if rec, ok = a.startRecording(argv, agent, cols, rows); !ok {
			return exitOwn
		}
	}
	r := a.newSession(log, cfg, ev, path, argv, agent, cols, rows)
	r.record(rec, a.flags.recordInput)
	r.options.Ready = func(s *wrap.Session) {
		r.relay.set(s)
		r.live.start(agent)
	}
	s, err := stage.Start(r.options)
	if err != nil {
		r.close()
		a.endRecording(rec)
		stage.Close()
		return a.runBare(path, argv, err)
	}
	r.register(s)
	if w := r.live.tell.tmux; w != nil {
		time.AfterFunc(tmuxAfter, func() { w.fresh(func() {}) })
	}
	st, err := s.Wait()
	r.close()
	a.endRecording(rec)
	if err != nil {
		a.err.errorf("%v", err)
		return wrap.ExitCode(err)
	}
	closeLog()
	return st.Raise()
}

// runBare lets the command take this process's place when it cannot be wrapped.
func (a *app) runBare(path string, argv []string, why error) int {
	a.err.errorf("%v", why)
	a.err.hint("%s runs without fwrap", argv[0])
	return a.cannotRun(argv[0], wrap.Exec(path, argv, a.environ))
}

// nested says whether this process runs directly on the pty of another fwrap:
// then that one sees and tells all there is. A terminal that was opened inside
// (tmux, a shell over ssh) inherits the variable but is another device. A shell
// that is wrapped has no variable, but its session is led by fwrap's monitor.
func (a *app) nested() bool {
	if tty := a.env[ttyEnv]; tty != "" && wrap.IsControllingTerminal(tty) {
		return true
	}
	leader, err := process.Leader()
	return err == nil && monitor.Is(leader.Args)
}

func (a *app) configSource() config.Source {
	src := config.Source{Environ: a.environ, File: a.flags.config}
	if a.flags.quiet {
		src.Flags = append(src.Flags, config.Flag{Name: "--no-notify", Key: "notify.channel", Value: "off"})
	}
	return src
}

// configErrors prints what is wrong in the configuration, each with its hint.
func (a *app) configErrors(err error, instead string) {
	list := []error{err}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		list = j.Unwrap()
	}
	for _, e := range list {
		a.err.errorf("%v", e)
		var ce *config.Error
		if errors.As(e, &ce) && ce.Hint != "" {
			a.err.hint("%s", ce.Hint)
		}
	}
	a.err.hint("%s", instead)
}

// label is what the person is told the agent is called.
func (a *app) label(agent string) string {
	if a.isDemo {
		return "demo"
	}
	return agent
}

// routes chooses the channel and the one that takes its place if it fails. With
// --pure nothing goes through the terminal.
func (a *app) routes(cfg *config.Config, tmux tmuxFacts) (first, second term.Route) {
	h := a.host(tmux)
	second = term.Terminal(h)
	first = term.Auto(h)
	if c, ok := term.ParseChannel(cfg.Notify.Channel); ok {
		first = term.Route{Channel: c, Mux: second.Mux, Why: cfg.Origin("notify.channel").String()}
		if c == term.Off {
			return first, term.Route{}
		}
	}
	if a.flags.pure {
		second = term.Route{}
		if first.Channel != term.Desktop {
			first = term.Route{}
		}
	}
	return first, second
}

// command returns what runs the person's own program on what is told, nil if
// there is none. With --no-notify nothing is told in any way.
func (a *app) command(cfg *config.Config, log *slog.Logger) *command.Runner {
	if len(cfg.Command.Run) == 0 || a.flags.quiet {
		return nil
	}
	c := command.Command{Argv: cfg.Command.Run, Environ: a.environ, Timeout: cfg.Command.Timeout}
	return command.NewRunner(c, func(r command.Result) {
		log.Info("command", "event", r.Facts.Event, "took", r.Took, "err", r.Err, "output", r.Output)
	})
}

// host is what is known of where fwrap runs.
func (a *app) host(tmux tmuxFacts) term.Host {
	h := term.Host{
		GOOS: runtime.GOOS, Getenv: tmux.getenv(a.getenv), Desktop: desktop.Available(a.environ),
		TmuxClient: tmux.clients, TmuxType: tmux.terminal,
	}
	h.TmuxPassthrough, h.TmuxHidden = tmux.passes()
	return h
}

// settings turns the configuration into the policy's.
func settings(cfg *config.Config) notify.Settings {
	s := notify.Defaults()
	for _, w := range []struct {
		to   *notify.When
		from string
	}{{&s.Blocked, cfg.Notify.WhenBlocked}, {&s.Idle, cfg.Notify.WhenIdle}, {&s.Failed, cfg.Notify.WhenFailed}} {
		if err := w.to.UnmarshalText([]byte(w.from)); err != nil {
			panic(fmt.Sprintf("config let %q through", w.from))
		}
	}
	s.BlockedSettle, s.IdleSettle = cfg.Notify.SettleBlocked, cfg.Notify.SettleIdle
	s.MinTurn, s.Cooldown = cfg.Notify.MinTurn, cfg.Notify.Cooldown
	s.Presence, s.Reminder = cfg.Notify.Presence, cfg.Notify.Reminder
	return s
}

// openLog opens the file that FWRAP_LOG names. It holds states and decisions,
// never what the person types.
func (a *app) openLog() (*slog.Logger, func()) {
	name := a.env["FWRAP_LOG"]
	if name == "" {
		return slog.New(slog.DiscardHandler), func() {}
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		a.err.errorf("open the log: %v", err)
		a.err.hint("FWRAP_LOG=%s must be a file that can be written", filepath.Clean(name))
		return slog.New(slog.DiscardHandler), func() {}
	}
	return slog.New(slog.NewTextHandler(f, nil)), func() { f.Close() }
}
