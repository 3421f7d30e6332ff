package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"fwrap/detect"
	"fwrap/detect/cast"
	"fwrap/wrap"
)

// The recorder's queue. The relay appends and goes on; a disk that does not
// keep up costs what is recorded, never the person's time.
const (
	// recordMax bounds what waits to be written, in bytes.
	recordMax = 4 << 20
	// recordEvents bounds how many events wait: each costs memory of its own.
	recordEvents = 1 << 16
	// recordEnd is how long the end of a session waits for the disk.
	recordEnd = 3 * time.Second
)

// What the recorder says in a recording by markers begins so.
const (
	markPrefix = "fwrap: "
	markAgent  = markPrefix + "agent "
)

// recorder writes a session into a file, asciicast v2. Its methods may be
// called by any goroutine and return at once; a nil recorder records nothing.
type recorder struct {
	file  io.Writer
	head  cast.Header
	start time.Time

	mu     sync.Mutex
	queue  []recorded
	data   []byte // of the events in queue
	lost   int    // bytes of output and input that found no room
	last   time.Duration
	err    error // the first that writing met; nothing more is taken then
	began  bool  // the command runs, or has run
	closed bool

	wake chan struct{} // holds one
	done chan struct{} // closed when the goroutine has ended
}

// recorded is an event whose data is data[from:to] of the queue it stands in.
type recorded struct {
	at       time.Duration
	code     cast.Code
	from, to int
}

// errExists says that there is something in the file already.
var errExists = errors.New("there is a recording already, or something else")

// createRecording makes the file, for its owner alone. An empty one that is
// there (mktemp makes such) is taken, anything else never overwritten.
func createRecording(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	// O_NONBLOCK: a FIFO without a reader must not hang the start.
	f, err = os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular() || fi.Size() > 0:
		err = &fs.PathError{Op: "create", Path: name, Err: errExists}
	default:
		err = f.Chmod(0o600)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// newRecorder starts to record into file. A command that could not be started
// leaves an empty file, which can be used again.
func newRecorder(file io.Writer, head cast.Header, start time.Time) *recorder {
	r := &recorder{file: file, head: head, start: start, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go r.run() // ends with close
	return r
}

// begin notes that the command runs.
func (r *recorder) begin() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.began = true
	r.mu.Unlock()
}

// output records what the command wrote.
func (r *recorder) output(p []byte) { r.put(cast.Output, p) }

// input records what the command was given.
func (r *recorder) input(p []byte) { r.put(cast.Input, p) }

// resize records a new size. The first is the one that the session starts with.
func (r *recorder) resize(size wrap.Winsize) {
	if r == nil {
		return
	}
	cols, rows := int(size.Cols), int(size.Rows)
	r.mu.Lock()
	if cols < 1 || rows < 1 || cols > cast.MaxSize || rows > cast.MaxSize || cols == r.head.Width && rows == r.head.Height {
		r.mu.Unlock()
		return
	}
	if r.last == 0 { // the header is not written yet
		r.head.Width, r.head.Height = cols, rows
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	r.put(cast.Resize, []byte(cast.FormatSize(cols, rows)))
}

// mark records a marker.
func (r *recorder) mark(label string) { r.put(cast.Marker, []byte(markPrefix+visible(label))) }

// state records a change of state: who decided it, and never the question,
// which stands on the screen anyway.
func (r *recorder) state(st detect.Status) {
	if r == nil {
		return
	}
	label := st.State.String()
	if st.Kind != "" {
		label += " " + string(st.Kind)
	}
	switch {
	case st.Rule != "":
		label += ", by " + st.Rule
	case st.Source != "":
		label += ", by " + string(st.Source)
	}
	r.mark(label)
}

func (r *recorder) put(code cast.Code, p []byte) {
	if r == nil || len(p) == 0 {
		return
	}
	at := time.Since(r.start)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil || r.closed {
		return
	}
	if code == cast.Output || code == cast.Input {
		// After a loss nothing is taken until the queue is empty: one gap that
		// a marker names is better than many.
		if r.lost > 0 || len(r.data)+len(p) > recordMax || len(r.queue) >= recordEvents {
			r.lost += len(p)
			return
		}
	} else if len(r.queue) >= recordEvents+1000 {
		return
	}
	// Events come from several goroutines; the format wants them in order.
	at = max(at, r.last)
	r.last = at
	from := len(r.data)
	r.data = append(r.data, p...)
	r.queue = append(r.queue, recorded{at, code, from, len(r.data)})
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take empties the queue. The marker of a gap comes last in it. What is there
// before the command runs waits.
func (r *recorder) take(old []recorded, oldData []byte) (queue []recorded, data []byte, head cast.Header, ran, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.began {
		return old[:0], oldData[:0], r.head, false, !r.closed
	}
	queue, data = r.queue, r.data
	if r.lost > 0 {
		from := len(data)
		data = fmt.Appendf(data, "%s%d bytes were not recorded: the disk was too slow", markPrefix, r.lost)
		queue = append(queue, recorded{r.last, cast.Marker, from, len(data)})
		r.lost = 0
	}
	r.queue, r.data = old[:0], oldData[:0]
	return queue, data, r.head, true, !r.closed
}

// run is the goroutine. It ends when the recorder is closed.
func (r *recorder) run() {
	defer close(r.done)
	var out bytes.Buffer
	var w *cast.Writer
	var queue []recorded
	var data []byte
	for more := true; more; {
		<-r.wake
		var head cast.Header
		var ran bool
		queue, data, head, ran, more = r.take(queue, data)
		if !ran || len(queue) == 0 && more {
			continue
		}
		var err error
		if w == nil {
			w, err = cast.NewWriter(&out, head)
		}
		if err == nil {
			err = r.write(w, queue, data, !more)
		}
		// One write of whole lines: whatever ends this process, the file is
		// valid up to its last line.
		if err == nil {
			_, err = r.file.Write(out.Bytes())
		}
		out.Reset()
		if out.Cap() > recordMax {
			out = bytes.Buffer{}
		}
		if err != nil {
			r.mu.Lock()
			r.err, r.queue, r.data = err, nil, nil
			r.mu.Unlock()
			return
		}
	}
}

func (r *recorder) write(w *cast.Writer, queue []recorded, data []byte, last bool) error {
	var at time.Duration
	for _, e := range queue {
		at = e.at
		p := data[e.from:e.to]
		if e.code == cast.Output {
			_ = w.Output(at, p) // its error stays and comes with Sync
			continue
		}
		_ = w.Event(cast.Event{At: at, Code: e.code, Data: string(p)})
	}
	if last {
		return w.Flush(max(at, time.Since(r.start)))
	}
	return w.Sync()
}

// close ends the recording. It returns what went wrong in writing it.
func (r *recorder) close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
	t := time.NewTimer(recordEnd)
	defer t.Stop()
	select {
	case <-r.done:
	case <-t.C:
		return fmt.Errorf("the disk did not take it within %s", recordEnd)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
