package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"fwrap/wrap/config"
)

// load writes text as the config file and loads it.
func load(t *testing.T, text string, src config.Source) (*config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	src.Environ = append([]string{"FWRAP_CONFIG=" + path}, src.Environ...)
	return config.Load(src)
}

func TestBuiltIn(t *testing.T) {
	c, err := config.Load(config.Source{})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Notify{
		Channel: "auto", WhenBlocked: "auto", WhenIdle: "auto", WhenFailed: "auto", Text: "full",
		SettleBlocked: time.Second, SettleIdle: 2500 * time.Millisecond, MinTurn: 5 * time.Second,
		Cooldown: 30 * time.Second, Presence: 10 * time.Second,
	}
	if c.Notify != want {
		t.Errorf("notify is %+v, want %+v", c.Notify, want)
	}
	if c.Title != (config.Title{Mode: "on", Glyphs: "unicode"}) || c.Typing != "on" || c.Answer.Scripts || len(c.Command.Run) != 0 {
		t.Errorf("the rest is %+v", c)
	}
	for _, v := range c.Values() {
		if v.Origin.String() != "built-in" {
			t.Errorf("%s comes from %s", v.Key, v.Origin)
		}
	}
}

func TestFile(t *testing.T) {
	c, err := load(t, `
typing = "off"

[notify]
channel = "osc99"
when.idle = "never"
when = { blocked = "always" }
`, config.Source{})
	if err == nil {
		t.Fatalf("two tables of one name are accepted: %+v", c)
	}
	c, err = load(t, `
typing = "off"            # line 2

[notify]
channel = "osc99"         # line 5
cooldown = "1m"
reminder = "off"
[notify.when]
idle = "never"
[title]
glyphs = "ascii"
[command]
run = ["curl", "-d", "x y", "https://ntfy.sh/x"]
timeout = "500ms"
[answer]
scripts = true
`, config.Source{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Typing != "off" || c.Notify.Channel != "osc99" || c.Notify.Cooldown != time.Minute || c.Notify.Reminder != 0 ||
		c.Notify.WhenIdle != "never" || c.Notify.WhenBlocked != "auto" || c.Title.Glyphs != "ascii" ||
		!reflect.DeepEqual(c.Command.Run, []string{"curl", "-d", "x y", "https://ntfy.sh/x"}) ||
		c.Command.Timeout != 500*time.Millisecond || !c.Answer.Scripts {
		t.Errorf("%+v", c)
	}
	if o := c.Origin("notify.channel"); o.Level != config.FromFile || o.Line != 5 || o.Name != c.File {
		t.Errorf("notify.channel comes from %+v", o)
	}
	if o := c.Origin("notify.text"); o.Level != config.BuiltIn {
		t.Errorf("notify.text comes from %v", o)
	}
}

func TestShortForms(t *testing.T) {
	for text, check := range map[string]func(*config.Config) bool{
		`title = "off"`:              func(c *config.Config) bool { return c.Title.Mode == "off" },
		`notify = "off"`:             func(c *config.Config) bool { return c.Notify.Channel == "off" },
		`command = ["say", "ready"]`: func(c *config.Config) bool { return len(c.Command.Run) == 2 },
		"[notify]\nwhen = \"never\"": func(c *config.Config) bool {
			return c.Notify.WhenBlocked+c.Notify.WhenIdle+c.Notify.WhenFailed == "nevernevernever"
		},
		"notify.when = \"unfocused\"":    func(c *config.Config) bool { return c.Notify.WhenFailed == "unfocused" },
		"notify = { cooldown = \"5s\" }": func(c *config.Config) bool { return c.Notify.Cooldown == 5*time.Second },
		"notify.when.blocked = \"never\"": func(c *config.Config) bool {
			return c.Notify.WhenBlocked == "never" && c.Notify.WhenIdle == "auto"
		},
		"": func(c *config.Config) bool { return c.Notify.Channel == "auto" },
	} {
		c, err := load(t, text, config.Source{})
		if err != nil || !check(c) {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

func TestPrecedence(t *testing.T) {
	file := "[notify]\nchannel = \"osc9\"\n"
	env := []string{"FWRAP_NOTIFY=bell"}
	flags := []config.Flag{{Name: "--no-notify", Key: "notify.channel", Value: "off"}}
	for _, tt := range []struct {
		file  string
		env   []string
		flags []config.Flag
		value string
		from  string
	}{
		{"", nil, nil, "auto", "built-in"},
		{file, nil, nil, "osc9", "config.toml:2"},
		{file, env, nil, "bell", "FWRAP_NOTIFY"},
		{file, env, flags, "off", "--no-notify"},
		{"", env, flags, "off", "--no-notify"},
		{file, nil, flags, "off", "--no-notify"},
		{file, []string{"FWRAP_NOTIFY="}, nil, "osc9", "config.toml:2"},
		{file, []string{"FWRAP_NOTIFY=osc99", "FWRAP_NOTIFY=bell"}, nil, "bell", "FWRAP_NOTIFY"},
	} {
		c, err := load(t, tt.file, config.Source{Environ: tt.env, Flags: tt.flags})
		if err != nil {
			t.Fatal(err)
		}
		if c.Notify.Channel != tt.value || !strings.HasSuffix(c.Origin("notify.channel").String(), tt.from) {
			t.Errorf("%+v: %s from %s", tt, c.Notify.Channel, c.Origin("notify.channel"))
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want, hint string }{
		{"syntax", "[notify]\nchannel = \n", ":2:", ""},
		{"unclosed", "[notify]\nchannel = \"auto\n", ":2:", ""},
		{"key twice", "typing = \"on\"\ntyping = \"off\"\n", ":2:", ""},
		{"unknown key", "[notify]\n\ncooldwn = \"1m\"\n", `:3:1: unknown key "notify.cooldwn"`, "did you mean notify.cooldown?"},
		{"unknown key, indented", "[notify]\n  cooldwn = \"1m\"\n", `:2:3: unknown key`, "did you mean notify.cooldown?"},
		{"key of a table at the top", "cooldown = \"1m\"\n", `:1:1: unknown key "cooldown"`, "did you mean notify.cooldown?"},
		{"unknown table", "[notfy]\nchannel = \"auto\"\n", `:1:2: unknown table [notfy]`, "did you mean notify?"},
		{"unknown everything", "[zzzzzzzz]\nq = 1\n", `unknown table [zzzzzzzz]`, ""},
		{"word", "[title]\nglyphs = \"emoji\"\n", `:2:1: title.glyphs is unicode or ascii, not "emoji"`, ""},
		{"type", "[title]\nglyphs = true\n", `:2:1: title.glyphs is unicode or ascii, not true`, ""},
		{"number as time", "[notify]\ncooldown = 30\n", `:2:1: notify.cooldown is a time like`, ""},
		{"negative time", "[notify]\ncooldown = \"-1s\"\n", `notify.cooldown is a time like`, ""},
		{"endless time", "[notify]\ncooldown = \"25h\"\n", `notify.cooldown is a time like`, ""},
		{"string as bool", "[answer]\nscripts = 1\n", `:2:1: answer.scripts is true or false, not 1`, ""},
		{"a shell line", "command = \"curl x | sh\"\n", `:1:1: command.run is a list`, ""},
		{"list of numbers", "command = [\"a\", 1]\n", `command.run holds strings only, not 1`, ""},
		{"nameless program", "command = [\"\"]\n", `command.run begins with the name of a program`, ""},
		{"table as value", "[typing]\nx = 1\n", `typing is on or off, not a table`, ""},
		{"value as table", "answer = true\n", `:1:1: answer is a table`, "write [answer] and its keys below it"},
		{"tables in a list", "[[notify]]\nchannel = \"auto\"\n", `:1:`, ""},
		{"two mistakes", "[notify]\ncooldown = 1\nchannel = 2\n", `:2:1: notify.cooldown`, ""},
		{"not UTF-8", "typing = \"\xff\"\n", ":1:", ""},
		{"rules over http", "[manifests]\nurl = \"http://example.org/m.tar.gz\"\n", `:2:1: manifests.url is an address like https://`, ""},
		{"no address", "[manifests]\nurl = \"https://\"\n", `:2:1: manifests.url is an address`, ""},
		{"password in an address", "[manifests]\nurl = \"https://u:p@example.org/m\"\n", `:2:1: manifests.url is an address`, ""},
		{"short key", "[manifests]\nkey = \"c2hvcnQ=\"\n", `:2:1: manifests.key is an Ed25519 public key, 32 bytes in base64`, ""},
		{"key as a number", "[manifests]\nkey = 1\n", `:2:1: manifests.key is a text in quotes, not 1`, ""},
		{"a date", "typing = 2026-11-30\n", `not a date`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := load(t, tt.text, config.Source{})
			var e *config.Error
			if !errors.As(err, &e) {
				t.Fatalf("%v is no *config.Error", err)
			}
			if !strings.Contains(err.Error(), c.File+":") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q, want %q", err, tt.want)
			}
			if e.Hint != tt.hint {
				t.Errorf("hint %q, want %q", e.Hint, tt.hint)
			}
			if e.Line < 1 || e.Col < 1 {
				t.Errorf("place %d:%d", e.Line, e.Col)
			}
			builtIn, _ := config.Load(config.Source{})
			builtIn.File = c.File
			if !reflect.DeepEqual(c, builtIn) {
				t.Errorf("a broken file leaves %+v", c)
			}
		})
	}
}

// TestHalfBrokenFile: what is right in a broken file does not count either.
func TestHalfBrokenFile(t *testing.T) {
	for _, text := range []string{
		"title = \"off\"\ntyping = 1\n",
		"title = \"off\"\n[notify]\nnonsense = 1\n",
		"title = \"off\"\n[notify\n",
	} {
		if c, err := load(t, text, config.Source{}); err == nil || c.Title.Mode != "on" {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

// TestBrokenFileKeepsTheRest: variables and flags count whatever the file is.
func TestBrokenFileKeepsTheRest(t *testing.T) {
	c, err := load(t, "nonsense", config.Source{
		Environ: []string{"FWRAP_TITLE=off", "FWRAP_NOTIFY=loud"},
		Flags:   []config.Flag{{Name: "--text", Key: "notify.text", Value: "short"}, {Name: "--x", Key: "notify.cooldwn", Value: "1s"}},
	})
	if c.Title.Mode != "off" || c.Notify.Text != "short" || c.Notify.Channel != "auto" {
		t.Errorf("%+v", c)
	}
	for _, want := range []string{c.File + ":1:", "FWRAP_NOTIFY: notify.channel is auto,", `--x: unknown option "notify.cooldwn"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}

func TestWhichFile(t *testing.T) {
	dir := t.TempDir()
	write := func(path, channel string) string {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("notify = \""+channel+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("home/.config/fwrap/config.toml", "osc9")
	write("xdg/fwrap/config.toml", "osc99")
	env := write("env.toml", "osc777")
	flag := write("flag.toml", "bell")
	home, xdg := "HOME="+dir+"/home", "XDG_CONFIG_HOME="+dir+"/xdg"
	for _, tt := range []struct {
		src  config.Source
		want string
	}{
		{config.Source{Environ: []string{home}}, "osc9"},
		{config.Source{Environ: []string{home, xdg}}, "osc99"},
		{config.Source{Environ: []string{home, "XDG_CONFIG_HOME=xdg"}}, "osc9"}, // a relative value is ignored
		{config.Source{Environ: []string{home, xdg, "FWRAP_CONFIG=" + env}}, "osc777"},
		{config.Source{Environ: []string{home, xdg, "FWRAP_CONFIG=" + env}, File: flag}, "bell"},
		{config.Source{Environ: []string{"HOME=" + dir + "/nobody"}}, "auto"},
		{config.Source{}, "auto"},
	} {
		c, err := config.Load(tt.src)
		if err != nil || c.Notify.Channel != tt.want {
			t.Errorf("%v: %s, %v", tt.src, c.Notify.Channel, err)
		}
	}
	for _, src := range []config.Source{
		{File: dir + "/missing.toml"},
		{Environ: []string{"FWRAP_CONFIG=" + dir + "/missing.toml"}},
		{File: dir}, // a directory
	} {
		if c, err := config.Load(src); err == nil || c.Notify.Channel != "auto" {
			t.Errorf("%v: %+v, %v", src, c, err)
		}
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(config.Source{File: fifo}); err == nil {
		t.Error("a fifo is taken for a config")
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, []byte(strings.Repeat("#\n", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(config.Source{File: big}); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("2 MiB of config: %v", err)
	}
}

func TestValues(t *testing.T) {
	c, err := load(t, `command = ["a b", "c"]`, config.Source{Environ: []string{"FWRAP_NOTIFY_REMINDER=3m"}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range c.Values() {
		if got[v.Key] != "" {
			t.Errorf("%s twice", v.Key)
		}
		got[v.Key] = v.Value
	}
	for k, want := range map[string]string{
		"command.run": `["a b" "c"]`, "notify.reminder": "3m0s", "notify.settle_idle": "2.5s",
		"answer.scripts": "false", "title.mode": "on", "typing": "on",
	} {
		if got[k] != want {
			t.Errorf("%s is %s, want %s", k, got[k], want)
		}
	}
}

func TestDirs(t *testing.T) {
	for _, tt := range []struct {
		env  []string
		want config.Dirs
	}{
		{[]string{"HOME=/home/p", "XDG_RUNTIME_DIR=/run/user/7"},
			config.Dirs{"/home/p/.config/fwrap", "/home/p/.local/state/fwrap", "/home/p/.local/share/fwrap", "/home/p/.cache/fwrap", "/run/user/7/fwrap"}},
		{[]string{"HOME=/home/p", "XDG_CONFIG_HOME=/c", "XDG_STATE_HOME=/s", "XDG_DATA_HOME=/d", "XDG_CACHE_HOME=/k", "TMPDIR=/var/folders/x/T/"},
			config.Dirs{"/c/fwrap", "/s/fwrap", "/d/fwrap", "/k/fwrap", "/var/folders/x/T/fwrap-7"}},
		{[]string{"HOME=/home/p", "XDG_STATE_HOME=s", "XDG_RUNTIME_DIR=run", "TMPDIR=."},
			config.Dirs{"/home/p/.config/fwrap", "/home/p/.local/state/fwrap", "/home/p/.local/share/fwrap", "/home/p/.cache/fwrap", "/tmp/fwrap-7"}},
		{nil, config.Dirs{Runtime: "/tmp/fwrap-7"}},
	} {
		if got := config.DirsOf(tt.env, 7); got != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.env, got, tt.want)
		}
	}
}

func TestProject(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"repo/.git", "repo/a/b", "plain/sub", "tree/x"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "tree/.git"), []byte("gitdir: /x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		dir + "/repo":           "repo",
		dir + "/repo/a/b/":      "repo",
		dir + "/repo/.git":      "repo",
		dir + "/tree/x":         "tree",
		dir + "/plain/sub":      "sub",
		dir + "/repo/gone/away": "repo", // deleted under the shell's feet
		"/":                     "",
		"":                      "",
		"relative":              "",
	} {
		if got := config.Project(in); got != want {
			t.Errorf("Project(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzLoad: any file is either refused with a place in it or loads.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"", "title = \"off\"", "[notify]\ncooldown = \"1m\"\n", "a.b.c = 1", "[[notify]]", "notify.when.idle = {}",
		"\"\" = 1", "[\"\"]\n\"\" = 1", "title = '''\n\n'''", "command = [\n\n\"a\",\n]",
		"notify.\"when\".'idle' = \"never\"", "[a]\n[a.b]\nc={d={e=1}}",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(dir, fmt.Sprintf("%d.toml", os.Getpid()))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Source{File: path})
		if c == nil {
			t.Fatal("no config")
		}
		var e *config.Error
		if err == nil {
			return
		}
		if !errors.As(err, &e) {
			t.Fatalf("%v is no *config.Error", err)
		}
		if lines := 1 + strings.Count(text, "\n"); e.Line < 0 || e.Line > lines+1 || e.Line > 0 && e.Col < 1 {
			t.Fatalf("place %d:%d in %d lines", e.Line, e.Col, lines)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	path := filepath.Join(b.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[notify]\nchannel = \"auto\"\n[title]\nmode = \"on\"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	src := config.Source{File: path}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := config.Load(src); err != nil {
			b.Fatal(err)
		}
	}
}
