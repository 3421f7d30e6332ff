package manifests_test

import (
	"strings"
	"testing"

	"fwrap/detect"
	"fwrap/detect/manifest"
)

// TestWidthsOfAgents wraps dialogs to every width as the agents do.
func TestWidthsOfAgents(t *testing.T) {
	for _, d := range []struct {
		agent, kind, title string
		text               string
		draw               func(text string, cols int) string
	}{
		{"codex", "permission", "project", "  Would you like to run the following command?\n\n  Environment: local\n\n  Reason: May I create the marker file for the tests?\n\n  $ touch marker-file && echo written\n\n› 1. Yes, proceed (y)\n  2. Yes, and don't ask again for commands that start with `touch marker-file` (p)\n  3. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel", plain("› please tidy up\n\n• Running touch marker-file\n\n")},
		{"codex", "permission", "project", "  Would you like to make the following edits?\n\n  Description: Apply proposed file edits\n\n  1. Yes, proceed (y)\n  2. Yes, and don't ask again for these files (a)\n› 3. No, and tell Codex what to do differently (esc)\n\n  Press enter to confirm or esc to cancel", plain("› please tidy up\n\n")},
		{"codex", "plan", "project", "  Implement this plan?\n\n› 1. Yes, implement this plan\n  2. Yes, clear context and implement\n  3. No, stay in Plan mode\n\n  enter select · esc back", plain("• Proposed Plan\n\n  1. Rename the constant\n\n")},
		{"codex", "trust", "", "  Folder access\n\n  Trust this folder? Codex can read, edit, and run files here, subject to your permission settings.\n\n› 1. Trust and continue\n  2. Back to Agent Command Center\n\n  enter continue · esc back", plain("")},
		{"codex", "question", "[ ! ] Action Required | project", "  Question 1/1 (1 unanswered)\n  Which database should the loader use?\n\n  › 1. SQLite\n    2. Postgres\n\n  tab to add notes | enter to submit answer | esc to interrupt", plain("› please ask\n\n")},
		{"gemini", "permission", "✋  Action Required (p)", "? Shell touch marker-file && echo written\n\nAllow execution of [Shell]?\n\n● 1. Allow once\n  2. Allow for this session\n  3. No, suggest changes (esc)", boxed("✦ I need to run one command.\n\n")},
		{"gemini", "question", "✋  Action Required (p)", "Answer Questions\n\nWhich database should the loader use?\n\n● 1.  SQLite\n      A single file\n  2.  Postgres\n\nEnter to select · ↑/↓ to navigate · Esc to cancel", boxed("✦ Hm.\n\n")},
		{"gemini", "plan", "✋  Action Required (p)", "Ready to start implementation?\n\nPlan\n\n● 1.  Yes, automatically accept edits\n      Approves plan and allows tools to run automatically\n  2.  Yes, manually accept edits\n  3.  Type your feedback...\n\nEnter to select · ↑/↓ to navigate · Ctrl+G to edit plan · Esc to cancel", boxed("✦ Hm.\n\n")},
		{"gemini", "trust", "◇  Ready (p)", "Do you trust the files in this folder?\n\nTrusting a folder allows Gemini CLI to load its local configurations.\n\n● 1. Trust folder (p)\n  2. Trust parent folder (q)\n  3. Don't trust", boxed("")},
		{"copilot", "permission", "p - GitHub Copilot", "Create the marker file\n\nDo you want to run this command?\n\n❯ 1. Yes\n  2. Yes, and don't ask again for `touch` in this repo (/home/go/projects/copilot)\n  3. No, and tell Copilot what to do differently (Esc to stop)\n\n↑/↓ to navigate · enter to select · esc to cancel", boxed(" ● I need to run one command.\n\n")},
		{"copilot", "permission", "p - GitHub Copilot", "hello.txt +1 -1\n\nDo you want to edit /home/go/projects/copilot/hello.txt?\n\n❯ 1. Yes\n  2. No, and tell Copilot what to do differently (Esc to stop)\n\n↑/↓ to navigate · enter to select · esc to cancel", boxed("")},
		{"copilot", "plan", "p - GitHub Copilot", "Plan Ready for Review\n\n 1. Rename the constant\n\n❯ 1. Exit to Interactive execution mode without running the plan\n  2. Accept plan and continue in Autopilot execution mode\n  4. Suggest changes\n\n↑/↓ to navigate · enter to select · esc to cancel", boxed("")},
		{"opencode", "permission", "OC", "△ Permission required\n  # Shell command\n\n$ touch marker-file && echo written\n\n Allow once   Allow always   Reject\n\nctrl+f fullscreen  ⇆ select  enter confirm", barred},
		{"opencode", "question", "OC", "Which database should the loader use?\n\n1. SQLite\n   A single file\n2. Postgres\n3. Type your own answer\n\n↑↓ select  enter submit  esc dismiss", barred},
		{"kilo", "permission", "Kilo CLI", "△ Reject permission\n\nTell Kilo what to do differently\n\nenter confirm  esc cancel", barred},
		{"cline", "permission", "> p", " Cline needs permission\n\n Approve tool call?\n\n run_commands\n\n   $ touch marker-file && echo written\n\n  [y] Approve   [n] Deny", plain(" * I need to run one command.\n\n")},
	} {
		rules := load(t, d.agent).Rules
		for cols := 26; cols <= 200; cols++ {
			text := d.draw(d.text, cols)
			s := manifest.Screen(text, cols, 80)
			s.Title = d.title
			v := rules.Match(&s)
			if v.State != detect.Blocked || string(v.Kind) != d.kind {
				t.Errorf("%s at %d columns: %s/%s, want blocked/%s\n%s\n%s", d.agent, cols, v.State, v.Kind, d.kind, describe(v), text)
			}
			if v.Question.Text == "" {
				t.Errorf("%s at %d columns: no question\n%s", d.agent, cols, text)
			}
		}
	}
}

// plain wraps text below what stands above it.
func plain(above string) func(string, int) string {
	return func(text string, cols int) string { return above + wrap(text, cols, "") }
}

// boxed wraps text in a round box.
func boxed(above string) func(string, int) string {
	return func(text string, cols int) string {
		out := []string{above + "╭" + strings.Repeat("─", cols-2) + "╮"}
		for _, row := range strings.Split(wrap(text, cols-3, ""), "\n") {
			out = append(out, "│ "+row+strings.Repeat(" ", max(cols-4-detect.Width(row), 0))+" │")
		}
		return strings.Join(append(out, "╰"+strings.Repeat("─", cols-2)+"╯"), "\n")
	}
}

// barred wraps text behind a bar.
func barred(text string, cols int) string {
	out := []string{"     ▣  Build · Mock One", "", "  ┃"}
	for _, row := range strings.Split(wrap(text, cols-5, ""), "\n") {
		out = append(out, strings.TrimRight("  ┃  "+row, " "))
	}
	return strings.Join(append(out, "  ┃"), "\n")
}
