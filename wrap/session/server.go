package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// limits bound what a client may take of a server.
type limits struct {
	line  int           // bytes in a line, the newline included
	lines int           // lines on one connection
	conns int           // connections at once
	idle  time.Duration // how long a line may take to arrive, and an answer to be read
}

// server answers lines on a unix socket. All its sockets are alike; what a
// line means is its handler's business.
type server struct {
	limits
	ln *net.UnixListener
	// handle answers one line, which is valid during the call. It is called by
	// one goroutine at a time, in the order in which the lines were complete.
	handle func(p Peer, line []byte) (answer string)

	turn sync.Mutex // held during handle

	mu     sync.Mutex
	conns  []*client // the oldest first
	closed bool
	freed  chan struct{} // a place among conns has come free

	done sync.WaitGroup
}

// client is a connection that is served.
type client struct {
	*net.UnixConn
	Peer
	since    time.Time
	answered bool // at least one line; guarded by server.mu
}

// errInUse says that somebody listens on the path already.
var errInUse = errors.New("somebody listens there already")

// listen opens a socket at path, in the place of one that nobody listens on.
func listen(path string, l limits, handle func(Peer, []byte) string) (*server, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("open socket %s: the path is too long", path)
	}
	if fi, err := os.Lstat(path); err == nil {
		if fi.Mode()&fs.ModeSocket != 0 && listens(path) {
			return nil, fmt.Errorf("open socket %s: %w", path, errInUse)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove what lies in the socket's place: %w", err)
		}
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("open socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		ln.Close()
		return nil, fmt.Errorf("protect the socket: %w", err)
	}
	s := &server{limits: l, ln: ln, handle: handle, freed: make(chan struct{}, 1)}
	s.done.Add(1)
	go s.accept()
	return s, nil
}

// listens reports whether a process listens on the socket at path.
func listens(path string) bool {
	c, err := net.DialTimeout("unix", path, 100*time.Millisecond)
	if err == nil {
		c.Close()
		return true
	}
	// A listener with a full queue is one too.
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, os.ErrDeadlineExceeded)
}

func (s *server) accept() {
	defer s.done.Done()
	for {
		c, err := s.ln.AcceptUnix()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			// Out of descriptors: wait for one to come free, not spin.
			time.Sleep(50 * time.Millisecond)
			continue
		}
		p, err := peer(c)
		cl := &client{UnixConn: c, Peer: p, since: time.Now()}
		if err != nil || !p.trusted() || !s.admit(cl) {
			c.Close()
			continue
		}
		s.done.Add(1)
		go func() {
			defer s.done.Done()
			defer s.dismiss(cl)
			s.serve(cl)
		}()
	}
}

// grace is how long a connection is left alone before it may be cut in favour
// of another.
const grace = 100 * time.Millisecond

// admit takes a connection among those served. When there are too many, one
// that has had an answer goes, else the oldest once it has had its time: a
// reporter that keeps silent must not keep the others out.
func (s *server) admit(c *client) bool {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return false
		}
		full := len(s.conns) >= s.limits.conns
		var wait time.Duration
		if full {
			i := slices.IndexFunc(s.conns, func(c *client) bool { return c.answered })
			if wait = time.Until(s.conns[0].since.Add(grace)); i < 0 && wait <= 0 {
				i = 0
			}
			if i >= 0 {
				s.conns[i].Close()
				s.conns = slices.Delete(s.conns, i, i+1)
				full = false
			}
		}
		if !full {
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			return true
		}
		s.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-s.freed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (s *server) dismiss(c *client) {
	c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.conns, c); i >= 0 {
		s.conns = slices.Delete(s.conns, i, i+1)
		select {
		case s.freed <- struct{}{}:
		default:
		}
	}
}

func (s *server) serve(c *client) {
	var buf []byte
	for n := 0; n < s.lines; n++ {
		line, rest, err := s.readLine(c, buf)
		if err != nil {
			if errors.Is(err, errLongLine) {
				s.write(c, "error: line too long")
			}
			return
		}
		s.turn.Lock()
		answer := s.handle(c.Peer, line)
		s.turn.Unlock()
		if !s.write(c, answer) {
			return
		}
		s.mu.Lock()
		c.answered = true
		s.mu.Unlock()
		buf = rest
	}
}

var errLongLine = errors.New("line too long")

// readLine returns the next line without its newline and what came behind it.
func (s *server) readLine(c *client, buf []byte) (line, rest []byte, err error) {
	if err := c.SetReadDeadline(time.Now().Add(s.idle)); err != nil {
		return nil, nil, err
	}
	searched := 0
	for {
		if i := bytes.IndexByte(buf[searched:], '\n'); i >= 0 {
			i += searched
			return buf[:i], buf[i+1:], nil
		}
		searched = len(buf)
		if len(buf) >= s.line {
			return nil, nil, errLongLine
		}
		// Start small, for most lines are a few hundred bytes.
		buf = slices.Grow(buf, min(max(1024, len(buf)), s.line-len(buf)))
		n, err := c.Read(buf[len(buf):min(cap(buf), s.line)])
		buf = buf[:len(buf)+n]
		if n == 0 && err != nil {
			return nil, nil, err // half a line is no line
		}
	}
}

// write answers. A client that has gone is told nothing, which is not its
// fault: its next lines are read all the same.
func (s *server) write(c *client, answer string) bool {
	if err := c.SetWriteDeadline(time.Now().Add(s.idle)); err != nil {
		return false
	}
	_, err := c.Write(append([]byte(answer), '\n'))
	return !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed)
}

// close stops listening, cuts the connections and waits for the handler to
// have returned for the last time. It removes the socket.
func (s *server) close() error {
	err := s.ln.Close()
	s.mu.Lock()
	s.closed = true
	for _, c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.done.Wait()
	return err
}
