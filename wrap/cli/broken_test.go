package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/detect/manifest"
	"fwrap/testdata/ptyrun"
)

// TestBrokenManifest starts an agent with a manifest of the person's own that is
// wrong: what is wrong is said with its place before the start, and the agent
// runs on the built-in rules, which know its dialog.
func TestBrokenManifest(t *testing.T) {
	rule := "[[rules]]\nid = \"r%d\"\nstate = \"blocked\"\nany = ['Something that is long enough to fill a file']\n"
	var large strings.Builder
	for i := 0; large.Len() < 10<<20; i++ {
		fmt.Fprintf(&large, rule, i)
	}
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "[[rules]]\nstate = \"blocked\"\nany = ['x']\ncolour = 'red'\n", "claude.toml:4:1:"},
		{"bad pattern", "extends = \"builtin\"\n[[rules]]\nstate = \"blocked\"\nany = ['ok', '(']\n", "claude.toml:4:14:"},
		{"twice the same id", fmt.Sprintf(rule+rule, 1, 1), "claude.toml:6:1:"},
		{"example without a screen", fmt.Sprintf(rule, 1) + "[[rules.examples]]\nmatch = true\n", "claude.toml:5:1:"},
		{"not TOML", "[[rules]]\nstate = blocked\n", "claude.toml:2:"},
		{"10 MB", large.String(), fmt.Sprintf("larger than %d bytes", manifest.MaxSize)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, mineRules)
			for name, text := range map[string]string{
				"ask.raw":                            string(unpack(t, captureDir+"/claude/2.1.332/bash_curl--ask.raw.gz")),
				"bin/claude":                         "#!/bin/sh\n[ \"$1\" != --version ] || exit 0\nstty raw -echo\ncat " + d.dir + "/ask.raw\nread x\n",
				"config/fwrap/manifests/claude.toml": c.text,
			} {
				if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			p := d.startSize(t, 120, 32, "--hooks", "never", "claude")
			p.Until("dialog's glyph", limit, ptyrun.All(ptyrun.Shows("Do you want to proceed"), ptyrun.Title("🔐")))
			out := string(p.Output())
			before, _, _ := strings.Cut(out, "\x1b[?1049h")
			for _, want := range []string{"fwrap: error: ", c.want, "fwrap: hint: the built-in rules are used"} {
				if !strings.Contains(before, want) {
					t.Errorf("no %q before the start:\n%q", want, before[:min(len(before), 600)])
				}
			}
		})
	}
}
