package manifests_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/detect"
	"fwrap/detect/manifest"
	"fwrap/detect/screen"
	"fwrap/manifests"
)

const (
	captureDir = "../testdata/captures"
	fieldDir   = "../testdata/field-reports"
)

// capture is a labelled moment of a recording.
type capture struct {
	Name       string // "claude/2.1.332/bash_curl--ask"
	Agent      string
	Cols, Rows int
	State      string
	Kind       string
	Note       string
	Title      string
}

// load reads a built-in manifest.
func load(t testing.TB, agent string) *manifest.Manifest {
	t.Helper()
	data, err := manifests.FS.ReadFile(agent + ".toml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Load(agent+".toml", data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// agents lists the agents that have a built-in manifest.
func agents(t testing.TB) []string {
	t.Helper()
	entries, err := manifests.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".toml"))
	}
	return out
}

// captures lists an agent's labelled moments.
func captures(t testing.TB, agent string) []capture {
	t.Helper()
	var out []capture
	for _, f := range table(t, filepath.Join(captureDir, "truth.tsv")) {
		if f["agent"] != agent {
			continue
		}
		c := capture{
			Name: strings.TrimSuffix(f["file"], ".raw"), Agent: agent,
			State: f["state"], Kind: f["kind"], Note: f["note"], Title: f["title"],
		}
		if _, err := fmt.Sscanf(f["size"], "%dx%d", &c.Cols, &c.Rows); err != nil {
			t.Fatalf("%s: size %q: %v", c.Name, f["size"], err)
		}
		out = append(out, c)
	}
	return out
}

// table reads a file of tab-separated rows under a header.
func table(t testing.TB, path string) []map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	header := strings.Split(lines[0], "\t")
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(line, "\t") {
			if i < len(header) {
				row[header[i]] = cell
			}
		}
		out = append(out, row)
	}
	return out
}

// raw returns the bytes that the agent wrote up to the moment.
func (c *capture) raw(t testing.TB) []byte {
	return unzip(t, filepath.Join(captureDir, c.Name+".raw.gz"))
}

// replayed draws the bytes in writes of the given size.
func (c *capture) replayed(t testing.TB, size int) detect.Snapshot {
	t.Helper()
	s := screen.New(c.Cols, c.Rows)
	for p := c.raw(t); len(p) > 0; {
		n := min(size, len(p))
		s.Write(p[:n])
		p = p[n:]
	}
	return s.Snapshot()
}

// drawn returns the screen as another terminal emulator drew it.
func (c *capture) drawn(t testing.TB) detect.Snapshot {
	t.Helper()
	s := manifest.Screen(string(unzip(t, filepath.Join(captureDir, c.Name+".screen.txt.gz"))), c.Cols, c.Rows)
	s.Title = c.Title
	return s
}

func unzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}
