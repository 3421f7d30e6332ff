package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fwrap/detect"
)

const small = `schema = 1
version = "1"
agent = "demo"
commands = ["demo", "demo-beta"]
checked_with = ["0.1"]
program_status = true

[acp]
commands = ["demo-acp"]

[self_report]
hooks = "claude"

[screen]
separators = ['^─{8,}']

[[boxes]]
top = '^─{8,}'
prompt = '^> '
bottom = '^─{8,}'

[[rules]]
id = "ask"
state = "blocked"
kind = "permission"
region = "dialog"
any = ['Proceed\?']
  [rules.question]
  text = ['(Proceed\?)']
  options = ['^\d\. (.+)$']
  [[rules.examples]]
  question = "Proceed?"
  options = ["Yes", "No"]
  screen = '''
Proceed?
1. Yes
2. No
'''
  [[rules.examples]]
  match = false
  screen = 'Proceed'

[[rules]]
id = "busy"
state = "working"
region = "title"
any = ['^\* ']
`

func TestLoad(t *testing.T) {
	m, err := Load("/x/y/other.toml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if m.File != "other.toml" || m.Agent != "demo" || m.Version != "1" || !m.ProgramStatus ||
		!slices.Equal(m.Commands, []string{"demo", "demo-beta"}) || !slices.Equal(m.ACP, []string{"demo-acp"}) ||
		!slices.Equal(m.CheckedWith, []string{"0.1"}) || m.SelfReport["hooks"] != "claude" {
		t.Errorf("%+v", m)
	}
	if f := m.Check(); f != nil {
		t.Error(f)
	}
	r := m.Rules.List[0]
	if r.Line != 22 || r.File != "other.toml" || r.Any[0].Line != 27 || r.Any[0].Column != 8 {
		t.Errorf("rule in %s:%d, its pattern at %d:%d", r.File, r.Line, r.Any[0].Line, r.Any[0].Column)
	}
	s := m.Examples[0].Screen
	v := m.Rules.Match(&s)
	if v.Name != "demo/ask" || v.At != "other.toml:22" || v.Line != "Proceed?" || v.Source != detect.FromScreen {
		t.Errorf("%+v", v)
	}
}

// A file of rules with nothing but patterns and states means what it says.
func TestBareRules(t *testing.T) {
	m, err := Load("mine.toml", []byte("[[rules]]\nstate = 'blocked'\nany = ['Really\\?']\n\n[[rules]]\nstate = 'idle'\nany = ['ready']\n"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Agent != "mine" || m.Rules.List[0].ID != "rule-1" || m.Rules.List[1].ID != "rule-2" {
		t.Errorf("agent %q, ids %q %q", m.Agent, m.Rules.List[0].ID, m.Rules.List[1].ID)
	}
	s := Screen("ready\nReally?", 80, 24)
	if v := m.Rules.Match(&s); v.State != detect.Blocked || v.At != "mine.toml:1" {
		t.Errorf("%+v", v)
	}
}

func TestRefused(t *testing.T) {
	rule := func(lines string) string { return "[[rules]]\nstate = 'idle'\nany = ['x']\n" + lines }
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "'p%d',", i)
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, want string }{
		{"not TOML", "a = [\n", "x.toml:1:6: unexpected EOF"},
		{"wrong type", "agent = 3\n", "x.toml:1:"},
		{"newer schema", "schema = 2\n" + rule(""), "x.toml:1:1: schema 2 is newer"},
		{"schema nil", "\n\n  schema = 0\n" + rule(""), "x.toml:3:3: there is no schema 0"},
		{"no rules", "agent = 'x'\n", "the manifest has no [[rules]]"},
		{"unknown key", "colour = 1\n" + rule(""), `x.toml:1:1: unknown key "colour"`},
		{"near key", rule("regions = 'title'\n"), `x.toml:4:1: unknown key "regions"; did you mean "region"?`},
		{"unknown table", "[tools]\na = 1\nb = 2\n" + rule(""), `x.toml:1:1: unknown key "tools"`},
		{"case of keys", rule("Region = 'title'\n"), `x.toml:4:1: unknown key "Region"`},
		{"unknown key in second rule", rule("") + rule("  what = 1\n"), `x.toml:7:3: unknown key "what"`},
		{"unknown key in example", rule("[[rules.examples]]\nscreen = 'x'\nsizes = '1x1'\n"), `x.toml:6:1: unknown key "sizes"; did you mean "size"?`},
		{"unknown key in inline table", rule("also = [{ region = 'title', some = ['x'] }]\n"), `x.toml:4:29: unknown key "some"`},
		{"bad pattern", "[[rules]]\nstate = 'idle'\nany = [\n  'fine', # comment\n  \"[z-a]\",\n]\n", `x.toml:5:3: bad pattern: invalid character class range in "z-a"`},
		{"lookahead", rule("not = ['(?=x)']\n"), "x.toml:4:8: bad pattern: invalid or unsupported Perl syntax"},
		{"bad layout", "[screen]\nitems = ['(']\n" + rule(""), "x.toml:2:10: bad pattern"},
		{"bad box", "[[boxes]]\nprompt = '['\n" + rule(""), "x.toml:2:1: bad pattern"},
		{"box without prompt", "[[boxes]]\ntop = 'x'\n" + rule(""), "x.toml:1:1: a box needs prompt"},
		{"empty pattern", rule("all = ['']\n"), "x.toml:4:8: an empty pattern"},
		{"no pattern", "[[rules]]\nstate = 'idle'\nnot = ['x']\n", "x.toml:1:1: rule rule-1 needs a pattern in any or all"},
		{"no state", "[[rules]]\nany = ['x']\n", "x.toml:1:1: rule rule-1 needs a state"},
		{"bad state", "[[rules]]\nany = ['x']\nstate = 'busy'\n", `x.toml:3:1: there is no state "busy"`},
		{"none is no state", "[[rules]]\nany = ['x']\nstate = 'none'\n", `x.toml:3:1: there is no state "none"`},
		{"kind of another state", rule("kind = 'permission'\n"), `x.toml:4:1: the state idle has no kind "permission"; it has shell, menu, error, interrupted`},
		{"kind of keep", "[[rules]]\nany = ['x']\nstate = 'keep'\nkind = 'menu'\n", "x.toml:4:1: the state keep has no kinds"},
		{"bad region", rule("region = 'bottom'\n"), `x.toml:4:1: there is no region "bottom"; it is one of whole, title`},
		{"bad region of also", rule("[[rules.also]]\nregion = 'up'\nany = ['x']\n"), `x.toml:5:1: there is no region "up"`},
		{"empty also", rule("[[rules.also]]\nregion = 'title'\n"), "x.toml:4:1: a condition needs a pattern"},
		{"question of idle", rule("[rules.question]\ntext = ['x']\n"), "x.toml:4:1: only a blocked rule has a question"},
		{"duplicate id", rule("id = 'a'\n") + rule("id = 'a'\n"), `x.toml:8:1: the id "a" is taken by the rule in line 1`},
		{"taken by default id", rule("") + rule("id = 'rule-1'\n"), `x.toml:7:1: the id "rule-1" is taken`},
		{"bad id", rule("id = 'A b'\n"), "x.toml:4:1: the id \"A b\" must be"},
		{"empty id", rule("id = ''\n"), "x.toml:4:1: an id must not be empty"},
		{"bad agent", "agent = 'Claude Code'\n" + rule(""), "x.toml:1:1: the agent"},
		{"command with a path", "commands = ['ok', '/bin/sh']\n" + rule(""), "x.toml:1:19: a command is the base name"},
		{"too many patterns", rule("all = [" + many(maxPatterns+1) + "]\n"), "x.toml:4:1: 101 patterns are more"},
		{"pattern too long", rule("all = ['" + strings.Repeat("x", maxPattern+1) + "']\n"), "x.toml:4:8: a pattern of 4097 bytes"},
		{"repeat too large", rule("all = ['x{1001}']\n"), "x.toml:4:8: bad pattern: invalid repeat count"},
		{"too many rules", strings.Repeat(rule(""), maxRules+1), "x.toml:1:1: 401 rules are more"},
		{"too large", rule("#" + strings.Repeat("x", MaxSize)), "are more than the 1048576"},
		{"no screen", rule("[[rules.examples]]\nmatch = true\n"), "x.toml:4:1: an example needs a screen"},
		{"bad size", rule("[[rules.examples]]\nscreen = 'x'\nsize = '80'\n"), "x.toml:6:1: a size is written as 80x24"},
		{"huge size", rule("[[rules.examples]]\nscreen = 'x'\nsize = '80x99999'\n"), "x.toml:6:1: a size is written as 80x24"},
		{"bad progress", rule("[[rules.examples]]\nscreen = 'x'\nprogress = 'half'\n"), `x.toml:6:1: there is no progress "half"`},
		{"extends alone", "extends = 'builtin'\n" + rule(""), "x.toml:1:1: a manifest that extends"},
		{"key after multi-line string", rule("[[rules.examples]]\nscreen = '''\na\nb'''\nbad = 1\n"), `x.toml:8:1: unknown key "bad"`},
		{"key after quotes", rule("[[rules.examples]]\nscreen = \"\"\"\na\\\"\"\"\"\"\"\nbad = 1\n"), `x.toml:7:1: unknown key "bad"`},
		{"two errors", rule("region = 'up'\n") + rule("region = 'down'\n"), "x.toml:8:1: there is no region \"down\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Load("x.toml", []byte(c.text))
			if err == nil {
				t.Fatalf("loaded: %+v", m)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
			var e *Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 {
				t.Errorf("no place in %#v", err)
			}
		})
	}
}

func TestOverride(t *testing.T) {
	user := func(text string) (*Manifest, error) {
		return Override("demo.toml", []byte(small), "/home/x/demo.toml", []byte(text))
	}
	whole, err := user("agent = 'demo'\n[[rules]]\nstate = 'idle'\nany = ['x']\n")
	if err != nil || len(whole.Rules.List) != 1 || whole.Commands != nil {
		t.Errorf("whole: %+v %v", whole, err)
	}
	ext, err := user("extends = 'builtin'\ndisable = ['busy']\ncommands = ['demo2']\n[[rules]]\nid = 'mine'\nstate = 'idle'\nany = ['x']\n[[boxes]]\nprompt = '^# '\n")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range ext.Rules.List {
		ids = append(ids, fmt.Sprintf("%s:%d:%s", r.File, r.Line, r.ID))
	}
	if want := []string{"demo.toml:4:mine", "demo.toml:22:ask"}; !slices.Equal(ids, want) {
		t.Errorf("rules %q, want %q", ids, want)
	}
	if len(ext.Rules.Layout.Boxes) != 2 || ext.Agent != "demo" || ext.Version != "1" || !slices.Equal(ext.Commands, []string{"demo2"}) {
		t.Errorf("%+v", ext)
	}
	if f := ext.Check(); f != nil {
		t.Error(f)
	}
	same, err := user("extends = 'builtin'\n[[rules]]\nid = 'ask'\nstate = 'idle'\nany = ['x']\n")
	if err != nil || len(same.Rules.List) != 2 || same.Rules.List[0].State != detect.Idle || len(same.Examples) != 0 {
		t.Errorf("a rule of the same id: %+v %v", same, err)
	}
	if base, err := Load("demo.toml", []byte(small)); err != nil || len(base.Rules.List) != 2 {
		t.Errorf("the built-in manifest has changed: %v", err)
	}
	for text, want := range map[string]string{
		"extends = 'other'\n":                                     `demo.toml:1:1: there is nothing to extend but "builtin"`,
		"extends = 'builtin'\ndisable = ['no']\n":                 `demo.toml:2:12: the built-in manifest has no rule "no"`,
		"extends = 'builtin'\nagent = 'codex'\n":                  "demo.toml:2:1: the manifest is of codex and extends that of demo",
		"disable = ['ask']\n[[rules]]\nstate='idle'\nany=['x']\n": `demo.toml:1:1: disable needs extends`,
		"extends = 'builtin'\nregion = 1\n":                       `unknown key "region"`,
	} {
		if _, err := user(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if !Extends([]byte("extends = 'builtin'\n[[rules]]\n")) || Extends([]byte("# extends = 'builtin'\n")) || Extends([]byte("[[rules]]\nextends = 'builtin'\n")) {
		t.Error("Extends is wrong")
	}
}

func TestCheck(t *testing.T) {
	m, err := Load("x.toml", []byte(`
[[rules]]
id = "a"
state = "blocked"
any = ['one']
  [[rules.examples]]
  screen = 'two'
  [[rules.examples]]
  screen = 'nothing'
  [[rules.examples]]
  match = false
  screen = 'one'
  [[rules.examples]]
  screen = 'one'
  question = "what?"
  [[rules.examples]]
  screen = 'one'
  options = ["x"]

[[rules]]
id = "b"
state = "idle"
any = ['two']
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range m.Check() {
		got = append(got, f.Error())
	}
	want := []string{
		`x.toml:6: rule a: this screen is taken by x/b (x.toml:20) for the line "two"`,
		`x.toml:8: rule a: no rule matches this screen`,
		`x.toml:10: rule a: this screen must not match, and does by the line "one"`,
		`x.toml:13: rule a: the question is read as "one", not "what?"`,
		`x.toml:16: rule a: the options are read as [], not ["x"]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every pattern of every built-in manifest is found where the index says.
func TestPlaces(t *testing.T) {
	files, err := filepath.Glob("../../manifests/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(name, data)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		n := 0
		for _, r := range m.Rules.List {
			if !strings.HasPrefix(lines[r.Line-1], "[[rules]]") {
				t.Errorf("%s:%d: rule %s does not begin there", name, r.Line, r.ID)
			}
			for _, p := range slices.Concat(r.Any, r.All, r.Not) {
				n++
				if rest := lines[p.Line-1][p.Column-1:]; !strings.HasPrefix(rest[1:], p.Expr) && !strings.HasPrefix(rest, `"`) {
					t.Errorf("%s:%d:%d: %q does not stand there", name, p.Line, p.Column, p.Expr)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has no patterns", name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(small), []byte("extends = 'builtin'\n"), "Proceed?\n1. Yes")
	f.Add([]byte("a.b.c = [{x=1},{y='''\n'''}]\n[t.'u']\n[[t.v]]"), []byte("[[rules]]"), "")
	f.Add([]byte("x = \"\"\"\"\"\"\"\n"), []byte("'"), "\x00")
	f.Add([]byte("[[rules]]\nstate='blocked'\nany=['(?s).*']\n[rules.question]\ntext=['()']\noptions=['']"), []byte("[["), "│ x │\n╰──╯")
	f.Fuzz(func(t *testing.T, builtin, user []byte, text string) {
		makeIndex(string(builtin))
		makeIndex(string(user))
		for _, load := range []func() (*Manifest, error){
			func() (*Manifest, error) { return Load("f.toml", builtin) },
			func() (*Manifest, error) { return Override("f.toml", builtin, "u.toml", user) },
		} {
			m, err := load()
			if (m == nil) == (err == nil) {
				t.Fatalf("%v and %v", m, err)
			}
			if err != nil {
				continue
			}
			m.Check()
			s := Screen(text, 40, 10)
			v := m.Rules.Match(&s)
			if wins := slices.IndexFunc(m.Rules.Explain(&s), func(t detect.Trace) bool { return t.Wins }); (wins >= 0) != (v.Rule != nil) {
				t.Fatalf("explained otherwise than matched: %d %+v", wins, v)
			}
		}
		ReadHead("f.toml", builtin)
		Extends(user)
	})
}
