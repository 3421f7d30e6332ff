package notifyspy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// Mode is a way to behave.
type Mode string

const (
	OK     Mode = "ok"
	Hang   Mode = "hang"    // the service never answers Notify
	HangNo Mode = "hangall" // the service never answers anything
	Error  Mode = "error"   // Notify fails, as over a rate limit
	Absent Mode = "absent"  // a bus on which nobody is the service
	Lazy   Mode = "lazy"    // the service is there once somebody wants it started
	Trap   Mode = "trap"    // starting the service never comes to an end
	Mute   Mode = "mute"    // the bus takes connections and never says a word
	Garble Mode = "garble"  // the bus answers nonsense
)

// Options say how a bus behaves. The zero value is a good one.
type Options struct {
	Mode Mode          // "": OK
	Slow time.Duration // Notify's answer comes so late
	Caps []string      // the service's capabilities; nil: body, body-markup, actions
	// Log, if not nil, gets every call as it comes.
	Log func(Call)
}

// Call is one call of a method of the service's.
type Call struct {
	At      time.Time      `json:"at"`
	Client  int            `json:"client"` // connections are counted from 1
	Method  string         `json:"method"`
	App     string         `json:"app,omitempty"`
	ID      uint32         `json:"id"` // of Notify the one returned, of CloseNotification the one given
	Replace uint32         `json:"replaces_id"`
	Icon    string         `json:"icon,omitempty"`
	Summary string         `json:"summary,omitempty"`
	Body    string         `json:"body,omitempty"`
	Actions []string       `json:"actions,omitempty"`
	Hints   map[string]any `json:"hints,omitempty"`
	Expire  int32          `json:"expire_timeout"`
	NoStart bool           `json:"no_auto_start"` // the caller did not want the service started
}

// Bus is a running bus.
type Bus struct {
	opts     Options
	path     string
	listener net.Listener

	mu      sync.Mutex
	changed chan struct{} // closed and replaced on every call
	calls   []Call
	next    uint32
	up      map[uint32]Call // the notices that would be on the screen
	conns   map[net.Conn]bool
	clients int
	started bool
	closed  bool
}

const (
	service = "org.freedesktop.Notifications"
	daemon  = "org.freedesktop.DBus"
)

// Start serves a bus on a socket in dir.
func Start(dir string, o Options) (*Bus, error) {
	b := &Bus{
		opts: o, path: filepath.Join(dir, "bus"),
		changed: make(chan struct{}), up: map[uint32]Call{}, conns: map[net.Conn]bool{},
	}
	if b.opts.Mode == "" {
		b.opts.Mode = OK
	}
	if b.opts.Caps == nil {
		b.opts.Caps = []string{"body", "body-markup", "actions"}
	}
	var err error
	if b.listener, err = net.Listen("unix", b.path); err != nil {
		return nil, fmt.Errorf("listening for the bus: %w", err)
	}
	go b.accept()
	return b, nil
}

// Address is the value for DBUS_SESSION_BUS_ADDRESS.
func (b *Bus) Address() string { return "unix:path=" + b.path }

// Close ends the bus and every connection to it.
func (b *Bus) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.listener.Close()
	for c := range b.conns {
		c.Close()
	}
	os.Remove(b.path)
}

// Calls returns the calls so far, in their order.
func (b *Bus) Calls() []Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Call(nil), b.calls...)
}

// Clients returns how many connections there have been.
func (b *Bus) Clients() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.clients
}

// Shown returns the notices that are on the screen now, by number.
func (b *Bus) Shown() map[uint32]Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := make(map[uint32]Call, len(b.up))
	for id, c := range b.up {
		m[id] = c
	}
	return m
}

// Wait waits until done says so, at most for timeout. done is asked after every
// call and on every new connection.
func (b *Bus) Wait(timeout time.Duration, done func() bool) bool {
	end := time.After(timeout)
	for {
		b.mu.Lock()
		ch := b.changed
		b.mu.Unlock()
		if done() {
			return true
		}
		select {
		case <-ch:
		case <-end:
			return false
		}
	}
}

func (b *Bus) accept() {
	for {
		c, err := b.listener.Accept()
		if err != nil {
			return
		}
		b.mu.Lock()
		if b.closed {
			c.Close()
		}
		b.conns[c] = true
		b.clients++
		id := b.clients
		close(b.changed)
		b.changed = make(chan struct{})
		b.mu.Unlock()
		go func() {
			b.serve(c, id)
			c.Close()
			b.mu.Lock()
			delete(b.conns, c)
			b.mu.Unlock()
		}()
	}
}

func (b *Bus) serve(c net.Conn, client int) {
	switch b.opts.Mode {
	case Mute:
		io.Copy(io.Discard, c)
		return
	case Garble:
		c.Write(bytes.Repeat([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"), 100))
		io.Copy(io.Discard, c)
		return
	}
	r := bufio.NewReader(c)
	if err := authenticate(r, c); err != nil {
		return
	}
	p := &peer{bus: b, conn: c, id: client}
	for {
		m, err := dbus.DecodeMessage(r)
		if err != nil {
			return
		}
		if m.Type == dbus.TypeMethodCall {
			p.call(m)
		}
	}
}

// authenticate plays the server's side of the SASL exchange and lets anyone in.
func authenticate(r *bufio.Reader, w io.Writer) error {
	if b, err := r.ReadByte(); err != nil || b != 0 {
		return fmt.Errorf("no null byte at the start: %v", err)
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case word == "AUTH" && rest == "":
			io.WriteString(w, "REJECTED EXTERNAL\r\n")
		case word == "AUTH" || word == "DATA":
			io.WriteString(w, "OK 0123456789abcdef0123456789abcdef\r\n")
		case word == "BEGIN":
			return nil
		default: // NEGOTIATE_UNIX_FD and what else there may be
			io.WriteString(w, "ERROR\r\n")
		}
	}
}

// peer is one connection.
type peer struct {
	bus  *Bus
	conn net.Conn
	id   int

	mu     sync.Mutex
	serial uint32
}

func text(m *dbus.Message, f dbus.HeaderField) string {
	s, _ := m.Headers[f].Value().(string)
	return s
}

// reply answers m.
func (p *peer) reply(m *dbus.Message, body ...any) {
	p.send(m, dbus.TypeMethodReply, "", body)
}

// fail answers m with an error.
func (p *peer) fail(m *dbus.Message, name, why string) {
	p.send(m, dbus.TypeError, name, []any{why})
}

func (p *peer) send(m *dbus.Message, typ dbus.Type, errName string, body []any) {
	if m.Flags&dbus.FlagNoReplyExpected != 0 {
		return
	}
	r := &dbus.Message{Type: typ, Body: body, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()),
		dbus.FieldSender:      dbus.MakeVariant(daemon),
		dbus.FieldDestination: dbus.MakeVariant(fmt.Sprintf(":1.%d", p.id)),
	}}
	if errName != "" {
		r.Headers[dbus.FieldErrorName] = dbus.MakeVariant(errName)
	}
	if len(body) > 0 {
		r.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(body...))
	}
	var buf bytes.Buffer
	if err := r.EncodeTo(&buf, binary.LittleEndian); err != nil {
		panic("notifyspy: " + err.Error())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serial++
	// The library keeps a message's serial to itself; the protocol forbids 0.
	binary.LittleEndian.PutUint32(buf.Bytes()[8:], p.serial)
	p.conn.Write(buf.Bytes())
}
