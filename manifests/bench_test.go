package manifests_test

import (
	"strings"
	"testing"

	"fwrap/detect"
	"fwrap/detect/manifest"
	"fwrap/manifests"
)

// BenchmarkMatch judges screens by the whole of Claude Code's manifest. The
// budget is 0.2 ms at 120x32 and 2 ms at 300x100.
func BenchmarkMatch(b *testing.B) {
	rules := load(b, "claude").Rules
	for _, c := range captures(b, "claude") {
		switch c.Name {
		case "claude/2.1.332/bash_curl--ask", "claude/2.1.332/quote--idle", "claude/2.1.197/slow--stream":
			s := c.drawn(b)
			b.Run(strings.ReplaceAll(c.Name[len("claude/"):], "/", "-"), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					rules.Match(&s)
				}
			})
		}
	}
	for name, large := range map[string]detect.Snapshot{"box": largeScreen(true), "nobox": largeScreen(false)} {
		b.Run("300x100-"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rules.Match(&large)
			}
		})
	}
}

// largeScreen is full of text that looks like a dialog nearly everywhere.
func largeScreen(box bool) detect.Snapshot {
	s := detect.Snapshot{Cols: 300, Title: "✳ Claude Code"}
	line := "  ❯ Do you want to · Esc to cancel · 1. Yes … (3s) ─ "
	for len(s.Rows) < 96 {
		s.Rows = append(s.Rows, strings.TrimRight(strings.Repeat(line, 6), " "))
	}
	if box {
		rule := strings.Repeat("─", 300)
		s.Rows = append(s.Rows, rule, "❯", rule, "  ? for shortcuts")
	}
	return s
}

// proseScreen is a conversation that speaks of dialogs on 300x100 cells.
func proseScreen() detect.Snapshot {
	s := detect.Snapshot{Cols: 300, Title: "agent"}
	line := "The dialog asks “Do you want to proceed?” and offers 1. Yes and 2. No (esc); Esc to cancel ends it, Enter to select chooses. "
	for len(s.Rows) < 100 {
		for range 4 {
			s.Rows = append(s.Rows, "  "+strings.TrimRight(strings.Repeat(line, 2), " "))
		}
		s.Rows = append(s.Rows, "")
	}
	return s
}

// BenchmarkMatchAgents judges each agent's fullest recorded screen and a large
// one. The budget is 0.2 ms at 120x32 and 2 ms at 300x100.
func BenchmarkMatchAgents(b *testing.B) {
	for _, agent := range agents(b) {
		rules := load(b, agent).Rules
		var full detect.Snapshot
		size := 0
		list := captures(b, agent)
		for i := range list {
			if list[i].Cols != 120 {
				continue
			}
			s := list[i].drawn(b)
			if n := len(strings.Join(s.Rows, "")); n > size {
				full, size = s, n
			}
		}
		screens := map[string]detect.Snapshot{"300x100": proseScreen()}
		if size > 0 {
			screens["120x32"] = full
		}
		for name, s := range screens {
			b.Run(agent+"-"+name, func(b *testing.B) {
				for b.Loop() {
					rules.Match(&s)
				}
			})
		}
	}
}

// BenchmarkLoad reads the rules of Claude Code as a session does.
func BenchmarkLoad(b *testing.B) {
	data, err := manifests.FS.ReadFile("claude.toml")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := manifest.LoadRules("claude.toml", data); err != nil {
			b.Fatal(err)
		}
	}
}
