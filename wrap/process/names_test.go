package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var known = Commands{
	"claude": "claude", "codex": "codex", "gemini": "gemini", "aider": "aider",
	"opencode": "opencode", "cursor-agent": "cursor", "agent": "cursor", "pi": "pi",
	"copilot": "copilot", "goose": "goose", "claude-agent-acp": "claude-acp",
}

func TestAgent(t *testing.T) {
	for _, c := range []struct {
		name      string
		exe, comm string
		args      string // split at spaces
		agent     string
		via       string
	}{
		{"plain", "/usr/bin/claude", "claude", "claude", "claude", ""},
		{"path", "/opt/x/claude", "claude", "/opt/x/claude --resume", "claude", ""},
		{"node script", "/usr/bin/node", "node", "node /usr/local/bin/claude -c", "claude", ""},
		{"node script with options", "/usr/bin/node", "node", "node --max-old-space-size=8192 -r /x/gemini.js /usr/bin/codex", "codex", ""},
		{"node option with value", "/usr/bin/node", "node", "node --import tsx /home/u/bin/aider.mjs", "aider", ""},
		{"node versioned", "/usr/bin/node20", "node20", "/usr/bin/node20 /usr/bin/codex.js", "codex", ""},
		{"node main thread's name", "/usr/bin/node", "MainThread", "node /usr/bin/codex", "codex", ""},
		{"node title", "/usr/bin/node", "claude", "claude", "claude", ""},
		{"title with text", "/usr/bin/node", "node", "gemini (~/src)", "gemini", ""},
		{"node -e", "/usr/bin/node", "node", "node -e claude", "", ""},
		{"bun run", "/usr/bin/bun", "bun", "bun run /x/opencode.ts", "opencode", ""},
		{"deno run", "/usr/bin/deno", "deno", "deno run -A /x/opencode.ts", "opencode", ""},
		{"python script", "/usr/bin/python3.12", "aider", "/usr/bin/python3.12 /home/u/.local/bin/aider --model x", "aider", ""},
		{"python module", "/usr/bin/python3", "python3", "python3 -X utf8 -m aider", "aider", ""},
		{"python dotted module", "/usr/bin/python3", "python3", "python3 -m aider.main", "aider", ""},
		{"python -c", "/usr/bin/python3", "python3", "python3 -c aider", "", ""},
		{"ruby", "/usr/bin/ruby3.2", "ruby3.2", "ruby3.2 -r json /x/goose.rb", "goose", ""},
		{"shell script", "/usr/bin/bash", "claude", "/bin/bash /home/u/bin/claude", "claude", ""},
		{"shell script by option", "/usr/bin/bash", "bash", "bash -e -o pipefail /home/u/bin/claude.sh", "claude", ""},
		{"sh -c", "/usr/bin/dash", "sh", "sh -c claude", "", ""},
		{"native installer", "/home/u/.local/share/claude/versions/2.1.332", "2.1.332", "/home/u/.local/share/claude/versions/2.1.332 --resume", "claude", ""},
		{"native installer by link", "/home/u/.local/share/claude/versions/2.1.332", "claude", "claude", "claude", ""},
		{"native by another link", "/home/u/.local/share/claude/versions/2.1.332", "cc", "cc", "claude", ""},
		{"renamed copy", "/home/u/bin/assistant", "claude", "assistant", "claude", ""},
		{"updated while it runs", "/home/u/.local/share/claude/versions/2.1.300 (deleted)", "cc", "cc", "claude", ""},
		{"versioned name", "/usr/bin/claude-2.1.332", "claude-2.1.332", "claude-2.1.332", "claude", ""},
		{"at version", "/x/claude@2.1", "claude@2.1", "/x/claude@2.1", "claude", ""},
		{"version with pre-release", "/x/codex-0.171.0-alpha.3", "codex-0.171.0-a", "codex-0.171.0-alpha.3", "codex", ""},
		{"platform", "/x/codex-x86_64-unknown-linux-musl", "codex-x86_64-un", "/x/codex-x86_64-unknown-linux-musl", "codex", ""},
		{"platform darwin", "/x/codex-aarch64-apple-darwin", "codex-aarch64-a", "/x/codex-aarch64-apple-darwin", "codex", ""},
		{"opencode.exe", "/x/opencode-linux-x64/bin/opencode.exe", "opencode.exe", "/x/opencode.exe", "opencode", ""},
		{"nix", "/nix/store/x/bin/.claude-wrapped", ".claude-wrapped", "/nix/store/x/bin/.claude-wrapped", "claude", ""},
		{"real behind a shim", "/x/claude.real", "claude.real", "/x/claude.real", "claude", ""},
		{"login shell", "/usr/bin/zsh", "zsh", "-zsh", "", ""},

		{"env", "", "env", "env -u X A=1 B=claude codex", "codex", "env"},
		{"sudo", "", "sudo", "sudo -u claude -E codex -m x", "codex", "sudo"},
		{"wrappers in wrappers", "", "sudo", "sudo nice -n 5 env X=1 timeout -s INT 60 claude", "claude", "timeout"},
		{"npx", "", "node", "node /usr/bin/npx -y @openai/codex@latest", "codex", "npx"},
		{"npx-cli", "", "node", "node /usr/lib/node_modules/npm/bin/npx-cli.js codex", "codex", "npx"},
		{"npm title", "/usr/bin/node", "npm exec @opena", "npm exec @openai/codex", "codex", "npm"},
		{"npm exec", "", "npm", "npm exec --yes -- @openai/codex", "codex", "npm"},
		{"pnpm dlx", "", "pnpm", "pnpm dlx opencode@1.2", "opencode", "pnpm"},
		{"pnpm install", "", "pnpm", "pnpm install opencode", "", ""},
		{"bun x", "", "bun", "bun x opencode", "opencode", ""},
		{"uvx", "", "uvx", "uvx --python 3.12 aider", "aider", "uvx"},
		{"uv run", "", "uv", "uv run aider", "aider", "uv"},
		{"mise", "", "mise", "mise exec node@22 -- claude", "claude", "mise"},
		{"direnv", "", "direnv", "direnv exec . claude", "claude", "direnv"},
		{"ssh", "", "ssh", "ssh -t -p 22 host claude", "claude", "ssh"},
		{"ssh shell", "", "ssh", "ssh claude", "", ""},

		{"vim of a file called so", "/usr/bin/vim", "vim", "vim claude", "", ""},
		{"grep", "/usr/bin/grep", "grep", "grep claude file", "", ""},
		{"man", "/usr/bin/man", "man", "man claude", "", ""},
		{"cat", "/usr/bin/cat", "cat", "cat claude", "", ""},
		{"another tool with the prefix", "/usr/bin/claude-monitor", "claude-monitor", "claude-monitor", "", ""},
		{"ssh-agent", "/usr/bin/ssh-agent", "ssh-agent", "ssh-agent", "", ""},
		{"longer name", "/usr/bin/pip3", "pip3", "pip3 install x", "", ""},
		{"number is no version", "/usr/bin/pi3", "pi3", "pi3", "", ""},
		{"letter case", "/Applications/Claude.app/Contents/MacOS/Claude", "Claude", "Claude", "", ""},
		{"acp adapter", "/usr/bin/node", "node", "node /usr/bin/claude-agent-acp", "claude-acp", ""},
		{"home of that name", "/home/claude/bin/2.1.0", "2.1.0", "/home/claude/bin/2.1.0", "", ""},
		{"nothing", "", "", "", "", ""},
		{"kernel thread", "", "kworker/0:1", "", "", ""},
		{"wrapper of nothing", "", "sudo", "sudo -u", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := strings.Fields(c.args)
			if strings.HasPrefix(c.name, "title") || c.name == "npm title" {
				args = []string{c.args}
			}
			agent, name, via := known.Agent(Process{Exe: c.exe, Comm: c.comm, Args: args})
			if agent != c.agent || agent != "" && via != c.via {
				t.Errorf("Agent(%q, %q) = %q by %q via %q, want %q via %q", c.exe, args, agent, name, via, c.agent, c.via)
			}
		})
	}
}

