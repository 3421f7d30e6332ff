package manifest

import (
	"fmt"
	"strings"

	"fwrap/detect"
)

// TOML returns the example as it stands in a manifest, from [[rules.examples]]
// to a newline. The cursor and soft wraps of its screen are not kept: see
// [Screen] for what reading it gives.
func (e *Example) TOML() string {
	var sb strings.Builder
	s := &e.Screen
	fmt.Fprintf(&sb, "[[rules.examples]]\nmatch = %v\nsize = \"%dx%d\"\n", e.Match, s.Cols, len(s.Rows))
	if s.Title != "" {
		fmt.Fprintf(&sb, "title = %s\n", quote(s.Title))
	}
	if p := progressText(s.Progress); p != "" {
		fmt.Fprintf(&sb, "progress = %s\n", quote(p))
	}
	if s.Alt {
		sb.WriteString("alt = true\n")
	}
	if e.Origin != "" {
		fmt.Fprintf(&sb, "origin = %s\n", quote(e.Origin))
	}
	text := strings.ToValidUTF8(screenText(s), "\uFFFD")
	// A newline right after the opening quotes is not part of the text.
	if strings.Contains(text, "'''") || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && isControl(r) }) {
		sb.WriteString("screen = \"\"\"\n" + escape(text, true) + "\n\"\"\"\n")
	} else {
		sb.WriteString("screen = '''\n" + text + "\n'''\n")
	}
	return sb.String()
}

// AsWritten returns the screen as it is when [Example.TOML] was read again.
func (e *Example) AsWritten() detect.Snapshot {
	s := Screen(screenText(&e.Screen), e.Screen.Cols, len(e.Screen.Rows))
	s.Title, s.Alt, s.Progress = e.Screen.Title, e.Screen.Alt, e.Screen.Progress
	return s
}

// screenText is the rows without the blank ones at the end.
func screenText(s *detect.Snapshot) string {
	rows := s.Rows
	for len(rows) > 0 && strings.TrimRight(rows[len(rows)-1], " ") == "" {
		rows = rows[:len(rows)-1]
	}
	return strings.Join(rows, "\n")
}

func progressText(p detect.Progress) string {
	switch {
	case p.State <= 0 || p.State >= len(progressNames):
		return ""
	case progressNames[p.State] == "indeterminate":
		return "indeterminate"
	}
	return fmt.Sprintf("%s %d", progressNames[p.State], p.Percent)
}

// quote returns text as a basic string of TOML.
func quote(text string) string {
	return `"` + escape(strings.ToValidUTF8(text, "\uFFFD"), false) + `"`
}

func escape(text string, lines bool) string {
	var sb strings.Builder
	for _, r := range text {
		switch {
		case r == '\\' || r == '"':
			sb.WriteByte('\\')
			sb.WriteRune(r)
		case lines && (r == '\n' || r == '\t'):
			sb.WriteRune(r)
		case isControl(r):
			fmt.Fprintf(&sb, `\u%04X`, r)
		default:
			sb.WriteRune(r)
		}
	}
	return sb.String()
}

// isControl says whether TOML wants the character escaped.
func isControl(r rune) bool { return r < ' ' || r == 0x7f }
