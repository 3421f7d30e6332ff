package hooks

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const self = "/opt/fw rap's/fwrap"

// launch is a launch of the agent with files in a map.
func launch(args []string, env map[string]string, files map[string]string) Launch {
	return Launch{
		Args:   args,
		Getenv: func(k string) string { return env[k] },
		ReadFile: func(p string) ([]byte, error) {
			if s, ok := files[p]; ok {
				return []byte(s), nil
			}
			return nil, fs.ErrNotExist
		},
		Self:    self,
		Version: "2.1.200",
		Dir:     "/run/fwrap/7.d",
	}
}

// hookEvents are the events that settings hook to fwrap, by how many hooks of
// others they have; it fails on anything that is not a settings file of ours.
func hookEvents(t *testing.T, settings string) map[string]int {
	t.Helper()
	var s struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	if err := json.Unmarshal([]byte(settings), &s); err != nil {
		t.Fatalf("%v in %s", err, settings)
	}
	found := map[string]int{}
	for name, groups := range s.Hooks {
		for i, g := range groups {
			for _, h := range g.Hooks {
				if strings.Contains(h.Command, " report --from ") {
					if i != len(groups)-1 {
						t.Errorf("%s: ours is not the last", name)
					}
					if !strings.HasSuffix(h.Command, " >/dev/null 2>&1 || true") || h.Type != "command" || h.Timeout < 5 {
						t.Errorf("%s: %+v", name, h)
					}
					found[name] = len(groups) - 1
				}
			}
		}
	}
	return found
}

func spec(t *testing.T, agent string) Spec {
	t.Helper()
	s, ok := Builtin(agent)
	if !ok {
		t.Fatalf("no spec for %s", agent)
	}
	return s
}

