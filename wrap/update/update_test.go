package update

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fwrap/detect/manifest"
)

// server is what a maker of rules has on the web.
type server struct {
	*httptest.Server
	key ed25519.PrivateKey

	mu       sync.Mutex
	archive  []byte
	sig      []byte
	cut      int // answers end after so many bytes; 0: whole
	redirect string
	asked    []string // paths, with the status of the answer
}

func newServer(t *testing.T) *server {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{key: key}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of clients that hang up
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := http.StatusOK
	defer func() { s.asked = append(s.asked, fmt.Sprint(r.URL.Path, " ", status)) }()
	switch {
	case s.redirect != "":
		status = http.StatusFound
		http.Redirect(w, r, s.redirect, status)
	case r.URL.Path == "/m.tar.gz":
		etag := fmt.Sprintf("%q", s.sig[:8])
		if r.Header.Get("If-None-Match") == etag {
			status = http.StatusNotModified
			w.WriteHeader(status)
			return
		}
		w.Header().Set("ETag", etag)
		w.Header().Set("Content-Length", fmt.Sprint(len(s.archive)))
		if s.cut > 0 {
			w.Write(s.archive[:s.cut])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		w.Write(s.archive)
	case r.URL.Path == "/m.tar.gz.sig":
		w.Write(s.sig)
	default:
		status = http.StatusNotFound
		http.NotFound(w, r)
	}
}

// offer puts an archive on the server, signed.
func (s *server) offer(archive []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.archive, s.sig = archive, ed25519.Sign(s.key, archive)
	s.cut, s.redirect, s.asked = 0, "", nil
}

func (s *server) public() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

// entry is a file of an archive.
type entry struct {
	name, text string
	kind       byte
}

func pack(entries ...entry) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: tar.TypeReg}
		if e.kind != 0 {
			h.Typeflag, h.Size, h.Linkname = e.kind, 0, "/etc/passwd"
		}
		if err := w.WriteHeader(h); err != nil {
			panic(err)
		}
		if h.Size > 0 {
			w.Write([]byte(e.text))
		}
	}
	w.Close()
	z.Close()
	return buf.Bytes()
}

// rules is a manifest that is right.
func rules(agent, version string) string {
	return fmt.Sprintf(`schema = 1
version = %q
agent = %q
commands = [%[2]q]
[[rules]]
id = "ask"
state = "blocked"
any = ['Shall I\?']
[[rules.examples]]
screen = 'Shall I?'
[[rules.examples]]
match = false
screen = 'I shall'
`, version, agent)
}

func newUpdater(t *testing.T, s *server) *Updater {
	return &Updater{
		Dir: filepath.Join(t.TempDir(), "manifests"),
		Builtin: func(agent string) string {
			return map[string]string{"claude": "2026.11.30", "codex": "2026.11.30"}[agent]
		},
		Transport: s.Client().Transport,
	}
}

