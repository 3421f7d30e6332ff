package hooks

import "strings"

// Builtin is the spec of an agent whose manifest has none.
func Builtin(agent string) (Spec, bool) {
	switch agent {
	case "claude":
		return claude(), true
	case "codex":
		return codex(), true
	case "qwen":
		return qwen(), true
	case "copilot":
		return copilot(), true
	case "opencode", "kilo":
		return opencode(agent), true
	case "droid":
		return droid(), true
	case "aider":
		return aider(), true
	}
	return Spec{}, false
}

// claude is Claude Code. The versions are those of its changelog; where that
// is silent (PostToolUseFailure, Elicitation) the oldest version that was seen
// to know the event is named. MessageDisplay is left out: with a hook on it a
// text is shown only when it is complete.
func claude() Spec {
	const tool = "*"
	return Spec{
		Agent: "claude", Method: Settings, Flag: "--settings", Inline: true,
		Auto: true, Since: "1.0.61", Timeout: 5, Proven: "2.1.332",
		// 2.1.265 does not ask the terminal, a public issue names 2.1.295 as
		// one that does, 2.1.332 was measured.
		InBand: "2.1.295",
		Events: []Event{
			{Name: "SessionStart", Since: "1.0.62"},
			{Name: "SessionEnd", Since: "1.0.85"},
			{Name: "UserPromptSubmit"},
			{Name: "PreToolUse", Matcher: tool},
			{Name: "PermissionRequest", Since: "2.0.45", Matcher: tool},
			{Name: "PermissionDenied", Since: "2.1.89", Matcher: tool},
			{Name: "PostToolUse", Matcher: tool},
			{Name: "PostToolUseFailure", Since: "2.1.197", Matcher: tool},
			{Name: "Stop"},
			{Name: "StopFailure", Since: "2.1.78"},
			{Name: "SubagentStart", Since: "2.0.43"},
			{Name: "SubagentStop"},
			{Name: "PreCompact"},
			{Name: "PostCompact", Since: "2.1.76"},
			{Name: "Notification"},
			{Name: "Elicitation", Since: "2.1.197"},
			{Name: "ElicitationResult", Since: "2.1.197"},
		},
		Unknown: []string{"UserPromptSubmit", "PreToolUse", "Notification", "Stop"},
		Skip: strings.Fields("agents attach auth auto-mode config daemon doctor gateway import install kill logs mcp " +
			"migrate-installer plugin plugins project purge remote-control respawn rm self-hosted-runner setup-token " +
			"stop ultrareview update upgrade"),
		// Sessions that are not on this terminal, and modes without hooks.
		SkipFlags: strings.Fields("-h --help -v --version --bare --safe-mode --bg --background --cloud --desktop"),
		SkipEnv:   []string{"CLAUDE_CODE_SIMPLE"},
		Valued: strings.Fields("--agent --agents --append-system-prompt --append-system-prompt-file --autocompact " +
			"--debug-file --effort --environment --fallback-model --input-format --json-schema --max-budget-usd " +
			"--max-turns --model -n --name --output-format --permission-mode --permission-prompt-tool " +
			"--permission-prompts --plugin-dir --plugin-url --remote-control-session-name-prefix --session-id " +
			"--setting-sources --system-prompt --system-prompt-file --system-prompt-snapshot"),
		Variadic: strings.Fields("--add-dir --allowedTools --allowed-tools --betas --disallowedTools " +
			"--disallowed-tools --file --mcp-config --tools"),
	}
}

// codex runs its notify program from a daemon that outlives the session and
// has another session's environment, unless it is told to do without.
func codex() Spec {
	return Spec{
		Agent: "codex", Method: Notify, Proven: "0.171.0", NeedFlags: []string{"--no-daemon"},
		Skip: strings.Fields("exec e review login logout mcp mcp-server plugin app app-server completion update " +
			"sandbox debug apply a cloud exec-server features help doctor"),
		SkipFlags: strings.Fields("-h --help -V --version"),
		Valued: strings.Fields("-c --config -m --model -p --profile -s --sandbox -a --ask-for-approval -C --cd " +
			"--add-dir --local-provider --enable --disable --remote"),
		Variadic: strings.Fields("-i --image"),
	}
}

