package cli

import (
	"strings"
	"unicode"

	"fwrap/detect"
)

// redactText makes text unreadable and keeps how it looks: letters become x,
// digits 0, wide ones wide. Spaces, punctuation, box drawing, spinners and
// emoji stay: rules look at them.
func redactText(text string) string {
	var sb strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			sb.WriteString(pad('0', '０', r))
		case unicode.IsLetter(r), unicode.Is(unicode.Nl, r):
			sb.WriteString(pad('x', 'ｘ', r))
		case unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r):
			// It stood on a letter that is gone and took no room of its own.
			if detect.Width(string(r)) > 0 {
				sb.WriteByte('x')
			}
		default:
			sb.WriteRune(r)
		}
	}
	return sb.String()
}

// pad returns the stand-in that is as wide as r.
func pad(narrow, wide, r rune) string {
	switch detect.Width(string(r)) {
	case 0:
		return ""
	case 1:
		return string(narrow)
	}
	return string(wide)
}

// redaction is a screen without its text.
type redaction struct {
	screen detect.Snapshot
	kept   []int // rows that were left readable because the verdict needs them
	title  bool  // the title was left readable for the same reason
}

// redact blanks the rows of a screen that keep does not name, and the title.
// What changes the verdict is left as it is.
func redact(s detect.Snapshot, keep map[int]bool, same func(*detect.Snapshot) bool) redaction {
	rows := s.Rows
	s.Rows = make([]string, len(rows))
	for i, row := range rows {
		if s.Rows[i] = row; !keep[i] {
			s.Rows[i] = redactText(row)
		}
	}
	title := s.Title
	s.Title = redactText(title)
	out := redaction{screen: s}
	if same(&out.screen) {
		return out
	}
	// Something else in it counts. Begin with all of it, take away what can be
	// taken away.
	s.Rows, s.Title = append([]string(nil), rows...), title
	for i, row := range rows {
		if keep[i] {
			continue
		}
		if s.Rows[i] = redactText(row); s.Rows[i] != row && !same(&s) {
			s.Rows[i] = row
			out.kept = append(out.kept, i)
		}
	}
	if s.Title = redactText(title); s.Title != title && !same(&s) {
		s.Title, out.title = title, true
	}
	out.screen = s
	return out
}
