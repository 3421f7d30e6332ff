package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"fwrap/detect/manifest"
)

// downloads are the manifests that the person has fetched with "manifests
// update". They were checked when they were installed.
type downloads struct {
	downloaded string // the directory; empty or not there: none were
	once       sync.Once
	there      bool
}

// newer returns the downloaded manifest of an agent if it is newer than the
// built-in one, so that an upgrade of fwrap is never shadowed by an old download.
func (d *downloads) newer(agent string, builtin []byte) []byte {
	d.once.Do(func() {
		if d.downloaded != "" {
			fi, err := os.Stat(d.downloaded)
			d.there = err == nil && fi.IsDir()
		}
	})
	if !d.there {
		return nil
	}
	data, err := readLimited(d.file(agent), manifest.MaxSize)
	if err != nil || manifest.CompareVersions(manifest.QuickVersion(data), manifest.QuickVersion(builtin)) <= 0 {
		return nil
	}
	return data
}

func (d *downloads) file(agent string) string { return filepath.Join(d.downloaded, agent+".toml") }

// isDownload says whether the base of an agent's rules was downloaded.
func (c *catalog) isDownload(agent string) bool {
	own, _ := fs.ReadFile(c.builtin, agent+".toml")
	return c.newer(agent, own) != nil
}

// base compiles what counts as the built-in manifest. A download that is refused
// (it was changed on the disk, or fwrap is older now than when it came) gives
// the built-in one and the error.
func (c *catalog) base(name string, data []byte) (*manifest.Manifest, error) {
	m, err := manifest.Load(name, data)
	if err == nil {
		return m, nil
	}
	if own, ferr := fs.ReadFile(c.builtin, name); ferr == nil {
		if m, oerr := manifest.Load(name, own); oerr == nil {
			return m, err
		}
	}
	return nil, err
}

// override lays the person's own manifest over the base.
func (c *catalog) override(name string, data []byte, userFile string, user []byte) (*manifest.Manifest, error) {
	m, err := manifest.Override(name, data, userFile, user)
	if err == nil || !manifest.Extends(user) {
		return m, err
	}
	// Not because of a broken download beneath it.
	if _, berr := manifest.Load(name, data); berr != nil {
		if own, ferr := fs.ReadFile(c.builtin, name); ferr == nil {
			return manifest.Override(name, own, userFile, user)
		}
	}
	return m, err
}
