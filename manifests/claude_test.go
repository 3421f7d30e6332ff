package manifests_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/detect"
	"fwrap/detect/manifest"
)

// fieldReport makes the snapshot of a row of the field reports.
func fieldReport(t *testing.T, f map[string]string) detect.Snapshot {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fieldDir, f["file"]))
	if err != nil {
		t.Fatal(err)
	}
	var cols, rows int
	if _, err := fmt.Sscanf(f["size"], "%dx%d", &cols, &rows); err != nil {
		t.Fatal(err)
	}
	s := manifest.Screen(string(text), cols, rows)
	s.Title = f["title"]
	return s
}

// TestCaptures judges every labelled moment of every recording twice: as this
// program's screen draws the bytes, and as another terminal emulator did.
// The screen alone is asked: no report, nothing of what came before.
func TestCaptures(t *testing.T) {
	for _, agent := range agents(t) {
		rules := load(t, agent).Rules
		list := captures(t, agent)
		wrong := 0
		for i := 0; i < len(list); i += sample {
			c := &list[i]
			for how, s := range map[string]detect.Snapshot{"bytes": c.replayed(t, 4096), "screen": c.drawn(t)} {
				v := rules.Match(&s)
				state := v.State
				if v.Keep {
					state = detect.Idle // nothing came before
				}
				if state.String() == c.State {
					continue
				}
				wrong++
				t.Errorf("%s (%s): %s, want %s %s (%s)\n%s", c.Name, how, state, c.State, c.Kind, c.Note, describe(v))
			}
		}
		t.Logf("%s: %d moments, %d wrong", agent, len(list), wrong)
	}
}

// TestQuestions: who is told that Claude asks is told what.
func TestQuestions(t *testing.T) {
	rules := load(t, "claude").Rules
	list := captures(t, "claude")
	for i := range list {
		c := &list[i]
		if c.State != "blocked" {
			continue
		}
		s := c.replayed(t, 1<<20)
		v := rules.Match(&s)
		q := v.Question
		// A window of a few rows shows the end of a dialog or its heading.
		shown := strings.Join(strings.Fields(strings.Join(s.Rows, " ")), " ")
		if q.Text == "" && c.Rows >= 20 {
			t.Errorf("%s: no question", c.Name)
		}
		if len(q.Options) == 0 && c.Rows >= 20 && !strings.Contains(c.Name, "transcript--ask") && !strings.Contains(shown, "Press Enter to continue") && !strings.Contains(shown, "Waiting for your answer") {
			t.Errorf("%s: no options of %q", c.Name, q.Text)
		}
		if kind := blockedKind(c.Kind); v.Kind != kind && v.Kind != "" {
			t.Errorf("%s: kind %s by %s, want %s", c.Name, v.Kind, v.At, kind)
		}
		var want []string
		switch {
		case strings.Contains(c.Name, "transcript--ask") && !strings.Contains(c.Name, "ask0"):
		case strings.Contains(c.Name, "/bash_curl"), strings.Contains(c.Name, "/agentperm"):
			want = []string{"curl http://127.0.0.1:1/", "Do you want to proceed?"}
		case strings.Contains(c.Name, "/edit"):
			want = []string{"Do you want to make this edit to hello.py?"}
		case strings.Contains(c.Name, "/ask1"), strings.Contains(c.Name, "/ask2--q1"):
			want = []string{"Which database should the service use?"}
		case strings.Contains(c.Name, "/planno"):
			want = []string{"Would you like to proceed?"}
		case strings.Contains(c.Name, "/elicit"):
			want = []string{"MCP server", "Which environment should be deployed?"}
		case strings.Contains(c.Name, "/webfetch"):
			want = []string{"127.0.0.1", "Do you want to allow Claude to fetch this content?"}
		case strings.Contains(c.Name, "/mcp--"):
			want = []string{"hello mcp", "demo", "Do you want to proceed?"}
		case strings.Contains(c.Name, "/bash_rm"):
			want = []string{"rm -r build"}
		}
		for _, w := range want {
			if strings.Contains(shown, w) && !strings.Contains(q.Text, w) && c.Rows > 14 {
				t.Errorf("%s: the question is read as %q, without %q", c.Name, q.Text, w)
			}
		}
	}
}

