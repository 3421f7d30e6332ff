package realagent

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/testdata/agents"
)

// other is an agent besides Claude Code: how it is started against the mock,
// and what of its screens the driver has to know.
type other struct {
	program string            // its name where it is installed; the agent's if empty
	rules   string            // the manifest that knows it, under whose name its captures are; the agent's if empty
	files   map[string]string // under its home; $API, $HOME and $PROJECT are filled in
	env     []string          // the same
	args    []string          // the same
	newer   []string          // options that older versions refuse: given where --help names them
	layout  func(testing.TB, string) agents.Home

	ready string // it takes a prompt
	// whole says that it shows an answer when all of it has come.
	whole bool
	first []press
	// asks is what stands at the end of a permission dialog; empty: the agent
	// asks for none. yes and no are the keys that answer it.
	asks    string
	unasked string // what it does without asking all the same
	yes, no string
	// firm are the dialogs that Esc leaves open: "run", "ask".
	firm string
	// question is what stands under a question with options; enter answers it.
	// review is what stands over its answers before they are sent.
	question, review string
	stop             string   // keys that interrupt a turn
	menu             string   // a command that opens a menu of the person's own
	trust            string   // what stands under the question at the first start in a folder
	accept           string   // the keys that answer it
	untrust          []string // files that are left out for it
}

// press is a screen at the start that is no part of the scenes, and the keys
// that leave it.
type press struct{ shows, keys string }

const (
	chatKey  = "dummy"
	right    = "\x1b[C"
	shiftTab = "\x1b[Z"
)

var openAI = []string{"OPENAI_API_KEY=" + chatKey, "OPENAI_BASE_URL=$API/v1", "OPENAI_MODEL=mock-1"}

