package cli

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/wrap"
)

const recordUsage = `usage: fwrap [flags] record [--record-input] FILE COMMAND [ARG...]

Run a command as fwrap COMMAND does and record its session in FILE (asciicast
v2): what it wrote, the sizes of the window, and each change of state as a
marker. fwrap explain FILE says what was seen in it; asciinema plays it.

What you type is not recorded (what the command echoes of it is), unless you say

  --record-input  record what you type, too: passwords as well

FILE is made for you alone (mode 600) and never overwritten. The same for a
command with fwrap's own flags: fwrap --record FILE COMMAND.
`

// record is the verb.
func (a *app) record(args []string) int {
	fs := flag.NewFlagSet("record", flag.ContinueOnError)
	input := fs.Bool("record-input", false, "")
	if done, code := a.verbFlags(fs, args, recordUsage); done {
		return code
	}
	rest := fs.Args()
	if len(rest) > 1 && rest[1] == "--" {
		rest = append(rest[:1:1], rest[2:]...)
	}
	if len(rest) < 2 {
		return a.usage(recordUsage, "record needs a file and a command")
	}
	a.flags.record, a.flags.recordInput = rest[0], *input || a.flags.recordInput
	return a.wrap(rest[1:])
}

// canRecord says whether there is a session to record, and what to do if not.
func (a *app) canRecord() bool {
	switch {
	case !wrap.OnTerminal(a.stdin, a.stdout):
		a.err.errorf("record: %v", wrap.ErrNoTerminal)
		a.err.hint("run it in a terminal, without a pipe; fwrap COMMAND runs it here and records nothing")
	case a.nested():
		a.err.errorf("record: another fwrap has this terminal")
		a.err.hint("record with the outer one: fwrap --record FILE COMMAND")
	default:
		return true
	}
	return false
}

// startRecording makes the file that was asked for.
func (a *app) startRecording(argv []string, agent string, cols, rows int) (*recorder, bool) {
	name := a.flags.record
	f, err := createRecording(name)
	if err != nil {
		a.err.errorf("record: %v", err)
		if errors.Is(err, errExists) {
			a.err.hint("choose another name; fwrap overwrites no file")
		} else {
			a.err.hint("%s must be a file that can be made", name)
		}
		return nil, false
	}
	now := time.Now()
	// The arguments stay out: a prompt is what the person typed.
	head := cast.Header{Width: cols, Height: rows, Timestamp: now.Unix(), Command: filepath.Base(argv[0]), Env: map[string]string{}}
	if t := a.env["TERM"]; t != "" {
		head.Env["TERM"] = t
	}
	if agent != "" {
		head.Env[agentEnv] = agent
	}
	return newRecorder(f, head, now), true
}

// endRecording closes the file; the terminal is the person's again.
func (a *app) endRecording(r *recorder) {
	if r == nil {
		return
	}
	err := r.close()
	if f, ok := r.file.(*os.File); ok && err == nil {
		err = f.Close()
	}
	if err != nil {
		a.err.errorf("the recording %s is not complete: %v", a.flags.record, err)
	}
}

// record has the session recorded. It is called before the session starts.
func (r *running) record(rec *recorder, input bool) {
	if rec == nil {
		return
	}
	r.live.rec = rec
	t := &r.options.Tap
	output, resize, started := t.Output, t.Resize, t.Started
	t.Output = func(p []byte) { output(p); rec.output(p) }
	t.Resize = func(s wrap.Winsize) { resize(s); rec.resize(s) }
	t.Started = func(pid int, tty string) { started(pid, tty); rec.begin() }
	if input {
		t.Typed = rec.input
	}
	changed := r.live.watch.changed
	r.live.watch.changed = func(now time.Time, st detect.Status) {
		rec.state(st)
		changed(now, st)
	}
}

// markedAgent names the agent that a recording's markers say came first: that
// of a shell's session has none in its header.
func markedAgent(data []byte) string {
	r, err := cast.NewReader(bytes.NewReader(data))
	for err == nil {
		var e cast.Event
		if e, err = r.Next(); err == nil && e.Code == cast.Marker {
			if name, ok := strings.CutPrefix(e.Data, markAgent); ok && validAgent(name) {
				return name
			}
		}
	}
	return ""
}
