package agents

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ClaudeKey is the API key with which Claude Code is started. The mock takes any.
const ClaudeKey = "sk-ant-test-0123456789abcdefghijklmnopqrstuv"

// Claude says how a home for Claude Code is laid out. The zero value is a
// home past onboarding, with the key approved and the project trusted.
type Claude struct {
	API       string         // base URL of the Messages API
	Project   string         // name of the project's directory; "orchard" if empty
	Fresh     bool           // before onboarding
	Untrusted bool           // the project's directory was never trusted
	Config    map[string]any // added to .claude.json
	Settings  map[string]any // settings.json; none if nil
	Env       []string       // added to the environment
}

// Home is a home for one agent, and a project for it to work in.
type Home struct {
	Dir     string
	Project string
	Env     []string // a whole environment
}

const helloPy = `import sys


def main():
    print("hello")
    return 0


if __name__ == "__main__":
    sys.exit(main())
`

// Home lays the home out. It is removed with the test.
func (c Claude) Home(t testing.TB) Home {
	t.Helper()
	if c.Project == "" {
		c.Project = "orchard"
	}
	// Not t.TempDir: a child that the agent leaves behind may still write
	// into its home for a moment, and that must not fail the test.
	root, err := os.MkdirTemp("", "fwrap-claude")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(root) })
	if root, err = filepath.EvalSymlinks(root); err != nil { // /tmp on macOS is one
		t.Fatal(err)
	}
	h := Home{Dir: filepath.Join(root, "home"), Project: filepath.Join(root, c.Project)}
	conf := filepath.Join(h.Dir, ".claude")
	for _, dir := range []string{conf, filepath.Join(h.Project, "build"), filepath.Join(h.Project, ".git"), filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(h.Project, "hello.py"), []byte(helloPy))
	write(t, filepath.Join(h.Project, "build", "x.o"), []byte("x"))
	cfg := map[string]any{"autoUpdates": false, "installMethod": "local"}
	if !c.Fresh {
		maps.Copy(cfg, map[string]any{
			"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 3,
			"lastOnboardingVersion": "2.1.332", "lastReleaseNotesSeen": "2.1.332",
			"bypassPermissionsModeAccepted": true, "hasSeenTasksHint": true,
			// The client keeps the last 20 characters of a key that was approved.
			"customApiKeyResponses": map[string]any{"approved": []string{ClaudeKey[len(ClaudeKey)-20:]}, "rejected": []string{}},
		})
		if !c.Untrusted {
			cfg["projects"] = map[string]any{h.Project: map[string]any{
				"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true,
				"projectOnboardingSeenCount": 3, "allowedTools": []string{}}}
		}
	}
	maps.Copy(cfg, c.Config)
	writeJSON(t, filepath.Join(conf, ".claude.json"), cfg)
	writeJSON(t, filepath.Join(h.Dir, ".claude.json"), cfg)
	if c.Settings != nil {
		writeJSON(t, filepath.Join(conf, "settings.json"), c.Settings)
	}
	h.Env = append([]string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + h.Dir,
		"CLAUDE_CONFIG_DIR=" + conf,
		"TMPDIR=" + filepath.Join(root, "tmp"),
		"TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/bash",
		"ANTHROPIC_BASE_URL=" + c.API,
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		// Whatever is not on the loopback interface goes to the discard port,
		// where nothing listens.
		"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	}, credentials(c)...)
	h.Env = append(h.Env, c.Env...)
	return h
}

// credentials: onboarding with an API key begins with a connectivity check
// against the real API, with a token it does not (seen with 2.1.332).
func credentials(c Claude) []string {
	if c.Fresh {
		return []string{"ANTHROPIC_AUTH_TOKEN=dummy-token"}
	}
	return []string{"ANTHROPIC_API_KEY=" + ClaudeKey}
}

// ClaudeVersion returns what the installed Claude Code calls its version.
func ClaudeVersion(t testing.TB) string {
	t.Helper()
	out, err := exec.Command(Bin(t, "claude"), "--version").Output()
	if err != nil {
		t.Fatalf("claude --version: %v", err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version
}

// remove tries again as long as something is still written into dir.
func remove(dir string) {
	for end := time.Now().Add(3 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(end); {
		<-time.After(50 * time.Millisecond)
	}
}

func writeJSON(t testing.TB, file string, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, b)
}

func write(t testing.TB, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
