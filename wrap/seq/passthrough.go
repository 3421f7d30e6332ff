package seq

import "bytes"

// tmuxMark begins a DCS that tmux passes on to the terminal outside.
const tmuxMark = "tmux;"

// TmuxPassthrough returns what the Body of a DCS token has for the terminal
// outside of tmux: what follows "tmux;", with every doubled ESC made single. It
// is not ok for any other DCS.
func TmuxPassthrough(body []byte) (inner []byte, ok bool) {
	rest, ok := bytes.CutPrefix(body, []byte(tmuxMark))
	if !ok {
		return nil, false
	}
	return bytes.ReplaceAll(rest, []byte{esc, esc}, []byte{esc}), true
}

// TmuxOSC is TmuxPassthrough for a DCS that passes one OSC and nothing else. It
// returns the body of that.
func TmuxOSC(body []byte) (osc []byte, ok bool) {
	inner, ok := TmuxPassthrough(body)
	if !ok || len(inner) < 3 || inner[0] != esc || inner[1] != ']' {
		return nil, false
	}
	var s Scanner
	tok, n := s.Next(inner)
	if n != len(inner) || tok.Kind != OSC || !tok.End || tok.Aborted || tok.Overflow {
		return nil, false
	}
	return tok.Body, true
}
