package term

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// Record is one report of the Program Status Protocol, OSC 7501
// (superlogical.com/rex/docs/build/program-status).
type Record struct {
	State    string // idle, working, done, blocked, error or clear
	Kind     string // permission, question or auth; empty: none
	Progress int    // 0 to 100; negative: none
	ID       string // "a/b", at most 8 parts; empty: the program's own record
	App      string
	Title    string
	Message  string
}

// Limits of the protocol, in bytes: a terminal drops a longer report whole.
const (
	maxRecord  = 4096
	maxTitle   = 192  // 256 encoded
	maxMessage = 2048 // 2732 encoded
	maxID      = 128
	maxLevels  = 8
)

// Status7501 returns the report, ended by ST. What the protocol does not allow
// is left out rather than sent, since one bad field voids the report: kinds and
// names it does not know, texts cut to their limits.
func Status7501(r Record) []byte {
	state := r.State
	switch state {
	case "idle", "working", "done", "blocked", "error", "clear":
	default:
		state = "clear"
	}
	b := esc + "]7501;state=" + state
	switch r.Kind {
	case "permission", "question", "auth":
		b += ":kind=" + r.Kind
	}
	if r.Progress >= 0 && r.Progress <= 100 && state != "clear" {
		b += ":progress=" + strconv.Itoa(r.Progress)
	}
	if id := path(r.ID); id != "" {
		b += ":id=" + id
	}
	if app := ident(r.App); app != "" {
		b += ":app=" + app
	}
	field := func(name, text string, limit int) {
		if text = cut(clean(text), limit); text == "" {
			return
		}
		enc := base64.StdEncoding.EncodeToString([]byte(text))
		if len(b)+len(name)+len(enc)+len(st)+2 <= maxRecord {
			b += ":" + name + "=" + enc
		}
	}
	field("title", r.Title, maxTitle)
	field("msg", r.Message, maxMessage)
	return []byte(b + st)
}

// path keeps the parts of a record's id that the protocol allows.
func path(id string) string {
	var b strings.Builder
	levels := 0
	for p := range strings.SplitSeq(id, "/") {
		if p = ident(p); p == "" {
			continue
		}
		if levels == maxLevels || b.Len()+len("/")+len(p) > maxID {
			break
		}
		if levels > 0 {
			b.WriteByte('/')
		}
		b.WriteString(p)
		levels++
	}
	return b.String()
}
