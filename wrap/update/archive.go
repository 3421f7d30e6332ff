package update

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"fwrap/detect/manifest"
)

// Limits of an archive. The built-in manifests together have a twentieth.
const (
	MaxArchive  = 4 << 20  // bytes, packed
	maxUnpacked = 16 << 20 // bytes, all files together
	maxFiles    = 256
)

// unpack reads an archive. It returns the files by their agents' names.
func unpack(archive []byte) (map[string][]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("unpack the archive: %w", err)
	}
	files := map[string][]byte{}
	// The tar's own frame is a kilobyte or so for each file.
	r := tar.NewReader(io.LimitReader(z, maxUnpacked+maxFiles*4096))
	total := 0
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("unpack the archive: %w", err)
		}
		if h.Typeflag == tar.TypeXGlobalHeader || h.Typeflag == tar.TypeDir && path.Clean(h.Name) == "." {
			continue
		}
		agent, err := agentOf(h)
		switch {
		case err != nil:
			return nil, err
		case files[agent] != nil:
			return nil, fmt.Errorf("the archive has %s.toml twice", agent)
		case h.Size > manifest.MaxSize:
			return nil, fmt.Errorf("%s.toml in the archive is larger than %d bytes", agent, manifest.MaxSize)
		case total+int(h.Size) > maxUnpacked || len(files) == maxFiles:
			return nil, fmt.Errorf("the archive holds more than %d files or %d bytes", maxFiles, maxUnpacked)
		}
		total += int(h.Size)
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("unpack %s.toml: %w", agent, err)
		}
		files[agent] = data
	}
	if len(files) == 0 {
		return nil, errors.New("the archive holds no manifest")
	}
	return files, nil
}

// agentOf names the agent whose manifest an entry is.
func agentOf(h *tar.Header) (string, error) {
	name := strings.TrimPrefix(h.Name, "./")
	agent, ok := strings.CutSuffix(name, ".toml")
	if h.Typeflag != tar.TypeReg || !ok || !isAgent(agent) {
		return "", fmt.Errorf("the archive holds %.80q, which is no file AGENT.toml", h.Name)
	}
	return agent, nil
}

// isAgent says whether a name is one that manifests may have.
func isAgent(name string) bool {
	for i, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_'):
		default:
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// check reads a manifest as strictly as it can be read.
func check(agent string, data []byte) (*manifest.Manifest, error) {
	m, err := manifest.Load(agent+".toml", data)
	if err != nil {
		return nil, err
	}
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(agent+".toml: "+format, args...)) }
	if m.Agent != agent {
		fail("it is of the agent %q", m.Agent)
	}
	if v := manifest.QuickVersion(data); v == "" || v != m.Version {
		fail(`it has no line version = "2026.11.30" before its tables`)
	}
	wins, losses := map[string]bool{}, map[string]bool{}
	for _, e := range m.Examples {
		if e.Match {
			wins[e.Rule] = true
		} else {
			losses[e.Rule] = true
		}
	}
	for _, r := range m.Rules.List {
		if !wins[r.ID] || !losses[r.ID] {
			fail("rule %s has no example that it wins, or none that it must not", r.ID)
		}
	}
	for _, f := range m.Check() {
		errs = append(errs, f)
	}
	if len(errs) > 10 {
		errs = append(errs[:10], fmt.Errorf("and %d more", len(errs)-10))
	}
	return m, errors.Join(errs...)
}
