package detect

import (
	"slices"
	"testing"
)

// The last list on the screen is the dialog's.
func TestOptionsAfterList(t *testing.T) {
	option, err := NewPattern(`^ *(?:› )?\d+\. (.+)$`)
	if err != nil {
		t.Fatal(err)
	}
	s := Snapshot{Cols: 60, Rows: []string{
		"  Plan", "  1. Rename the constant", "  2. Run the tests", "  3. Commit", "",
		"  Implement this plan?", "", "  1. Yes", "› 2. No",
	}}
	l := Layout{}
	sc := newScene(&s, &l)
	q := (&Reading{Options: []*Pattern{option}}).read(sc, Whole)
	if want := []string{"Yes", "No"}; !slices.Equal(q.Options, want) {
		t.Errorf("options %q, want %q", q.Options, want)
	}
}

func TestUnframeScrollbar(t *testing.T) {
	for row, want := range map[string]string{
		"  1. Yes      █": "  1. Yes",
		"  1. Yes      ▄": "  1. Yes",
		"        │":       "",
		"│ a  │":          "  a  ",
		"text│":           "text│",
		"█":               "",
		"":                "",
	} {
		if got := unframe(row); got != want {
			t.Errorf("unframe(%q) = %q, want %q", row, got, want)
		}
	}
}

func TestStartsLine(t *testing.T) {
	for text, want := range map[string]bool{
		"1. Yes": true, "12) No": true, "- item": true, "[ ] a": true, "[✔] a": true, "(o) b": true, "❯ a": true,
		"(/work/project)": false, "[link](x)": false, "-v": false, "[": false, "(": false, "-": false, "word": false, "2026": false,
	} {
		if got := startsLine(text); got != want {
			t.Errorf("startsLine(%q) = %v", text, got)
		}
	}
}

// TestJoined: what a narrow window broke is one line again, with a space only
// where there was one.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		cols int
		rows []string
		want []string
	}{
		{40, []string{
			"データベースはどれを使いますか？サービ",
			"スは毎日数百万件の要求を処理し、障害時",
			"にも読み取りが続けられる。",
		}, []string{"データベースはどれを使いますか？サービスは毎日数百万件の要求を処理し、障害時にも読み取りが続けられる。"}},
		{40, []string{
			"❯ 1. SQLite を使う",
			"     単一ファイルでサーバー不要",
			"  2. 両方",
		}, []string{"❯ 1. SQLite を使う", "     単一ファイルでサーバー不要", "  2. 両方"}},
		{40, []string{
			"   2. Yes, and always allow access to",
			"      /home/me/src/service-api-gateway/b",
			"      uild/output from this project",
			"   3. No",
		}, []string{"   2. Yes, and always allow access to /home/me/src/service-api-gateway/build/output from this project", "   3. No"}},
		{40, []string{
			"   1. Look into /home/me/src and then to",
			"      go on",
		}, []string{"   1. Look into /home/me/src and then to go on"}},
	} {
		s := Snapshot{Cols: c.cols, Rows: c.rows}
		sc := newScene(&s, &Layout{})
		if got := sc.lines(span{0, len(c.rows)}); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
