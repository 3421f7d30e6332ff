package cli

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"fwrap/wrap/monitor"
)

// TestMonitorComesFirst: the monitor must not wait for the initialisation of what
// it has no use for. This test binary holds all that fwrap does.
func TestMonitorComesFirst(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{monitor.Name} // standard input is at its end, so it gives up
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	_ = cmd.Run()
	if !bytes.Contains(trace.Bytes(), []byte("\ninit os ")) {
		t.Fatalf("no trace of the initialisation: %q", trace.Bytes())
	}
	for _, late := range []string{"unicode", "net/http", "crypto/tls", "encoding/json", "github.com/hinshun/vt10x"} {
		if bytes.Contains(trace.Bytes(), []byte("\ninit "+late+" ")) {
			t.Errorf("%s is initialised before the monitor", late)
		}
	}
}
