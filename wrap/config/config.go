package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Config is what holds for one run. Words are checked on reading, so that a
// value that is not listed here cannot occur.
type Config struct {
	Notify  Notify
	Title   Title
	Command Command
	Answer  Answer
	Updates Updates
	Typing  string // "on" or "off": off, no verb types into a session

	Hooks         string // auto, always or never: whether an agent is made to report by hooks
	ProgramStatus string // on or off: whether fwrap answers an agent's OSC 7501 query
	ResetModes    string // on or off: whether modes that a killed command left on are reset
	Progress      string // off, auto or on: whether the state is shown as the terminal's progress
	OwnNotices    string // once or pass: whether an agent's own notice of what was told is swallowed

	// File is the config file: the one that was read, or where it would be.
	File string

	origins map[string]Origin
}

// Notify is the table [notify].
type Notify struct {
	Channel       string // auto, desktop, osc99, osc777, osc9, bell or off
	WhenBlocked   string // auto, unfocused, always or never
	WhenIdle      string // the same
	WhenFailed    string // the same
	Text          string // full, or short: without the agent's words
	SettleBlocked time.Duration
	SettleIdle    time.Duration
	MinTurn       time.Duration
	Cooldown      time.Duration
	Presence      time.Duration
	Reminder      time.Duration // 0: none
}

// Title is the table [title].
type Title struct {
	Mode   string // on or off
	Glyphs string // unicode or ascii
}

// Command is the table [command]: the program that is run on what is told.
type Command struct {
	Run     []string // argv; empty: none
	Timeout time.Duration
}

// Answer is the table [answer].
type Answer struct {
	Scripts bool // scripts may answer without a key of the person's
}

// Updates is the table [manifests]: where newer rules come from.
type Updates struct {
	URL string // of the archive, https; empty: nowhere
	Key string // the Ed25519 public key of who signs it, 32 bytes in base64
}

// Level says how a value came to be, in rising precedence.
type Level uint8

const (
	BuiltIn Level = iota
	FromFile
	FromEnv
	FromFlag
)

// Origin is where a value came from.
type Origin struct {
	Level Level
	Name  string // the file, the variable or the flag
	Line  int    // in the file, from 1
}

// String returns the origin as a person reads it: "built-in", "FILE:LINE",
// "FWRAP_TITLE" or "--no-notify".
func (o Origin) String() string {
	switch o.Level {
	case FromFile:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	case FromEnv, FromFlag:
		return o.Name
	}
	return "built-in"
}

// Flag is a value that was given on the command line.
type Flag struct {
	Name  string // "--no-notify", for messages and origins
	Key   string // "notify.channel"
	Value string // "off"
}

// Source is where a config is read from.
type Source struct {
	Environ []string // KEY=VALUE
	File    string   // the file that a flag named; empty: none did
	Flags   []Flag
}

// maxFile bounds the config file; a larger one is something else.
const maxFile = 1 << 20

// Load returns the configuration: flag over FWRAP_* variable over file over
// built-in. A file that does not exist is no error unless it was named.
//
// A broken file counts as none: the config returned is complete and holds
// nothing of it. The error then is an [*Error] or several joined, one for each
// mistake; a value of a variable or flag that is wrong is left out alike.
func Load(src Source) (*Config, error) {
	c := defaults()
	var errs []error
	path, named := file(src)
	c.File = path
	if path != "" {
		data, err := read(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !named:
		case err != nil:
			errs = append(errs, &Error{File: path, Msg: "reading the config: " + cause(err)})
		default:
			if set, err := parse(path, data); err != nil {
				errs = append(errs, err)
			} else {
				for _, s := range set {
					s.apply(c)
				}
			}
		}
	}
	for _, o := range options {
		if o.env == "" {
			continue
		}
		if v, ok := lookup(src.Environ, o.env); ok && v != "" {
			if err := c.text(o.key, v, Origin{Level: FromEnv, Name: o.env}); err != nil {
				errs = append(errs, err)
			}
		}
	}
	for _, f := range src.Flags {
		if err := c.text(f.Key, f.Value, Origin{Level: FromFlag, Name: f.Name}); err != nil {
			errs = append(errs, err)
		}
	}
	return c, errors.Join(errs...)
}

func defaults() *Config {
	c := &Config{origins: make(map[string]Origin, len(options))}
	for _, o := range options {
		if err := o.set(c, o.def); err != nil {
			panic("config: built-in value of " + o.key + ": " + err.Error())
		}
	}
	return c
}

// text sets an option from a variable or a flag.
func (c *Config) text(key, value string, from Origin) error {
	o := find(key)
	if o == nil {
		return &Error{File: from.Name, Msg: fmt.Sprintf("unknown option %q", key), Hint: nearest(key)}
	}
	if err := o.set(c, value); err != nil {
		return &Error{File: from.Name, Msg: err.Error()}
	}
	c.origins[o.key] = from
	return nil
}

// Value is one option with where it came from.
type Value struct {
	Key    string
	Value  string
	Origin Origin
}

// Values lists every option in the order of the documentation.
func (c *Config) Values() []Value {
	vs := make([]Value, 0, len(options))
	for _, o := range options {
		vs = append(vs, Value{Key: o.key, Value: o.get(c), Origin: c.origins[o.key]})
	}
	return vs
}

// Origin returns where the value of an option came from.
func (c *Config) Origin(key string) Origin { return c.origins[key] }

// read reads the file, and nothing that is no file: a fifo would block the start.
func read(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("it is larger than 1 MiB")
	}
	return data, err
}

// cause is the reason in err without the path, which stands before it anyway.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
