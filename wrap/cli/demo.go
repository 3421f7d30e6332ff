package cli

import (
	"flag"
	"os"
	"time"

	"fwrap/wrap"
)

const demoUsage = `usage: fwrap demo

Wrap a pretend agent, so that you see what fwrap does without an agent: it works
for some seconds, asks for a permission, and finishes when you have answered.
`

// demoWorkEnv shortens the demo's work, for tests: a duration.
const demoWorkEnv = "FWRAP_DEMO_WORK"

func (a *app) demo(args []string) int {
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	if done, code := a.verbFlags(fs, args, demoUsage); done {
		return code
	}
	if fs.NArg() > 0 {
		return a.usage(demoUsage, "demo takes no arguments")
	}
	if !wrap.OnTerminal(a.stdin, a.stdout) {
		a.err.errorf("the demo needs a terminal")
		a.err.hint("run fwrap demo in a terminal window, without a pipe")
		return exitNegative
	}
	self, err := os.Executable()
	if err != nil {
		a.err.errorf("find fwrap's own file: %v", err)
		return exitOwn
	}
	a.isDemo = true
	if a.flags.agent == "" {
		a.flags.agent = "claude" // whose screens the pretend agent draws
	}
	return a.wrapPath(self, []string{demoAgentName})
}

// demoAgent is what the wrapped process of the demo runs.
func (a *app) demoAgent() int {
	restore, err := wrap.MakeRaw(a.stdin)
	if err != nil {
		a.err.errorf("demo: %v", err)
		return exitOwn
	}
	defer restore()
	work, err := time.ParseDuration(a.env[demoWorkEnv])
	if err != nil {
		work = 7 * time.Second
	}
	d := demoAgent{out: a.stdout, keys: readKeys(a.stdin), work: work}
	return d.run()
}
