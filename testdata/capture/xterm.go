package capture

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// The emulator of the screens, as testdata/emulator/README.md names it.
var xtermPackages = []string{"@xterm/headless@6.0.0", "@xterm/addon-unicode11@0.9.0"}

//go:embed xterm.cjs
var xtermScript []byte

// XTerm returns a [Draw] by xterm.js, which npm fetches into its cache. cleanup
// removes what it needs on the disk.
func XTerm() (draw Draw, cleanup func(), err error) {
	dir, err := os.MkdirTemp("", "fwrap-xterm")
	if err != nil {
		return nil, nil, err
	}
	cleanup = func() { os.RemoveAll(dir) }
	script := filepath.Join(dir, "xterm.cjs")
	if err := os.WriteFile(script, xtermScript, 0o600); err != nil {
		cleanup()
		return nil, nil, err
	}
	args := append([]string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel=error"}, xtermPackages...)
	if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
		cleanup()
		return nil, nil, fmt.Errorf("npm install %v: %w\n%s", xtermPackages, err, out)
	}
	return func(raw []byte, cols, rows int) (string, error) {
		cmd := exec.Command("node", script, strconv.Itoa(cols), strconv.Itoa(rows))
		var out, msg bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(raw), &out, &msg
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("xterm.js: %w\n%s", err, msg.Bytes())
		}
		return out.String(), nil
	}, cleanup, nil
}