func TestName(t *testing.T) {
	for _, c := range []struct{ exe, comm, args, want string }{
		{"/usr/bin/zsh", "zsh", "-zsh", "zsh"},
		{"/home/u/.local/share/claude/versions/2.1.332", "2.1.332", "/home/u/.local/share/claude/versions/2.1.332", "claude"},
		{"/usr/bin/node", "node", "node /usr/bin/codex.js", "codex"},
		{"/usr/bin/python3.12", "python3.12", "python3.12", "python3.12"},
		{"/usr/bin/vim.basic", "vim", "vim x", "vim"},
		{"", "kworker/0:1", "", "kworker_0:1"},
	} {
		if got := Name(Process{Exe: c.exe, Comm: c.comm, Args: strings.Fields(c.args)}); got != c.want {
			t.Errorf("Name(%q, %q) = %q, want %q", c.exe, c.args, got, c.want)
		}
	}
}

func TestIsShell(t *testing.T) {
	for _, c := range []struct {
		args string
		own  string
		want bool
	}{
		{"-zsh", "", true},
		{"bash --rcfile /tmp/x -i", "", true},
		{"zsh -o vi", "", true},
		{"/bin/sh", "", true},
		{"bash script.sh", "", false},
		{"bash -c x", "", false},
		{"bash -lc x", "", false},
		{"sh -e script", "", false},
		{"rc", "", false},
		{"rc", "rc", true},
		{"vim", "zsh", false},
	} {
		if got := isShell(Process{Args: strings.Fields(c.args)}, c.own); got != c.want {
			t.Errorf("isShell(%q, %q) = %v, want %v", c.args, c.own, got, c.want)
		}
	}
}

