package cast

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// Writer writes a recording. It is not safe for use by several goroutines.
type Writer struct {
	w    *bufio.Writer
	tail []byte // an incomplete UTF-8 character of the last output event
	err  error
}

// NewWriter writes the header to w; Version is set to 2.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	h.Version = 2
	b, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("asciicast header: %w", err)
	}
	cw := &Writer{w: bufio.NewWriter(w)}
	cw.line(b)
	return cw, cw.err
}

// Output writes bytes from the program. A character that is cut by the end of p
// goes into the next event, since JSON holds characters, not bytes.
func (w *Writer) Output(at time.Duration, p []byte) error {
	b := append(w.tail, p...)
	n := len(b) - incomplete(b)
	w.tail = append([]byte(nil), b[n:]...)
	if n == 0 {
		return w.err
	}
	return w.Event(Event{At: at, Code: Output, Data: string(b[:n])})
}

// Event writes e. Bytes that are not UTF-8 become U+FFFD.
func (w *Writer) Event(e Event) error {
	var sb strings.Builder
	enc := json.NewEncoder(&sb)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(strings.ToValidUTF8(e.Data, "\uFFFD")); err != nil {
		return fmt.Errorf("asciicast event: %w", err)
	}
	w.line(fmt.Appendf(nil, "[%.6f, %q, %s]", e.At.Seconds(), string(e.Code), strings.TrimSuffix(sb.String(), "\n")))
	return w.err
}

// Sync writes what is buffered, whole lines, but keeps an incomplete last
// character for the event to come.
func (w *Writer) Sync() error {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

// Flush writes what is buffered, an incomplete last character included.
func (w *Writer) Flush(at time.Duration) error {
	if len(w.tail) > 0 {
		t := w.tail
		w.tail = nil
		if err := w.Event(Event{At: at, Code: Output, Data: string(t)}); err != nil {
			return err
		}
	}
	return w.Sync()
}

func (w *Writer) line(b []byte) {
	if w.err != nil {
		return
	}
	if _, w.err = w.w.Write(b); w.err == nil {
		w.err = w.w.WriteByte('\n')
	}
}

// incomplete returns how many bytes at b's end begin a character that goes on
// after b.
func incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		c := b[len(b)-n]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
