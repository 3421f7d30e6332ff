package manifest

import (
	"cmp"
	"strings"
)

// IsVersion says whether text can be a manifest's version: numbers with dots
// between them, "2026.11.30".
func IsVersion(text string) bool {
	if len(text) > 64 {
		return false
	}
	for _, part := range strings.Split(text, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

// CompareVersions returns -1, 0 or 1 as a is older than b, as old or newer.
// What is no version is older than any.
func CompareVersions(a, b string) int {
	if okA, okB := IsVersion(a), IsVersion(b); !okA || !okB {
		return cmp.Compare(rank(okA), rank(okB))
	}
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
	}
	return 0
}

func rank(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// QuickVersion reads the version from a manifest without parsing it, for where
// one is chosen at the start of a command. It finds what stands on a line of
// its own before the first table, as version = "…"; else it returns "".
func QuickVersion(data []byte) string {
	for line := range strings.Lines(string(data[:min(len(data), 4096)])) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			break
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(key) != "version" {
			continue
		}
		value = strings.TrimSpace(value)
		if value == "" || value[0] != '"' && value[0] != '\'' {
			return ""
		}
		if v, _, ok := strings.Cut(value[1:], value[:1]); ok && IsVersion(v) {
			return v
		}
		return ""
	}
	return ""
}
