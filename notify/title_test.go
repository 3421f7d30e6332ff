package notify_test

import (
	"testing"
	"unicode/utf8"

	"fwrap/detect"
	"fwrap/notify"
)

func TestTitle(t *testing.T) {
	working := detect.Status{State: detect.Working}
	asking := detect.Status{State: detect.Blocked, Kind: detect.Permission}
	idle := detect.Status{State: detect.Idle}
	ti := notify.NewTitle(notify.ASCII(), notify.Session{Agent: "claude", Project: "api"})
	status := func(st detect.Status, want string) {
		t.Helper()
		got, write := ti.Status(st)
		if got != want || write != (want != "") {
			t.Errorf("%v: %q %v, want %q", st.State, got, write, want)
		}
	}
	passed := func(own, want string) {
		t.Helper()
		got, write := ti.Passed(own)
		if got != want || write != (want != "") {
			t.Errorf("%q passed: %q %v, want %q", own, got, write, want)
		}
	}

	if ti.Prefix() != "" {
		t.Errorf("prefix %q before a state is known", ti.Prefix())
	}
	status(detect.Status{}, "")
	// No title of the agent's: fwrap's own, once.
	status(working, "[*] claude · api")
	status(working, "")
	status(detect.Status{State: detect.Working, Kind: detect.Compacting}, "[~] claude · api")
	status(working, "[*] claude · api")
	// The agent's spinner passes with our glyph; nothing is written for it.
	passed("◐ Fix the bug", "")
	passed("◓ Fix the bug", "")
	if ti.Prefix() != "[*] " {
		t.Errorf("prefix %q", ti.Prefix())
	}
	status(working, "")
	status(detect.Status{State: detect.Working, Kind: detect.Retrying}, "")
	// A state change without its spinner.
	status(asking, "[!] Fix the bug")
	status(asking, "")
	passed("✳ Fix the bug", "")
	status(idle, "[-] Fix the bug")
	passed("Fix the bug", "")
	status(idle, "")
	// The empty title at the agent's end.
	passed("", "[-] claude · api")
	passed("", "[-] claude · api") // the terminal shows the empty one again
	// Gone: the title is nobody's.
	status(detect.Status{}, "")
	passed("user@host:~", "")
	passed("", "")
	// And back.
	status(working, "[*] claude · api")
}

func TestTitleText(t *testing.T) {
	for own, want := range map[string]string{
		"⠋ codex":              "[*] codex",
		"✳ Claude Code":        "[*] Claude Code",
		"* notes":              "[*] notes",
		"a b":                  "[*] a b",
		"◐":                    "[*] ◐",
		"◐ ":                   "[*] pi",
		"x\x1b]0;y\x07\u202ez": "[*] x]0;yz",
		"  spaced   out  ":     "[*] spaced out",
		"日本語のタイトル":             "[*] 日本語のタイトル",
		"\xff":                 "[*] \ufffd",
		"π - pi":               "[*] π - pi",
		"\u200b":               "[*] pi",
	} {
		ti := notify.NewTitle(notify.ASCII(), notify.Session{Agent: "pi"})
		ti.Passed(own)
		if got, write := ti.Status(detect.Status{State: detect.Working}); got != want || !write {
			t.Errorf("%q becomes %q, want %q", own, got, want)
		}
	}
	ti := notify.NewTitle(notify.Unicode(), notify.Session{Agent: "pi"})
	ti.Passed(string(make([]byte, 5000)) + "long" + string([]rune{}) + longText)
	if got, _ := ti.Status(detect.Status{State: detect.Working}); utf8.RuneCountInString(got) > notify.MaxTitle {
		t.Errorf("a title of %d runes", utf8.RuneCountInString(got))
	}
}

var longText = func() string {
	b := make([]rune, 1000)
	for i := range b {
		b[i] = 'é'
	}
	return string(b)
}()

// TestGlyphs: every state and kind has one in both sets, and what is different
// to the person looks different.
func TestGlyphs(t *testing.T) {
	for name, g := range map[string]notify.Glyphs{"unicode": notify.Unicode(), "ascii": notify.ASCII()} {
		for state, kinds := range detect.Kinds {
			for _, k := range append([]detect.Kind{"", "unheard of"}, kinds...) {
				glyph := g.Of(detect.Status{State: state, Kind: k})
				if glyph == "" {
					t.Errorf("%s: no glyph for %v %s", name, state, k)
				}
				for _, r := range glyph {
					if r == '\ufe0f' {
						t.Errorf("%s: %q has a variation selector", name, glyph)
					}
					if name == "ascii" && r >= 0x80 {
						t.Errorf("%q is not ASCII", glyph)
					}
				}
				if len(glyph)+1 > 16 {
					t.Errorf("%q is long", glyph)
				}
			}
		}
		if g.Of(detect.Status{}) != "" {
			t.Errorf("%s: a glyph where no agent is", name)
		}
		seen := map[string]detect.State{}
		for _, s := range []detect.State{detect.Working, detect.Blocked, detect.Idle} {
			glyph := g.Of(detect.Status{State: s})
			if other, ok := seen[glyph]; ok {
				t.Errorf("%s: %v and %v look alike", name, s, other)
			}
			seen[glyph] = s
		}
	}
}