// blockedKind is the kind that a label of the recordings stands for.
func blockedKind(label string) detect.Kind {
	switch label {
	case "apikey":
		return detect.Auth
	case "bypass-consent":
		return detect.Trust
	}
	return detect.Kind(label)
}

const (
	rule80 = "────────────────────────────────────────────────────────────────────────────────"
	dialog = ` Bash command

   rm -r ./out
   Remove the build output

 Do you want to proceed?
 ❯ 1. Yes
   2. No

 Esc to cancel · Tab to amend`
	quoted = `  Do you want to proceed?
  ❯ 1. Yes
    2. No, and tell Claude what to do differently (esc)

  Esc to cancel · Tab to amend`
)

// TestInvariance changes what must not matter and looks whether it does.
func TestInvariance(t *testing.T) {
	rules := load(t, "claude").Rules
	box := func(above, below string) string {
		return above + "\n\n" + rule80 + "\n❯ \n" + rule80 + "\n" + below
	}
	status := "  [Opus] ██░░░░ 16% | app git:(dev*)\n  ███░░░ 34%\n  Do you want to proceed?\n  1. Yes\n  Esc to cancel · Tab to amend\n" +
		"  esc to interrupt?\n  $1.01\n  ❯ 1. Yes\n  ⏵⏵ bypass permissions on"
	type screen struct{ text, title, want string }
	cases := map[string]screen{
		"dialog under a quoted one":      {"● It reads:\n\n" + quoted + "\n\n" + rule80 + "\n" + dialog, "", "blocked"},
		"dialog under a left-over box":   {box("● Hello", "  ? for shortcuts") + "\n" + rule80 + "\n" + dialog, "", "blocked"},
		"dialog, title at work":          {rule80 + "\n" + dialog, "◐ go", "blocked"},
		"quoted at the end of an answer": {box("● It reads:\n\n"+quoted, "  ? for shortcuts"), "✳ go", "idle"},
		"quoted in a draft":              {rule80 + "\n❯ It reads:\n" + quoted + "\n" + rule80 + "\n  ⏸ manual mode on", "", "idle"},
		"quoted in a message":            {box("❯ It reads:\n"+quoted+"\n\n● I see.\n\n✻ Worked for 3s", ""), "", "idle"},
		"quoted in a rewind menu":        {box("● Hi", "") + "\n" + rule80 + "\n Rewind\n\n" + quoted[:strings.Index(quoted, "\n\n")] + "\n\n Enter to continue · Esc to cancel", "✳ go", "idle"},
		"status line of nine rows":       {box("● Hello\n\n✻ Worked for 3s", status), "", "idle"},
		"at work above nine rows":        {box("● Hello\n\n✻ Wirkt… (3s)", status), "", "working"},
		"agents below the box":           {box("✶ Noodling… (2s · ↓ 37 tokens)", "  esc to interrupt · ← for agents\n  ● main\n  ◯ general-purpose  Look at 解析器 👩‍💻  2s"), "", "working"},
		"wide verb":                      {box("✢ 修复解析器… (3s · 思考)", ""), "", "working"},
		"emoji verb":                     {box("✽ 🚀 Launching… (3s)", ""), "", "working"},
		"list in an answer":              {box("● Two ways:\n\n  1. Yes\n  2. No\n\n  Do you want to proceed?", ""), "", "idle"},
		"nothing at all":                 {"", "", "idle"},
	}
	for _, frame := range []string{"·", "✢", "✳", "✶", "✻", "✽", "*"} {
		cases["frame "+frame] = screen{box(frame+" Wandering…", "  ? for shortcuts"), "✳ go", "working"}
		cases["frame with time "+frame] = screen{box(frame+" Fixing the bug… (1m 3s · ↓ 1.2k tokens · thinking)\n  ⎿  Tip: x", ""), "", "working"}
		cases["frame at rest "+frame] = screen{box(frame+" Cooked for 4s · done 8:21 PM", ""), "", "idle"}
	}
	cases["frame ●"] = screen{box("● Wandering…", ""), "", "working"}
	for name, c := range cases {
		s := manifest.Screen(c.text, 80, 60)
		s.Title = c.title
		if v := rules.Match(&s); v.State.String() != c.want {
			t.Errorf("%s: %s, want %s\n%s\n%s", name, v.State, c.want, describe(v), c.text)
		}
	}
}