func TestPackageCommands(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	dir = real
	write("node_modules/@anthropic-ai/claude-code/package.json", `{"name":"@anthropic-ai/claude-code","bin":{"claude":"cli.js"}}`)
	cli := write("node_modules/@anthropic-ai/claude-code/cli.js", "")
	inner := write("node_modules/@anthropic-ai/claude-code/dist/a/main.js", "")
	write("node_modules/two/package.json", `{"name":"two","bin":{"codex":"./a.js","other":"b.js"}}`)
	a, c := write("node_modules/two/a.js", ""), write("node_modules/two/c.js", "")
	write("node_modules/@google/gemini/package.json", `{"name":"@google/gemini","bin":"dist/index.js"}`)
	idx := write("node_modules/@google/gemini/dist/index.js", "")
	write("node_modules/bad/package.json", `{"name":`)
	bad := write("node_modules/bad/x.js", "")
	plain := write("src/claude-like.js", "")
	link := filepath.Join(dir, "assistant")
	if err := os.Symlink(cli, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ script, agent string }{
		{cli, "claude"}, {inner, "claude"}, {a, "codex"}, {c, ""}, {idx, "gemini"}, {bad, ""}, {plain, ""}, {link, "claude"},
		{"/no/such/node_modules/x/y.js", ""},
	} {
		agent, _, _ := known.Agent(Process{Exe: "/usr/bin/node", Comm: "node", Args: []string{"node", c.script}})
		if agent != c.agent {
			t.Errorf("%s: agent %q, want %q", c.script, agent, c.agent)
		}
	}
}

// FuzzAgent: whatever stands in a command line, the answer is one of the
// agents that are known, and it comes.
func FuzzAgent(f *testing.F) {
	f.Add("/usr/bin/node", "node", "node\x00--import\x00x\x00/usr/bin/codex")
	f.Add("", "sudo", "sudo\x00-u\x00x\x00env\x00A=1\x00claude")
	f.Add("/x/versions/2.1.3", "2.1.3", "/x/versions/2.1.3")
	f.Add("", "", "npm exec @openai/codex@")
	f.Add("a", "-", "node\x00/npx\x00node\x00/npx\x00node\x00/npx\x00--")
	f.Fuzz(func(t *testing.T, exe, comm, args string) {
		p := Process{Exe: exe, Comm: comm, Args: strings.Split(args, "\x00")}
		agent, name, via := known.Agent(p)
		if agent != "" && known[name] != agent {
			t.Errorf("agent %q under name %q", agent, name)
		}
		if agent == "" && (name != "" || via != "") {
			t.Errorf("no agent, but name %q via %q", name, via)
		}
		Name(p)
		isShell(p, "zsh")
	})
}
