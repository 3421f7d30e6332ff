package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
	"unicode/utf8"
)

// Version is the version of the report protocol.
const Version = 1

// MaxLine is the longest line of the report protocol in bytes, its newline
// included.
const MaxLine = 64 << 10

const (
	maxFrom = 32
	maxKind = 16
	maxText = 4096
)

// Message is one report. It is valid in the sense of the protocol, and
// untrusted: whoever may connect can send any.
type Message struct {
	V     int             `json:"v"`
	From  string          `json:"from"`
	Seq   uint64          `json:"seq,omitempty"`
	State string          `json:"state,omitempty"`
	Kind  string          `json:"kind,omitempty"`
	Text  string          `json:"text,omitempty"`
	Event json.RawMessage `json:"event,omitempty"`

	// Peer is who sent it, as the kernel says; not on the wire.
	Peer Peer `json:"-"`
}

// Line encodes m with a newline. It returns an error for a message that the
// protocol does not allow.
func (m Message) Line() ([]byte, error) {
	m.V = Version
	if err := m.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return nil, fmt.Errorf("encode a report: %w", err)
	}
	if b.Len() > MaxLine {
		return nil, errors.New("the report is too long")
	}
	return b.Bytes(), nil
}

// parseMessage decodes a line without its newline.
func parseMessage(line []byte) (Message, error) {
	var m Message
	if err := json.Unmarshal(line, &m); err != nil {
		return m, errors.New("not a JSON object of the protocol")
	}
	if m.V != Version {
		return m, fmt.Errorf("version %d is not known", m.V)
	}
	return m, m.check()
}

func (m *Message) check() error {
	switch {
	case !isWord(m.From, maxFrom, true):
		return errors.New("from: not a name")
	case m.Kind != "" && !isWord(m.Kind, maxKind, false):
		return errors.New("kind: not a word")
	case len(m.Text) > maxText || !utf8.ValidString(m.Text):
		return errors.New("text: too long or not UTF-8")
	}
	if string(m.Event) == "null" {
		m.Event = nil
	}
	if m.Event != nil {
		if m.State != "" || m.Kind != "" {
			return errors.New("both event and state")
		}
		if m.Event[0] != '{' {
			return errors.New("event: not an object")
		}
		return nil
	}
	switch m.State {
	case "working", "blocked", "idle", "none":
		return nil
	case "":
		return errors.New("neither event nor state")
	}
	return errors.New("state: not known")
}

// isWord reports whether s consists of lower-case letters and, with more, of
// digits, dots, dashes and underscores.
func isWord(s string, limit int, more bool) bool {
	if s == "" || len(s) > limit {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || more && (c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_') {
			continue
		}
		return false
	}
	return true
}

// listenReports opens a report socket at path.
func listenReports(path string, handle func(Message)) (*server, error) {
	l := limits{line: MaxLine, lines: 1024, conns: 32, idle: 2 * time.Second}
	return listen(path, l, func(p Peer, line []byte) string {
		m, err := parseMessage(line)
		if err != nil {
			return "error: " + err.Error()
		}
		m.Peer = p
		handle(m)
		return "ok"
	})
}

// ErrRefused is returned by [Send] when the server does not take the report.
var ErrRefused = errors.New("the report was refused")

// Send sends one line, with its newline, to the report socket sock and waits
// for the answer, all within limit. Only a server of the same user or root is
// sent anything: a report may quote whole commands.
func Send(sock string, line []byte, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	d := net.Dialer{Deadline: deadline}
	conn, err := d.Dial("unix", sock)
	if err != nil {
		return fmt.Errorf("connect to the report socket: %w", err)
	}
	defer conn.Close()
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.New("not a unix socket")
	}
	p, err := peer(c)
	if err != nil {
		return fmt.Errorf("ask who listens: %w", err)
	}
	if !p.trusted() {
		return fmt.Errorf("the report socket belongs to user %d", p.UID)
	}
	if err := c.SetDeadline(deadline); err != nil {
		return err
	}
	if _, err := c.Write(line); err != nil {
		return fmt.Errorf("send a report: %w", err)
	}
	var buf [256]byte
	n := 0
	for n < len(buf) && !bytes.Contains(buf[:n], []byte{'\n'}) {
		k, err := c.Read(buf[n:])
		n += k
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("wait for the answer: %w", err)
		}
	}
	answer, _, _ := strings.Cut(string(buf[:n]), "\n")
	if answer != "ok" {
		return fmt.Errorf("%w: %q", ErrRefused, answer)
	}
	return nil
}
