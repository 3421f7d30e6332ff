package hooks

import (
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// pluginDir makes a plugin with hooks and names its directory. The flag may be
// given several times.
func (j injector) pluginDir() (Injection, error) {
	dir, err := j.file("plugin")
	if err != nil {
		return Injection{}, err
	}
	type hook struct {
		Type    string `json:"type"`
		Bash    string `json:"bash"`
		Timeout int    `json:"timeoutSec"`
	}
	hooks := map[string][]hook{}
	for _, e := range j.events(j.Version) {
		// Each payload is of its event without saying so.
		hooks[e.Name] = []hook{{"command", j.reporter(" --event " + e.Name), j.Timeout}}
	}
	list, err := encode(map[string]any{"version": 1, "hooks": hooks})
	if err != nil {
		return Injection{}, err
	}
	about, err := encode(map[string]string{
		"name": "fwrap", "version": "1.0.0", "hooks": "hooks.json",
		"description": "Tells fwrap what the agent does, for this session only.",
	})
	if err != nil {
		return Injection{}, err
	}
	return Injection{
		Args:  prepend(j.Args, j.Flag, dir),
		Files: []File{{Name: "plugin/plugin.json", Content: about}, {Name: "plugin/hooks.json", Content: list}},
	}, nil
}

//go:embed opencode.js
var opencodePlugin string

// configPlugin adds a plugin to the configuration in a variable, which the
// agent merges over its files.
func (j injector) configPlugin() (Injection, error) {
	path, err := j.file("plugin.js")
	if err != nil {
		return Injection{}, err
	}
	var config object
	if own := j.Getenv(j.Variable); strings.TrimSpace(own) != "" {
		if err := config.decode([]byte(own)); err != nil {
			return Injection{}, fmt.Errorf("merge %s: %w", j.Variable, err)
		}
	}
	ours, err := encode((&url.URL{Scheme: "file", Path: path}).String())
	if err != nil {
		return Injection{}, err
	}
	list := "[" + string(ours) + "]"
	if raw := strings.TrimSpace(string(config.get("plugin"))); raw != "" {
		inner, ok := strings.CutPrefix(raw, "[")
		if !ok {
			return Injection{}, fmt.Errorf("merge %s: %w", j.Variable, errors.New("plugin: not an array"))
		}
		if inner = strings.TrimSpace(strings.TrimSuffix(inner, "]")); inner != "" {
			list = "[" + inner + "," + string(ours) + "]"
		}
	}
	config.set("plugin", []byte(list))
	name, err := encode(j.Agent)
	if err != nil {
		return Injection{}, err
	}
	return Injection{
		Args:  j.Args,
		Env:   []string{j.Variable + "=" + string(config.encode())},
		Files: []File{{Name: "plugin.js", Content: []byte(strings.Replace(opencodePlugin, `"opencode"`, string(name), 1))}},
	}, nil
}
