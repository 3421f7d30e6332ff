package capture

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/detect/screen"
)

// Recording is a whole run of an agent.
type Recording struct {
	Header cast.Header
	Events []cast.Event
}

// Read reads a recording, asciicast v2.
func Read(r io.Reader) (Recording, error) {
	rd, err := cast.NewReader(r)
	if err != nil {
		return Recording{}, err
	}
	rec := Recording{Header: rd.Header}
	for {
		e, err := rd.Next()
		if errors.Is(err, io.EOF) {
			return rec, nil
		}
		if err != nil {
			return Recording{}, err
		}
		rec.Events = append(rec.Events, e)
	}
}

// Mark adds a marker at a time, after what came up to then.
func (r *Recording) Mark(at time.Duration, label string) {
	i := slices.IndexFunc(r.Events, func(e cast.Event) bool { return e.At > at })
	if i < 0 {
		i = len(r.Events)
	}
	r.Events = slices.Insert(r.Events, i, cast.Event{At: at, Code: cast.Marker, Data: label})
}

// Replace replaces text that must not be published, such as a directory, by
// text of the same length.
func (r *Recording) Replace(private, public string) error {
	if len(private) != len(public) {
		return fmt.Errorf("%q and %q are not equally long", private, public)
	}
	for i := range r.Events {
		r.Events[i].Data = strings.ReplaceAll(r.Events[i].Data, private, public)
	}
	return nil
}

// Moment is a labelled moment.
type Moment struct {
	At    time.Duration
	Label string // of a-z, 0-9 and -
	State detect.State
	Kind  string
	Note  string
}

var marker = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*): (\w+)(?: (\S+))?(?: (.+))?$`)

// ParseMoment reads "LABEL: STATE KIND NOTE".
func ParseMoment(at time.Duration, text string) (Moment, error) {
	f := marker.FindStringSubmatch(strings.TrimRight(text, " "))
	if f == nil || strings.ContainsAny(text, "\t\n") {
		return Moment{}, fmt.Errorf("%q is not LABEL: STATE KIND NOTE", text)
	}
	m := Moment{At: at, Label: f[1], Kind: strings.Trim(f[3], "-"), Note: f[4]}
	if err := m.State.UnmarshalText([]byte(f[2])); err != nil {
		return Moment{}, fmt.Errorf("%q: %w", text, err)
	}
	return m, nil
}

// fwrapMarker begins the markers by which fwrap says what it saw. They are no
// truth.
const fwrapMarker = "fwrap: "

// Draw draws bytes as another terminal emulator than fwrap's does.
type Draw func(raw []byte, cols, rows int) (string, error)

// Collection is a directory of captures: testdata/captures.
type Collection struct {
	Dir  string
	Draw Draw
	// Private are texts that no capture may hold: the home directory, names.
	Private []string
}

// Add writes a recording's captures and their rows. name is of the recording,
// without an extension. Nothing is written if anything is wrong.
func (c *Collection) Add(agent, version, name string, r Recording) error {
	for _, part := range []string{agent, version, name} {
		if !regexp.MustCompile(`^[A-Za-z0-9][\w.-]*$`).MatchString(part) || strings.Contains(part, "--") {
			return fmt.Errorf("%q is no name for a capture", part)
		}
	}
	r.Events = slices.DeleteFunc(slices.Clone(r.Events), func(e cast.Event) bool {
		return e.Code == cast.Marker && strings.HasPrefix(e.Data, fwrapMarker)
	})
	base := strings.Join([]string{agent, version, name}, "/")
	files := map[string][]byte{}
	var rows []string
	var raw []byte
	resized := false
	for _, e := range r.Events {
		switch e.Code {
		case cast.Output:
			raw = append(raw, e.Data...)
		case cast.Resize:
			resized = true
		case cast.Marker:
			m, err := ParseMoment(e.At, e.Data)
			if err != nil {
				return fmt.Errorf("%s at %v: %w", name, e.At, err)
			}
			if resized {
				return fmt.Errorf("%s: the moment %s comes after a change of the size; bytes alone do not show it", name, m.Label)
			}
			file := base + "--" + m.Label
			if files[file+".raw"] != nil {
				return fmt.Errorf("%s: the moment %s is there twice", name, m.Label)
			}
			s := screen.New(r.Header.Width, r.Header.Height)
			s.Write(raw)
			text, err := c.Draw(raw, r.Header.Width, r.Header.Height)
			if err != nil {
				return fmt.Errorf("draw %s: %w", file, err)
			}
			files[file+".raw"] = bytes.Clone(raw)
			files[file+".screen.txt"] = []byte(text)
			title := strings.NewReplacer("\t", " ", "\n", " ").Replace(s.Title())
			rows = append(rows, strings.Join([]string{file + ".raw", agent, version,
				fmt.Sprintf("%dx%d", r.Header.Width, r.Header.Height), m.State.String(), m.Kind, m.Note, title}, "\t"))
		}
	}
	if len(rows) == 0 {
		return fmt.Errorf("%s has no labelled moment", name)
	}
	var err error
	if files[base+".cast"], err = r.encode(); err != nil {
		return err
	}
	for file, data := range files {
		for _, p := range c.Private {
			if p != "" && bytes.Contains(data, []byte(p)) {
				return fmt.Errorf("%s holds %q, which must not be published", file, p)
			}
		}
	}
	return c.write(base, files, rows)
}

func (r *Recording) encode() ([]byte, error) {
	var buf bytes.Buffer
	w, err := cast.NewWriter(&buf, r.Header)
	if err != nil {
		return nil, err
	}
	var at time.Duration
	for _, e := range r.Events {
		if at = e.At; e.Code == cast.Output {
			err = w.Output(at, []byte(e.Data)) // a read may have cut a character
		} else {
			err = w.Event(e)
		}
		if err != nil {
			return nil, err
		}
	}
	err = w.Flush(at)
	return buf.Bytes(), err
}

// write writes the files, and the rows in the place of those that the recording
// had before.
func (c *Collection) write(base string, files map[string][]byte, rows []string) error {
	old, err := filepath.Glob(filepath.Join(c.Dir, base+"--*.gz"))
	if err != nil {
		return err
	}
	for _, f := range old {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	for file, data := range files {
		var buf bytes.Buffer
		z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression) // no time: the same bytes give the same file
		if err != nil {
			return err
		}
		z.Write(data)
		if err := z.Close(); err != nil {
			return err
		}
		name := filepath.Join(c.Dir, file+".gz")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, buf.Bytes(), 0o644); err != nil {
			return err
		}
	}
	table := filepath.Join(c.Dir, "truth.tsv")
	data, err := os.ReadFile(table)
	if errors.Is(err, os.ErrNotExist) {
		data, err = []byte("file\tagent\tversion\tsize\tstate\tkind\tnote\ttitle\n"), nil
	}
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, base+"--") })
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, base+"--") })
	if at < 0 {
		at = len(lines)
	}
	lines = slices.Insert(lines, at, rows...)
	return os.WriteFile(table, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