// others are the agents by the names of their manifests.
var others = map[string]other{
	"codex": {
		layout: func(t testing.TB, api string) agents.Home { return agents.Codex{API: api}.Home(t) },
		newer:  []string{"--no-daemon"},
		ready:  `for shortcuts`, asks: `Press enter to confirm or esc`, yes: "y", no: esc, stop: esc, menu: "/model",
	},
	"gemini": {
		files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":true}},
"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`,
			".gemini/trustedFolders.json": `{"$PROJECT":"TRUST_FOLDER"}`},
		env:   []string{"GEMINI_API_KEY=" + chatKey, "GOOGLE_GEMINI_BASE_URL=$API"},
		ready: `Type your message`, asks: `Allow execution of|Apply this change\?|Allow once`, yes: enter, no: esc, stop: esc, menu: "/model",
		question: `Enter to select`, trust: `Do you trust the files`, accept: enter, untrust: []string{".gemini/trustedFolders.json"},
	},
	"qwen": {
		files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"},"folderTrust":{"enabled":true}},"model":{"name":"mock-1"},
"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"$version":4}`,
			".qwen/trustedFolders.json": `{"$PROJECT":"TRUST_FOLDER"}`},
		env: openAI, args: []string{"--approval-mode", "default"},
		ready: `Type your message`, asks: `Allow execution|Apply this change|Yes, allow once|Allow once`, yes: enter, no: esc, stop: esc, menu: "/model",
		question: `Enter`, trust: `Do you trust`, accept: enter, untrust: []string{".qwen/trustedFolders.json"},
	},
	"copilot": {
		files: map[string]string{".copilot/config.json": `{"firstLaunchAt":"2026-11-30T00:00:00.000Z","appTipShown":true,"trustedFolders":["$PROJECT"]}`,
			".copilot/settings.json": `{"trustedFolders":["$PROJECT"],"autoUpdate":false}`},
		env:   []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=$API/v1", "COPILOT_PROVIDER_API_KEY=" + chatKey, "COPILOT_MODEL=mock-1", "COPILOT_AUTO_UPDATE=false"},
		ready: `\? help|/ commands|Manual`, asks: `Do you want|enter to select`, yes: enter, no: esc, stop: esc + esc, menu: "/model", question: `enter to`,
	},
	"opencode": {
		files: map[string]string{".config/opencode/opencode.json": openCode},
		env:   []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
		ready: `Ask anything`, asks: `Permission required`, yes: enter, no: right + right + enter, stop: esc + esc, menu: "/models", question: `esc dismiss`,
	},
	"kilo": {
		files: map[string]string{".config/kilo/kilo.json": openCode},
		env:   []string{"KILO_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "KILO_DISABLE_MODELS_FETCH=1"},
		ready: `Ask anything`, asks: `Permission required`, yes: enter, no: right + right + enter + enter, stop: esc + esc, menu: "/models", question: `esc dismiss`,
	},
	"cline": {
		files: map[string]string{".cline/data/settings/providers.json": `{"version":1,"lastUsedProvider":"openai-compatible","modes":{},"providers":{"openai-compatible":{
"settings":{"provider":"openai-compatible","apiKey":"` + chatKey + `","model":"mock-1","baseUrl":"$API/v1"},"updatedAt":"2026-11-30T00:00:00.000Z","tokenSource":"manual"}}}`,
			".cline/data/settings/cli-notices.json": `{"shown":{"cline-cli-cline-pass-intro":true,"cline-cli-desktop-launch":true}}`},
		env: openAI, args: []string{"-i", "--auto-approve", "false", "-P", "openai-compatible"},
		ready: `What can I do for you`, asks: `needs permission|Approve tool call`, yes: "y", no: "n", stop: esc, menu: "/settings", question: `Type a response`,
	},
	"pi": {
		files: map[string]string{".pi/agent/models.json": `{"providers":{"mock":{"baseUrl":"$API/v1","api":"openai-completions","apiKey":"` + chatKey + `",
"compat":{"supportsDeveloperRole":false,"supportsReasoningEffort":false},"models":[{"id":"mock-1"}]}}}`,
			".pi/agent/extensions/gate.ts": piGate,
			".pi/agent/settings.json":      `{"defaultProvider":"mock","defaultModel":"mock-1","enableInstallTelemetry":false}`},
		env:   []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"},
		ready: `mock-1`, asks: `Allow\?(.|\n)*(navigate|select)`, yes: enter, no: "\x1b[B" + enter, stop: esc, menu: "/settings",
	},
	"cn": {
		files: map[string]string{".continue/config.yaml": `name: Local
version: 0.0.1
schema: v1
models:
  - name: Mock One
    provider: openai
    model: mock-1
    apiBase: $API/v1
    apiKey: ` + chatKey + `
    roles: [chat]
    capabilities: [tool_use]
`, ".continue/.onboarding_complete": "2026-11-30T00:00:00.000Z"},
		env:   []string{"CONTINUE_CLI_ENABLE_TELEMETRY=0", "CONTINUE_METRICS_ENABLED=0"},
		args:  []string{"--config", "$HOME/.continue/config.yaml"},
		whole: true,
		ready: `Ask anything`, firm: "ask",
		asks: `Would you like to continue`, yes: enter, no: esc, stop: esc, menu: "/model", question: `Enter`,
	},
	"kimi": {
		env: []string{"KIMI_MODEL_NAME=mock-1", "KIMI_MODEL_API_KEY=" + chatKey, "KIMI_MODEL_PROVIDER_TYPE=openai", "KIMI_MODEL_BASE_URL=$API/v1",
			"KIMI_CODE_NO_AUTO_UPDATE=1", "KIMI_DISABLE_TELEMETRY=1"},
		ready: `mock-1`, asks: `(Run this command|Write this file|Apply these edits)\?`, yes: enter, no: esc, stop: esc, menu: "/model", question: `↑↓ select|esc cancel`, review: `Ready to submit`, unasked: "edits",
		trust: `Trust this folder\?`, accept: enter, first: []press{{`Trust this folder\?`, enter}},
	},
	"grok": {
		files: map[string]string{".grok/config.toml": `[models]
default = "mock"

[model.mock]
model = "mock-1"
base_url = "$API/v1"
name = "Mock One"
api_key = "` + chatKey + `"
api_backend = "chat_completions"
context_window = 128000

[ui]
permission_mode = "ask"

[permission]
ask = ["Bash(*)", "Edit(*)", "Write(*)"]
`},
		env:   []string{"XAI_API_KEY=" + chatKey, "GROK_DISABLE_AUTOUPDATER=1", "GROK_XAI_API_BASE_URL=$API/v1", "GROK_MODELS_BASE_URL=$API/v1"},
		ready: `Mock One ─╯`, asks: `\d/\d:select`, yes: "3", no: "\x03", firm: "run ask", stop: "\x03", menu: "/model", question: `:dismiss`,
	},
	// Another program that is called grok.
	"grok-cli": {
		rules: "grok", program: "grok",
		files: map[string]string{".grok/user-settings.json": `{"apiKey":"` + chatKey + `","baseURL":"$API/v1","defaultModel":"mock-1","models":["mock-1"]}`},
		env:   []string{"GROK_API_KEY=" + chatKey, "GROK_BASE_URL=$API/v1", "GROK_MODEL=mock-1"},
		ready: `Ask me anything`, asks: `Do you want to proceed with this operation`, yes: enter, no: esc, stop: esc, menu: "/models",
	},
}

