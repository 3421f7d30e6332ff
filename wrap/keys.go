package wrap

import (
	"time"

	"fwrap/wrap/seq"
)

const (
	// escTime is how long an ESC may be the beginning of a sequence. One that
	// came alone is the Esc key then; programs wait between 25 ms and 0.5 s.
	escTime = 100 * time.Millisecond
	// inputTime is how long any other sequence, or a paste, may stand still
	// before it is taken for one that will not be completed.
	inputTime = 2 * time.Second
)

// keys reads along with the input, to tell what the person did from what the
// terminal reports, and to know where something may be put between. It keeps no
// input.
type keys struct {
	scan  seq.Scanner
	last  time.Time // of the last input
	esc   bool      // the last input ended with an ESC that began something
	paste bool      // within a bracketed paste
	x10   int       // bytes still to come of an X10 mouse report
}

// acts is what the person did with one piece of input, as bits 1<<InputKind.
type acts uint8

// feed takes the input p that came at now. focusOn says whether the terminal
// was asked for focus reports; focus is called for each one.
func (k *keys) feed(p []byte, now time.Time, focusOn bool, focus func(in bool)) (a acts) {
	k.expire(now)
	k.last = now
	if len(p) == 1 && p[0] == 0x1b && !k.paste {
		a |= 1 << InputKey
	}
	k.esc = len(p) > 0 && p[len(p)-1] == 0x1b
	for len(p) > 0 {
		tok, n := k.scan.Next(p)
		p = p[n:]
		switch {
		case tok.Kind == seq.Text && k.x10 > 0:
			a |= k.x10Bytes(tok.Raw)
		case tok.Kind == seq.Text, tok.Kind == seq.C0:
			a |= k.typed()
		case !tok.End || tok.Aborted:
		case tok.Kind == seq.Esc:
			a |= k.typed()
		case tok.Kind == seq.CSI && len(tok.Body) > 0:
			a |= k.csi(tok.Body, focusOn, focus)
		}
		// Strings are replies: colours, versions, clipboard.
	}
	return a
}

// expire gives up what was begun too long ago.
func (k *keys) expire(now time.Time) {
	idle := now.Sub(k.last)
	if idle > inputTime {
		k.paste = false
	}
	if !k.scan.Ground() && (idle > inputTime || k.esc && idle > escTime) {
		k.scan.Reset()
		k.esc = false
	}
	if idle > escTime {
		k.x10 = 0
	}
}

// safe reports whether input of ours may be put in at now; if not, wait is how
// long it takes at most if nothing else comes.
func (k *keys) safe(now time.Time) (ok bool, wait time.Duration) {
	k.expire(now)
	if k.scan.Ground() && !k.paste && k.x10 == 0 {
		return true, 0
	}
	wait = inputTime
	if k.esc && !k.paste || k.x10 > 0 {
		wait = escTime
	}
	return false, max(wait-now.Sub(k.last), 0) + time.Millisecond
}

func (k *keys) typed() acts {
	if k.paste {
		return 1 << InputPaste
	}
	return 1 << InputKey
}

// x10Bytes takes the three bytes after CSI M; the first has the button.
func (k *keys) x10Bytes(raw []byte) (a acts) {
	if k.x10 == 3 {
		a = mouse(int(raw[0]) - 32)
	}
	n := min(k.x10, len(raw))
	k.x10 -= n
	if n < len(raw) {
		a |= k.typed()
	}
	return a
}

// mouse judges a mouse event by xterm's button code: 32 is the motion bit.
func mouse(code int) acts {
	if code&32 != 0 {
		return 0
	}
	return 1 << InputMouse
}

func (k *keys) csi(body []byte, focusOn bool, focus func(in bool)) acts {
	c, ok := seq.ParseCSI(body)
	if !ok {
		return 0
	}
	switch c.Final {
	case '~':
		switch c.Arg(0) {
		case 200:
			k.paste = true
			return 1 << InputPaste
		case 201:
			k.paste = false
			return 1 << InputPaste
		}
	case 'I', 'O':
		if c.Len() == 0 && c.Prefix == 0 {
			if focusOn {
				focus(c.Final == 'I')
			}
			return 0
		}
	case 'M', 'm':
		switch {
		case c.Prefix == '<': // SGR, 1006 and 1016
			return mouse(c.Arg(0))
		case c.Len() >= 3: // urxvt, 1015
			return mouse(c.Arg(0) - 32)
		case c.Len() == 0 && c.Final == 'M':
			k.x10 = 3
			return 0
		}
	case 'R': // a cursor position; modified F3 in xterm looks the same
		if c.Prefix == '?' || c.Len() >= 2 {
			return 0
		}
	case 'c', 'n', 't', 'x', 'y':
		return 0
	case 'S', 'u':
		if c.Prefix == '?' { // graphics attributes, keyboard flags
			return 0
		}
	}
	return k.typed()
}