func TestClaudeArguments(t *testing.T) {
	files := map[string]string{
		"my.json":       `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}`,
		"/abs/off.json": `{"disableAllHooks": true}`,
		"bad.json":      `{"model":`,
		"list.json":     `[]`,
		"two.json":      `{} {}`,
		"hooks.json":    `{"hooks":[]}`,
		"stop.json":     `{"hooks":{"Stop":{}}}`,
		"empty.json":    ``,
		"comment.json":  "{\n// no JSON\n}",
	}
	for _, c := range []struct {
		name string
		args string // split at spaces
		rest string // what stands behind our --settings; "=" for the arguments as they were
		why  string
	}{
		{"none", "", "", ""},
		{"prompt", "fix_it", "fix_it", ""},
		{"print", "-p hello", "-p hello", ""},
		{"after the prompt", "hello --settings {\"model\":\"opus\"}", "hello", ""},
		{"double dash", "-- --settings x.json mcp", "-- --settings x.json mcp", ""},
		{"inline", `--settings {"model":"opus"} -c`, "-c", ""},
		{"inline with =", `--settings={"model":"opus"} -c`, "-c", ""},
		{"file", "-c --settings my.json --verbose", "-c --verbose", ""},
		{"file with =", "--settings=my.json", "", ""},
		{"empty file", "--settings empty.json", "", ""},
		{"two, the last wins whole", `--settings {"a":1} x --settings my.json`, "x", ""},
		{"a value that looks like it", "--append-system-prompt --settings hello", "--append-system-prompt --settings hello", ""},
		{"a value that looks like a subcommand", "--model mcp hi", "--model mcp hi", ""},
		{"a variadic flag", "--add-dir mcp doctor --verbose", "--add-dir mcp doctor --verbose", ""},
		{"a session called so", "--resume x", "--resume x", ""},

		{"subcommand", "mcp list", "=", `"mcp" takes no hooks`},
		{"subcommand after flags", "--debug --model opus mcp list", "=", `"mcp" takes no hooks`},
		{"subcommand after an unknown flag", "--new-flag update", "=", `"update" takes no hooks`},
		{"version", "--version", "=", "--version takes no hooks"},
		{"help", "-h", "=", "-h takes no hooks"},
		{"bare", "--bare -p x", "=", "--bare takes no hooks"},
		{"safe mode", "--safe-mode", "=", "--safe-mode takes no hooks"},
		{"background", "--bg x", "=", "--bg takes no hooks"},
		{"no value", "--settings", "=", "no value"},
		{"empty value", "--settings=", "=", "no value"},
		{"missing file", "--settings gone.json", "=", "file does not exist"},
		{"bad JSON inline", `--settings {"a":`, "=", "not JSON"},
		{"bad JSON", "--settings bad.json", "=", "not JSON"},
		{"comments", "--settings comment.json", "=", "not JSON"},
		{"no object", "--settings list.json", "=", "not a JSON object"},
		{"two objects", "--settings two.json", "=", "more than a JSON object"},
		{"hooks no object", "--settings hooks.json", "=", "hooks: not a JSON object"},
		{"event no array", "--settings stop.json", "=", "Stop: not an array"},
		{"hooks switched off", "--settings /abs/off.json", "=", "switch all hooks off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := strings.Fields(c.args)
			before := slices.Clone(args)
			inj, why := Inject(spec(t, "claude"), launch(args, nil, files))
			if !slices.Equal(args, before) {
				t.Errorf("the caller's arguments were changed: %q", args)
			}
			if c.rest == "=" {
				if !slices.Equal(inj.Args, args) || inj.Env != nil || inj.Files != nil {
					t.Errorf("changed: %+v", inj)
				}
				if !strings.Contains(why, c.why) {
					t.Errorf("why: %q, want %q", why, c.why)
				}
				return
			}
			if why != "" || len(inj.Args) < 2 || inj.Args[0] != "--settings" {
				t.Fatalf("%q, %q", inj.Args, why)
			}
			if got := strings.Join(inj.Args[2:], " "); got != c.rest {
				t.Errorf("rest %q, want %q", got, c.rest)
			}
			settings := inj.Args[1]
			if len(inj.Files) > 0 {
				if settings != "/run/fwrap/7.d/settings.json" || inj.Files[0].Name != "settings.json" {
					t.Errorf("%q, %+v", settings, inj.Files)
				}
				settings = string(inj.Files[0].Content)
			}
			if n := len(hookEvents(t, settings)); n != 17 {
				t.Errorf("%d events", n)
			}
			// What is in the person's file stays out of the command line.
			fromFile := strings.Contains(c.args, ".json") && c.name != "double dash"
			if fromFile != (len(inj.Files) > 0) {
				t.Errorf("files %+v", inj.Files)
			}
		})
	}
}

