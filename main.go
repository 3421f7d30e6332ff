//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// The two lines above keep the runtime from reading the limits of the control
// group at each start, and again each second: how many processors fwrap may use
// does not matter.

// Command fwrap runs a coding agent on your own terminal exactly as it runs
// without fwrap, and tells you when it waits for you or has finished.
//
//	fwrap [flags] COMMAND [ARG...]
//
// See README.md or fwrap --help.
package main

import (
	"os"

	"fwrap/wrap/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
