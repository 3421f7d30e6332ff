package wrap

import (
	"log/slog"
	"syscall"
)

// tapper calls a Tap's functions and keeps their panics from the session.
type tapper struct {
	tap Tap
	log *slog.Logger
}

// guard is deferred around a call. f is only used by the goroutine that calls.
func guard[F any](t *tapper, name string, f *F) {
	if r := recover(); r != nil {
		t.log.Error("tap panicked and is off", "tap", name, "panic", r)
		var none F
		*f = none
	}
}

func (t *tapper) started(pid int, tty string) {
	if t.tap.Started != nil {
		defer guard(t, "Started", &t.tap.Started)
		t.tap.Started(pid, tty)
	}
}

func (t *tapper) read() {
	if t.tap.Read != nil {
		defer guard(t, "Read", &t.tap.Read)
		t.tap.Read()
	}
}

func (t *tapper) output(p []byte) {
	if t.tap.Output != nil {
		defer guard(t, "Output", &t.tap.Output)
		t.tap.Output(p)
	}
}

func (t *tapper) input(kind InputKind) {
	if t.tap.Input != nil {
		defer guard(t, "Input", &t.tap.Input)
		t.tap.Input(kind)
	}
}

func (t *tapper) typed(p []byte) {
	if t.tap.Typed != nil && len(p) > 0 {
		defer guard(t, "Typed", &t.tap.Typed)
		t.tap.Typed(p)
	}
}

func (t *tapper) focus(in bool) {
	if t.tap.Focus != nil {
		defer guard(t, "Focus", &t.tap.Focus)
		t.tap.Focus(in)
	}
}

func (t *tapper) resize(size Winsize) {
	if t.tap.Resize != nil {
		defer guard(t, "Resize", &t.tap.Resize)
		t.tap.Resize(size)
	}
}

func (t *tapper) stopped(sig syscall.Signal) {
	if t.tap.Stopped != nil {
		defer guard(t, "Stopped", &t.tap.Stopped)
		t.tap.Stopped(sig)
	}
}

func (t *tapper) continued(foreground bool) {
	if t.tap.Continued != nil {
		defer guard(t, "Continued", &t.tap.Continued)
		t.tap.Continued(foreground)
	}
}

func (t *tapper) exited(status Status) {
	if t.tap.Exited != nil {
		defer guard(t, "Exited", &t.tap.Exited)
		t.tap.Exited(status)
	}
}
