package term

import (
	"bytes"
	"strings"
)

// Mux is the terminal multiplexer between fwrap and the person's terminal.
type Mux uint8

const (
	Direct Mux = iota // none
	Tmux
	Screen
)

// screenChunk is the longest payload of one DCS for GNU screen, whose string
// buffer holds 768 bytes (MAXSTR in its sources).
const screenChunk = 512

// Wrap returns seq as it must be written to get through m to the terminal
// outside. BEL alone is not wrapped: a multiplexer hears it itself.
//
// tmux passes what is in ESC P tmux; … ST with every ESC doubled, if its
// allow-passthrough is on (off by default since 3.3). screen passes ESC P … ST
// as it is; an ESC \ inside would end it, so the string is split there.
func Wrap(m Mux, seq []byte) []byte {
	if len(seq) == 0 || string(seq) == bel {
		return seq
	}
	switch m {
	case Tmux:
		doubled := bytes.ReplaceAll(seq, []byte(esc), []byte(esc+esc))
		return []byte(esc + "Ptmux;" + string(doubled) + st)
	case Screen:
		var b strings.Builder
		for part := range screenParts(string(seq)) {
			b.WriteString(esc + "P" + part + st)
		}
		return []byte(b.String())
	}
	return seq
}

// screenParts cuts s into pieces that screen's parser takes as payload: short,
// and with the ESC and the backslash of an inner ST in different ones.
func screenParts(s string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for s != "" {
			n := min(len(s), screenChunk)
			if i := strings.Index(s[:n], st); i >= 0 {
				n = i + 1
			} else if n < len(s) && s[n-1] == esc[0] && s[n] != '\\' && n > 1 {
				n--
			}
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
	}
}
