package wrap

import (
	"bytes"
	"log/slog"
	"slices"
	"strconv"

	"fwrap/wrap/seq"
)

// MaxHeld is the longest OSC, in bytes, that is held back to be decided about.
// A longer one passes.
const MaxHeld = seq.MaxBody + 16

// tmuxIntro begins an OSC that is meant for the terminal outside of tmux: agents
// that find themselves in tmux wrap their notices so.
const tmuxIntro = "\x1bPtmux;\x1b\x1b]"

// maxPrefix bounds the title prefix, in bytes.
const maxPrefix = 32

// editor makes the few changes to the command's output and keeps the books that
// they need. It belongs to one goroutine.
//
// Titles get their prefix when the first byte of the title passes, so nothing
// is held back for it. The sequences that the hook decides about are held back,
// complete or not: a terminal shows nothing of a sequence before its end, so
// nobody can see that.
type editor struct {
	scan  seq.Scanner
	modes ledger
	pure  bool
	nums  []int
	hook  func(num int, data []byte) Verdict
	log   *slog.Logger

	open bool    // the last sequence was not completed: the next one aborts it
	off  int     // how many bytes of the open sequence went before
	head [4]byte // and the first of them
	osc  oscWay

	held []byte // of the open sequence, not given out
	out  []byte // the edited output of the current slice
}

// oscWay is what is to become of the open sequence.
type oscWay uint8

const (
	wayPass  oscWay = iota
	wayUnset        // not known yet whether it is one that the hook decides about
	wayHold         // it is
)

// edit takes what the command has written next and returns what goes to the
// terminal. The result aliases p or the editor's buffer and is valid until the
// next call.
func (e *editor) edit(p []byte, prefix string) []byte {
	if e.pure {
		for rest := p; len(rest) > 0; {
			tok, n := e.scan.Next(rest)
			if tok.Kind != seq.Text {
				e.modes.note(&tok)
			}
			rest = rest[n:]
			if tok.Kind == seq.C0 { // after a line there may be many
				rest = rest[e.scan.Plain(rest):]
			}
		}
		return p
	}
	// from is where the part of p begins that has not been copied to out. While
	// nothing has been changed nothing is copied.
	e.out = e.out[:0]
	from, changed := 0, false
	flush := func(to int) {
		e.out = append(e.out, p[from:to]...)
		from, changed = to, true
	}
	for i := 0; i < len(p); {
		tok, n := e.scan.Next(p[i:])
		if tok.Kind != seq.Text {
			e.modes.note(&tok)
		}
		at := i
		i += n
		if tok.Kind == seq.CSI && tok.Start && tok.End && !tok.Aborted && len(e.held) == 0 {
			e.open = false
			continue // nearly all sequences
		}
		if tok.Kind == seq.Text || tok.Kind == seq.C0 {
			if tok.Kind == seq.Text {
				e.open = false
			}
			// A C0 within a sequence is executed at once. No string has one, so
			// nothing but the ESC of a sequence can be held back here.
			if len(e.held) > 0 {
				flush(at)
				e.release()
				e.osc = wayPass
			}
			if tok.Kind == seq.C0 && !e.open { // after a line there may be many
				i += e.scan.Plain(p[i:])
			}
			continue
		}
		if tok.Start {
			if len(e.held) > 0 { // the open one was aborted; terminals ignore it
				flush(at)
				if tok.LateESC {
					e.held = e.held[:len(e.held)-1]
				}
				e.release()
				if tok.LateESC {
					e.held = append(e.held, 0x1b)
				}
			}
			e.off, e.osc = 0, wayPass
			if tok.LateESC {
				e.off, e.head[0] = 1, 0x1b
			}
			switch {
			case len(e.nums) == 0, e.open, tok.LateESC:
				// What aborts another sequence passes: with it taken out the
				// terminal would still be in the other one.
			case tok.Kind == seq.OSC, tok.Kind == seq.DCS, tok.Kind == seq.Esc && !tok.End && n == 1 && !tok.LateESC:
				e.osc = wayUnset
			}
		}
		e.open = !tok.End || tok.Aborted && !endsInCAN(tok.Raw)
		if e.osc == wayPass && len(e.held) > 0 { // an ESC
			flush(at)
			e.release()
		}
		if e.off < len(e.head) {
			copy(e.head[e.off:], tok.Raw)
		}
		if prefix != "" && e.off <= 4 && e.off+n > 4 && e.isTitle() && isTitleByte(tok.Raw[4-e.off]) && !e.decides(int(e.head[2]-'0')) {
			if len(e.held) > 0 {
				flush(at)
				e.release()
			}
			e.osc = wayPass // known now: it is a title
			flush(at + 4 - e.off)
			e.out = append(e.out, prefix...)
		}
		e.off += n

		if e.osc == wayUnset && len(e.held) == 0 {
			e.osc = e.way(tok.Raw)
		}
		if e.osc != wayPass {
			flush(at)
			from = i // the piece goes to held or, by way of it, to out
			e.held = append(e.held, tok.Raw...)
			e.judge(&tok)
		}
	}
	if !changed {
		return p
	}
	return append(e.out, p[from:]...)
}

