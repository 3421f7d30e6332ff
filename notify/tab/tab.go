package tab

import (
	"fmt"
	"strings"
	"time"

	"fwrap/detect"
)

// Config is what a Tab must know of its surroundings.
type Config struct {
	ITerm    bool   // the terminal is iTerm2
	Tmux     bool   // and tmux stands between
	Headless bool   // no person is at the prompt, and it was not asked to write all the same
	TTY      string // the device that is written to, for the log; empty if there is none
}

// FromEnv reads the surroundings from the environment. headless says that no
// person is at the prompt: such a session may have been started from inside
// another one's tool and would write over that one's tab.
func FromEnv(getenv func(string) string, tty string, headless bool) Config {
	return Config{
		ITerm:    strings.Contains(getenv("TERM_PROGRAM")+getenv("LC_TERMINAL"), "iTerm"),
		Tmux:     getenv("TMUX") != "",
		Headless: headless && getenv("FWRAP_HEADLESS") == "" && getenv("AGENT_STATE_HEADLESS") == "",
		TTY:      tty,
	}
}

// LogFile is the file that each write is to be logged to; empty for none.
func LogFile(getenv func(string) string) string {
	if f := getenv("FWRAP_STATE_LOG"); f != "" {
		return f
	}
	return getenv("AGENT_STATE_LOG")
}

// maxQueued bounds the labels that wait for a write that does not end.
const maxQueued = 64

// Tab decides what is written to the tab: only what changes it, one write at a
// time, in the order of the events. A write that failed leaves the tab unknown,
// so the next label goes out whatever it is; a tab that can never be written
// ends the trying.
//
// Usage: [Tab.Show] for each event, then as long as [Tab.Next] has a write,
// carry it out and call [Tab.Done].
type Tab struct {
	cfg     Config
	began   time.Time
	queue   []event
	writing *Write
	shown   Label
	known   bool // shown is what the tab shows
	off     bool
	seq     int
}

type event struct {
	at    time.Duration // since began
	text  string
	label Label
}

// New returns a Tab. Times of later calls are taken relative to now and
// formatted in their own location.
func New(cfg Config, now time.Time) *Tab { return &Tab{cfg: cfg, began: now} }

// Show says that an event has led to a label. The text stands in the log.
func (t *Tab) Show(now time.Time, text string, l Label) {
	if t.off {
		return
	}
	if len(t.queue) == maxQueued {
		// The write that is under way hangs. What the tab should have shown
		// meanwhile is of no use to anyone.
		t.queue = append(t.queue[:0], t.queue[1:]...)
	}
	t.queue = append(t.queue, event{now.Sub(t.began), text, l})
}

// Write is a write to be carried out.
type Write struct {
	// Bytes go to the terminal at once, where the output stands between
	// sequences. Nil if the tab cannot be written: call [Tab.Done] all the same.
	Bytes []byte
	label Label
	value string
	line  string
	off   string
}

// Next returns the next write, if there is one and none is under way.
func (t *Tab) Next(now time.Time) (Write, bool) {
	if t.writing != nil {
		return Write{}, false
	}
	for len(t.queue) > 0 && !t.off {
		e := t.queue[0]
		t.queue = t.queue[1:]
		if t.known && e.label == t.shown {
			continue // and a repeated idle keeps its first stamp
		}
		t.seq++
		w := Write{
			label: e.label, value: e.label.stamped(now),
			line: fmt.Sprintf("#%d +%dms %s", t.seq, e.at.Milliseconds(), detect.OneLine(e.text, 512)),
		}
		switch {
		case t.cfg.Headless:
			w.off = "off, no person at the prompt"
		case !t.cfg.ITerm:
			w.off = "off, not iTerm2"
		case t.cfg.TTY != "":
			w.Bytes = sequence(w.value, t.cfg.Tmux)
		}
		t.writing = &w
		return w, true
	}
	return Write{}, false
}

// Done takes how the write that Next returned went, and returns the line for
// the log, without its newline:
//
//	HH:MM:SS #seq +ms event tty=… wrote=[…] rc=…
//
// with rc 0 if the tab has it, 1 if the write failed, - if there is no
// terminal to write to, and "off, why" if there never will be.
func (t *Tab) Done(now time.Time, err error) string {
	w := t.writing
	if w == nil {
		return ""
	}
	t.writing = nil
	tty, rc := t.cfg.TTY, "0"
	switch {
	case w.off != "":
		tty, rc, t.off = "", w.off, true
		t.queue = nil
	case w.Bytes == nil:
		rc = "-"
	case err != nil:
		rc = "1"
	}
	t.shown, t.known = w.label, rc == "0"
	if tty == "" {
		tty = "none"
	}
	return fmt.Sprintf("%s %s tty=%s wrote=[%s] rc=%s", now.Format(time.TimeOnly), w.line, tty, w.value, rc)
}

// Off reports whether the trying has ended.
func (t *Tab) Off() bool { return t.off }