// disk is everything below a directory, links and contents.
func disk(t *testing.T, dir string) string {
	t.Helper()
	var sb strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			fmt.Fprintf(&sb, "%s -> %s\n", rel, target)
		case d.Type().IsRegular():
			data, _ := os.ReadFile(path)
			fmt.Fprintf(&sb, "%s %q\n", rel, data)
		default:
			fmt.Fprintf(&sb, "%s\n", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sb.String()
}

func installed(t *testing.T, u *Updater, agent string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Current(u.Dir), agent+".toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return manifest.QuickVersion(data)
}

func TestUpdate(t *testing.T) {
	s := newServer(t)
	u := newUpdater(t, s)
	update := func() Result {
		t.Helper()
		r, err := u.Update(context.Background(), s.URL+"/m.tar.gz", s.public())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	s.offer(pack(entry{name: "./", kind: tar.TypeDir}, entry{name: "./claude.toml", text: rules("claude", "2026.12.1")}, entry{name: "new.toml", text: rules("new", "1")}))
	if r := update(); fmt.Sprint(r) != "{false [{claude 2026.11.30 2026.12.1} {new  1}]}" {
		t.Errorf("first: %v", r)
	}
	if v := installed(t, u, "claude"); v != "2026.12.1" {
		t.Errorf("claude is %q", v)
	}
	// The same again is asked for once, and nothing is fetched.
	if r := update(); !r.Unchanged || strings.Join(s.asked, ",") != "/m.tar.gz 200,/m.tar.gz.sig 200,/m.tar.gz 304" {
		t.Errorf("again: %v, asked %v", r, s.asked)
	}
	// A server without memory of it has the same files: no new set, or the way
	// back would lead to the same.
	s.offer(pack(entry{name: "new.toml", text: rules("new", "1")}, entry{name: "claude.toml", text: rules("claude", "2026.12.1")}))
	if r := update(); !r.Unchanged {
		t.Errorf("same files: %v", r)
	}
	// An agent that the archive has no more keeps its rules.
	s.offer(pack(entry{name: "claude.toml", text: rules("claude", "2026.12.2")}, entry{name: "codex.toml", text: rules("codex", "2026.11.30")}))
	if r := update(); fmt.Sprint(r) != "{false [{claude 2026.12.1 2026.12.2}]}" {
		t.Errorf("second: %v", r)
	}
	if v := installed(t, u, "new"); v != "1" {
		t.Errorf("new is %q", v)
	}
	// Back, back to where we were, and forth; then an update from there.
	for _, want := range []string{"2026.12.1", "2026.12.2", "2026.12.1"} {
		if _, err := u.Rollback(); err != nil {
			t.Fatal(err)
		}
		if v := installed(t, u, "claude"); v != want {
			t.Errorf("after a rollback claude is %q, want %q", v, want)
		}
	}
	update()
	if v := installed(t, u, "claude"); v != "2026.12.2" {
		t.Errorf("claude is %q", v)
	}
	if list, _ := os.ReadDir(filepath.Join(u.Dir, sets)); len(list) != 2 {
		t.Errorf("%d sets are kept: %v", len(list), list)
	}
	fi, err := os.Stat(filepath.Join(Current(u.Dir), "claude.toml"))
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", fi, err)
	}
}

func TestRollbackToTheBuiltIn(t *testing.T) {
	s := newServer(t)
	u := newUpdater(t, s)
	if _, err := u.Rollback(); err == nil || !strings.Contains(err.Error(), "nothing has been installed") {
		t.Errorf("got %v", err)
	}
	s.offer(pack(entry{name: "claude.toml", text: rules("claude", "2026.12.1")}))
	if _, err := u.Update(context.Background(), s.URL+"/m.tar.gz", s.public()); err != nil {
		t.Fatal(err)
	}
	r, err := u.Rollback()
	if err != nil || fmt.Sprint(r.Changes) != "[{claude 2026.12.1 2026.11.30}]" || installed(t, u, "claude") != "" {
		t.Errorf("back: %v %v", r, err)
	}
	if r, err = u.Rollback(); err != nil || installed(t, u, "claude") != "2026.12.1" {
		t.Errorf("forth: %v %v", r, err)
	}
}

// TestRefused: what is wrong is refused, with a reason, and nothing on the disk
// has changed.
func TestRefused(t *testing.T) {
	s := newServer(t)
	good := entry{name: "claude.toml", text: rules("claude", "2026.12.5")}
	with := func(old, new string) entry {
		text := strings.Replace(good.text, old, new, 1)
		if text == good.text {
			t.Fatalf("%q is not in the manifest", old)
		}
		return entry{name: "claude.toml", text: text}
	}
	other := newServer(t)
	big := strings.Repeat("# padding\n", manifest.MaxSize/10+1)
	for _, c := range []struct {
		name    string
		archive []byte
		change  func()
		want    string
	}{
		{"signed by somebody else", pack(good), func() { s.sig = ed25519.Sign(other.key, s.archive) }, ErrSignature.Error()},
		{"changed after it was signed", pack(good), func() { s.archive = append(bytes.Clone(s.archive), 0) }, ErrSignature.Error()},
		{"signature cut", pack(good), func() { s.sig = s.sig[:40] }, ErrSignature.Error()},
		{"signature too long", pack(good), func() { s.sig = append(bytes.Clone(s.sig), 1) }, "larger than 64 bytes"},
		{"connection cut", pack(good), func() { s.cut = len(s.archive) / 2 }, "unexpected EOF"},
		{"truncated and signed", pack(good)[:200], nil, "unexpected EOF"},
		{"too large", make([]byte, MaxArchive+1), nil, "larger than"},
		{"not an archive", []byte("<html>"), nil, "unpack the archive"},
		{"empty", pack(), nil, "holds no manifest"},
		{"newer schema", pack(with("schema = 1", "schema = 2")), nil, "schema 2 is newer"},
		{"unknown key", pack(with("agent =", "agnt =")), nil, "claude.toml:3:1"},
		{"bad pattern", pack(with(`'Shall I\?'`, `'Shall (I'`)), nil, "claude.toml:8:"},
		{"extends", pack(with("schema = 1", "schema = 1\nextends = 'builtin'")), nil, "of no use alone"},
		{"no version", pack(with(`version = "2026.12.5"`, "")), nil, "no line version"},
		{"older than the built-in", pack(entry{name: "codex.toml", text: rules("codex", "2026.11.29")}), nil, "is older than the built-in one, 2026.11.30"},
		{"older than the installed", pack(entry{name: "claude.toml", text: rules("claude", "2026.11.30")}), nil, "is older than the installed one, 2026.12.1"},
		{"an example fails", pack(with("screen = 'Shall I?'", "screen = 'Shall you?'")), nil, "claude.toml:9: rule ask: no rule matches"},
		{"a counter-example fails", pack(with("screen = 'I shall'", "screen = 'Shall I?'")), nil, "must not match"},
		{"an example is missing", pack(with("[[rules.examples]]\nmatch = false\nscreen = 'I shall'\n", "")), nil, "rule ask has no example"},
		{"another agent's name", pack(with(`agent = "claude"`, `agent = "codex"`)), nil, `of the agent "codex"`},
		{"one of two is wrong", pack(good, entry{name: "codex.toml", text: "x"}), nil, "codex.toml:1:"},
		{"above the directory", pack(good, entry{name: "../evil.toml", text: good.text}), nil, "no file AGENT.toml"},
		{"absolute", pack(entry{name: "/etc/evil.toml", text: good.text}), nil, "no file AGENT.toml"},
		{"in a directory", pack(entry{name: "a/claude.toml", text: good.text}), nil, "no file AGENT.toml"},
		{"hidden", pack(entry{name: ".claude.toml", text: good.text}), nil, "no file AGENT.toml"},
		{"not a manifest", pack(good, entry{name: "run.sh", text: "#!/bin/sh"}), nil, "no file AGENT.toml"},
		{"symbolic link", pack(entry{name: "claude.toml", kind: tar.TypeSymlink}), nil, "no file AGENT.toml"},
		{"hard link", pack(good, entry{name: "codex.toml", kind: tar.TypeLink}), nil, "no file AGENT.toml"},
		{"device", pack(entry{name: "claude.toml", kind: tar.TypeChar}), nil, "no file AGENT.toml"},
		{"twice", pack(good, good), nil, "twice"},
		{"a file too large", pack(entry{name: "claude.toml", text: big}), nil, "larger than"},
		{"too many files", pack(many(maxFiles + 1)...), nil, "more than"},
		{"too much unpacked", pack(many(20, strings.Repeat(" ", manifest.MaxSize))...), nil, "more than"},
		{"sent on to http", pack(good), func() { s.redirect = "http://127.0.0.1:9/m.tar.gz" }, "only https"},
		{"sent round and round", pack(good), func() { s.redirect = "/round" }, "too many redirects"},
		{"the check says no", pack(entry{name: "taken.toml", text: rules("taken", "1")}), nil, "not this one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := newUpdater(t, s)
			u.Check = func(m *manifest.Manifest) error {
				if m.Agent == "taken" {
					return errors.New("not this one")
				}
				return nil
			}
			s.offer(pack(entry{name: "claude.toml", text: rules("claude", "2026.12.1")}))
			if _, err := u.Update(context.Background(), s.URL+"/m.tar.gz", s.public()); err != nil {
				t.Fatal(err)
			}
			before := disk(t, u.Dir)
			s.offer(c.archive)
			if c.change != nil {
				s.mu.Lock()
				c.change()
				s.mu.Unlock()
			}
			_, err := u.Update(context.Background(), s.URL+"/m.tar.gz", s.public())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if after := disk(t, u.Dir); after != before {
				t.Errorf("the disk had\n%s\nand has\n%s", before, after)
			}
		})
	}
}

