package config

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// option is one key of the config: the only place that knows its name, its
// variable, its built-in value and what it may hold.
type option struct {
	key string
	env string // the variable; empty: none
	def any
	set func(c *Config, v any) error // v as TOML has it, or a string
	get func(c *Config) string
}

// short are keys that may stand for a table: what is mostly wanted of it.
var short = map[string][]string{
	"notify":      {"notify.channel"},
	"notify.when": {"notify.when.blocked", "notify.when.idle", "notify.when.failed"},
	"title":       {"title.mode"},
	"command":     {"command.run"},
}

var options = []option{
	word("notify.channel", "FWRAP_NOTIFY", func(c *Config) *string { return &c.Notify.Channel },
		"auto", "desktop", "osc99", "osc777", "osc9", "bell", "off"),
	word("notify.when.blocked", "FWRAP_NOTIFY_BLOCKED", func(c *Config) *string { return &c.Notify.WhenBlocked },
		"auto", "unfocused", "always", "never"),
	word("notify.when.idle", "FWRAP_NOTIFY_IDLE", func(c *Config) *string { return &c.Notify.WhenIdle },
		"auto", "unfocused", "always", "never"),
	word("notify.when.failed", "FWRAP_NOTIFY_FAILED", func(c *Config) *string { return &c.Notify.WhenFailed },
		"auto", "unfocused", "always", "never"),
	word("notify.text", "FWRAP_NOTIFY_TEXT", func(c *Config) *string { return &c.Notify.Text },
		"full", "short"),
	span("notify.settle_blocked", "", func(c *Config) *time.Duration { return &c.Notify.SettleBlocked }, "1s"),
	span("notify.settle_idle", "", func(c *Config) *time.Duration { return &c.Notify.SettleIdle }, "2.5s"),
	span("notify.min_turn", "", func(c *Config) *time.Duration { return &c.Notify.MinTurn }, "5s"),
	span("notify.cooldown", "", func(c *Config) *time.Duration { return &c.Notify.Cooldown }, "30s"),
	span("notify.presence", "", func(c *Config) *time.Duration { return &c.Notify.Presence }, "10s"),
	span("notify.reminder", "FWRAP_NOTIFY_REMINDER", func(c *Config) *time.Duration { return &c.Notify.Reminder }, "off"),
	word("title.mode", "FWRAP_TITLE", func(c *Config) *string { return &c.Title.Mode }, "on", "off"),
	word("title.glyphs", "FWRAP_GLYPHS", func(c *Config) *string { return &c.Title.Glyphs }, "unicode", "ascii"),
	list("command.run", func(c *Config) *[]string { return &c.Command.Run }),
	span("command.timeout", "", func(c *Config) *time.Duration { return &c.Command.Timeout }, "10s"),
	text("manifests.url", func(c *Config) *string { return &c.Updates.URL }, checkURL),
	text("manifests.key", func(c *Config) *string { return &c.Updates.Key }, checkKey),
	flag("answer.scripts", "", func(c *Config) *bool { return &c.Answer.Scripts }, false),
	word("hooks", "FWRAP_HOOKS", func(c *Config) *string { return &c.Hooks }, "auto", "always", "never"),
	word("program_status", "FWRAP_PROGRAM_STATUS", func(c *Config) *string { return &c.ProgramStatus }, "on", "off"),
	word("reset_modes", "FWRAP_RESET_MODES", func(c *Config) *string { return &c.ResetModes }, "on", "off"),
	word("progress", "FWRAP_PROGRESS", func(c *Config) *string { return &c.Progress }, "off", "auto", "on"),
	word("own_notices", "FWRAP_OWN_NOTICES", func(c *Config) *string { return &c.OwnNotices }, "once", "pass"),
	word("typing", "FWRAP_TYPING", func(c *Config) *string { return &c.Typing }, "on", "off"),
}

func find(key string) *option {
	for i := range options {
		if options[i].key == key {
			return &options[i]
		}
	}
	return nil
}

