package wrap

import (
	"strconv"
	"sync/atomic"

	"fwrap/wrap/seq"
)

// ledger knows which terminal modes the command has changed and not changed
// back, so that exactly those can be reset when it was killed. A blind reset of
// everything would undo what the person's shell had set.
type ledger struct {
	on    modes
	attrs uint16       // SGR attributes in force
	kitty [2]kittyKeys // of the main and the alternate screen, which each have their own stack
	focus atomic.Bool  // modeFocus, for the goroutine that reads the input
}

// modes is a set of modes that are not in their default state.
type modes uint64

const (
	modeSync        modes = 1 << iota // ?2026
	modeMouseX10                      // ?9
	modeMouse                         // ?1000
	modeMouseHilite                   // ?1001
	modeMouseDrag                     // ?1002
	modeMouseAll                      // ?1003
	modeMouseUTF8                     // ?1005
	modeMouseSGR                      // ?1006
	modeMouseURXVT                    // ?1015
	modeMousePixels                   // ?1016
	modeFocus                         // ?1004
	modePaste                         // ?2004
	modeTheme                         // ?2031: reports of a changed colour scheme
	modeResize                        // ?2048: reports of a changed size
	modeCursorKeys                    // ?1
	modeReverse                       // ?5
	modeOrigin                        // ?6
	modeNoWrap                        // ?7 off
	modeNoCursor                      // ?25 off
	modeSideMargins                   // ?69
	modeAlt47                         // ?47
	modeAlt1047                       // ?1047
	modeAlt1049                       // ?1049
	modeInsert                        // 4, IRM
	modeNewLine                       // 20, LNM
	modeKeypad                        // ESC =
	modeOtherKeys                     // CSI > 4 ; n m: modifyOtherKeys
	modeCursorStyle                   // CSI n SP q
	modeMargins                       // CSI t ; b r
	modeCharset                       // ESC ( other than B
	modeShiftOut                      // SO
	modeProgress                      // OSC 9;4
	modeLink                          // OSC 8
	modeForeColor                     // OSC 10
	modeBackColor                     // OSC 11
	modeCursorColor                   // OSC 12
	modesAlt        = modeAlt47 | modeAlt1047 | modeAlt1049
	modesSoft       = modeCursorKeys | modeOrigin | modeNoWrap | modeNoCursor | modeInsert | modeKeypad | modeMargins | modeCharset | modeShiftOut
)

// resets is what undoes each mode, in the order in which that must happen:
// first the updates that the terminal holds back, so that all else is seen;
// keys, mouse and paste before the alternate screen is left, because some
// terminals keep them per screen (copilot-cli issue 3876: foot was left unable
// to scroll); the cursor last, where it will stay.
var resets = []struct {
	mode modes
	seq  string
}{
	{modeSync, "\x1b[?2026l"},
	{modeOtherKeys, "\x1b[>4m"},
	{modeMousePixels, "\x1b[?1016l"},
	{modeMouseURXVT, "\x1b[?1015l"},
	{modeMouseSGR, "\x1b[?1006l"},
	{modeMouseUTF8, "\x1b[?1005l"},
	{modeMouseAll, "\x1b[?1003l"},
	{modeMouseDrag, "\x1b[?1002l"},
	{modeMouseHilite, "\x1b[?1001l"},
	{modeMouse, "\x1b[?1000l"},
	{modeMouseX10, "\x1b[?9l"},
	{modePaste, "\x1b[?2004l"},
	{modeFocus, "\x1b[?1004l"},
	{modeTheme, "\x1b[?2031l"},
	{modeResize, "\x1b[?2048l"},
	{modeCursorKeys, "\x1b[?1l"},
	{modeKeypad, "\x1b>"},
	{modeLink, "\x1b]8;;\x1b\\"},
	{modeShiftOut, "\x0f"},
	{modeCharset, "\x1b(B"},
	{modeInsert, "\x1b[4l"},
	{modeNewLine, "\x1b[20l"},
	{modeReverse, "\x1b[?5l"},
	{modeNoWrap, "\x1b[?7h"},
	// These three move the cursor.
	{modeSideMargins, "\x1b7\x1b[?69l\x1b8"},
	{modeMargins, "\x1b7\x1b[r\x1b8"},
	{modeOrigin, "\x1b7\x1b[?6l\x1b8"},
	{modeAlt1047, "\x1b[?1047l"},
	{modeAlt47, "\x1b[?47l"},
	{modeAlt1049, "\x1b[?1049l"},
	{modeProgress, "\x1b]9;4;0\x1b\\"},
	{modeForeColor, "\x1b]110\x1b\\"},
	{modeBackColor, "\x1b]111\x1b\\"},
	{modeCursorColor, "\x1b]112\x1b\\"},
	{modeCursorStyle, "\x1b[0 q"},
	{modeNoCursor, "\x1b[?25h"},
}

// kittyKeys is the keyboard protocol's state on one screen, see
// https://sw.kovidgoyal.net/kitty/keyboard-protocol/.
type kittyKeys struct {
	depth int  // pushed and not popped
	set   bool // flags set below the first push
}

