package notify

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxText is the longest text in runes that any channel is given.
const MaxText = 400

// Sanitize makes untrusted text fit to be shown outside its terminal: valid
// UTF-8 without control characters (C0, C1, DEL), bidirectional overrides,
// zero-width and private-use characters, at most max runes (MaxText if max is
// not positive), cut with an ellipsis. Runs of blanks become one space. Lines
// are kept if multiline is true and joined by spaces otherwise.
//
// Only what Unicode calls printable is let through, because the channels differ
// in what they choke on: a terminal on escapes, D-Bus on invalid UTF-8,
// AppleScript on the \u escapes that Go's quoting makes of anything invisible.
func Sanitize(s string, max int, multiline bool) string {
	if max <= 0 || max > MaxText {
		max = MaxText
	}
	var b strings.Builder
	runes := 0
	blank, newline := false, false
	marks := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			newline = true
			continue
		case r == '\t' || unicode.Is(unicode.Zs, r):
			blank = true
			continue
		case invisible(r):
			continue
		case unicode.Is(unicode.M, r):
			// A tower of combining marks draws over the lines around it.
			if marks++; marks > 4 {
				continue
			}
		default:
			marks = 0
		}
		sep := ""
		if runes > 0 {
			switch {
			case newline && multiline:
				sep = "\n"
			case newline || blank:
				sep = " "
			}
		}
		blank, newline = false, false
		if runes+len(sep)+1 > max {
			return ellipsis(b.String(), max)
		}
		b.WriteString(sep)
		b.WriteRune(r) // an invalid byte was decoded to U+FFFD
		runes += len(sep) + 1
	}
	return b.String()
}

// invisible reports whether r shows nothing by itself.
func invisible(r rune) bool {
	if !unicode.IsPrint(r) {
		return true
	}
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true // grapheme joiner, fillers and the empty braille cell: printable by category only
	}
	return r >= 0xe0100 && r <= 0xe01ef // variation selectors that only carry hidden data
}

// ellipsis ends s with an ellipsis so that it is at most max runes.
func ellipsis(s string, max int) string {
	if utf8.RuneCountInString(s) >= max {
		n := 0
		for i := range s {
			if n == max-1 {
				s = s[:i]
				break
			}
			n++
		}
	}
	if max <= 0 {
		return ""
	}
	return strings.TrimRight(s, " \n") + "…"
}

// squash makes two drawings of one text equal: a terminal wraps and pads.
func squash(s string) string { return strings.Join(strings.Fields(s), "") }

// duration words a duration as a person reads it: "9s", "4m12s", "1h03m".
func duration(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int(d/time.Hour), int(d/time.Minute)%60, int(d/time.Second)%60
	switch {
	case h > 0:
		return itoa(h) + "h" + pad(m) + "m"
	case m > 0:
		return itoa(m) + "m" + pad(s) + "s"
	}
	return itoa(s) + "s"
}