// word is an option with a closed list of values, the first of which is built in.
func word(key, env string, field func(*Config) *string, allowed ...string) option {
	return option{key: key, env: env, def: allowed[0],
		set: func(c *Config, v any) error {
			s, ok := v.(string)
			for _, a := range allowed {
				if ok && s == a {
					*field(c) = a
					return nil
				}
			}
			return fmt.Errorf("%s is %s, not %s", key, orList(allowed), show(v))
		},
		get: func(c *Config) string { return *field(c) },
	}
}

// span is an option that holds a time: "1s", "2.5s", "3m", or "off" for none.
func span(key, env string, field func(*Config) *time.Duration, def string) option {
	return option{key: key, env: env, def: def,
		set: func(c *Config, v any) error {
			s, ok := v.(string)
			if ok && s == "off" {
				*field(c) = 0
				return nil
			}
			d, err := time.ParseDuration(s)
			if !ok || err != nil || d < 0 || d > 24*time.Hour {
				return fmt.Errorf(`%s is a time like "2.5s" or "3m" up to "24h", or "off", not %s`, key, show(v))
			}
			*field(c) = d
			return nil
		},
		get: func(c *Config) string {
			if *field(c) == 0 {
				return "off"
			}
			return field(c).String()
		},
	}
}

// flag is an option that is true or false.
func flag(key, env string, field func(*Config) *bool, def bool) option {
	return option{key: key, env: env, def: def,
		set: func(c *Config, v any) error {
			switch v {
			case true, "true":
				*field(c) = true
			case false, "false":
				*field(c) = false
			default:
				return fmt.Errorf("%s is true or false, not %s", key, show(v))
			}
			return nil
		},
		get: func(c *Config) string { return strconv.FormatBool(*field(c)) },
	}
}

// text is an option that holds any text that check likes, and no variable sets:
// what a program is started with must not turn the source of rules. Built in is
// none.
func text(key string, field func(*Config) *string, check func(string) error) option {
	return option{key: key, def: "",
		set: func(c *Config, v any) error {
			s, ok := v.(string)
			if !ok {
				return fmt.Errorf("%s is a text in quotes, not %s", key, show(v))
			}
			if s != "" {
				if err := check(s); err != nil {
					return fmt.Errorf("%s %w", key, err)
				}
			}
			*field(c) = s
			return nil
		},
		get: func(c *Config) string { return *field(c) },
	}
}

// checkURL wants an address that nobody on the way can change.
func checkURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("is an address like https://example.org/manifests.tar.gz, not %s", show(s))
	}
	return nil
}

// checkKey wants an Ed25519 public key.
func checkKey(s string) error {
	if b, err := base64.StdEncoding.DecodeString(s); err != nil || len(b) != ed25519.PublicKeySize {
		return fmt.Errorf("is an Ed25519 public key, %d bytes in base64", ed25519.PublicKeySize)
	}
	return nil
}

// list is an argv: a program and its arguments, which no shell reads.
func list(key string, field func(*Config) *[]string) option {
	return option{key: key, def: []any{},
		set: func(c *Config, v any) error {
			items, ok := v.([]any)
			if !ok {
				return fmt.Errorf(`%s is a list of a program and its arguments like ["notify-send", "fwrap"], not %s`, key, show(v))
			}
			var argv []string
			for _, it := range items {
				s, ok := it.(string)
				if !ok || strings.ContainsRune(s, 0) {
					return fmt.Errorf("%s holds strings only, not %s", key, show(it))
				}
				argv = append(argv, s)
			}
			if len(argv) > 0 && argv[0] == "" {
				return errors.New(key + " begins with the name of a program")
			}
			*field(c) = argv
			return nil
		},
		get: func(c *Config) string { return fmt.Sprintf("%q", *field(c)) },
	}
}

// show prints a value as the person wrote it.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case time.Time:
		return "a date"
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	}
	return fmt.Sprintf("a %T", v)
}

// orList prints "a, b or c".
func orList(s []string) string {
	if len(s) < 2 {
		return strings.Join(s, "")
	}
	return strings.Join(s[:len(s)-1], ", ") + " or " + s[len(s)-1]
}
