package manifest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"fwrap/detect"
)

// Schema is the version of the file format that this package reads.
const Schema = 1

// Manifest is one agent's file.
type Manifest struct {
	File          string // base name of the file it was read from
	Agent         string
	Version       string   // of the manifest, "2026.11.30"
	Commands      []string // base names of the programs that are this agent
	CheckedWith   []string // versions of the agent that the rules were checked with; none: unverified
	ACP           []string // base names of the agent's ACP adapters
	ProgramStatus bool     // answering the agent's OSC 7501 query makes it report
	// SelfReport is the table [self_report]: how the agent can be made to
	// report by itself. Its keys are the business of who starts the agent.
	SelfReport map[string]any
	Rules      *detect.Rules
	Examples   []Example // of all rules, in file order
}

// Load reads a manifest that stands for itself. name is the file's name: its
// base is what messages and places say, and without the extension it is the
// agent if the file does not name one. The error is an [*Error] or several of
// them joined.
func Load(name string, data []byte) (*Manifest, error) {
	d, err := decode(name, data)
	if err != nil {
		return nil, err
	}
	if d.has("extends") {
		d.fail("extends", "a manifest that extends another is of no use alone")
		return nil, d.err()
	}
	m := d.manifest()
	if len(m.Rules.List) == 0 {
		d.fail("", "the manifest has no [[rules]]")
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return m, nil
}

// manifest compiles what was read; d.err has what is wrong with it.
func (d *decoded) manifest() *Manifest {
	f := &d.file
	m := &Manifest{
		File: d.name, Agent: f.Agent, Version: f.Version, Commands: f.Commands, CheckedWith: f.CheckedWith,
		ACP: f.ACP.Commands, ProgramStatus: f.ProgramStatus, SelfReport: f.SelfReport,
	}
	if m.Agent == "" {
		m.Agent = strings.TrimSuffix(d.name, filepath.Ext(d.name))
	}
	if d.has("agent") && !isID(f.Agent) {
		d.fail("agent", "the agent %q must be of a-z, 0-9, - and _ and begin with a letter", f.Agent)
	}
	for i, c := range f.Commands {
		d.command(fmt.Sprintf("commands[%d]", i), c)
	}
	for i, c := range f.ACP.Commands {
		d.command(fmt.Sprintf("acp.commands[%d]", i), c)
	}
	m.Rules = &detect.Rules{Agent: m.Agent, File: d.name, Version: m.Version, Layout: d.layout()}
	m.Rules.List, m.Examples = d.rules()
	return m
}

func (d *decoded) command(path, name string) {
	if name == "" || strings.ContainsAny(name, "/ \t\n\x00") {
		d.fail(path, "a command is the base name of a program, not %q", name)
	}
}

// Extends reports whether the file builds on the built-in manifest.
func Extends(data []byte) bool {
	if end := arrayOfTables(data); end >= 0 {
		data = data[:end]
	}
	var f struct {
		Extends string `toml:"extends"`
	}
	return toml.Unmarshal(data, &f) == nil && f.Extends != ""
}

// Override applies a user's manifest to the built-in one. It replaces it whole,
// or, if it says extends = "builtin", its rules come first, the built-in ones
// follow but for those that it names in disable or has itself under the same
// id, and what it says of commands, versions and the screen's layout counts.
func Override(builtinName string, builtin []byte, userName string, user []byte) (*Manifest, error) {
	d, err := decode(userName, user)
	if err != nil {
		return nil, err
	}
	if !d.has("extends") {
		if d.has("disable") {
			d.fail("disable", `disable needs extends = "builtin"`)
			return nil, d.err()
		}
		return Load(userName, user)
	}
	if d.file.Extends != "builtin" {
		d.fail("extends", `there is nothing to extend but "builtin"`)
	}
	base, err := Load(builtinName, builtin)
	if err != nil {
		return nil, err
	}
	own := d.manifest()
	if d.has("agent") && own.Agent != base.Agent {
		d.fail("agent", "the manifest is of %s and extends that of %s", own.Agent, base.Agent)
	}
	gone := map[string]bool{}
	for i, id := range d.file.Disable {
		if !slices.ContainsFunc(base.Rules.List, func(r detect.Rule) bool { return r.ID == id }) {
			d.fail(fmt.Sprintf("disable[%d]", i), "the built-in manifest has no rule %q", id)
		}
		gone[id] = true
	}
	for i := range own.Rules.List {
		gone[own.Rules.List[i].ID] = true
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return merge(base, own, d, gone), nil
}

// merge lays a user's manifest over the built-in one.
func merge(base, own *Manifest, d *decoded, gone map[string]bool) *Manifest {
	out := *base
	out.File = own.File
	if d.has("version") {
		out.Version = own.Version
	}
	if d.has("commands") {
		out.Commands = own.Commands
	}
	if d.has("checked_with") {
		out.CheckedWith = own.CheckedWith
	}
	if d.has("acp.commands") {
		out.ACP = own.ACP
	}
	if d.has("program_status") {
		out.ProgramStatus = own.ProgramStatus
	}
	if own.SelfReport != nil {
		out.SelfReport = own.SelfReport
	}
	rules := *base.Rules
	rules.File, rules.Version = own.File, out.Version
	if len(own.Rules.Layout.Separators) > 0 {
		rules.Layout.Separators = own.Rules.Layout.Separators
	}
	if len(own.Rules.Layout.Inside) > 0 {
		rules.Layout.Inside = own.Rules.Layout.Inside
	}
	if len(own.Rules.Layout.Items) > 0 {
		rules.Layout.Items = own.Rules.Layout.Items
	}
	if len(own.Rules.Layout.Trailing) > 0 {
		rules.Layout.Trailing = own.Rules.Layout.Trailing
	}
	rules.Layout.Boxes = append(slices.Clone(own.Rules.Layout.Boxes), base.Rules.Layout.Boxes...)
	rules.List = slices.Clone(own.Rules.List)
	for _, r := range base.Rules.List {
		if !gone[r.ID] {
			rules.List = append(rules.List, r)
		}
	}
	out.Examples = slices.Clone(own.Examples)
	for _, e := range base.Examples {
		if !gone[e.Rule] {
			out.Examples = append(out.Examples, e)
		}
	}
	out.Rules = &rules
	return &out
}
