package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Codex says how a home for Codex is laid out: past its questions at the first
// start, with the project trusted.
type Codex struct {
	API     string // base URL of the Responses API
	Project string // name of the project's directory; "orchard" if empty
	Config  string // added to config.toml, before its tables
}

// Home lays the home out. It is removed with the test.
func (c Codex) Home(t testing.TB) Home {
	t.Helper()
	if c.Project == "" {
		c.Project = "orchard"
	}
	// Not under the temporary directory: Codex 0.171.0 does not start programs
	// of its own that lie there.
	cache, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp(cache, "home-codex")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove(root) })
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	h := Home{Dir: filepath.Join(root, "home"), Project: filepath.Join(root, c.Project)}
	for _, dir := range []string{filepath.Join(h.Dir, ".codex"), filepath.Join(h.Project, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(h.Project, "hello.txt"), []byte("Hello, world\n"))
	write(t, filepath.Join(h.Dir, ".codex", "config.toml"), fmt.Appendf(nil, `model = "gpt-5.2-codex"
model_provider = "mock"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
%s
[model_providers.mock]
name = "mock"
base_url = "%s/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 1
stream_max_retries = 1

[tui]
screen_reader_detection_done = true

[tui.model_availability_nux]
"gpt-6.1-sol" = 4

[projects."%s"]
trust_level = "trusted"
`, c.Config, c.API, h.Project))
	h.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.Dir, "MOCK_KEY=dummy",
		"TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/bash",
		// Whatever is not on the loopback interface goes to the discard port,
		// where nothing listens.
		"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	}
	return h
}
