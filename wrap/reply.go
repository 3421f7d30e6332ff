package wrap

import (
	"bytes"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// replyTime is how long a reply is looked for. Claude Code takes one for 2 s
	// after its query; a terminal far away may take longer, and what comes too
	// late must still not be typed into the command.
	replyTime = 10 * time.Second
	// replySize is the longest reply that is looked for, in bytes. A terminal
	// that speaks OSC 7501 answers its query with 11.
	replySize = 64
)

// replies looks for a terminal's answers to the queries of one number, and for
// the answer to CSI c behind them, which says that no other will come. Outside
// the time after a query it does nothing, and even then it holds back only what
// has begun as such an answer: a lone ESC or Alt-] is a key.
type replies struct {
	mark  []byte // "\x1b]7501;"
	hook  func(data []byte) (drop bool)
	until atomic.Int64 // UnixNano; 0: not looking
	held  []byte
}

func newReplies(num int, hook func(data []byte) bool) *replies {
	return &replies{mark: []byte("\x1b]" + strconv.Itoa(num) + ";"), hook: hook}
}

func (r *replies) await(now time.Time) { r.until.Store(now.Add(replyTime).UnixNano()) }

// filter returns what of the input p is to go on. The result is valid until the
// next call.
func (r *replies) filter(now time.Time, p []byte) []byte {
	until := r.until.Load()
	if until == 0 {
		return p
	}
	if now.UnixNano() > until {
		r.until.Store(0)
		if len(r.held) == 0 {
			return p
		}
		p = append(r.held, p...)
		r.held = nil
		return p
	}
	if len(r.held) > 0 {
		p = append(r.held, p...)
		r.held = nil
	}
	if bytes.IndexByte(p, 0x1b) < 0 {
		return p
	}
	var out []byte
	for {
		i := bytes.Index(p, r.mark)
		if i < 0 {
			break
		}
		rest := p[i+len(r.mark):]
		end := bytes.IndexAny(rest, "\a\x1b")
		switch {
		case end < 0 && len(rest) <= replySize:
			r.fence(p[:i])
			r.held = bytes.Clone(p[i:])
			return append(out, p[:i]...)
		case end == len(rest)-1 && rest[end] == 0x1b: // cut before the \ of ST
			r.fence(p[:i])
			r.held = bytes.Clone(p[i:])
			return append(out, p[:i]...)
		case end < 0 || end > replySize || rest[end] == 0x1b && rest[end+1] != '\\':
			out = append(out, p[:i+len(r.mark)]...)
			p = rest
			continue
		}
		size := 1
		if rest[end] == 0x1b {
			size = 2
		}
		r.fence(p[:i])
		out = append(out, p[:i]...)
		if !r.hook(rest[:end]) {
			out = append(out, p[i:i+len(r.mark)+end+size]...)
		}
		p = rest[end+size:]
	}
	r.fence(p)
	if n := beginning(p, r.mark); n > 0 && r.until.Load() != 0 {
		r.held = bytes.Clone(p[len(p)-n:])
		p = p[:len(p)-n]
	}
	if out == nil {
		return p
	}
	return append(out, p...)
}

// fence looks for the answer to CSI c.
func (r *replies) fence(p []byte) {
	for {
		i := bytes.Index(p, []byte("\x1b[?"))
		if i < 0 {
			return
		}
		p = p[i+3:]
		j := 0
		for j < len(p) && (p[j] == ';' || '0' <= p[j] && p[j] <= '9') {
			j++
		}
		if j < len(p) && p[j] == 'c' {
			r.hook(nil)
		}
	}
}

// beginning returns how many bytes at p's end begin mark, if they are enough to
// be no keys of a person's.
func beginning(p, mark []byte) int {
	for n := min(len(mark)-1, len(p)); n >= 4; n-- {
		if bytes.HasSuffix(p, mark[:n]) {
			return n
		}
	}
	return 0
}
