package cast

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// Limits of what a Reader accepts. A recording is untrusted: it comes with bug
// reports.
const (
	MaxLine = 16 << 20 // bytes in one line
	MaxSize = 1000     // columns or rows
)

// Header is the first line of a recording, asciicast v2
// (https://docs.asciinema.org/manual/asciicast/v2/).
type Header struct {
	Version   int               `json:"version"`
	Width     int               `json:"width"`  // columns
	Height    int               `json:"height"` // rows
	Timestamp int64             `json:"timestamp,omitempty"`
	Command   string            `json:"command,omitempty"`
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
}

// Code is what an event is.
type Code byte

const (
	Output Code = 'o' // bytes from the program
	Input  Code = 'i' // bytes from the person
	Resize Code = 'r' // "COLSxROWS"
	Marker Code = 'm' // a label
)

// Event is one line of a recording.
type Event struct {
	At   time.Duration // since the start
	Code Code
	Data string
}

// Size reads the data of a Resize event.
func (e Event) Size() (cols, rows int, err error) {
	return ParseSize(e.Data)
}

// FormatSize writes "COLSxROWS", the data of a Resize event.
func FormatSize(cols, rows int) string { return fmt.Sprintf("%dx%d", cols, rows) }

// ParseSize reads "COLSxROWS", each from 1 to MaxSize.
func ParseSize(s string) (cols, rows int, err error) {
	c, r, ok := strings.Cut(s, "x")
	if ok {
		cols, err = strconv.Atoi(c)
		if err == nil {
			rows, err = strconv.Atoi(r)
		}
		ok = err == nil && cols >= 1 && rows >= 1 && cols <= MaxSize && rows <= MaxSize
	}
	if !ok {
		return 0, 0, fmt.Errorf("size %.40q is not COLSxROWS with numbers from 1 to %d", s, MaxSize)
	}
	return cols, rows, nil
}

// Reader reads a recording event by event.
type Reader struct {
	Header Header
	sc     *bufio.Scanner
	line   int
}

// NewReader reads the header. Its errors name the line.
func NewReader(r io.Reader) (*Reader, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 64<<10), MaxLine)
	rd := &Reader{sc: sc}
	if !sc.Scan() {
		if err := sc.Err(); err != nil {
			return nil, fmt.Errorf("line 1: %w", err)
		}
		return nil, errors.New("line 1: empty file, want an asciicast header")
	}
	rd.line = 1
	if err := json.Unmarshal(sc.Bytes(), &rd.Header); err != nil {
		return nil, fmt.Errorf("line 1: not an asciicast header: %w", err)
	}
	if rd.Header.Version != 2 {
		return nil, fmt.Errorf("line 1: asciicast version %d, want 2", rd.Header.Version)
	}
	if h := rd.Header; h.Width < 1 || h.Height < 1 || h.Width > MaxSize || h.Height > MaxSize {
		return nil, fmt.Errorf("line 1: size %dx%d, want 1 to %d", h.Width, h.Height, MaxSize)
	}
	return rd, nil
}

// Next returns the next event, or io.EOF after the last. Events of a code that
// it does not know are passed over, as the format asks. An error names the line.
func (r *Reader) Next() (Event, error) {
	for r.sc.Scan() {
		r.line++
		b := r.sc.Bytes()
		if len(b) == 0 {
			continue
		}
		var parts []json.RawMessage
		if err := json.Unmarshal(b, &parts); err != nil {
			return Event{}, fmt.Errorf("line %d: %w", r.line, err)
		}
		if len(parts) < 3 {
			return Event{}, fmt.Errorf("line %d: %d elements, want [time, code, data]", r.line, len(parts))
		}
		var at float64
		var code, data string
		for i, v := range []any{&at, &code, &data} {
			if err := json.Unmarshal(parts[i], v); err != nil {
				return Event{}, fmt.Errorf("line %d: element %d: %w", r.line, i+1, err)
			}
		}
		if math.IsNaN(at) || at < 0 || at > 1e9 {
			return Event{}, fmt.Errorf("line %d: time %v is not from 0 to 1e9 seconds", r.line, at)
		}
		switch code {
		case "o", "i", "m", "r":
		default:
			continue
		}
		e := Event{At: time.Duration(math.Round(at * 1e9)), Code: Code(code[0]), Data: data}
		if e.Code == Resize {
			if _, _, err := e.Size(); err != nil {
				return Event{}, fmt.Errorf("line %d: %w", r.line, err)
			}
		}
		return e, nil
	}
	if err := r.sc.Err(); err != nil {
		return Event{}, fmt.Errorf("line %d: %w", r.line+1, err)
	}
	return Event{}, io.EOF
}
