package hooks

import (
	"fmt"
	"path/filepath"
	"strings"
)

// notify sets codex's notify program for one launch. The person's own is run
// after ours, with the same argument, by the process that was ours.
func (j injector) notify() (Injection, error) {
	for _, a := range j.as {
		if a.flag == "-c" || a.flag == "--config" {
			key, _, _ := strings.Cut(a.value, "=")
			if strings.TrimSpace(key) == "notify" {
				return Injection{}, fmt.Errorf("%s notify is the person's own", a.flag)
			}
		}
	}
	argv := []string{filepath.Clean(j.Self), "report", "--from", j.Agent}
	if j.UserNotify != nil {
		own, err := j.UserNotify()
		if err != nil {
			return Injection{}, fmt.Errorf("look for the person's own notify program: %w", err)
		}
		if len(own) > 0 {
			argv = append(append(argv, "--"), own...)
		}
	}
	// A TOML array of basic strings; JSON's escapes are among TOML's.
	list, err := encode(argv)
	if err != nil {
		return Injection{}, err
	}
	return Injection{Args: prepend(j.Args, "-c", "notify="+string(list))}, nil
}

// notifyFlag gives a command that says that the agent is idle. The person's
// own may stand in a configuration file; a flag would replace it.
func (j injector) notifyFlag() (Injection, error) {
	files := []string{".aider.conf.yml"}
	if home := j.Getenv("HOME"); home != "" {
		files = append(files, filepath.Join(home, ".aider.conf.yml"))
	}
	if f := findFlag(j.as, "--config", "-c"); f != nil && f.has {
		files = append(files, f.value)
	}
	for _, f := range files {
		if b, err := j.ReadFile(f); err == nil && strings.Contains(string(b), "notifications-command") {
			return Injection{}, fmt.Errorf("%s has a command of the person's own", f)
		}
	}
	first := append(append([]string{}, j.With...), j.Flag, j.reporter(" idle"))
	return Injection{Args: prepend(j.Args, first...)}, nil
}
