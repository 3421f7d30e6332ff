package detect

import "unicode"

// Width returns the columns that text takes on a terminal, near enough to tell
// whether a word would have fitted. The screen itself is measured by the
// emulator, not by this.
func Width(text string) int {
	n := 0
	for _, c := range text {
		switch {
		case c < 0x300:
			n++
		case c == 0x200d || c >= 0xfe00 && c <= 0xfe0f || unicode.Is(unicode.Mn, c):
		case isWide(c):
			n += 2
		default:
			n++
		}
	}
	return n
}

// isWide reports whether c is of the East Asian wide blocks or an emoji
// (Unicode Standard Annex 11, in its large blocks).
func isWide(c rune) bool {
	switch {
	case c < 0x1100:
		return false
	case c <= 0x115f, c >= 0x2e80 && c <= 0xa4cf && c != 0x303f, c >= 0xac00 && c <= 0xd7a3,
		c >= 0xf900 && c <= 0xfaff, c >= 0xfe30 && c <= 0xfe6f, c >= 0xff00 && c <= 0xff60,
		c >= 0xffe0 && c <= 0xffe6, c >= 0x1f300 && c <= 0x1f64f, c >= 0x1f680 && c <= 0x1f6ff,
		c >= 0x1f900 && c <= 0x1faff, c >= 0x20000 && c <= 0x3fffd:
		return true
	}
	return false
}
