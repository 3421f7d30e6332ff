package hooks

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Method is how an agent is made to report.
type Method string

const (
	// Settings: a flag takes a JSON settings file, or the JSON itself, with
	// hooks in it. A second flag would replace the first, so that the person's
	// own is merged.
	Settings Method = "settings"
	// SettingsVariable: an environment variable names a JSON settings file of
	// the lowest rank.
	SettingsVariable Method = "settings-variable"
	// PluginDir: a flag names a directory with a plugin that has hooks.
	PluginDir Method = "plugin-dir"
	// ConfigPlugin: an environment variable holds JSON configuration, which may
	// name a plugin to load into the agent.
	ConfigPlugin Method = "config-plugin"
	// Notify: a configuration override on the command line names a program
	// that is run with a JSON argument when a turn ends.
	Notify Method = "notify"
	// NotifyFlag: a flag takes a shell command that is run when the agent
	// waits for input.
	NotifyFlag Method = "notify-flag"
)

var methods = [...]Method{Settings, SettingsVariable, PluginDir, ConfigPlugin, Notify, NotifyFlag}

// Event is a hook event.
type Event struct {
	Name string
	// Since is the first version that has it; empty: every version.
	Since string
	// Matcher is the pattern of tools for which the event fires; empty: the
	// event takes none.
	Matcher string
}

// Spec says how one agent is made to report.
type Spec struct {
	Agent  string
	Method Method
	// Auto: done without the person's word. Hooks cost a process for each
	// event, so that is for agents that say nothing of themselves in-band.
	Auto bool
	// InBand is the first version that reports in its output (OSC 7501), from
	// which on Auto does nothing; empty: none does.
	InBand string
	// Since is the first version that has the mechanism; empty: any. For a
	// version that is not known it is assumed to be there.
	Since string
	// Proven is the version with which it was seen to work; empty: the spec
	// follows the agent's documentation and nobody has tried it.
	Proven string

	Flag     string // the flag of Settings, PluginDir and NotifyFlag
	Inline   bool   // Flag takes JSON itself, too
	Variable string // the variable of SettingsVariable and ConfigPlugin
	// System are the files that Variable replaces, of which the first that
	// exists is merged.
	System []string
	// With are arguments that go before the flag ("--notifications").
	With []string

	Events []Event
	// Unknown are the events for a version that is not known: those that
	// every version has.
	Unknown []string
	// Timeout is what a hook's "timeout" is set to, in the agent's own unit.
	Timeout int

	Skip       []string // subcommands with which nothing is injected
	SkipFlags  []string // flags with which nothing is injected
	SkipEnv    []string // variables that switch hooks off when set and not 0
	NeedFlags  []string // flags without which it would not work, all of them
	OtherFlags []string // the person's own flags for the same thing: leave them alone
	OtherEnv   []string // and variables
	Valued     []string // the agent's other flags whose value is the next argument
	Variadic   []string // the agent's flags that take all arguments up to the next flag
}

// Mode is the person's word about hooks.
type Mode string

const (
	Auto   Mode = "auto"   // where Spec.Auto says so
	Always Mode = "always" // for every agent that has a spec
	Never  Mode = "never"
)

// Wanted reports whether hooks are to be injected, and if not, why not.
// version is the agent's, empty if it is not known.
func (s Spec) Wanted(mode Mode, version string) (bool, string) {
	switch {
	case mode == Never:
		return false, "hooks are switched off"
	case s.Method == "":
		return false, "no way is known to make this agent report"
	case version != "" && s.Since != "" && Less(version, s.Since):
		return false, fmt.Sprintf("%s %s is older than %s", s.Agent, version, s.Since)
	case mode == Always:
		return true, ""
	case !s.Auto:
		return false, "hooks for this agent only with --hooks=always"
	case version != "" && s.InBand != "" && !Less(version, s.InBand):
		return false, fmt.Sprintf("%s %s reports in its output", s.Agent, version)
	}
	return true, ""
}

// events returns those that the version has.
func (s Spec) events(version string) []Event {
	var es []Event
	for _, e := range s.Events {
		switch {
		case version == "":
			if slices.Contains(s.Unknown, e.Name) {
				es = append(es, e)
			}
		case e.Since == "" || !Less(version, e.Since):
			es = append(es, e)
		}
	}
	return es
}

