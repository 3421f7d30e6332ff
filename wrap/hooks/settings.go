package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxInline is how long settings may be as an argument: Linux refuses a single
// argument of 128 KiB.
const maxInline = 64 << 10

// settings makes one --settings of the person's and ours. It goes as JSON on
// the command line, where it needs no file, unless the person's own are in a
// file: they may hold keys, and every user can read a command line.
func (j injector) settings() (Injection, error) {
	var user []byte
	inFile := !j.Inline
	if f := findFlag(j.as, j.Flag); f != nil {
		value := strings.TrimSpace(f.value)
		switch {
		case f.broken || value == "":
			return Injection{}, fmt.Errorf("%s has no value", j.Flag)
		case j.Inline && strings.HasPrefix(value, "{"):
			user = []byte(value)
		default:
			var err error
			if user, err = j.ReadFile(f.value); err != nil {
				return Injection{}, fmt.Errorf("read the settings given: %w", err)
			}
			inFile = true
		}
	}
	merged, err := j.merge(user, j.group)
	if err != nil {
		return Injection{}, fmt.Errorf("merge the settings given: %w", err)
	}
	inj := Injection{}
	value := string(merged)
	if inFile || len(merged) > maxInline {
		if value, err = j.file("settings.json"); err != nil {
			return Injection{}, err
		}
		inj.Files = []File{{Name: "settings.json", Content: merged}}
	}
	inj.Args = prepend(without(j.Args, j.as, j.Flag), j.Flag, value)
	return inj, nil
}

// settingsVariable names a settings file that has what the file in its place
// has, and our hooks.
func (j injector) settingsVariable() (Injection, error) {
	var base []byte
	files := j.System
	if own := j.Getenv(j.Variable); own != "" {
		files = []string{own}
	}
	for _, f := range files {
		b, err := j.ReadFile(f)
		if err == nil {
			base = b
			break
		}
		if len(files) == 1 {
			return Injection{}, fmt.Errorf("read what %s names: %w", j.Variable, err)
		}
	}
	merged, err := j.merge(base, j.group)
	if err != nil {
		return Injection{}, fmt.Errorf("merge the system's settings: %w", err)
	}
	path, err := j.file("settings.json")
	if err != nil {
		return Injection{}, err
	}
	return Injection{
		Args:  j.Args,
		Env:   []string{j.Variable + "=" + path},
		Files: []File{{Name: "settings.json", Content: merged}},
	}, nil
}

// group is a hook in the form of Claude Code and those who follow it.
func (j injector) group(e Event) any {
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	return struct {
		Matcher string `json:"matcher,omitempty"`
		Hooks   []hook `json:"hooks"`
	}{e.Matcher, []hook{{"command", j.reporter(""), j.Timeout}}}
}

// merge appends our hooks to those in settings and leaves all else as it is.
// Settings that are not what they should be are refused: the agent will say
// what is wrong with them.
func (j injector) merge(settings []byte, group func(Event) any) ([]byte, error) {
	var top object
	if len(bytes.TrimSpace(settings)) > 0 {
		if err := top.decode(settings); err != nil {
			return nil, err
		}
	}
	if string(top.get("disableAllHooks")) == "true" {
		return nil, errors.New("they switch all hooks off")
	}
	var hooks object
	if raw := top.get("hooks"); raw != nil {
		if err := hooks.decode(raw); err != nil {
			return nil, fmt.Errorf("hooks: %w", err)
		}
	}
	for _, e := range j.events(j.Version) {
		ours, err := encode(group(e))
		if err != nil {
			return nil, err
		}
		list := []byte("[" + string(ours) + "]")
		if raw := hooks.get(e.Name); raw != nil {
			raw = bytes.TrimSpace(raw)
			if raw[0] != '[' {
				return nil, fmt.Errorf("hooks: %s: not an array", e.Name)
			}
			if inner := bytes.TrimSpace(raw[1 : len(raw)-1]); len(inner) > 0 {
				list = []byte("[" + string(inner) + "," + string(ours) + "]")
			}
		}
		hooks.set(e.Name, list)
	}
	top.set("hooks", hooks.encode())
	return top.encode(), nil
}

// object is a JSON object that keeps the order of its members and their values
// as they are written.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

func (o *object) decode(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	t, err := dec.Token()
	if err != nil {
		return errors.New("not JSON")
	}
	if t != json.Delim('{') {
		return errors.New("not a JSON object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return errors.New("not JSON")
		}
		key, ok := t.(string)
		var v json.RawMessage
		if !ok || dec.Decode(&v) != nil {
			return errors.New("not JSON")
		}
		o.set(key, v) // of two members of one name the last counts, as in JavaScript
	}
	if _, err := dec.Token(); err != nil {
		return errors.New("not JSON")
	}
	if dec.More() || len(bytes.TrimSpace(b[dec.InputOffset():])) > 0 {
		return errors.New("more than a JSON object")
	}
	return nil
}

func (o object) get(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (o *object) set(key string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{key, value})
}

func (o object) encode() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := encode(m.key) // a string always encodes
		b.Write(key)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encode is json.Marshal without the escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
