// Package agents finds the real coding agents that the tests drive, and lays
// out for each start a home of its own, so that neither the developer's
// settings nor an account play a part.
//
// The agents are pinned in package.json beside this file and installed from
// npm by ".ci/run agents", outside the repository.
package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Dir is where the agents are installed: $FWRAP_AGENTS, or fwrap-agents in
// the user's cache.
func Dir() (string, error) {
	if dir := os.Getenv("FWRAP_AGENTS"); dir != "" {
		return dir, nil
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the agents: %w", err)
		}
		cache = filepath.Join(home, ".cache")
	}
	return filepath.Join(cache, "fwrap-agents"), nil
}

// Bin returns the path of an installed agent's program. An agent that is not
// there fails the test: who runs these tests means to run them.
func Bin(t testing.TB, name string) string {
	t.Helper()
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "node_modules", ".bin", name)
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("%s is not installed (%v); run \".ci/run agents\" first", name, err)
	}
	return bin
}
