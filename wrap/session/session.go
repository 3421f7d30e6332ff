package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Session is this process's own entry in the directory of sessions.
type Session struct {
	dir, id string
	reports *server

	mu     sync.Mutex
	state  State
	wrote  []byte // what the state file holds
	closed bool
}

// Open opens the report socket in dir, which [Dir] has made, and writes the
// state file. first needs PID and Start; ID and Report are filled in.
//
// handle gets each report. It is called by one goroutine at a time, in the
// order of arrival, and the reporter waits for it: it must return at once.
func Open(dir string, first State, handle func(Message)) (*Session, error) {
	if first.PID <= 0 {
		return nil, errors.New("open a session: no PID")
	}
	// The PID is taken by another session only where two PID namespaces share
	// the directory (containers).
	for n := 1; n <= 9; n++ {
		id := strconv.Itoa(first.PID)
		if n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		srv, err := listenReports(filepath.Join(dir, id+reportSuffix), handle)
		if errors.Is(err, errInUse) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("open a session: %w", err)
		}
		// What an earlier process of this PID left.
		os.RemoveAll(filepath.Join(dir, id+filesSuffix))
		s := &Session{dir: dir, id: id, reports: srv}
		if err := s.Update(first); err != nil {
			s.Close()
			return nil, fmt.Errorf("open a session: %w", err)
		}
		return s, nil
	}
	return nil, fmt.Errorf("open a session: every name for PID %d is taken", first.PID)
}

// ID names the session among all in the directory.
func (s *Session) ID() string { return s.id }

// Socket is the path of the report socket, for the command's FWRAP_SOCK.
func (s *Session) Socket() string { return filepath.Join(s.dir, s.id+reportSuffix) }

// Update replaces the state file; it does nothing when the state is the same.
// ID and Report of st are set here; PID and Start must not change.
func (s *Session) Update(st State) error {
	st.V, st.ID, st.Report = 1, s.id, s.Socket()
	b, err := encodeState(st)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the session is closed")
	}
	s.state = st
	if bytes.Equal(b, s.wrote) {
		return nil
	}
	if err := replace(filepath.Join(s.dir, s.id+stateSuffix), b); err != nil {
		return fmt.Errorf("write the state file: %w", err)
	}
	s.wrote = b
	return nil
}

// State returns what the state file says.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Files returns a directory of this session's own, made when first asked for:
// what lies in it is removed with the session.
func (s *Session) Files() (string, error) {
	dir := filepath.Join(s.dir, s.id+filesSuffix)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("make the session's files: %w", err)
	}
	return dir, nil
}

// WriteFile writes a file below [Session.Files], mode 0600, and returns its
// path. name may have directories in it, but may not lead out.
func (s *Session) WriteFile(name string, content []byte) (string, error) {
	dir, err := s.Files()
	if err != nil {
		return "", err
	}
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("write a session's file: %q leads out of it", name)
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("write a session's file: %w", err)
	}
	if err := replace(path, content); err != nil {
		return "", fmt.Errorf("write a session's file: %w", err)
	}
	return path, nil
}

// Close ends the session: no report is handled after it returns, and nothing
// is left in the directory.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	err := s.reports.close()
	remove(s.dir, s.id)
	return err
}

// replace writes a file by renaming a new one over it, so that a reader sees
// the old content or the new.
func replace(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+strings.TrimPrefix(filepath.Base(path), ".")+".*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
