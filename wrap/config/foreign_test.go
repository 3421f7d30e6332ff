package config

import (
	"slices"
	"testing"
)

func TestTopStrings(t *testing.T) {
	for _, c := range []struct {
		data string
		want []string
		bad  bool
	}{
		{"", nil, false},
		{"model = \"x\"\nnotify = [\"say\", \"-v\"]\n[tui]\nnotify = 7\n", []string{"say", "-v"}, false},
		{"[tui]\nnotify = [\"say\"]\n", nil, false},
		{"notify = []\n", nil, false},
		{"notify = \"say\"\n", nil, true},
		{"notify = [1]\n", nil, true},
		{"notify = [\n", nil, true},
	} {
		got, err := TopStrings([]byte(c.data), "notify")
		if (err != nil) != c.bad || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v", c.data, got, err)
		}
	}
}
