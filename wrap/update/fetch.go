package update

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// patience is how long an update may take in all.
const patience = 60 * time.Second

// ErrSignature says that an archive was not made by who has the key.
var ErrSignature = errors.New("the archive's signature is not of the configured key")

// errHTTPS says that somebody on the way could have changed what was fetched.
var errHTTPS = errors.New("only https is used")

// fetched is what the server has.
type fetched struct {
	archive   []byte
	etag      string
	unchanged bool // it has what etag says
}

// fetch gets the archive and its signature and compares them.
func (u *Updater) fetch(ctx context.Context, address string, key ed25519.PublicKey, etag string) (fetched, error) {
	target, err := url.Parse(address)
	if err != nil {
		return fetched{}, err
	}
	if target.Scheme != "https" {
		return fetched{}, fmt.Errorf("fetch %s: %w", address, errHTTPS)
	}
	if len(key) != ed25519.PublicKeySize {
		return fetched{}, errors.New("the key is no Ed25519 public key")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := u.get(ctx, target, etag, MaxArchive)
	if err != nil || out.unchanged {
		return out, err
	}
	target.Path, target.RawPath = target.Path+".sig", ""
	sig, err := u.get(ctx, target, "", ed25519.SignatureSize)
	if err != nil {
		return fetched{}, err
	}
	if !ed25519.Verify(key, out.archive, sig.archive) {
		return fetched{}, ErrSignature
	}
	return out, nil
}

// get fetches one file of at most limit bytes.
func (u *Updater) get(ctx context.Context, target *url.URL, etag string, limit int64) (fetched, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return fetched{}, err
	}
	req.Header.Set("User-Agent", "fwrap")
	// The signature is over the bytes that the server has, not over what a
	// server or proxy makes of them.
	req.Header.Set("Accept-Encoding", "identity")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	res, err := u.client().Do(req)
	if err != nil {
		return fetched{}, fmt.Errorf("fetch: %w", err) // names the address
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotModified && etag != "":
		return fetched{unchanged: true, etag: etag}, nil
	case res.StatusCode != http.StatusOK:
		return fetched{}, fmt.Errorf("fetch %s: the server says %s", target, res.Status)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	if err != nil {
		return fetched{}, fmt.Errorf("fetch %s: %w", target, err)
	}
	return fetched{archive: data, etag: res.Header.Get("ETag")}, nil
}

// client never leaves https, wherever the server sends it.
func (u *Updater) client() *http.Client {
	c := http.Client{Transport: u.Transport}
	if c.Transport == nil {
		c.Transport = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			TLSHandshakeTimeout: 15 * time.Second,
			ForceAttemptHTTP2:   true,
			DisableKeepAlives:   true,
		}
	}
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		switch {
		case req.URL.Scheme != "https":
			return errHTTPS
		case len(via) >= 5:
			return errors.New("too many redirects")
		}
		return nil
	}
	return &c
}
