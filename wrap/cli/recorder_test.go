package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/wrap"
)

// gate is a disk that takes nothing until it is opened.
type gate struct {
	open chan struct{}
	at   chan struct{} // gets one when a write begins
	bytes.Buffer
}

func (g *gate) Write(p []byte) (int, error) {
	select {
	case g.at <- struct{}{}:
	default:
	}
	<-g.open
	return g.Buffer.Write(p)
}

func events(t *testing.T, data []byte) (cast.Header, []cast.Event) {
	t.Helper()
	r, err := cast.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	var list []cast.Event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Header, list
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		list = append(list, e)
	}
}

// TestRecorderNeverWaits: while the disk takes nothing the queue is bounded,
// every call returns, and a marker names the gap.
func TestRecorderNeverWaits(t *testing.T) {
	g := &gate{open: make(chan struct{}), at: make(chan struct{}, 1)}
	r := newRecorder(g, cast.Header{Width: 80, Height: 24}, time.Now())
	r.begin()
	r.output([]byte("first"))
	<-g.at // the goroutine is at the disk; all that follows waits in the queue
	block := bytes.Repeat([]byte("x"), 32<<10)
	for range 2 * recordMax / len(block) {
		r.output(block)
	}
	r.state(detect.Status{State: detect.Blocked, Kind: detect.Permission, Rule: "claude/permission"})
	r.mu.Lock()
	if n := len(r.data); n > recordMax+1000 {
		t.Errorf("%d bytes wait", n)
	}
	r.mu.Unlock()
	close(g.open)
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	h, list := events(t, g.Bytes())
	if h.Width != 80 || h.Height != 24 {
		t.Errorf("header %+v", h)
	}
	n, marks := 0, []string{}
	var last time.Duration
	for _, e := range list {
		if e.At < last {
			t.Errorf("%v after %v", e.At, last)
		}
		last = e.At
		switch e.Code {
		case cast.Output:
			n += len(e.Data)
		case cast.Marker:
			marks = append(marks, e.Data)
		}
	}
	if n > recordMax+len("first") || n < recordMax/2 {
		t.Errorf("%d bytes were recorded", n)
	}
	all := strings.Join(marks, "\n")
	if !strings.Contains(all, "fwrap: blocked permission, by claude/permission") || !strings.Contains(all, "bytes were not recorded") {
		t.Errorf("the markers are\n%s", all)
	}
	r.output([]byte("late")) // after the end: nothing, and no panic
}

func TestRecorderEvents(t *testing.T) {
	var buf bytes.Buffer
	r := newRecorder(&buf, cast.Header{Width: 80, Height: 24}, time.Now())
	r.resize(wrap.Winsize{Cols: 100, Rows: 30}) // of the start: the header's
	r.begin()
	r.output([]byte("a\xe2\x9c"))
	r.output([]byte("\xb3b"))
	r.resize(wrap.Winsize{Cols: 100, Rows: 30})
	r.resize(wrap.Winsize{Cols: 90, Rows: 20})
	r.input([]byte("k"))
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	h, list := events(t, buf.Bytes())
	if h.Width != 100 || h.Height != 30 {
		t.Errorf("header %+v", h)
	}
	var out, rest string
	for _, e := range list {
		if e.Code == cast.Output {
			out += e.Data
		} else {
			rest += string(rune(e.Code)) + e.Data + " "
		}
	}
	if out != "a✳b" || rest != "r90x20 ik " {
		t.Errorf("output %q, else %q", out, rest)
	}
}

// full is a disk that is.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestRecorderSaysWhatWentWrong(t *testing.T) {
	r := newRecorder(full{}, cast.Header{Width: 80, Height: 24}, time.Now())
	r.begin()
	r.output([]byte("x"))
	<-r.done
	r.output([]byte("y"))
	if err := r.close(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v", err)
	}
	var none *recorder
	none.output([]byte("x"))
	none.mark("x")
	none.state(detect.Status{})
	none.resize(wrap.Winsize{})
	if err := none.close(); err != nil {
		t.Error(err)
	}
}

func TestRecorderOfNothing(t *testing.T) {
	var buf bytes.Buffer
	r := newRecorder(&buf, cast.Header{Width: 80, Height: 24}, time.Now())
	r.mark("agent x") // before the command runs
	if err := r.close(); err != nil || buf.Len() > 0 {
		t.Errorf("a command that did not start left %q, %v", buf.Bytes(), err)
	}
}

func TestCreateRecording(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "new"), empty} {
		f, err := createRecording(name)
		if err != nil {
			t.Fatal(err)
		}
		fi, err := f.Stat()
		if err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, fi.Mode(), err)
		}
		io.WriteString(f, "x")
		f.Close()
		if _, err := createRecording(name); !errors.Is(err, errExists) {
			t.Errorf("%s again: %v", name, err)
		}
		if b, _ := os.ReadFile(name); string(b) != "x" {
			t.Errorf("%s holds %q", name, b)
		}
	}
	for _, name := range []string{dir, filepath.Join(dir, "no", "such"), os.DevNull} {
		if f, err := createRecording(name); err == nil {
			f.Close()
			t.Errorf("%s was taken", name)
		}
	}
}