func TestClaudeMerge(t *testing.T) {
	user := `{"permissions":{"allow":["Bash(a && b <c>)"],"n":12345678901234567890},"hooks":{` +
		`"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a"}]},{"matcher":"Edit","hooks":[]}],"Stop":[],"Odd":[{"x":1}]},` +
		`"model":"old","model":"opus"}`
	inj, why := Inject(spec(t, "claude"), launch([]string{"--settings", user}, nil, nil))
	if why != "" || inj.Files != nil {
		t.Fatalf("%q %+v", why, inj.Files)
	}
	got := inj.Args[1]
	ev := hookEvents(t, got)
	if ev["PreToolUse"] != 2 || ev["Stop"] != 0 || ev["Notification"] != 0 {
		t.Errorf("events with hooks of others: %v", ev)
	}
	for _, want := range []string{`{"permissions":{"allow":["Bash(a && b <c>)"],"n":12345678901234567890},`, `"Odd":[{"x":1}]`, `"model":"opus"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if strings.Contains(got, `"old"`) {
		t.Error("the first of two members of one name is still there")
	}

	// Too long for one argument of the kernel's: a file.
	long := `{"x":"` + strings.Repeat("y", 100<<10) + `"}`
	inj, why = Inject(spec(t, "claude"), launch([]string{"--settings", long}, nil, nil))
	if why != "" || len(inj.Files) != 1 || inj.Args[1] != "/run/fwrap/7.d/settings.json" {
		t.Errorf("long settings: %q, %d files", why, len(inj.Files))
	}
	l := launch([]string{"--settings", long}, nil, nil)
	l.Dir = ""
	if inj, why := Inject(spec(t, "claude"), l); why == "" || len(inj.Args) != 2 {
		t.Error("long settings with no place for a file")
	}
}

// The events by version: self-report, measured; an event that a version does
// not know can drop all its hooks.
func TestClaudeEvents(t *testing.T) {
	for _, c := range []struct {
		version string
		has     string
		not     string
	}{
		{"", "UserPromptSubmit PreToolUse Notification Stop", "PermissionRequest SessionStart SubagentStop PostToolUse"},
		{"1.0.61", "UserPromptSubmit PreToolUse PostToolUse Notification Stop SubagentStop PreCompact", "SessionStart SessionEnd PermissionRequest"},
		{"2.0.30", "SessionStart SessionEnd", "SubagentStart PermissionRequest StopFailure PostCompact"},
		{"2.0.45", "SubagentStart PermissionRequest", "PermissionDenied PostCompact Elicitation"},
		{"2.1.100", "PermissionRequest PostCompact StopFailure PermissionDenied", "PostToolUseFailure Elicitation"},
		{"2.1.197", "PostToolUseFailure Elicitation ElicitationResult", "MessageDisplay"},
		{"2.1.332", "PostToolUseFailure Elicitation ElicitationResult StopFailure", "MessageDisplay PreModelSwitch"},
		{"3.0.0-beta.1", "PostToolUseFailure PermissionRequest", "MessageDisplay"},
	} {
		l := launch(nil, nil, nil)
		l.Version = c.version
		inj, why := Inject(spec(t, "claude"), l)
		if why != "" {
			t.Fatal(why)
		}
		ev := hookEvents(t, inj.Args[1])
		for _, e := range strings.Fields(c.has) {
			if _, ok := ev[e]; !ok {
				t.Errorf("%s: %s is missing", c.version, e)
			}
		}
		for _, e := range strings.Fields(c.not) {
			if _, ok := ev[e]; ok {
				t.Errorf("%s: %s is there", c.version, e)
			}
		}
		if c.version == "" && len(ev) != 4 {
			t.Errorf("unknown version: %v", ev)
		}
	}
}

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		agent, version string
		mode           Mode
		want           bool
	}{
		{"claude", "2.1.197", Auto, true},
		{"claude", "2.1.294", Auto, true},
		{"claude", "2.1.295", Auto, false},
		{"claude", "2.1.332", Auto, false},
		{"claude", "2.1.332", Always, true},
		{"claude", "", Auto, true},
		{"claude", "2.1.197", Never, false},
		{"claude", "1.0.60", Always, false},
		{"codex", "0.171.0", Auto, false},
		{"codex", "0.171.0", Always, true},
		{"qwen", "", Always, true},
		{"qwen", "", Never, false},
	} {
		got, why := spec(t, c.agent).Wanted(c.mode, c.version)
		if got != c.want || got != (why == "") {
			t.Errorf("%s %s %s: %v, %q", c.agent, c.version, c.mode, got, why)
		}
	}
	if ok, why := (Spec{}).Wanted(Always, ""); ok || why == "" {
		t.Error("an agent with no spec")
	}
}

func TestEnvironmentSwitch(t *testing.T) {
	for v, injected := range map[string]bool{"": true, "0": true, "1": false, "true": false} {
		_, why := Inject(spec(t, "claude"), launch(nil, map[string]string{"CLAUDE_CODE_SIMPLE": v}, nil))
		if (why == "") != injected {
			t.Errorf("CLAUDE_CODE_SIMPLE=%s: %q", v, why)
		}
	}
	l := launch(nil, nil, nil)
	l.Self = "fwrap"
	if inj, why := Inject(spec(t, "claude"), l); why == "" || inj.Args != nil {
		t.Error("a relative path to fwrap")
	}
}

// The command of a hook, run by a shell: silent, successful, and it names fwrap
// whatever characters its path has.
func TestReporterCommand(t *testing.T) {
	inj, _ := Inject(spec(t, "claude"), launch(nil, nil, nil))
	var s struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err := json.Unmarshal([]byte(inj.Args[1]), &s); err != nil {
		t.Fatal(err)
	}
	command := s.Hooks["Stop"][0].Hooks[0].Command
	if want := `'/opt/fw rap'\''s/fwrap' report --from claude >/dev/null 2>&1 || true`; command != want {
		t.Errorf("%s\nwant %s", command, want)
	}
	out, err := exec.Command("/bin/sh", "-c", command).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("fwrap is not there: %q, %v", out, err)
	}
	for _, s := range []string{"/usr/bin/fwrap", "it's $(here)/`fwrap`", "", `"\`, "a\nb"} {
		out, err := exec.Command("/bin/sh", "-c", "printf %s "+Quote(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q becomes %q, %v", s, out, err)
		}
	}
}

func TestSettingsVariable(t *testing.T) {
	const system = `{"ui":{"theme":"x"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"theirs"}]}]}}`
	for _, c := range []struct {
		name  string
		env   map[string]string
		files map[string]string
		theme bool
		why   string
	}{
		{"nothing there", nil, nil, false, ""},
		{"the system's file", nil, map[string]string{"/etc/qwen-code/system-defaults.json": system}, true, ""},
		{"the person's own", map[string]string{"QWEN_CODE_SYSTEM_DEFAULTS_PATH": "/x.json"}, map[string]string{"/x.json": system}, true, ""},
		{"the person's own is gone", map[string]string{"QWEN_CODE_SYSTEM_DEFAULTS_PATH": "/x.json"}, nil, false, "file does not exist"},
		{"with comments", nil, map[string]string{"/etc/qwen-code/system-defaults.json": "// x\n{}"}, false, "not JSON"},
	} {
		args := []string{"-m", "pro"}
		inj, why := Inject(spec(t, "qwen"), launch(args, c.env, c.files))
		if c.why != "" {
			if !strings.Contains(why, c.why) || inj.Env != nil {
				t.Errorf("%s: %q", c.name, why)
			}
			continue
		}
		if why != "" || !slices.Equal(inj.Args, args) || !slices.Equal(inj.Env, []string{"QWEN_CODE_SYSTEM_DEFAULTS_PATH=/run/fwrap/7.d/settings.json"}) {
			t.Errorf("%s: %q %q %q", c.name, why, inj.Args, inj.Env)
			continue
		}
		got := string(inj.Files[0].Content)
		ev := hookEvents(t, got)
		if len(ev) != 13 || ev["Stop"] != 0 && !c.theme || strings.Contains(got, `"theme"`) != c.theme {
			t.Errorf("%s: %s", c.name, got)
		}
		if !strings.Contains(got, `"timeout":5000`) || !strings.Contains(got, "--from qwen") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	if _, why := Inject(spec(t, "qwen"), launch([]string{"mcp", "list"}, nil, nil)); why == "" {
		t.Error("qwen mcp list")
	}
}

func TestDroid(t *testing.T) {
	inj, why := Inject(spec(t, "droid"), launch([]string{"hi"}, nil, nil))
	if why != "" || inj.Args[0] != "--settings" || inj.Args[1] != "/run/fwrap/7.d/settings.json" || inj.Args[2] != "hi" || len(inj.Files) != 1 {
		t.Errorf("%q %+v", why, inj)
	}
	if _, why := Inject(spec(t, "droid"), launch([]string{"--settings", `{"a":1}`}, nil, nil)); why == "" {
		t.Error("droid takes no JSON on the command line")
	}
}

func TestPluginDir(t *testing.T) {
	inj, why := Inject(spec(t, "copilot"), launch([]string{"--plugin-dir", "/own", "-p", "x"}, nil, nil))
	if why != "" {
		t.Fatal(why)
	}
	if got := strings.Join(inj.Args, " "); got != "--plugin-dir /run/fwrap/7.d/plugin --plugin-dir /own -p x" {
		t.Errorf("%s", got)
	}
	var hooks struct {
		Version int
		Hooks   map[string][]struct {
			Type, Bash string
			TimeoutSec int
		}
	}
	if inj.Files[1].Name != "plugin/hooks.json" {
		t.Fatalf("%+v", inj.Files)
	}
	if err := json.Unmarshal(inj.Files[1].Content, &hooks); err != nil {
		t.Fatal(err)
	}
	h := hooks.Hooks["agentStop"]
	if hooks.Version != 1 || len(hooks.Hooks) != 8 || len(h) != 1 || h[0].TimeoutSec != 5 || !strings.Contains(h[0].Bash, "--from copilot --event agentStop >") {
		t.Errorf("%+v", hooks)
	}
	if !json.Valid(inj.Files[0].Content) {
		t.Errorf("%s", inj.Files[0].Content)
	}
	l := launch(nil, nil, nil)
	l.Dir = ""
	if _, why := Inject(spec(t, "copilot"), l); why == "" {
		t.Error("no place for the files")
	}
}

func TestConfigPlugin(t *testing.T) {
	for _, c := range []struct{ own, want, why string }{
		{"", `{"plugin":["file:///run/fwrap/7.d/plugin.js"]}`, ""},
		{`{"model":"x"}`, `{"model":"x","plugin":["file:///run/fwrap/7.d/plugin.js"]}`, ""},
		{`{"plugin":["a"],"b":1}`, `{"plugin":["a","file:///run/fwrap/7.d/plugin.js"],"b":1}`, ""},
		{`{"plugin":[]}`, `{"plugin":["file:///run/fwrap/7.d/plugin.js"]}`, ""},
		{`{"plugin":"a"}`, "", "not an array"},
		{`{`, "", "not JSON"},
	} {
		inj, why := Inject(spec(t, "opencode"), launch(nil, map[string]string{"OPENCODE_CONFIG_CONTENT": c.own}, nil))
		if c.why != "" {
			if !strings.Contains(why, c.why) {
				t.Errorf("%s: %q", c.own, why)
			}
			continue
		}
		if why != "" || len(inj.Env) != 1 || inj.Env[0] != "OPENCODE_CONFIG_CONTENT="+c.want {
			t.Errorf("%s: %q %q", c.own, why, inj.Env)
		}
		if inj.Files[0].Name != "plugin.js" || !strings.Contains(string(inj.Files[0].Content), `const from = "opencode"`) {
			t.Errorf("%s", inj.Files[0].Content)
		}
	}
	l := launch(nil, nil, nil)
	l.Dir = "/tmp/a b%c"
	inj, _ := Inject(spec(t, "kilo"), l)
	if !strings.Contains(inj.Env[0], `KILO_CONFIG_CONTENT={"plugin":["file:///tmp/a%20b%25c/plugin.js"]}`) || !strings.Contains(string(inj.Files[0].Content), `const from = "kilo"`) {
		t.Errorf("%+v", inj)
	}
}

func TestCodexNotify(t *testing.T) {
	l := launch([]string{"--no-daemon", "fix"}, nil, nil)
	inj, why := Inject(spec(t, "codex"), l)
	if want := []string{"-c", `notify=["/opt/fw rap's/fwrap","report","--from","codex"]`, "--no-daemon", "fix"}; why != "" || !slices.Equal(inj.Args, want) {
		t.Errorf("%q %q", why, inj.Args)
	}
	l.UserNotify = func() ([]string, error) { return []string{"say", `a"<b>\`}, nil }
	inj, why = Inject(spec(t, "codex"), l)
	if want := `notify=["/opt/fw rap's/fwrap","report","--from","codex","--","say","a\"<b>\\"]`; why != "" || inj.Args[1] != want {
		t.Errorf("chained: %q %q", why, inj.Args)
	}
	l.UserNotify = func() ([]string, error) { return nil, errors.New("bad TOML") }
	if inj, why := Inject(spec(t, "codex"), l); !strings.Contains(why, "bad TOML") || len(inj.Args) != 2 {
		t.Errorf("%q %q", why, inj.Args)
	}
	for _, args := range []string{"fix", "--no-daemon exec x", "--no-daemon -c notify=[] x", "--no-daemon --config=notify=[] x", "--no-daemon -V"} {
		if inj, why := Inject(spec(t, "codex"), launch(strings.Fields(args), nil, nil)); why == "" || strings.Join(inj.Args, " ") != args {
			t.Errorf("%s: %q", args, inj.Args)
		}
	}
	if _, why := Inject(spec(t, "codex"), launch(strings.Fields("--no-daemon -c model=x resume"), nil, nil)); why != "" {
		t.Errorf("another override: %q", why)
	}
}