// many makes manifests, of this text or right ones.
func many(n int, text ...string) []entry {
	var list []entry
	for i := range n {
		agent := fmt.Sprintf("a%d", i)
		e := entry{name: agent + ".toml", text: rules(agent, "1")}
		if len(text) > 0 {
			e.text = text[0]
		}
		list = append(list, e)
	}
	return list
}

// TestRefusedBeforeAsking: nothing is fetched without TLS, from a server whose
// certificate nobody vouches for, or without a key.
func TestRefusedBeforeAsking(t *testing.T) {
	s := newServer(t)
	s.offer(pack(entry{name: "claude.toml", text: rules("claude", "2026.12.1")}))
	for _, c := range []struct {
		name, url string
		transport http.RoundTripper
		key       ed25519.PublicKey
		want      string
	}{
		{"http", strings.Replace(s.URL, "https", "http", 1), s.Client().Transport, s.public(), "only https"},
		{"file", "file:///etc", s.Client().Transport, s.public(), "only https"},
		{"unknown certificate", s.URL, nil, s.public(), "certificate"},
		{"no key", s.URL, s.Client().Transport, nil, "no Ed25519 public key"},
		{"not there", s.URL + "/nothing", s.Client().Transport, s.public(), "404"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := newUpdater(t, s)
			u.Transport = c.transport
			_, err := u.Update(context.Background(), c.url+"/m.tar.gz", c.key)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, err := os.Lstat(Current(u.Dir)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("something was installed: %v", err)
			}
		})
	}
}

// TestLocked: two updates do not run at once.
func TestLocked(t *testing.T) {
	u := newUpdater(t, newServer(t))
	s, err := u.open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Rollback(); err == nil || !strings.Contains(err.Error(), "another update") {
		t.Errorf("got %v", err)
	}
	s.close()
	if s, err = u.open(); err != nil {
		t.Fatal(err)
	}
	s.close()
}