// TestWidths wraps a dialog's text by words to every width, as Claude does.
func TestWidths(t *testing.T) {
	rules := load(t, "claude").Rules
	for _, d := range []struct{ text, kind string }{
		{dialog, "permission"},
		{" ☐ Database\n\nWhich database should the service use?\n\n❯ 1. PostgreSQL\n     Robust relational database\n  2. SQLite\n     Single file, no server\n  3. Type something.\n" +
			"\x00\n  4. Chat about this\n\nEnter to select · ↑/↓ to navigate · Esc to cancel", "question"},
		{" Claude has written up a plan and is ready to execute. Would you like to proceed?\n\n ❯ 1. Yes, and use auto mode\n   2. Yes, manually approve edits\n   3. Tell Claude what to change\n\n ctrl+g to edit in Vim · ~/.claude/plans/x.md", "plan"},
		{"  MCP server “demo” requests your input\n\n  Which environment should be deployed?\n\n  ❯ Accept    Decline\n\n  Esc to cancel · ↑/↓ to navigate · Backspace to unset", "question"},
		{" Accessing workspace:\n\n Quick safety check: Is this a project you created or one you trust? (Like your own code.)\n\n ❯ No, exit\n   Yes, I trust this folder\n\n Enter to confirm · Esc to cancel", "trust"},
	} {
		for cols := 26; cols <= 120; cols++ {
			rule := strings.Repeat("─", cols)
			text := "● Hello\n" + rule + "\n" + wrap(d.text, cols, rule)
			s := manifest.Screen(text, cols, 80)
			v := rules.Match(&s)
			if v.State != detect.Blocked || string(v.Kind) != d.kind {
				t.Errorf("%d columns: %s/%s, want blocked/%s\n%s\n%s", cols, v.State, v.Kind, d.kind, describe(v), text)
			}
			if v.Question.Text == "" || len(v.Question.Options) == 0 {
				t.Errorf("%d columns: the question is read as %+v\n%s", cols, v.Question, text)
			}
		}
	}
}

// wrap breaks lines between words, going on under the text of the first row.
func wrap(text string, cols int, rule string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if line == "\x00" {
			out = append(out, rule)
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		row := indent
		for _, w := range strings.Fields(line) {
			if row != indent && detect.Width(row)+1+detect.Width(w) > cols-1 {
				out = append(out, row)
				row = indent
			}
			if row != indent {
				row += " "
			}
			row += w
		}
		out = append(out, strings.TrimRight(row, " "))
	}
	return strings.Join(out, "\n")
}

// TestCropped takes rows off the top of every recorded dialog: in a low window
// only its end is there.
func TestCropped(t *testing.T) {
	rules := load(t, "claude").Rules
	list := captures(t, "claude")
	tried := 0
	for i := range list {
		c := &list[i]
		if c.State != "blocked" || c.Rows < 20 {
			continue
		}
		s := c.drawn(t)
		last := len(s.Rows)
		for last > 0 && strings.TrimSpace(s.Rows[last-1]) == "" {
			last--
		}
		for keep := 6; keep < last; keep++ {
			low := s
			low.Rows = s.Rows[last-keep : last]
			tried++
			if v := rules.Match(&low); v.State != detect.Blocked {
				t.Errorf("%s: the last %d rows are %s\n%s\n%s", c.Name, keep, v.State, describe(v), strings.Join(low.Rows, "\n"))
				break
			}
		}
	}
	t.Logf("%d screens", tried)
}

// TestAnswered draws an input box under every recorded dialog: whatever it
// was, it is answered.
func TestAnswered(t *testing.T) {
	rules := load(t, "claude").Rules
	list := captures(t, "claude")
	for i := range list {
		c := &list[i]
		if c.State != "blocked" {
			continue
		}
		s := c.drawn(t)
		rule := strings.Repeat("─", c.Cols)
		s.Rows = append(s.Rows, rule, "❯ ", rule, "  ⏸ manual mode on")
		s.Title = "✳ Claude Code"
		if v := rules.Match(&s); v.State == detect.Blocked {
			t.Errorf("%s: %s\n%s", c.Name, v.State, describe(v))
		}
	}
}
