package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/detect/manifest"
	"fwrap/detect/screen"
)

const captureDir = "../../testdata/captures"

// blockedCaptures lists the moments of the captures in which the agent asks.
func blockedCaptures(t *testing.T) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(captureDir, "truth.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list [][]string
	for _, row := range all[1:] {
		if row[4] == "blocked" {
			list = append(list, row)
		}
	}
	return list
}

// TestMakeExample makes an example of every recorded dialog, as it is and
// redacted: pasted into the manifest it passes, and redacted it holds no word
// of the rows that the rule does not go by.
func TestMakeExample(t *testing.T) {
	c := newCatalog("")
	loaded := map[string]*manifest.Manifest{}
	readable, n := 0, 0
	for i, row := range blockedCaptures(t) {
		if i%5 != 0 && !strings.HasPrefix(row[0], "claude/2.1.332/bash") {
			continue
		}
		agent := row[1]
		m := loaded[agent]
		if m == nil {
			var err error
			if m, err = c.load(agent); err != nil {
				t.Fatal(err)
			}
			loaded[agent] = m
		}
		cols, rows, err := cast.ParseSize(row[3])
		if err != nil {
			t.Fatal(err)
		}
		s := screen.New(cols, rows)
		s.Write(unpack(t, filepath.Join(captureDir, row[0]+".gz")))
		r := &explained{rules: m.Rules, final: s.Snapshot()}
		want := m.Rules.Match(&r.final)
		if want.Rule == nil {
			t.Errorf("%s: no rule", row[0])
			continue
		}
		for _, blank := range []bool{false, true} {
			var out bytes.Buffer
			notes, right := r.printExample(&out, blank)
			if !right {
				t.Errorf("%s, redacted %v: %s", row[0], blank, notes)
			}
			e := readExample(t, out.String())
			if got := m.Rules.Match(&e.Screen); got.Rule != want.Rule {
				t.Errorf("%s, redacted %v: judged by %s, not %s\n%s", row[0], blank, got.Name, want.Name, out.String())
			}
			if !blank {
				continue
			}
			n += len(e.Screen.Rows)
			for y, text := range e.Screen.Rows {
				if detect.Width(text) != detect.Width(r.final.Rows[y]) {
					t.Errorf("%s: row %d is %q, was %q", row[0], y, text, r.final.Rows[y])
				}
				if strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) && c != 'x' && c != 'ｘ' }) {
					readable++
				}
			}
		}
	}
	t.Logf("%d of %d rows stay readable", readable, n)
	if readable*5 > n {
		t.Errorf("%d of %d rows stay readable", readable, n)
	}
}

// readExample reads a printed block back.
func readExample(t *testing.T, block string) manifest.Example {
	t.Helper()
	m, err := manifest.Load("x.toml", []byte("[[rules]]\nstate = \"blocked\"\nany = ['x']\n"+block))
	if err != nil {
		t.Fatalf("%v in\n%s", err, block)
	}
	return m.Examples[0]
}

func unpack(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRedactText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Do you want? 42", "xx xxx xxxx? 00"},
		{"│ ❯ 1. Ja, größer │", "│ ❯ 0. xx, xxxxxx │"},
		{"漢字 テスト ７", "ｘｘ ｘｘｘ ０"},
		{"e\u0301te\u0301", "xxx"},
		{"🍎 ⏺ ✳ user@host:/home/me", "🍎 ⏺ ✳ xxxx@xxxx:/xxxx/xx"},
		{"❤\ufe0f", "❤\ufe0f"},
		{"", ""},
	} {
		if got := redactText(c.text); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
}

// TestRedactKeepsTheVerdict: what the verdict needs stays, and is named.
func TestRedactKeepsTheVerdict(t *testing.T) {
	s := detect.Snapshot{Cols: 20, Rows: []string{"secret", "needed", "Shall I?", "more"}, Title: "words"}
	same := func(s *detect.Snapshot) bool { return s.Rows[1] == "needed" && s.Title == "words" }
	got := redact(s, map[int]bool{2: true}, same)
	if want := []string{"xxxxxx", "needed", "Shall I?", "xxxx"}; strings.Join(got.screen.Rows, "|") != strings.Join(want, "|") {
		t.Errorf("rows %q", got.screen.Rows)
	}
	if len(got.kept) != 1 || got.kept[0] != 1 || !got.title || got.screen.Title != "words" {
		t.Errorf("%+v", got)
	}
	if s.Rows[0] != "secret" {
		t.Error("the screen itself was changed")
	}
}