// Parse reads a spec from a manifest's table [self_report], as a TOML reader
// makes it. Its keys are the fields of Spec in lower case with underscores;
// [self_report.events] maps an event to the first version that has it ("" for
// every one), and tool_events lists those that take a matcher.
func Parse(agent string, table map[string]any) (Spec, error) {
	s := Spec{Agent: agent, Timeout: 5}
	var tools []string
	events := map[string]any{}
	for _, k := range sortedKeys(table) {
		v := table[k]
		var err error
		switch k {
		case "method":
			var m string
			err = text(v, &m)
			s.Method = Method(m)
			if err == nil && !slices.Contains(methods[:], s.Method) {
				err = fmt.Errorf("unknown method %q", m)
			}
		case "auto":
			err = boolean(v, &s.Auto)
		case "inline":
			err = boolean(v, &s.Inline)
		case "in_band":
			err = text(v, &s.InBand)
		case "since":
			err = text(v, &s.Since)
		case "proven":
			err = text(v, &s.Proven)
		case "flag":
			err = text(v, &s.Flag)
		case "variable":
			err = text(v, &s.Variable)
		case "timeout":
			n, ok := v.(int64)
			if !ok || n < 1 || n > 1e6 {
				err = fmt.Errorf("not a number from 1 to 1000000")
			}
			s.Timeout = int(n)
		case "events":
			m, ok := v.(map[string]any)
			if !ok {
				err = fmt.Errorf("not a table")
			}
			events = m
		case "tool_events":
			err = texts(v, &tools)
		case "unknown":
			err = texts(v, &s.Unknown)
		case "system":
			err = texts(v, &s.System)
		case "with":
			err = texts(v, &s.With)
		case "skip":
			err = texts(v, &s.Skip)
		case "skip_flags":
			err = texts(v, &s.SkipFlags)
		case "skip_env":
			err = texts(v, &s.SkipEnv)
		case "need_flags":
			err = texts(v, &s.NeedFlags)
		case "other_flags":
			err = texts(v, &s.OtherFlags)
		case "other_env":
			err = texts(v, &s.OtherEnv)
		case "valued":
			err = texts(v, &s.Valued)
		case "variadic":
			err = texts(v, &s.Variadic)
		default:
			err = fmt.Errorf("unknown key")
		}
		if err != nil {
			return Spec{}, fmt.Errorf("self_report: %s: %w", k, err)
		}
	}
	for _, name := range sortedKeys(events) {
		e := Event{Name: name}
		if err := text(events[name], &e.Since); err != nil {
			return Spec{}, fmt.Errorf("self_report: events: %s: %w", name, err)
		}
		if slices.Contains(tools, name) {
			e.Matcher = "*"
		}
		s.Events = append(s.Events, e)
	}
	return s, s.check()
}

// check reports what a spec lacks.
func (s Spec) check() error {
	var lacks string
	switch s.Method {
	case "":
		lacks = "method"
	case Settings, PluginDir, NotifyFlag:
		if s.Flag == "" {
			lacks = "flag"
		}
	case SettingsVariable, ConfigPlugin:
		if s.Variable == "" {
			lacks = "variable"
		}
	}
	switch s.Method {
	case Settings, SettingsVariable, PluginDir:
		if len(s.Events) == 0 && lacks == "" {
			lacks = "events"
		}
	}
	if lacks != "" {
		return fmt.Errorf("self_report: %s is missing", lacks)
	}
	if s.Flag != "" && !strings.HasPrefix(s.Flag, "-") {
		return fmt.Errorf("self_report: flag: %q is no flag", s.Flag)
	}
	for _, v := range []string{s.InBand, s.Since} {
		if v != "" && ParseVersion(v) != v {
			return fmt.Errorf("self_report: %q is no version", v)
		}
	}
	for _, e := range s.Events {
		if e.Since != "" && ParseVersion(e.Since) != e.Since {
			return fmt.Errorf("self_report: events: %s: %q is no version", e.Name, e.Since)
		}
	}
	for _, u := range s.Unknown {
		if !slices.ContainsFunc(s.Events, func(e Event) bool { return e.Name == u }) {
			return fmt.Errorf("self_report: unknown: %q is none of the events", u)
		}
	}
	return nil
}

func text(v any, dst *string) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("not a string")
	}
	*dst = s
	return nil
}

func boolean(v any, dst *bool) error {
	b, ok := v.(bool)
	if !ok {
		return fmt.Errorf("neither true nor false")
	}
	*dst = b
	return nil
}

func texts(v any, dst *[]string) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("not an array of strings")
	}
	for _, e := range list {
		s, ok := e.(string)
		if !ok {
			return fmt.Errorf("not an array of strings")
		}
		*dst = append(*dst, s)
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}