// maxKitty bounds the depth: terminals throw the oldest entries away.
const maxKitty = 32

func (l *ledger) has(m modes) bool { return l.on&m != 0 }

func (l *ledger) set(m modes, on bool) {
	if on {
		l.on |= m
	} else {
		l.on &^= m
	}
	if m == modeFocus {
		l.focus.Store(on)
	}
}

// screen is the index of the screen in use.
func (l *ledger) screen() int {
	if l.has(modesAlt) {
		return 1
	}
	return 0
}

// note takes a token of the command's output.
func (l *ledger) note(tok *seq.Token) {
	if !tok.End || tok.Aborted || tok.Overflow {
		return
	}
	switch tok.Kind {
	case seq.CSI:
		l.csi(tok.Body)
	case seq.Esc:
		l.esc(tok.Body)
	case seq.OSC:
		l.osc(tok.Body)
	case seq.C0:
		switch tok.Raw[0] {
		case 0x0e:
			l.set(modeShiftOut, true)
		case 0x0f:
			l.set(modeShiftOut, false)
		}
	}
}

func (l *ledger) esc(body []byte) {
	switch string(body) {
	case "c": // RIS
		l.on, l.attrs, l.kitty = 0, 0, [2]kittyKeys{}
		l.focus.Store(false)
	case "=":
		l.set(modeKeypad, true)
	case ">":
		l.set(modeKeypad, false)
	default:
		if len(body) == 2 && body[0] == '(' {
			l.set(modeCharset, body[1] != 'B')
		}
	}
}

func (l *ledger) csi(body []byte) {
	switch body[len(body)-1] {
	case 'h', 'l', 'u', 'q', 'r', 'p', 'n':
	case 'm':
		if b := body[0]; b < '<' || b > '?' {
			l.sgr(body[:len(body)-1])
			return
		}
	default:
		return
	}
	c, ok := seq.ParseCSI(body)
	if !ok {
		return
	}
	inter := byte(0)
	if len(c.Inter) == 1 {
		inter = c.Inter[0]
	} else if len(c.Inter) > 1 {
		return
	}
	switch [3]byte{c.Prefix, inter, c.Final} {
	case [3]byte{'?', 0, 'h'}, [3]byte{'?', 0, 'l'}:
		for i := range c.Len() {
			l.dec(c.Arg(i), c.Final == 'h')
		}
	case [3]byte{0, 0, 'h'}, [3]byte{0, 0, 'l'}:
		for i := range c.Len() {
			switch c.Arg(i) {
			case 4:
				l.set(modeInsert, c.Final == 'h')
			case 20:
				l.set(modeNewLine, c.Final == 'h')
			}
		}
	case [3]byte{'>', 0, 'm'}:
		if c.Len() == 0 || c.Arg(0) == 4 {
			l.set(modeOtherKeys, c.Arg(1) > 0)
		}
	case [3]byte{'>', 0, 'n'}:
		if c.Arg(0) == 4 {
			l.set(modeOtherKeys, false)
		}
	case [3]byte{0, ' ', 'q'}:
		l.set(modeCursorStyle, c.Arg(0) > 0)
	case [3]byte{0, 0, 'r'}:
		l.set(modeMargins, c.Arg(0) > 1 || c.Arg(1) > 0)
	case [3]byte{0, '!', 'p'}: // DECSTR
		l.set(modesSoft, false)
		l.attrs = 0
	case [3]byte{'>', 0, 'u'}:
		k := &l.kitty[l.screen()]
		k.depth = min(k.depth+1, maxKitty)
	case [3]byte{'<', 0, 'u'}:
		k := &l.kitty[l.screen()]
		if k.depth -= max(c.Arg(0), 1); k.depth < 0 {
			*k = kittyKeys{} // popping more than there is resets the flags
		}
	case [3]byte{'=', 0, 'u'}:
		// With mode 3 (clear bits) some bits may stay.
		if k := &l.kitty[l.screen()]; k.depth == 0 && c.Arg(1) != 3 {
			k.set = c.Arg(0) > 0 || c.Arg(1) == 2 && k.set
		}
	}
}

func (l *ledger) dec(num int, on bool) {
	switch num {
	case 1:
		l.set(modeCursorKeys, on)
	case 5:
		l.set(modeReverse, on)
	case 6:
		l.set(modeOrigin, on)
	case 7:
		l.set(modeNoWrap, !on)
	case 9:
		l.set(modeMouseX10, on)
	case 25:
		l.set(modeNoCursor, !on)
	case 47:
		l.alt(modeAlt47, on)
	case 69:
		l.set(modeSideMargins, on)
	case 1000:
		l.set(modeMouse, on)
	case 1001:
		l.set(modeMouseHilite, on)
	case 1002:
		l.set(modeMouseDrag, on)
	case 1003:
		l.set(modeMouseAll, on)
	case 1004:
		l.set(modeFocus, on)
	case 1005:
		l.set(modeMouseUTF8, on)
	case 1006:
		l.set(modeMouseSGR, on)
	case 1015:
		l.set(modeMouseURXVT, on)
	case 1016:
		l.set(modeMousePixels, on)
	case 1047:
		l.alt(modeAlt1047, on)
	case 1049:
		l.alt(modeAlt1049, on)
	case 2004:
		l.set(modePaste, on)
	case 2026:
		l.set(modeSync, on)
	case 2031:
		l.set(modeTheme, on)
	case 2048:
		l.set(modeResize, on)
	}
}

