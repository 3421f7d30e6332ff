package screen

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fwrap/detect"
	"fwrap/wrap/seq"
)

// maxTitle is the longest title that is kept, in bytes.
const maxTitle = 1024

// osc takes the title (OSC 0 and 2) and the progress (OSC 9;4) and leaves all
// else alone.
func (s *Screen) osc(body []byte) {
	num, data, ok := seq.OSCNumber(body)
	if !ok {
		return
	}
	switch num {
	case 0, 2:
		if data != nil {
			s.title = cleanTitle(s.title, data)
		}
	case 9:
		if rest, ok := bytes.CutPrefix(data, []byte("4;")); ok {
			s.setProgress(string(rest))
		}
	}
}

// cleanTitle returns the title in data without control characters and broken
// UTF-8, cut to maxTitle, and without the blanks at its end, with which Gemini
// and Qwen fill theirs to 80 characters. If that is old, it is old and nothing is allocated:
// an agent with a spinner sets its title many times a second.
func cleanTitle(old string, data []byte) string {
	data = bytes.TrimRight(data, " ")
	if string(data) == old {
		return old
	}
	var b strings.Builder
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if b.Len()+n > maxTitle {
			break
		}
		data = data[n:]
		if (r == utf8.RuneError && n == 1) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			continue
		}
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), " ")
}

// setProgress takes "state" or "state;percent" (ConEmu, Windows Terminal). An
// error or a pause without a percentage stays where the progress was.
func (s *Screen) setProgress(arg string) {
	st, pct, hasPct := strings.Cut(arg, ";")
	state, err := strconv.ParseUint(st, 10, 8)
	if err != nil || state > 4 {
		return
	}
	p := detect.Progress{State: int(state)}
	switch p.State {
	case 1, 2, 4:
		if v, err := strconv.ParseUint(pct, 10, 31); err == nil {
			p.Percent = int(min(v, 100))
		} else if hasPct && pct != "" {
			return
		} else if p.State != 1 {
			p.Percent = s.progress.Percent
		}
	}
	s.progress = p
}

// titleStack is xterm's, of which programs push the title at their start and
// pop it at their end.
type titleStack struct {
	titles [10]string
	n      int
}

func (t *titleStack) push(title string) {
	if t.n == len(t.titles) {
		copy(t.titles[:], t.titles[1:])
		t.n--
	}
	t.titles[t.n] = title
	t.n++
}

func (t *titleStack) pop() (string, bool) {
	if t.n == 0 {
		return "", false
	}
	t.n--
	title := t.titles[t.n]
	t.titles[t.n] = ""
	return title, true
}

// titleOp executes CSI 22 t and CSI 23 t for the window's title; 22;1 and 23;1
// are about the icon's.
func (s *Screen) titleOp(c *seq.Params) {
	if c.Arg(1) == 1 {
		return
	}
	switch c.Arg(0) {
	case 22:
		s.titles.push(s.title)
	case 23:
		if title, ok := s.titles.pop(); ok {
			s.title = title
		}
	}
}