func TestAiderNotify(t *testing.T) {
	inj, why := Inject(spec(t, "aider"), launch([]string{"--model", "x"}, nil, nil))
	if want := `--notifications --notifications-command '/opt/fw rap'\''s/fwrap' report --from aider idle >/dev/null 2>&1 || true --model x`; why != "" || strings.Join(inj.Args, " ") != want {
		t.Errorf("%q %q", why, inj.Args)
	}
	for _, c := range []struct {
		args       string
		env, files map[string]string
	}{
		{"--notifications-command x", nil, nil},
		{"--no-notifications", nil, nil},
		{"--message x", nil, nil},
		{"", map[string]string{"AIDER_NOTIFICATIONS_COMMAND": "x"}, nil},
		{"", nil, map[string]string{".aider.conf.yml": "notifications-command: x\n"}},
		{"", map[string]string{"HOME": "/h"}, map[string]string{"/h/.aider.conf.yml": "notifications-command: x\n"}},
		{"-c my.yml", nil, map[string]string{"my.yml": "notifications-command: x\n"}},
	} {
		if inj, why := Inject(spec(t, "aider"), launch(strings.Fields(c.args), c.env, c.files)); why == "" || strings.Join(inj.Args, " ") != c.args {
			t.Errorf("%+v: %q", c, inj.Args)
		}
	}
}

