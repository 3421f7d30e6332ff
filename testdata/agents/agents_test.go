package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDir(t *testing.T) {
	for _, c := range []struct{ own, cache, home, want string }{
		{"/a", "/b", "/c", "/a"},
		{"", "/b", "/c", "/b/fwrap-agents"},
		{"", "", "/c", "/c/.cache/fwrap-agents"},
	} {
		t.Setenv("FWRAP_AGENTS", c.own)
		t.Setenv("XDG_CACHE_HOME", c.cache)
		t.Setenv("HOME", c.home)
		if got, err := Dir(); err != nil || got != c.want {
			t.Errorf("%+v: %q %v", c, got, err)
		}
	}
}

func TestClaudeHome(t *testing.T) {
	// None of the person's own settings may reach the agent.
	t.Setenv("ANTHROPIC_MODEL", "mine")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/mine")
	h := Claude{API: "http://127.0.0.1:1", Settings: map[string]any{"a": 1}, Env: []string{"X=y"}}.Home(t)
	for _, kv := range h.Env {
		if strings.Contains(kv, "mine") {
			t.Errorf("the environment has %q", kv)
		}
	}
	for _, want := range []string{"HOME=" + h.Dir, "X=y", "ANTHROPIC_BASE_URL=http://127.0.0.1:1", "ANTHROPIC_API_KEY=" + ClaudeKey} {
		if !slices.Contains(h.Env, want) {
			t.Errorf("no %q", want)
		}
	}
	b, err := os.ReadFile(filepath.Join(h.Dir, ".claude", ".claude.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cfg struct {
		Projects map[string]struct{ HasTrustDialogAccepted bool }
	}
	if err := json.Unmarshal(b, &cfg); err != nil || !cfg.Projects[h.Project].HasTrustDialogAccepted {
		t.Errorf("the project is not trusted: %s", b)
	}
	if filepath.Base(h.Project) != "orchard" {
		t.Errorf("project %s", h.Project)
	}
	if fresh := (Claude{Fresh: true}).Home(t); slices.Contains(fresh.Env, "ANTHROPIC_API_KEY="+ClaudeKey) {
		t.Error("a fresh home has a key")
	}
}