// qwen has Claude Code's events and merges the hooks of all its settings files;
// the system's defaults have the lowest rank. Old versions take a timeout for
// milliseconds, new ones for seconds; the reporter limits itself.
//
// Gemini CLI, from which it descends, has no spec: 0.61.0 passes over a system
// file that root does not own, with a warning on the screen, and no other
// setting is for one launch.
func qwen() Spec {
	const tool = "*"
	s := Spec{
		Agent: "qwen", Method: SettingsVariable, Variable: "QWEN_CODE_SYSTEM_DEFAULTS_PATH", Timeout: 5000, Proven: "0.24.4",
		System: []string{"/etc/qwen-code/system-defaults.json", "/Library/Application Support/QwenCode/system-defaults.json"},
		Events: []Event{
			{Name: "SessionStart"}, {Name: "SessionEnd"}, {Name: "UserPromptSubmit"}, {Name: "PreToolUse", Matcher: tool},
			{Name: "PostToolUse", Matcher: tool}, {Name: "PostToolUseFailure", Matcher: tool}, {Name: "PermissionRequest", Matcher: tool},
			{Name: "Notification"}, {Name: "Stop"}, {Name: "StopFailure"}, {Name: "SubagentStart"}, {Name: "SubagentStop"}, {Name: "PreCompact"},
		},
		Skip:      strings.Fields("mcp extensions extension skills skill hooks hook auth channel serve"),
		SkipFlags: strings.Fields("-h --help -v --version -l --list-extensions --list-sessions --acp --experimental-acp"),
		Valued: strings.Fields("-m --model -p --prompt -i --prompt-interactive --approval-mode -o --output-format " +
			"-r --resume --session-id -w --worktree --auth-type"),
		Variadic: strings.Fields("-e --extensions --include-directories --allowed-tools --allowed-mcp-server-names --exclude-tools"),
	}
	s.Unknown = eventNames(s.Events)
	return s
}

// copilot asks its permissionRequest hooks before its own rules, so that one is
// no dialog; its notification is.
func copilot() Spec {
	return Spec{
		Agent: "copilot", Method: PluginDir, Flag: "--plugin-dir", Timeout: 5, Proven: "1.0.102",
		Events: []Event{
			{Name: "sessionStart"}, {Name: "sessionEnd"}, {Name: "userPromptSubmitted"}, {Name: "preToolUse"},
			{Name: "postToolUse"}, {Name: "notification"}, {Name: "agentStop"}, {Name: "errorOccurred"},
		},
		Unknown:   strings.Fields("sessionStart sessionEnd userPromptSubmitted preToolUse postToolUse notification agentStop errorOccurred"),
		Skip:      strings.Fields("login help init update version plugin mcp completion"),
		SkipFlags: strings.Fields("-h --help -v --version --acp"),
		Valued: strings.Fields("-p --prompt -i --interactive --model --agent --log-dir --log-level --config-dir " +
			"--additional-mcp-config --plugin-dir --output-format --effort --reasoning-effort"),
		Variadic: strings.Fields("--add-dir --allow-tool --deny-tool --allow-url --deny-url --available-tools --excluded-tools"),
	}
}

// opencode loads a plugin from the configuration in its environment. With any
// plugin it waits at its start for the installation of its plugin library,
// which it does in the background without one; once installed that is nothing.
// kilo is a fork, whose variable is taken from its name and not tried.
func opencode(agent string) Spec {
	v, proven := "OPENCODE_CONFIG_CONTENT", "1.18.33"
	if agent == "kilo" {
		v, proven = "KILO_CONFIG_CONTENT", ""
	}
	return Spec{
		Agent: agent, Method: ConfigPlugin, Variable: v, Proven: proven,
		Skip: strings.Fields("acp mcp attach run debug auth providers agent upgrade uninstall serve web models stats " +
			"export import github pr session plugin db completion"),
		SkipFlags: strings.Fields("-h --help -v --version --pure"),
		Valued:    strings.Fields("-m --model -s --session --prompt --agent --port --hostname --mdns-domain --cors --log-level"),
	}
}

// droid merges the file of --settings for one process. Whether hooks in it are
// run is not documented.
func droid() Spec {
	s := claude()
	s.Agent, s.Auto, s.Inline, s.InBand, s.Since, s.Proven = "droid", false, false, "", "", ""
	s.Events = []Event{
		{Name: "SessionStart"}, {Name: "SessionEnd"}, {Name: "UserPromptSubmit"}, {Name: "PreToolUse", Matcher: "*"},
		{Name: "PostToolUse", Matcher: "*"}, {Name: "Notification"}, {Name: "Stop"}, {Name: "SubagentStop"}, {Name: "PreCompact"},
	}
	s.Unknown = eventNames(s.Events)
	s.Skip = strings.Fields("exec mcp daemon search find plugin update computer help")
	s.SkipFlags = strings.Fields("-h --help -v --version")
	s.SkipEnv = nil
	s.OtherEnv = []string{"FACTORY_RUNTIME_SETTINGS_PATH"}
	s.Valued = strings.Fields("-r --resume --cwd -m --model --append-system-prompt --append-system-prompt-file --fork")
	s.Variadic = nil
	return s
}

// aider runs one command, when it has finished and waits for input.
func aider() Spec {
	return Spec{
		Agent: "aider", Method: NotifyFlag, Flag: "--notifications-command", With: []string{"--notifications"},
		SkipFlags:  strings.Fields("-h --help --version --just-check-update --list-models --models -m --message --msg -f --message-file --exit"),
		OtherFlags: strings.Fields("--notifications-command --no-notifications"),
		OtherEnv:   strings.Fields("AIDER_NOTIFICATIONS_COMMAND"),
		Valued: strings.Fields("--model --file --read --config -c --env-file --edit-format --weak-model --editor-model " +
			"--openai-api-key --anthropic-api-key --api-key --set-env --lint-cmd --test-cmd --encoding --map-tokens"),
	}
}

func eventNames(es []Event) []string {
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.Name
	}
	return names
}
