package cli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fwrap/detect"
	"fwrap/detect/report"
	"fwrap/notify"
	"fwrap/notify/desktop"
	"fwrap/notify/tab"
	"fwrap/notify/term"
	"fwrap/wrap"
	"fwrap/wrap/config"
	"fwrap/wrap/hooks"
	"fwrap/wrap/process"
	"fwrap/wrap/session"
)

// sockEnv is the variable by which hooks find the report socket.
const sockEnv = "FWRAP_SOCK"

// running is a session with all that belongs to it.
type running struct {
	app     *app
	log     *slog.Logger
	options wrap.Options
	live    *live
	relay   *relay
	agent   string // the command itself, if it is one
	first   session.State

	mu       sync.Mutex
	entry    *session.Session // in the directory of sessions; nil until it is made
	sessions string           // the directory
	ended    bool
}

// relay is the relay as the others use it, before and after it runs.
type relay struct {
	s atomic.Pointer[wrap.Session]
	// early holds what is to be written at once when the relay runs.
	mu    sync.Mutex
	early [][]byte
}

func (r *relay) set(s *wrap.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, seq := range r.early {
		s.Inject(seq)
	}
	r.early = nil
	r.s.Store(s)
}

// SetTitlePrefix is [wrap.Session.SetTitlePrefix].
func (r *relay) SetTitlePrefix(prefix string) {
	if s := r.s.Load(); s != nil {
		s.SetTitlePrefix(prefix)
	}
}

