package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// downloadedClaude is a newer manifest for claude, by which another screen is a
// dialog.
const downloadedClaude = `schema = 1
version = "2999.1.1"
agent = "claude"
commands = ["claude", "claude-new"]
[[rules]]
id = "downloaded"
state = "blocked"
any = ['Shall I really\?']
[[rules.examples]]
screen = 'Shall I really?'
[[rules.examples]]
match = false
screen = 'really'
`

// inside runs fwrap in this process, with a home of its own.
type inside struct {
	dir string
	env []string
}

func (in *inside) run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "out")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	code = Main(append([]string{"fwrap"}, args...), in.env, null, files[0], files[1])
	out, _ := os.ReadFile(files[0].Name())
	msg, _ := os.ReadFile(files[1].Name())
	return string(out), string(msg), code
}

func (in *inside) write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(in.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestManifestsUpdate goes the whole way of a person: nothing configured, a
// server with newer rules, the rules in use, an own file over them, back.
func TestManifestsUpdate(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "claude.toml", Mode: 0o644, Size: int64(len(downloadedClaude)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, downloadedClaude)
	w.Close()
	z.Close()
	sig := ed25519.Sign(private, archive.Bytes())
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/m.tar.gz.sig":
			w.Write(sig)
		case r.Header.Get("If-None-Match") == `"1"`:
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", `"1"`)
			w.Write(archive.Bytes())
		}
	}))
	defer server.Close()
	roundTripper = server.Client().Transport
	defer func() { roundTripper = nil }()

	dir := t.TempDir()
	in := &inside{dir: dir, env: []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir + "/config", "XDG_DATA_HOME=" + dir + "/data", "PATH=" + os.Getenv("PATH"),
	}}
	screen := in.write(t, "screen.txt", "Shall I really?\n")
	says := func(want string, args ...string) {
		t.Helper()
		out, msg, code := in.run(t, args...)
		if !strings.Contains(out, want) || code != 0 {
			t.Errorf("%q: status %d, want %q in\n%s%s", args, code, want, out, msg)
		}
	}
	fails := func(want string, args ...string) {
		t.Helper()
		out, msg, code := in.run(t, args...)
		if !strings.Contains(msg, want) || code != exitNegative {
			t.Errorf("%q: status %d, want %q in\n%s%s", args, code, want, out, msg)
		}
	}
	fails("none are built in", "manifests", "update")
	fails("hint: in "+dir+"/config/fwrap/config.toml", "manifests", "update")
	fails("nothing has been installed", "manifests", "update", "--rollback")
	config := func(url, key string) {
		in.write(t, "config/fwrap/config.toml", fmt.Sprintf("[manifests]\nurl = %q\nkey = %q\n", url, key))
	}
	key := base64.StdEncoding.EncodeToString(public)
	config("http://example.org/m.tar.gz", key)
	fails("config.toml:2:", "manifests", "update")
	config(server.URL+"/m.tar.gz", "c2hvcnQ=")
	fails("config.toml:3:", "manifests", "update")
	config(server.URL+"/m.tar.gz", base64.StdEncoding.EncodeToString(make([]byte, 32)))
	fails("hint: nothing was changed", "manifests", "update")
	says("idle", "explain", "--agent", "claude", screen)

	config(server.URL+"/m.tar.gz", key)
	says("→ 2999.1.1", "manifests", "update")
	says("as new as", "manifests", "update")
	says("claude/downloaded", "explain", "--agent", "claude", screen)
	says("1 downloaded", "manifests", "check")
	says(dir+"/data/fwrap/manifests/current/claude.toml", "manifests", "show", "claude")
	out, _, _ := in.run(t, "manifests", "list")
	if !strings.Contains(out, "claude-new") || !strings.Contains(out, "downloaded\n") || strings.Count(out, "downloaded") != 1 {
		t.Errorf("list:\n%s", out)
	}

	// The person's own counts over it, and builds on it.
	own := in.write(t, "config/fwrap/manifests/claude.toml", "extends = \"builtin\"\ndisable = [\"downloaded\"]\n")
	says("no rule matched", "explain", "--agent", "claude", screen)
	says("1 downloaded, 1 of your own: all right", "manifests", "check")
	in.write(t, "config/fwrap/manifests/claude.toml", "[[rules]]\nstate = \"blocked\"\nany = ['(']\n")
	fails("claude.toml:3:8", "manifests", "check")
	os.Remove(own)

	// A download that was broken on the disk counts as none.
	file := in.write(t, "data/fwrap/manifests/current/claude.toml", "version = \"2999.1.1\"\nbroken\n")
	fails("claude.toml:2:", "manifests", "check")
	if a, _, ok := (&catalog{builtin: newCatalog("").builtin, downloads: downloads{downloaded: filepath.Dir(file)}}).forCommand("claude"); !ok || a != "claude" {
		t.Errorf("claude is not known any more: %q", a)
	}
	in.write(t, "data/fwrap/manifests/current/claude.toml", downloadedClaude)
	says("2999.1.1 → ", "manifests", "update", "--rollback")
	says("idle", "explain", "--agent", "claude", screen)
	says("→ 2999.1.1", "manifests", "update", "--rollback")
}