// Every spec is sound, and an injection leaves the person's arguments at the
// end of the line in their order.
func TestBuiltin(t *testing.T) {
	for _, a := range strings.Fields("claude codex qwen copilot opencode kilo droid aider") {
		s := spec(t, a)
		if s.Agent != a {
			t.Errorf("%s: agent %s", a, s.Agent)
		}
		if err := s.check(); err != nil {
			t.Errorf("%s: %v", a, err)
		}
		args := append(slices.Clone(s.NeedFlags), "do", "this", "--", "--x")
		inj, why := Inject(s, launch(args, nil, nil))
		if why != "" {
			t.Errorf("%s: %s", a, why)
			continue
		}
		if n := len(inj.Args) - len(args); n < 0 || !slices.Equal(inj.Args[n:], args) {
			t.Errorf("%s: %q", a, inj.Args)
		}
		if a != "claude" && s.Auto {
			t.Errorf("%s: on without the person's word", a)
		}
	}
	if _, ok := Builtin("generic"); ok {
		t.Error("a spec for an agent that has none")
	}
}

func TestParse(t *testing.T) {
	good := map[string]any{
		"method": "settings", "flag": "--settings", "inline": true, "auto": true, "since": "1.0.61", "in_band": "2.1.295",
		"timeout": int64(5), "proven": "2.1.332", "unknown": []any{"Stop"}, "skip": []any{"mcp"}, "tool_events": []any{"PreToolUse"},
		"events": map[string]any{"Stop": "", "PreToolUse": "1.0.0"},
	}
	s, err := Parse("claude", good)
	if err != nil {
		t.Fatal(err)
	}
	if s.Method != Settings || !s.Auto || !s.Inline || s.InBand != "2.1.295" || s.Skip[0] != "mcp" ||
		!slices.Equal(s.Events, []Event{{Name: "PreToolUse", Since: "1.0.0", Matcher: "*"}, {Name: "Stop"}}) {
		t.Errorf("%+v", s)
	}
	if inj, why := Inject(s, launch(nil, nil, nil)); why != "" || len(hookEvents(t, inj.Args[1])) != 2 {
		t.Errorf("%q %+v", why, inj)
	}
	for want, table := range map[string]map[string]any{
		"method is missing":          {},
		"unknown method":             {"method": "magic"},
		"colour: unknown key":        {"method": "notify", "colour": "x"},
		"flag is missing":            {"method": "settings", "events": map[string]any{"a": ""}},
		"events is missing":          {"method": "settings", "flag": "-x"},
		"variable is missing":        {"method": "config-plugin"},
		"auto: neither":              {"method": "notify", "auto": "yes"},
		"skip: not an array":         {"method": "notify", "skip": "mcp"},
		"skip: not an array of":      {"method": "notify", "skip": []any{int64(1)}},
		"timeout: not a number":      {"method": "notify", "timeout": int64(0)},
		"is no flag":                 {"method": "notify-flag", "flag": "x"},
		`"new" is no version`:        {"method": "notify", "since": "new"},
		"events: a: not a string":    {"method": "notify", "events": map[string]any{"a": int64(1)}},
		`a: "soon" is no version`:    {"method": "notify", "events": map[string]any{"a": "soon"}},
		`"b" is none of the events`:  {"method": "notify", "unknown": []any{"b"}},
		"method: not a string":       {"method": true},
		"events: not a table":        {"method": "notify", "events": []any{}},
		"self_report: proven: not a": {"method": "notify", "proven": int64(2)},
	} {
		if _, err := Parse("x", table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", table, err, want)
		}
	}
}

