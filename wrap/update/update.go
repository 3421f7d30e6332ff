package update

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"fwrap/detect/manifest"
)

// Updater knows where manifests are installed and what they are compared with.
type Updater struct {
	// Dir is where the sets are kept; it is made when it is needed.
	Dir string
	// Builtin returns the version of the built-in manifest of an agent, and ""
	// if there is none.
	Builtin func(agent string) string
	// Check may refuse a manifest that is right in itself; may be nil.
	Check func(*manifest.Manifest) error
	// Transport is what requests go through; nil is the usual one.
	Transport http.RoundTripper
}

// Change is a manifest that came or went.
type Change struct {
	Agent string
	From  string // the version that was in force; "" for none
	To    string // the version that is; "" for none
}

// Result is what an update or a rollback did.
type Result struct {
	// Unchanged says that the server has what is installed already.
	Unchanged bool
	Changes   []Change // by agent
}

// ErrOlder says that an archive would take the rules back.
var ErrOlder = errors.New("is older")

// Update fetches the archive at address, checks all of it and installs it. On
// any error nothing on the disk has changed.
func (u *Updater) Update(ctx context.Context, address string, key ed25519.PublicKey) (Result, error) {
	s, err := u.open()
	if err != nil {
		return Result{}, err
	}
	defer s.close()
	now, err := s.read(current)
	if err != nil {
		return Result{}, err
	}
	etag := ""
	if now.source.URL == address {
		etag = now.source.ETag
	}
	f, err := u.fetch(ctx, address, key, etag)
	if err != nil {
		return Result{}, err
	}
	if f.unchanged {
		return Result{Unchanged: true}, nil
	}
	next := set{source: source{URL: address, ETag: f.etag}}
	if next.files, err = unpack(f.archive); err != nil {
		return Result{}, err
	}
	var errs []error
	for _, agent := range slices.Sorted(maps.Keys(next.files)) {
		errs = append(errs, u.judge(agent, next.files[agent], now.version(agent)))
	}
	if err := errors.Join(errs...); err != nil {
		return Result{}, err
	}
	// An agent that the archive does not have keeps what it has: dropping it
	// would take its rules back to the built-in ones.
	for agent, data := range now.files {
		if next.files[agent] == nil {
			next.files[agent] = data
		}
	}
	if maps.EqualFunc(next.files, now.files, slices.Equal) {
		return Result{Unchanged: true}, nil
	}
	if err := s.install(next); err != nil {
		return Result{}, err
	}
	return u.result(now, next), nil
}

// judge says what is wrong with a manifest that is to be installed.
func (u *Updater) judge(agent string, data []byte, installed string) error {
	m, err := check(agent, data)
	if err != nil {
		return err
	}
	for _, have := range []struct{ what, version string }{
		{"built-in", u.Builtin(agent)}, {"installed", installed},
	} {
		if have.version != "" && manifest.CompareVersions(m.Version, have.version) < 0 {
			return fmt.Errorf("%s.toml %s %w than the %s one, %s", agent, m.Version, ErrOlder, have.what, have.version)
		}
	}
	if u.Check != nil {
		return u.Check(m)
	}
	return nil
}

// Rollback goes back to the set before the last update, which may be none; once
// more goes forth again.
func (u *Updater) Rollback() (Result, error) {
	s, err := u.open()
	if err != nil {
		return Result{}, err
	}
	defer s.close()
	now, err := s.read(current)
	if err != nil {
		return Result{}, err
	}
	before, err := s.read(previous)
	if err != nil {
		return Result{}, err
	}
	if now.name == "" && before.name == "" {
		return Result{}, errors.New("nothing has been installed")
	}
	for link, name := range map[string]string{current: before.name, previous: now.name} {
		if err := s.point(link, name); err != nil {
			return Result{}, err
		}
	}
	return u.result(now, before), nil
}

// result compares what is in force with one set and with another.
func (u *Updater) result(from, to set) Result {
	var r Result
	for _, agent := range slices.Sorted(maps.Keys(union(from.files, to.files))) {
		c := Change{Agent: agent, From: u.inForce(agent, from), To: u.inForce(agent, to)}
		if c.From != c.To {
			r.Changes = append(r.Changes, c)
		}
	}
	return r
}

// inForce returns the version that counts: the newer of built-in and installed.
func (u *Updater) inForce(agent string, s set) string {
	b, v := u.Builtin(agent), s.version(agent)
	if manifest.CompareVersions(v, b) > 0 {
		return v
	}
	return b
}

func union(a, b map[string][]byte) map[string][]byte {
	m := maps.Clone(a)
	if m == nil {
		m = map[string][]byte{}
	}
	maps.Copy(m, b)
	return m
}