// Inject is [wrap.Session.Inject].
func (r *relay) Inject(seq []byte) bool {
	if s := r.s.Load(); s != nil {
		return s.Inject(seq)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.s.Load(); s != nil {
		return s.Inject(seq)
	}
	r.early = append(r.early, seq)
	return true
}

// Answer is [wrap.Session.Answer].
func (r *relay) Answer(seq []byte) bool {
	s := r.s.Load()
	return s != nil && s.Answer(seq)
}

// AwaitReply is [wrap.Session.AwaitReply].
func (r *relay) AwaitReply() {
	if s := r.s.Load(); s != nil {
		s.AwaitReply()
	}
}

// Foreground is [wrap.Session.Foreground].
func (r *relay) Foreground() bool {
	s := r.s.Load()
	return s != nil && s.Foreground()
}

// ForegroundGroup is [wrap.Session.ForegroundGroup].
func (r *relay) ForegroundGroup() (int, error) {
	if s := r.s.Load(); s != nil {
		return s.ForegroundGroup()
	}
	return 0, process.ErrNoGroup
}

// newSession puts a session together. Nothing runs yet.
func (a *app) newSession(log *slog.Logger, cfg *config.Config, ev evidence, path string, argv []string, agent string, cols, rows int) *running {
	dir, _ := os.Getwd()
	r := &running{app: a, log: log, agent: agent, relay: &relay{}}
	l := newLive(log, cols, rows, settings(cfg), ev)
	r.live = l
	t := &teller{
		log: log, term: r.relay, label: a.label,
		session: notify.Session{Project: config.Project(dir), Name: a.flags.name},
		id:      "fwrap-" + strconv.Itoa(os.Getpid()),
	}
	if cfg.Notify.Text == "short" {
		t.text = notify.Short
	}
	t.setRoutes(a.routes(cfg, tmuxFacts{}))
	first, _ := t.routes()
	switch cfg.Notify.Channel {
	case "off", "bell": // which tmux does not change
	default:
		if a.env["TMUX"] != "" {
			t.tmux = a.watchTmux(log, func(f tmuxFacts) { t.setRoutes(a.routes(cfg, f)) })
		}
	}
	t.desktop = desktop.NewSender(desktop.Host{Environ: a.environ}, t.id, nil)
	t.command, t.dir = a.command(cfg, log), dir
	if cfg.Title.Mode == "on" && !a.flags.pure && a.env["TERM"] != "dumb" {
		g := notify.Unicode()
		if cfg.Title.Glyphs == "ascii" {
			g = notify.ASCII()
		}
		t.glyphs = &g
	}
	if logFile := tab.LogFile(a.getenv); !a.flags.pure && (logFile != "" || tab.FromEnv(a.getenv, "", false).ITerm) {
		t.tab = newTabWriter(tab.FromEnv(a.getenv, wrap.TTYName(a.stdout), false), logFile)
		t.tab.term = r.relay
	}
	l.tell = t
	l.load = a.catalog.load
	l.watch.act = t.act
	l.watch.heard = func(rep detect.Report, believed bool) {
		log.Info("report", "source", string(rep.Source), "state", rep.State.String(), "kind", string(rep.Kind), "believed", believed)
	}
	l.watch.changed = func(now time.Time, st detect.Status) {
		t.changed(now, st)
		r.changed(st)
	}
	l.process = &foreground{
		watch: func() *process.Watcher {
			return process.NewWatcher(r.relay.ForegroundGroup, a.catalog.commands(), a.env["SHELL"])
		},
		group:  r.relay.ForegroundGroup,
		direct: agent != "",
		dir:    claudeDir(a.env),
	}
	start := process.Process{}
	start.PID, start.Start = process.Self()
	r.first = session.State{
		PID: start.PID, Start: start.Start, Name: a.flags.name, Agent: agent,
		Command: filepath.Base(argv[0]), Dir: dir, Project: t.session.Project, State: detect.None.String(),
	}

	o := wrap.Options{Path: path, Argv: argv, Pure: a.flags.pure, Log: log, KeepModes: cfg.ResetModes == "off"}
	o.Tap = l.tap()
	o.Tap.Exited = func(wrap.Status) { l.end() }
	if cfg.ProgramStatus == "on" && !a.flags.pure && ev.program {
		g := &statusGate{answer: r.relay.Answer, await: r.relay.AwaitReply, inject: r.relay.Inject}
		l.gate, t.gate = g, g
		o.OSCNumbers = []int{report.ProgramOSC}
		o.ReplyNumber, o.Reply = report.ProgramOSC, g.reply
		l.speaks = func(agent string) bool {
			h, ok := a.catalog.head(agent)
			return ok && h.ProgramStatus
		}
	}
	if cfg.OwnNotices == "once" && first.Channel != term.Off && !a.flags.pure {
		t.own = newOwnNotices(log, r.relay.Inject, max(cfg.Notify.SettleBlocked, cfg.Notify.SettleIdle))
		o.OSCNumbers = append(o.OSCNumbers, oscGrowl, oscKitty, oscNotify)
	}
	if repeat, known := term.ProgressBar(a.host(tmuxFacts{})); !a.flags.pure && (cfg.Progress == "on" || cfg.Progress == "auto" && known) {
		t.bar = &progressBar{inject: r.relay.Inject, front: r.relay.Foreground, repeat: repeat}
		o.OSCNumbers = append(o.OSCNumbers, oscGrowl)
	}
	o.OSC = func(num int, data []byte) wrap.Verdict {
		switch {
		case num == report.ProgramOSC:
			l.urgent.Store(true)
			return wrap.Verdict{Drop: l.gate.output(data)}
		case num == oscGrowl && t.bar != nil:
			t.bar.heard(data)
		}
		if t.own == nil {
			return wrap.Verdict{}
		}
		return t.own.output(num, data)
	}
	var env []string
	// Arguments are added only to the agent's own program: under --agent the
	// command may be anything, and its first argument a script.
	named := agent
	if a.flags.agent != "" {
		named, _, _ = a.catalog.forCommand(argv[0])
	}
	if agent != "" && named == agent && ev.hook {
		o.Argv, env = r.injectHooks(cfg, path, argv)
	}
	if agent != "" && env == nil && ev.hook && a.hooksMode(cfg) == hooks.Always {
		// Whatever it is, the person says that it reports: by fwrap report.
		if err := r.open(); err != nil {
			log.Warn("no reports", "err", err)
		} else {
			env = []string{sockEnv + "=" + r.entry.Socket()}
		}
	}
	o.Env = func(tty string) []string {
		if agent == "" {
			return a.environ // a command that fwrap does not know gets nothing of it
		}
		return override(a.environ, append(env, ttyEnv+"="+tty))
	}
	r.options = o
	return r
}

// hooksMode is what the person wants of hooks.
func (a *app) hooksMode(cfg *config.Config) hooks.Mode {
	if a.flags.hooks != "" {
		return hooks.Mode(a.flags.hooks)
	}
	return hooks.Mode(cfg.Hooks)
}

// injectHooks makes the agent report by hooks, for this launch, where that is
// wanted and it does not report in its output.
func (r *running) injectHooks(cfg *config.Config, path string, argv []string) (args, env []string) {
	a := r.app
	spec, ok := hooks.Builtin(r.agent)
	if !ok {
		return argv, nil
	}
	mode := a.hooksMode(cfg)
	if mode == hooks.Never {
		return argv, nil
	}
	if mode == hooks.Auto && !spec.Auto {
		return argv, nil
	}
	if r.live.gate == nil || a.silenced() {
		spec.InBand = "" // it will not speak in its output, or not be heard
	}
	version := hooks.Version(path)
	if version == "" {
		cache := hooks.Cache{File: filepath.Join(a.dirs.Cache, "versions.json")}
		var ask bool
		if version, ask = cache.Lookup(path); ask && a.dirs.Cache != "" {
			defer func() {
				go func() { // ends with its deadline
					ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
					defer cancel()
					if v, err := cache.Refresh(ctx, path, "--version"); err != nil {
						r.log.Info("version", "path", path, "err", err)
					} else {
						r.log.Info("version", "path", path, "version", v)
					}
				}()
			}()
		}
	}
	if ok, why := spec.Wanted(mode, version); !ok {
		r.log.Info("no hooks", "why", why)
		return argv, nil
	}
	if err := r.open(); err != nil {
		r.log.Warn("no hooks", "err", err)
		return argv, nil
	}
	self, err := os.Executable()
	if err != nil {
		r.log.Warn("no hooks", "err", err)
		return argv, nil
	}
	files, err := r.entry.Files()
	if err != nil {
		r.log.Warn("no hooks", "err", err)
		return argv, nil
	}
	inj, why := hooks.Inject(spec, hooks.Launch{
		Args: argv[1:], Getenv: a.getenv, Self: self, Version: version, Dir: files,
		ReadFile:   func(p string) ([]byte, error) { return readLimited(p, 4<<20) },
		UserNotify: a.codexNotify,
	})
	if why != "" {
		r.log.Info("no hooks", "why", why)
		return argv, nil
	}
	for _, f := range inj.Files {
		if _, err := r.entry.WriteFile(f.Name, f.Content); err != nil {
			r.log.Warn("no hooks", "err", err)
			return argv, nil
		}
	}
	r.log.Info("hooks", "agent", r.agent, "version", version)
	return append([]string{argv[0]}, inj.Args...), append(inj.Env, sockEnv+"="+r.entry.Socket())
}

// codexNotify is the notify program of the person's own Codex, whose place
// fwrap's takes for one launch.
func (a *app) codexNotify() ([]string, error) {
	dir := a.env["CODEX_HOME"]
	if dir == "" {
		dir = filepath.Join(a.env["HOME"], ".codex")
	}
	data, err := readLimited(filepath.Join(dir, "config.toml"), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return config.TopStrings(data, "notify")
}

// silenced says whether the environment keeps Claude Code 2.1.332 from asking
// the terminal about OSC 7501, so that it does not speak it.
func (a *app) silenced() bool {
	if a.env["CLAUDE_CODE_DISABLE_TERMINAL_TITLE"] != "" {
		return true
	}
	vte, err := strconv.Atoi(a.env["VTE_VERSION"])
	return err == nil && vte < 5300
}

// open makes the session's entry in the directory of sessions.
func (r *running) open() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entry != nil || r.ended {
		return nil
	}
	dir, err := session.Dir(r.app.dirs.Runtime, filepath.Join("/tmp", "fwrap-"+strconv.Itoa(os.Getuid())))
	if err != nil {
		return err
	}
	r.entry, err = session.Open(dir, r.first, r.live.hear)
	r.sessions = dir
	return err
}

// registerAfter is how long a session runs before it is entered: a command that
// ends at once is nothing to list.
const registerAfter = 200 * time.Millisecond

// register enters the running session, in the background: nobody waits for it.
func (r *running) register(s *wrap.Session) {
	time.AfterFunc(registerAfter, func() {
		if s.Pid() == 0 && !s.Over() { // a busy machine; it is still to come
			r.register(s)
			return
		}
		if err := r.open(); err != nil {
			r.log.Warn("the session is not listed", "err", err)
			return
		}
		r.update(func(st *session.State) { st.TTY, st.Child = s.TTY(), s.Pid() })
		wrap.TrimMemory()
	})
}

// changed enters a change of state.
func (r *running) changed(st detect.Status) {
	agent, title := r.live.agent, r.live.screen.Title()
	r.update(func(e *session.State) {
		e.Agent, e.Title = agent, title
		e.State, e.Kind, e.Since = st.State.String(), string(st.Kind), st.Since
		e.Source, e.Rule = string(st.Source), st.Rule
		e.Question = session.Question{Text: st.Question.Text, Options: st.Question.Options}
	})
}

func (r *running) update(change func(*session.State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.first)
	if r.entry == nil || r.ended {
		return
	}
	if err := r.entry.Update(r.first); err != nil {
		r.log.Warn("the session's entry", "err", err)
	}
}

// close ends what the session has outside of the relay.
func (r *running) close() {
	r.live.tell.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if r.entry != nil {
		if err := r.entry.Close(); err != nil {
			r.log.Warn("the session's entry", "err", err)
		}
	}
}

// override sets variables in an environment, each once.
func override(env, set []string) []string {
	out := make([]string, 0, len(env)+len(set))
next:
	for _, e := range env {
		for _, s := range set {
			if k, _, _ := strings.Cut(s, "="); strings.HasPrefix(e, k+"=") {
				continue next
			}
		}
		out = append(out, e)
	}
	return append(out, set...)
}

// claudeDir is where Claude Code keeps its configuration; empty if not known.
func claudeDir(env map[string]string) string {
	if d := env["CLAUDE_CONFIG_DIR"]; d != "" {
		return d
	}
	if h := env["HOME"]; h != "" {
		return filepath.Join(h, ".claude")
	}
	return ""
}