// FuzzInject: whatever the command line and the settings, what goes to the
// agent is valid JSON and the person's other arguments are all there in order.
func FuzzInject(f *testing.F) {
	f.Add("--settings\x00{\"a\":1}\x00-p\x00x", "{}")
	f.Add("--settings=f\x00--\x00--settings", `{"hooks":{"Stop":[ ]}}`)
	f.Add("-c\x00--settings", `{"hooks":{"Stop":[{}] }, "a":"\ud800"}`)
	f.Add("--settings\x00f\x00--settings\x00{", ` { "hooks" : { } } `)
	f.Fuzz(func(t *testing.T, line, file string) {
		args := strings.Split(line, "\x00")
		l := launch(args, nil, map[string]string{"f": file})
		s, _ := Builtin("claude")
		inj, why := Inject(s, l)
		if why != "" {
			if !slices.Equal(inj.Args, args) {
				t.Errorf("refused for %q, but changed: %q", why, inj.Args)
			}
			return
		}
		settings := inj.Args[1]
		if len(inj.Files) > 0 {
			settings = string(inj.Files[0].Content)
		}
		if !json.Valid([]byte(settings)) {
			t.Errorf("%q", settings)
		}
		i := 0
		for _, a := range inj.Args[2:] { // a subsequence of what was given
			for i < len(args) && args[i] != a {
				i++
			}
			if i == len(args) {
				t.Fatalf("%q of %q", inj.Args, args)
			}
			i++
		}
	})
}

func BenchmarkInject(b *testing.B) {
	s, _ := Builtin("claude")
	l := launch([]string{"--settings", `{"model":"opus"}`, "-c"}, nil, nil)
	for b.Loop() {
		s.Wanted(Always, l.Version)
		Inject(s, l)
	}
}
