package realagent

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(mcpEnv) != "" {
		serveMCP(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}
