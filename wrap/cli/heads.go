package cli

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fwrap/detect/manifest"
	"fwrap/wrap/process"
)

// headSize is how much of a built-in manifest is read for its head. A head is
// a few hundred bytes; if one should ever be longer the whole file is read.
const headSize = 4 << 10

// forCommand names the agent whose manifest lists the command's base name, and
// the manifest's head. It comes before every start, so it reads no more than it
// must: the heads of the built-in manifests, and of those only the one that has
// the name in it is taken apart.
func (c *catalog) forCommand(command string) (string, manifest.Head, bool) {
	return c.withName(filepath.Base(command), func(h manifest.Head) []string { return h.Commands })
}

// forACP names the agent whose ACP adapter a command is.
func (c *catalog) forACP(command string) (string, bool) {
	agent, _, ok := c.withName(filepath.Base(command), func(h manifest.Head) []string { return h.ACP })
	return agent, ok
}

func (c *catalog) withName(name string, names func(manifest.Head) []string) (string, manifest.Head, bool) {
	quoted := []byte(strconv.Quote(name))
	buf := make([]byte, headSize)
	foreign := c.foreign()
	for _, agent := range c.with(foreign) {
		if !foreign[agent] && !c.mentions(agent, quoted, buf) {
			continue
		}
		h, ok := c.head(agent)
		if !ok {
			continue
		}
		for _, n := range names(h) {
			if n == name {
				return agent, h, true
			}
		}
	}
	return "", manifest.Head{}, false
}

// mentions says whether a built-in manifest's head may have a word. buf is
// written over.
func (c *catalog) mentions(agent string, quoted, buf []byte) bool {
	f, err := c.builtin.Open(agent + ".toml")
	if err != nil {
		return true
	}
	defer f.Close()
	n, err := io.ReadFull(f, buf)
	if err == nil && !bytes.Contains(buf, []byte("\n[[")) {
		return true
	}
	return bytes.Contains(buf[:n], quoted)
}

// foreign returns the agents that have a manifest which is not built in: the
// person's own, or a download.
func (c *catalog) foreign() map[string]bool {
	set := map[string]bool{}
	for _, dir := range []string{c.userDir, c.downloaded} {
		if dir == "" {
			continue
		}
		list, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range list {
			if n, ok := strings.CutSuffix(e.Name(), ".toml"); ok && validAgent(n) {
				set[n] = true
			}
		}
	}
	return set
}

// commands maps every manifest's commands to its agent.
func (c *catalog) commands() process.Commands {
	m := process.Commands{}
	for _, agent := range c.names() {
		if h, ok := c.head(agent); ok {
			for _, name := range h.Commands {
				m[name] = agent
			}
		}
	}
	return m
}

// head reads what stands before the rules of an agent's manifest, the person's
// own first.
func (c *catalog) head(agent string) (manifest.Head, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h, ok := c.heads[agent]; ok {
		return h, true
	}
	h, ok := c.readHead(agent)
	if ok {
		if c.heads == nil {
			c.heads = map[string]manifest.Head{}
		}
		c.heads[agent] = h
	}
	return h, ok
}

func (c *catalog) readHead(agent string) (manifest.Head, bool) {
	builtin, user, userFile, err := c.source(agent)
	if err == nil && user != nil {
		h, err := manifest.ReadHead(userFile, user)
		if err == nil && (len(h.Commands) > 0 || builtin == nil) {
			return h, true
		}
	}
	if builtin == nil {
		return manifest.Head{}, false
	}
	h, err := manifest.ReadHead(agent+".toml", builtin)
	if err != nil { // a broken download
		if builtin, err = fs.ReadFile(c.builtin, agent+".toml"); err == nil {
			h, err = manifest.ReadHead(agent+".toml", builtin)
		}
	}
	return h, err == nil
}
