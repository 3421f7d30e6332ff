package process

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// packageCommands returns the names under which an npm package installs file
// as a command, by the "bin" of its package.json. Agents that start their own
// "dist/index.js" or "cli.js" directly are known in no other way.
func packageCommands(file string) []string {
	if !filepath.IsAbs(file) {
		return nil
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // npm links its commands into a bin directory
	}
	if !strings.Contains(file, "node_modules/") {
		return nil
	}
	dir := filepath.Dir(file)
	for i := 0; i < 6 && filepath.Base(dir) != "node_modules" && len(dir) > 1; i++ {
		if b, err := readSmall(filepath.Join(dir, "package.json"), 256<<10); err == nil {
			if cmds := binCommands(b, dir, file); cmds != nil {
				return cmds
			}
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// binCommands reads the commands of file from a package.json that lies in dir.
// A package with a single command gives it for any of its files: a launcher
// may run another script than the one it names.
func binCommands(manifest []byte, dir, file string) []string {
	var m struct {
		Name string          `json:"name"`
		Bin  json.RawMessage `json:"bin"`
	}
	if json.Unmarshal(manifest, &m) != nil || len(m.Bin) == 0 {
		return nil
	}
	var one string
	if json.Unmarshal(m.Bin, &one) == nil {
		return []string{base(m.Name)}
	}
	var many map[string]string
	if json.Unmarshal(m.Bin, &many) != nil {
		return nil
	}
	var exact, targets []string
	for name, target := range many {
		target = filepath.Join(dir, target)
		if target == file {
			exact = append(exact, name)
		}
		targets = append(targets, name)
	}
	if exact != nil {
		return exact
	}
	if len(targets) == 1 {
		return targets
	}
	return nil
}

// readSmall reads a regular file of at most limit bytes.
func readSmall(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