// piGate is an extension of Pi's that asks before each tool that changes
// something, as the example permission-gate.ts in its package does for some
// commands. Pi itself asks for nothing.
const piGate = `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function (pi: ExtensionAPI) {
	pi.on("tool_call", async (event, ctx) => {
		if (event.toolName === "read") return undefined;
		const what = event.input.command ?? event.input.path;
		const choice = await ctx.ui.select("⚠️ Dangerous command:\n\n  " + what + "\n\nAllow?", ["Yes", "No"]);
		return choice === "Yes" ? undefined : { block: true, reason: "Blocked by user" };
	});
}
`

// openCode is the configuration of OpenCode and of Kilo, which is one of it.
const openCode = `{"model":"mock/mock-1","small_model":"mock/mock-1","autoupdate":false,"share":"disabled",
"permission":{"edit":"ask","bash":"ask","webfetch":"ask","external_directory":"ask","question":"allow"},
"provider":{"mock":{"npm":"@ai-sdk/openai-compatible","name":"Mock","options":{"baseURL":"$API/v1","apiKey":"dummy"},
"models":{"mock-1":{"name":"Mock One","tool_call":true,"limit":{"context":128000,"output":8000}}}}}}`

// home lays out a home and a project that nothing of this machine is in: its
// path may stand in a recording.
func (o other) home(t testing.TB, api string, trusted bool) agents.Home {
	t.Helper()
	if o.layout != nil {
		return o.layout(t, api)
	}
	root, err := os.MkdirTemp("/var/tmp", "w")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { exec.Command("rm", "-rf", root).Run() }) // an agent's helpers may still write there
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	h := agents.Home{Dir: filepath.Join(root, "home"), Project: filepath.Join(root, "orchard")}
	fill := strings.NewReplacer("$API", api, "$HOME", h.Dir, "$PROJECT", h.Project).Replace
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range o.files {
		if trusted || !contains(o.untrust, name) {
			write(filepath.Join(h.Dir, name), fill(text))
		}
	}
	write(filepath.Join(h.Project, "hello.txt"), "Hello, world\n")
	if out, err := exec.Command("git", "init", "-q", "-b", "main", h.Project).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	h.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.Dir, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "SHELL=/bin/bash",
		// Whatever is not on the loopback interface goes to the discard port,
		// where nothing listens.
		"HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost"}
	for _, e := range o.env {
		h.Env = append(h.Env, fill(e))
	}
	return h
}

// argv is the command line for a home.
func (o other) argv(bin, api string, h agents.Home) []string {
	fill := strings.NewReplacer("$API", api, "$HOME", h.Dir, "$PROJECT", h.Project).Replace
	list := []string{bin}
	for _, a := range o.args {
		list = append(list, fill(a))
	}
	if len(o.newer) > 0 {
		cmd := exec.Command(bin, "--help")
		cmd.Env, cmd.Dir = h.Env, h.Project
		help, _ := cmd.CombinedOutput() // what it does not say it does not take
		for _, a := range o.newer {
			if strings.Contains(string(help), a) {
				list = append(list, a)
			}
		}
	}
	return list
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// otherVersion is the version of the npm package that a program is from, or
// what the program itself says.
func otherVersion(t testing.TB, bin string, h agents.Home) string {
	t.Helper()
	if file, err := filepath.EvalSymlinks(bin); err == nil {
		for dir := filepath.Dir(file); len(dir) > 1; dir = filepath.Dir(dir) {
			data, err := os.ReadFile(filepath.Join(dir, "package.json"))
			if err != nil {
				continue
			}
			var p struct{ Name, Version string }
			if json.Unmarshal(data, &p) == nil && p.Name != "" && p.Version != "" {
				return p.Version
			}
		}
	}
	cmd := exec.Command(bin, "--version")
	cmd.Env, cmd.Dir = h.Env, h.Project
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s --version: %v\n%s", bin, err, out)
	}
	for _, w := range strings.Fields(string(out)) {
		w = strings.Trim(strings.TrimPrefix(w, "v"), "(),.")
		var a, b, c int
		if n, _ := fmt.Sscanf(w, "%d.%d.%d", &a, &b, &c); n == 3 {
			return w
		}
	}
	t.Fatalf("%s --version says no version: %s", bin, out)
	return ""
}
