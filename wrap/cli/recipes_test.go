package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/notify/command"
	"fwrap/wrap/config"
)

// TestRecipes runs what the README has for the config. The programs that would
// reach the world are stand-ins that note how they were called.
func TestRecipes(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var recipes []string
	for _, block := range strings.Split(string(readme), "```toml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		if strings.Contains(block, "[command]") {
			recipes = append(recipes, block)
		}
	}
	// What each calls, and whether for a close, too.
	calls := []struct {
		program string
		close   bool
	}{{"curl", false}, {"curl", false}, {"curl", false}, {"say", false}, {"tmux", true}}
	if len(recipes) != len(calls) {
		t.Fatalf("%d recipes, want %d", len(recipes), len(calls))
	}
	body := "Needs your permission\n$(touch pwned) `touch pwned` \"; touch pwned #'<b>&"
	for i, recipe := range recipes {
		dir := t.TempDir()
		bin, heard := filepath.Join(dir, "bin"), filepath.Join(dir, "heard")
		if err := os.Mkdir(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"curl", "say", "tmux"} {
			script := "#!/bin/sh\n{ echo " + p + "; printf '<%s>' \"$@\"; case \"$*\" in *@-*) cat;; esac; } >>'" + heard + "'\n"
			if err := os.WriteFile(filepath.Join(bin, p), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := exec.LookPath("jq"); err != nil {
			if err := os.WriteFile(filepath.Join(bin, "jq"), []byte("#!/bin/sh\ncat\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(dir, "config.toml")
		if err := os.WriteFile(file, []byte(recipe), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(config.Source{File: file})
		if err != nil {
			t.Fatalf("%v in\n%s", err, recipe)
		}
		c := command.Command{Argv: cfg.Command.Run, Environ: []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir}}
		for _, event := range []string{"blocked", "close"} {
			os.Remove(heard)
			f := command.Facts{Event: event, ID: 1, Agent: "claude", Summary: "claude · orchard", Body: body}
			if r := c.Run(t.Context(), f); r.Err != nil || r.Output != "" {
				t.Errorf("%s: %v %q in\n%s", event, r.Err, r.Output, recipe)
			}
			b, _ := os.ReadFile(heard)
			called := strings.HasPrefix(string(b), calls[i].program+"\n")
			if want := event == "blocked" || calls[i].close; called != want {
				t.Errorf("%s: heard %q from\n%s", event, b, recipe)
			}
			if event == "blocked" && calls[i].program == "curl" && !strings.Contains(string(b), "touch pwned") {
				t.Errorf("the text is not in %q", b)
			}
		}
		if _, err := os.Stat("pwned"); err == nil {
			os.Remove("pwned")
			t.Errorf("a word of the agent's was run by\n%s", recipe)
		}
	}
}