// endsInCAN reports whether a sequence was aborted by CAN or SUB, and not by the
// beginning of another one.
func endsInCAN(raw []byte) bool {
	n := len(raw)
	return n > 0 && (raw[n-1] == 0x18 || raw[n-1] == 0x1a)
}

// isTitle reports whether the open sequence begins as one that sets the window
// title: ESC ] 0 ; or ESC ] 2 ;.
func (e *editor) isTitle() bool {
	h := e.head
	return h[0] == 0x1b && h[1] == ']' && (h[2] == '0' || h[2] == '2') && h[3] == ';'
}

// isTitleByte reports whether b, first after the semicolon, begins a title. An
// empty title ends there; it makes terminals show their own and stays empty.
func isTitleByte(b byte) bool { return b >= 0x20 && b != 0x7f }

func (e *editor) decides(num int) bool {
	return slices.Contains(e.nums, num)
}

// judge decides what can be decided of the open sequence, which is in held, of
// which tok is the last part.
func (e *editor) judge(tok *seq.Token) {
	if e.osc == wayUnset {
		e.osc = e.way(e.held)
	}
	switch {
	case e.osc == wayPass:
		e.release()
	case tok.End && !tok.Aborted && tok.Kind == seq.OSC && !tok.Overflow:
		e.decide(tok.Body)
	case tok.End && !tok.Aborted && tok.Kind == seq.DCS && !tok.Overflow:
		osc, ok := seq.TmuxOSC(tok.Body)
		if !ok {
			osc = nil // no number: it passes
		}
		e.decide(osc)
	case tok.End, len(e.held) > MaxHeld:
		e.release()
		e.osc = wayPass
	}
}

// way judges a sequence by how it begins.
func (e *editor) way(h []byte) oscWay {
	intro := "\x1b]"
	if len(h) >= 2 && h[1] == 'P' {
		intro = tmuxIntro
	}
	if n := min(len(h), len(intro)); string(h[:n]) != intro[:n] {
		return wayPass
	}
	if len(h) <= len(intro) {
		return wayUnset
	}
	digits := h[len(intro):]
	for i, b := range digits {
		if b < '0' || b > '9' {
			digits = digits[:i]
			break
		}
	}
	complete := len(digits) < len(h)-len(intro)
	digits = bytes.TrimLeft(digits, "0")
	for _, n := range e.nums {
		switch text := strconv.AppendInt(nil, int64(n), 10); {
		case complete && bytes.Equal(text, digits), complete && n == 0 && len(digits) == 0:
			return wayHold
		case !complete && bytes.HasPrefix(text, digits):
			return wayUnset
		}
	}
	return wayPass
}

// decide asks the hook about the complete sequence in held.
func (e *editor) decide(body []byte) {
	e.osc = wayPass
	num, data, ok := seq.OSCNumber(body)
	if !ok || !e.decides(num) {
		e.release()
		return
	}
	v := e.ask(num, data)
	if v.Take != nil {
		v.Take(e.held)
	}
	switch {
	case len(v.Replace) > 0:
		e.out = append(e.out, v.Replace...)
	case !v.Drop:
		e.out = append(e.out, e.held...)
	}
	e.held = e.held[:0]
}

func (e *editor) ask(num int, data []byte) (v Verdict) {
	if e.hook == nil {
		return Verdict{}
	}
	defer func() {
		if r := recover(); r != nil {
			e.log.Error("osc hook panicked and is off", "panic", r)
			e.hook, v = nil, Verdict{}
		}
	}()
	return e.hook(num, data)
}

// release gives out what is held.
func (e *editor) release() {
	e.out = append(e.out, e.held...)
	e.held = e.held[:0]
}

// finish returns what is still held when the stream has ended.
func (e *editor) finish() []byte {
	h := bytes.Clone(e.held)
	e.held = e.held[:0]
	return h
}

// safe reports whether a sequence of our own may be written now: the command's
// stream, and what the terminal has got of it, stand between complete sequences
// and characters, and the terminal is not collecting a synchronised update.
func (e *editor) safe() bool {
	return e.scan.Ground() && len(e.held) == 0 && !e.modes.has(modeSync)
}
