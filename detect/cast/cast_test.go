package cast

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func readAll(src string) (h Header, events []Event, err error) {
	r, err := NewReader(strings.NewReader(src))
	if err != nil {
		return h, nil, err
	}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Header, events, nil
		}
		if err != nil {
			return r.Header, events, err
		}
		events = append(events, e)
	}
}

func TestRoundTrip(t *testing.T) {
	var buf bytes.Buffer
	w, err := NewWriter(&buf, Header{Width: 80, Height: 24})
	if err != nil {
		t.Fatal(err)
	}
	w.Output(time.Second, []byte("a\x1b[1m<&>\xe2\x9c"))
	w.Output(2*time.Second, []byte("\xb3b\xff"))
	w.Event(Event{At: 3 * time.Second, Code: Resize, Data: "100x40"})
	w.Output(4*time.Second, []byte("\xf0\x9f"))
	if err := w.Flush(5 * time.Second); err != nil {
		t.Fatal(err)
	}
	h, got, err := readAll(buf.String())
	if err != nil {
		t.Fatal(err)
	}
	if h.Width != 80 || h.Height != 24 {
		t.Errorf("header %+v", h)
	}
	want := []Event{
		{time.Second, Output, "a\x1b[1m<&>"},
		{2 * time.Second, Output, "✳b\uFFFD"},
		{3 * time.Second, Resize, "100x40"},
		{5 * time.Second, Output, "\uFFFD"},
	}
	if len(got) != len(want) {
		t.Fatalf("%d events: %q", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d: got %q, want %q", i, got[i], want[i])
		}
	}
}

func TestReaderErrors(t *testing.T) {
	const head = `{"version":2,"width":80,"height":24}` + "\n"
	for _, tt := range []struct{ name, src, want string }{
		{"empty", "", "line 1: empty"},
		{"not json", "hello\n", "line 1: not an asciicast header"},
		{"version", `{"version":3,"width":80,"height":24}`, "version 3"},
		{"size", `{"version":2,"width":0,"height":24}`, "size 0x24"},
		{"event", head + `[0,"o","x"]` + "\n" + `{"x":1}`, "line 3"},
		{"short", head + `[0,"o"]`, "line 2: 2 elements"},
		{"time", head + `[-1,"o","x"]`, "line 2: time -1"},
		{"type", head + `[0,"o",5]`, "line 2: element 3"},
		{"resize", head + `[0,"r","80"]`, `line 2: size "80"`},
		{"resize huge", head + `[0,"r","80x99999"]`, "line 2: size"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := readAll(tt.src)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestUnknownCodesArePassedOver(t *testing.T) {
	_, got, err := readAll(`{"version":2,"width":80,"height":24}` + "\n" + `[0,"z","?"]` + "\n\n" + `[1.5,"o","x"]`)
	if err != nil || len(got) != 1 || got[0] != (Event{1500 * time.Millisecond, Output, "x"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// FuzzReader: no input makes the reader panic, and what it reads can be written
// and read again.
func FuzzReader(f *testing.F) {
	f.Add(`{"version":2,"width":80,"height":24}` + "\n" + `[0.1,"o","x\u001b[0m"]` + "\n" + `[1,"r","90x30"]`)
	f.Fuzz(func(t *testing.T, src string) {
		h, events, err := readAll(src)
		if err != nil {
			return
		}
		var buf bytes.Buffer
		w, err := NewWriter(&buf, h)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if err := w.Event(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(0); err != nil {
			t.Fatal(err)
		}
		_, again, err := readAll(buf.String())
		if err != nil || len(again) != len(events) {
			t.Errorf("%d events became %d, %v", len(events), len(again), err)
		}
	})
}
