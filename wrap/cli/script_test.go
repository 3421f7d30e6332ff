package cli

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"fwrap/notify/desktop"
)

var updateScripts = flag.Bool("update", false, "write what the scripts' commands print into the scripts")

// TestMain lets this test binary be fwrap, too: under that name in a script's
// PATH, and as its notification helper and demo agent; as its monitor it is
// by itself.
func TestMain(m *testing.M) {
	self := func() { os.Exit(Main(os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr)) }
	if desktop.IsHelper(os.Args) || os.Args[0] == demoAgentName || os.Getenv("FWRAP_TEST_SELF") != "" {
		self()
	}
	testscript.Main(m, map[string]func(){"fwrap": self})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       *updateScripts,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			e.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
			return nil
		},
	})
}
