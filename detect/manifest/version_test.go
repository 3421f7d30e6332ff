package manifest

import "testing"

func TestCompareVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"2026.11.30", "2026.11.30", 0},
		{"2026.11.30", "2026.12.1", -1},
		{"2026.12.01", "2026.12.1", 0},
		{"2026.9.1", "2026.10.1", -1},
		{"2026.11.30.1", "2026.11.30", 1},
		{"2027", "2026.11.30", 1},
		{"", "2026.11.30", -1},
		{"new", "2026.11.30", -1},
		{"x", "", 0},
		{"99999999999999999999999", "2026.1.1", 1},
	} {
		if got := CompareVersions(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := CompareVersions(c.b, c.a); got != -c.want {
			t.Errorf("%q and %q: %d, want %d", c.b, c.a, got, -c.want)
		}
	}
}

func TestQuickVersion(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"schema = 1\nversion = \"2026.11.30\" # of this\n", "2026.11.30"},
		{"version='1.2'", "1.2"},
		{"[[rules]]\nversion = \"1\"", ""},
		{"versions = \"1\"", ""},
		{"version = 1", ""},
		{"version = \"new\"", ""},
		{"version = \"1", ""},
		{"version =", ""},
		{"", ""},
	} {
		if got := QuickVersion([]byte(c.text)); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
