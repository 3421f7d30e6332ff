package realagent

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// fwrapBin is the program under test.
var fwrapBin string

func TestMain(m *testing.M) {
	if os.Getenv(mcpEnv) != "" {
		serveMCP(os.Stdin, os.Stdout)
		return
	}
	if spec := os.Getenv(tapEnv); spec != "" && filepath.Base(os.Args[0]) == adapter {
		os.Exit(standBetween(spec, os.Args[1:]))
	}
	os.Exit(build(m))
}

// build builds fwrap and runs the tests.
func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fwrap-bin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	fwrapBin = filepath.Join(dir, "fwrap")
	if out, err := exec.Command("go", "build", "-o", fwrapBin, "fwrap").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build fwrap: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
