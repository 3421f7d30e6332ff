package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Limit is how long a reporter may take. An agent waits for its hooks.
const Limit = 250 * time.Millisecond

// Client is one run of "fwrap report".
type Client struct {
	// Args are the arguments:
	//
	//	[--kind KIND] STATE [TEXT...]      working, blocked, idle, done, error or none
	//	--from AGENT [--event E] [PAYLOAD] an agent's event, on stdin without PAYLOAD
	//	--from AGENT -- COMMAND... PAYLOAD the same, then COMMAND... PAYLOAD is run
	Args  []string
	Stdin *os.File
	// Sock is the path of the report socket, $FWRAP_SOCK. Without it nothing
	// is sent.
	Sock string
	// Started is when this process began; it has [Limit] from then.
	Started time.Time
	// Seq grows with the time at which the process began; 0 for unknown.
	Seq uint64
	// Digest makes the few bytes that are sent of an agent's payload, which it
	// reads to its end. The result is a JSON object. event is the name given
	// with --event, for agents whose payloads do not say it; else empty.
	Digest func(agent, event string, payload io.Reader) (json.RawMessage, error)
}

// Run reports and returns the command that is to take this process's place
// now, which is nil as a rule: a notify program of the person's own, whose
// place in an agent's configuration fwrap has taken.
//
// The error is for a person who tries the command by hand. Whatever it is, the
// caller exits with status 0 and prints nothing when run as a hook: agents show
// a hook's output to the model and take status 2 as a veto.
func (c *Client) Run() (then []string, err error) {
	if c.Started.IsZero() {
		c.Started = time.Now()
	}
	deadline := c.Started.Add(Limit)
	a, err := parseReport(c.Args)
	if err != nil {
		c.drain(deadline)
		return a.then, err
	}
	if c.Sock == "" {
		c.drain(deadline)
		return a.then, errors.New("FWRAP_SOCK is not set: this is not run by an agent under fwrap")
	}
	// The work is done beside: reading stdin can last for ever.
	result := make(chan error, 1)
	go func() { result <- c.report(a, deadline) }()
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case err = <-result:
	case <-timer.C:
		err = errors.New("it took too long")
	}
	return a.then, err
}

func (c *Client) report(a reportArgs, deadline time.Time) error {
	m := Message{From: a.from, Seq: c.Seq, State: a.state, Kind: a.kind, Text: a.text}
	if a.state == "" {
		payload := io.Reader(strings.NewReader(a.payload))
		if a.payload == "" {
			payload = c.Stdin
		}
		var err error
		if m.Event, err = c.Digest(a.from, a.event, payload); err != nil {
			c.drain(deadline)
			return err
		}
	}
	line, err := m.Line()
	if err == nil {
		err = Send(c.Sock, line, time.Until(deadline))
	}
	c.drain(deadline)
	return err
}

// drain reads stdin to its end, so that an agent that writes megabytes into
// its hook does not fail with a broken pipe. Only a pipe or a socket is read: a
// terminal is the person's, a file may be a script's loop.
func (c *Client) drain(deadline time.Time) {
	if c.Stdin == nil {
		return
	}
	fi, err := c.Stdin.Stat()
	if err != nil || fi.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.CopyBuffer(onlyWriter{io.Discard}, c.Stdin, make([]byte, 64<<10))
	}()
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// onlyWriter hides io.Discard's ReadFrom, whose buffer is small.
type onlyWriter struct{ io.Writer }

type reportArgs struct {
	from, event       string
	payload           string
	state, kind, text string
	then              []string
}

// stateWord says what a word stands for that a person may report. The first four are the protocol's; the others are OSC 7501's.
func stateWord(w string) (state, kind string, ok bool) {
	switch w {
	case "working", "blocked", "idle", "none":
		return w, "", true
	case "done":
		return "idle", "", true
	case "error":
		return "idle", "error", true
	case "clear":
		return "none", "", true
	}
	return "", "", false
}

func parseReport(args []string) (reportArgs, error) {
	var a reportArgs
	var words []string
	chained := false
	for i := 0; i < len(args); i++ {
		name, value, inline := strings.Cut(args[i], "=")
		switch {
		case chained || !strings.HasPrefix(args[i], "-") || args[i] == "-":
			words = append(words, args[i])
		case args[i] == "--":
			if a.from == "" {
				words = append(words, args[i+1:]...)
			} else {
				a.then = append(a.then, args[i+1:]...)
			}
			i = len(args)
			chained = true
		case name == "--from" || name == "--event" || name == "--kind" || name == "--text":
			if !inline {
				if i++; i >= len(args) {
					return a, fmt.Errorf("%s needs a value", name)
				}
				value = args[i]
			}
			switch name {
			case "--from":
				a.from = value
			case "--event":
				a.event = value
			case "--kind":
				a.kind = value
			default:
				a.text = value
			}
		default:
			return a, fmt.Errorf("unknown flag %s", name)
		}
	}
	if a.then != nil {
		if len(a.then) < 2 || len(words) > 0 {
			// Without a command there is nothing to run, with words before it
			// the payload is not where it is looked for.
			a.then = nil
			return a, errors.New("usage: fwrap report --from AGENT -- COMMAND... PAYLOAD")
		}
		a.payload = a.then[len(a.then)-1]
		return a, nil
	}
	if a.from != "" && (len(words) == 0 || strings.HasPrefix(strings.TrimSpace(words[0]), "{")) {
		if len(words) > 0 {
			a.payload = words[0]
		}
		return a, nil
	}
	if len(words) == 0 {
		return a, errors.New("usage: fwrap report [--kind KIND] working|blocked|idle|done|error|none [TEXT]")
	}
	state, kind, ok := stateWord(words[0])
	if !ok {
		return a, fmt.Errorf("%q is no state: say working, blocked, idle, done, error or none", words[0])
	}
	a.state = state
	if a.kind == "" {
		a.kind = kind
	}
	if a.text == "" {
		a.text = strings.Join(words[1:], " ")
	}
	a.text = strings.ToValidUTF8(a.text[:min(len(a.text), maxText)], "")
	if a.from == "" {
		a.from = "script"
	}
	return a, nil
}