// alt notes a switch between the screens. There is one alternate screen; each
// of the three modes leaves it, however it was entered.
func (l *ledger) alt(m modes, on bool) {
	if on {
		l.set(m, true)
	} else {
		l.set(modesAlt, false)
	}
}

// SGR attributes, for the parameters that turn them on and off.
const (
	attrFore = 1 << 10
	attrBack = 1 << 11
	attrOver = 1 << 12
	attrLine = 1 << 13
)

// sgr follows the attributes. A program's own "off" counts as well as a plain
// reset, so that one which cleans up after itself is left alone.
func (l *ledger) sgr(p []byte) {
	n, colon := 0, false
	skip := 0 // arguments of 38, 48 and 58 still to come; -1: their first
	for i := 0; i <= len(p); i++ {
		if i < len(p) && p[i] != ';' {
			switch b := p[i]; {
			case b == ':':
				colon = true
			case b >= '0' && b <= '9' && !colon:
				n = min(n*10+int(b-'0'), 9999)
			}
			continue
		}
		switch {
		case skip > 0:
			skip--
		case skip < 0:
			skip = map5or2(n)
		default:
			if l.attr(n); !colon && (n == 38 || n == 48 || n == 58) {
				skip = -1
			}
		}
		if n == 4 && colon && i > 2 && p[i-1] == '0' && p[i-2] == ':' { // 4:0, no underline
			l.attrs &^= 1 << 4
		}
		n, colon = 0, false
	}
}

// map5or2 returns how many arguments follow 38;5 or 38;2.
func map5or2(n int) int {
	switch n {
	case 5:
		return 1
	case 2:
		return 3
	}
	return 0
}

func (l *ledger) attr(n int) {
	switch {
	case n == 0:
		l.attrs = 0
	case n == 2:
		l.attrs |= 1 << 1 // bold and faint have one "off"
	case n == 6:
		l.attrs |= 1 << 5
	case n <= 9:
		l.attrs |= 1 << n
	case n == 21:
		l.attrs |= 1 << 4
	case n == 22:
		l.attrs &^= 1 << 1
	case n >= 23 && n <= 29:
		l.attrs &^= 1 << (n - 20)
	case n >= 30 && n <= 38, n >= 90 && n <= 97:
		l.attrs |= attrFore
	case n == 39:
		l.attrs &^= attrFore
	case n >= 40 && n <= 48, n >= 100 && n <= 107:
		l.attrs |= attrBack
	case n == 49:
		l.attrs &^= attrBack
	case n == 53:
		l.attrs |= attrOver
	case n == 55:
		l.attrs &^= attrOver
	case n == 58:
		l.attrs |= attrLine
	case n == 59:
		l.attrs &^= attrLine
	}
}

func (l *ledger) osc(body []byte) {
	num, data, ok := seq.OSCNumber(body)
	if !ok {
		return
	}
	switch num {
	case 8:
		i := 0
		for i < len(data) && data[i] != ';' {
			i++
		}
		l.set(modeLink, i+1 < len(data))
	case 9:
		if len(data) >= 3 && data[0] == '4' && data[1] == ';' {
			l.set(modeProgress, data[2] >= '1' && data[2] <= '4')
		}
	case 10, 11, 12:
		if len(data) > 0 && data[0] != '?' {
			l.set(modeForeColor<<(num-10), true)
		}
	case 110, 111, 112:
		l.set(modeForeColor<<(num-110), false)
	}
}

// reset returns what undoes all that is not undone, and forgets it. It is empty
// if there is nothing.
func (l *ledger) reset() []byte {
	var b []byte
	done := false
	leave := func() { // the screen in use
		b = l.kitty[l.screen()].appendReset(b)
		l.kitty[l.screen()] = kittyKeys{}
	}
	for _, r := range resets {
		if r.mode == modeOtherKeys {
			leave()
		}
		if r.mode == modeReverse && l.attrs != 0 {
			b = append(b, "\x1b[m"...)
		}
		if !l.has(r.mode) {
			continue
		}
		b = append(b, r.seq...)
		if r.mode&modesAlt != 0 && !done {
			done = true
			l.set(modesAlt, false)
			leave()
		}
		l.set(r.mode, false)
	}
	l.attrs = 0
	return b
}

func (k kittyKeys) appendReset(b []byte) []byte {
	if k.depth > 0 {
		b = append(b, "\x1b[<"...)
		b = strconv.AppendInt(b, int64(k.depth), 10)
		b = append(b, 'u')
	}
	if k.set {
		b = append(b, "\x1b[=0;1u"...)
	}
	return b
}
