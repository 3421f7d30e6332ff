package cli

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"fwrap/detect"
	"fwrap/detect/acp"
	"fwrap/notify"
	"fwrap/notify/desktop"
	"fwrap/notify/term"
	"fwrap/wrap"
	"fwrap/wrap/config"
)

// acpDrain is how long output is still carried after the adapter has ended,
// should something that it left behind hold the pipe open.
const acpDrain = time.Second

// acpTap runs an agent that an editor drives over pipes and listens to what
// passes. Standard output is the protocol: nothing of fwrap's goes there.
func (a *app) acpTap(agent, path string, argv []string) int {
	log, closeLog := a.openLog()
	defer closeLog()
	cfg, err := config.Load(a.configSource())
	if err != nil {
		log.Warn("config", "err", err)
	}
	cmd := exec.Command(path)
	cmd.Args = argv
	cmd.Stderr = a.stderr
	// The adapter's ends of the pipes; ours are copied by hand, since os/exec
	// would wait for the editor's end of input before it reports an exit.
	toIn, toOut, err := os.Pipe()
	if err != nil {
		a.err.errorf("%v", err)
		return exitOwn
	}
	fromIn, fromOut, err := os.Pipe()
	if err != nil {
		a.err.errorf("%v", err)
		return exitOwn
	}
	cmd.Stdin, cmd.Stdout = toIn, fromOut
	sigs := make(chan os.Signal, 8)
	signal.Notify(sigs, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(sigs)
	if err := cmd.Start(); err != nil {
		return a.cannotRun(argv[0], wrap.Exec(path, argv, a.environ))
	}
	toIn.Close()
	fromOut.Close()
	w := a.newACPWatch(log, cfg, agent)
	go func() { // ends when the editor or the adapter closes its side, at the latest with the process
		defer toOut.Close()
		w.carry(toOut, a.stdin, acp.Client)
	}()
	out := make(chan struct{})
	go func() { // ends at the adapter's end of output
		defer close(out)
		w.carry(a.stdout, fromIn, acp.Agent)
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-sigs:
			_ = cmd.Process.Signal(s)
			continue
		case err = <-ended:
		}
		break
	}
	drain := time.NewTimer(acpDrain)
	defer drain.Stop()
	select {
	case <-out:
	case <-drain.C:
		log.Info("the adapter has ended, something holds its output open")
	}
	w.end()
	closeLog()
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		a.err.errorf("%v", err)
		return exitOwn
	}
	ws, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	st := wrap.Status{Code: ws.ExitStatus()}
	if ws.Signaled() {
		st = wrap.Status{Signal: ws.Signal()}
	}
	return st.Raise()
}

// acpWatch is the watch of a session without a screen.
type acpWatch struct {
	log  *slog.Logger
	tell *teller

	// early is what the editor has said and the adapter is being given. What the
	// adapter says to it may be heard first, and is to be understood second.
	earlyMu sync.Mutex
	early   []byte

	mu    sync.Mutex
	tap   acp.Tap
	watch watch
	timer *time.Timer
	deaf  bool // the tap has panicked
}

// silent is the terminal of a session that has none.
type silent struct{}

func (silent) SetTitlePrefix(string) {}
func (silent) Inject([]byte) bool    { return false }

func (a *app) newACPWatch(log *slog.Logger, cfg *config.Config, agent string) *acpWatch {
	dir, _ := os.Getwd()
	t := &teller{
		log: log, term: silent{}, label: a.label,
		session: notify.Session{Project: config.Project(dir), Name: a.flags.name},
		id:      "fwrap-" + strconv.Itoa(os.Getpid()),
		desktop: desktop.NewSender(desktop.Host{Environ: a.environ}, "fwrap-"+strconv.Itoa(os.Getpid()), nil),
	}
	t.command, t.dir = a.command(cfg, log), dir
	if cfg.Notify.Text == "short" {
		t.text = notify.Short
	}
	// There is no terminal to tell through.
	if c := cfg.Notify.Channel; (c == "auto" || c == "desktop") && desktop.Available(a.environ) {
		t.setRoutes(term.Route{Channel: term.Desktop, Why: "no terminal"}, term.Route{})
	}
	t.begin(agent)
	w := &acpWatch{log: log, tell: t}
	w.watch = watch{
		timeline: detect.New(detect.Config{Screen: newStill(nil, 80, 24, "")}),
		policy:   notify.New(settings(cfg)),
		evidence: allEvidence,
		changed:  t.changed,
		act:      t.act,
	}
	w.timer = time.AfterFunc(time.Hour, w.tick)
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.timeline.Alive(time.Now(), true)
	return w
}

// carry copies bytes as they come and shows them to the tap afterwards.
func (w *acpWatch) carry(to io.Writer, from io.Reader, side acp.Side) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			p := buf[:n]
			if side == acp.Client {
				w.announce(p)
				p = nil // it is heard with what was announced
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
			w.hear(side, p)
		}
		if err != nil {
			return
		}
	}
}

// announce notes what the editor says, at most one buffer of carry's.
func (w *acpWatch) announce(p []byte) {
	w.earlyMu.Lock()
	defer w.earlyMu.Unlock()
	w.early = append(w.early, p...)
}

func (w *acpWatch) announced() []byte {
	w.earlyMu.Lock()
	defer w.earlyMu.Unlock()
	p := w.early
	w.early = nil
	return p
}

// hear reads a copy of what has passed, the editor's part first.
func (w *acpWatch) hear(side acp.Side, p []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deaf {
		w.announced()
		return
	}
	defer w.recovered()
	now := time.Now()
	w.watch.advance(now)
	w.take(now, acp.Client, w.announced())
	w.take(now, side, p)
	w.schedule()
}

func (w *acpWatch) take(now time.Time, side acp.Side, p []byte) {
	if len(p) == 0 {
		return
	}
	reports := w.tap.Write(side, p)
	if side == acp.Client && len(reports) > 0 {
		// What changes by the editor's word, a prompt or an answer, is the
		// person's doing, as a key is on a terminal: a notice of what they have
		// answered goes, and the same question asked again is a new one.
		w.watch.do(now, w.watch.policy.Key(now))
	}
	for _, r := range reports {
		w.watch.report(now, r)
	}
}

func (w *acpWatch) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.deaf {
		return
	}
	defer w.recovered()
	w.watch.tick(time.Now())
	w.schedule()
}

func (w *acpWatch) schedule() {
	w.timer.Stop()
	if at, ok := w.watch.next(); ok {
		w.timer.Reset(max(0, time.Until(at)))
	}
}

// end tells that the agent has gone.
func (w *acpWatch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	if !w.deaf {
		func() {
			defer w.recovered()
			now := time.Now()
			w.watch.timeline.Alive(now, false)
			w.watch.settle(now)
			w.watch.do(now, w.watch.policy.End(now))
		}()
	}
	w.tell.stop()
}

// recovered keeps a fault of the tap from the bytes: they go on, unheard.
func (w *acpWatch) recovered() {
	if v := recover(); v != nil {
		w.deaf = true
		w.log.Error("panic", "where", "acp", "value", v)
	}
}
