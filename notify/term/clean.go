package term

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is the longest text in bytes that a sequence carries, whatever the
// caller passes: terminals drop or truncate longer strings (tmux 1 MiB, others
// 4 KiB), and a text of an agent's may be any size.
const maxText = 2048

// clean makes text safe inside a control string: no C0, DEL or C1 character,
// which could end it, and valid UTF-8, because a lone 0x9C ends it too. Format
// characters (bidirectional overrides, zero-width ones) go as well: what they do
// to a line does not stop at the line's end.
func clean(s string) string { return cleaned(s, false) }

// cleanLines is clean for texts that are encoded and may have lines.
func cleanLines(s string) string { return cleaned(s, true) }

func cleaned(s string, lines bool) string {
	s = cut(s, maxText)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && lines:
			return r
		case r == '\n' || r == '\t':
			return ' '
		case r < 0x20, r >= 0x7f && r < 0xa0, unicode.Is(unicode.Cf, r):
			return -1
		case r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// cut returns the longest prefix of at most n bytes that ends between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// ident keeps the characters that OSC 99 identifiers, OSC 7501 names (of at most
// 32 bytes) and user variables allow alike.
func ident(s string) string {
	return cut(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_+-.", r) {
			return r
		}
		return -1
	}, s), 32)
}
