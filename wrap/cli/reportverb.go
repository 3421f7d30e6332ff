package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"fwrap/detect/report"
	"fwrap/wrap"
	"fwrap/wrap/session"
)

const reportUsage = `usage: fwrap report [--kind KIND] STATE [TEXT...]
       fwrap report --from AGENT [PAYLOAD]

Tell the fwrap around this command what the agent does. STATE is working,
blocked, idle, done, error or none (take back what was said); TEXT is the
question or what is being done. KIND refines it: permission, question, ….

--from reads an agent's own hook payload from standard input, or takes it as
PAYLOAD (codex's notify). It is what fwrap puts into an agent's hooks: it prints
nothing, takes at most 250 ms and succeeds whatever happens.
`

// report is the verb that hooks run. An agent takes a hook's output and status
// for an opinion, so there is none, but for a person who asks for help or is at
// a terminal and has got it wrong.
func (a *app) report(args []string) int {
	started := time.Now()
	if len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
		fmt.Fprint(a.stdout, reportUsage)
		return exitOK
	}
	c := session.Client{
		Args: args, Stdin: a.stdin, Sock: a.env[sockEnv],
		Started: started, Seq: uint64(started.UnixNano()), Digest: digest,
	}
	then, err := c.Run()
	if err != nil && wrap.OnTerminal(a.stdin, a.stderr) {
		a.err.errorf("report: %v", err)
		if a.env[sockEnv] == "" {
			a.err.hint("FWRAP_SOCK is not set: run the command by fwrap --agent NAME --hooks=always COMMAND")
		}
	}
	if len(then) > 0 {
		// The person's own notify program, whose place fwrap's has taken.
		if path, err := wrap.LookPath(then[0], a.environ, nil); err == nil {
			_ = wrap.Exec(path, then, os.Environ())
		}
	}
	return exitOK
}

// digest makes what is sent of an agent's payload.
func digest(agent, _ string, payload io.Reader) (json.RawMessage, error) {
	var v any
	switch agent {
	case "codex":
		b, err := io.ReadAll(io.LimitReader(payload, 8<<20))
		if err != nil {
			return nil, err
		}
		n, err := report.ReadNotice(b)
		if err != nil {
			return nil, err
		}
		v = n
	default:
		e, err := report.ReadEvent(payload)
		if err != nil {
			return nil, err
		}
		v = e
	}
	return json.Marshal(v)
}
