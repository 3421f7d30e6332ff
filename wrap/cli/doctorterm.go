package cli

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"

	"fwrap/detect/report"
	"fwrap/wrap"
	"fwrap/wrap/seq"
)

// terminalDeadline is how long the terminal may take to answer: over a slow line
// it is far away.
const terminalDeadline = 1500 * time.Millisecond

// terminalQueries ask for the name and version (XTVERSION), whether focus is
// reported (DECRQM of mode 1004) and whether OSC 7501 is read. The primary device
// attributes come last: every terminal answers those, so that what has not been
// answered by then will not be.
const terminalQueries = "\x1b[>q" + "\x1b[?1004$p" + "\x1b]7501;?\x1b\\" + "\x1b[c"

// terminalAnswer is what a terminal says of itself.
type terminalAnswer struct {
	Answers       bool   `json:"answers"`        // to anything at all
	Version       string `json:"version"`        // its answer to XTVERSION; empty: none
	Focus         string `json:"focus"`          // yes, no or unknown: not all that report it say so
	ProgramStatus string `json:"program_status"` // yes, no or unknown
}

// askTerminal asks the terminal what it is.
func askTerminal(in, out *os.File) (terminalAnswer, error) {
	got, err := wrap.Ask(in, out, []byte(terminalQueries), terminalDeadline, func(got []byte) bool {
		return readAnswers(got).Answers
	})
	return readAnswers(got), err
}

// readAnswers reads a terminal's answers. They are complete when it has Answers.
func readAnswers(got []byte) terminalAnswer {
	a := terminalAnswer{Focus: "unknown", ProgramStatus: "unknown"}
	var s seq.Scanner
	for len(got) > 0 {
		tok, n := s.Next(got)
		got = got[n:]
		if !tok.End || tok.Aborted || tok.Overflow {
			continue
		}
		switch tok.Kind {
		case seq.DCS:
			if v, ok := bytes.CutPrefix(tok.Body, []byte(">|")); ok {
				a.Version = visible(string(v[:min(len(v), 100)]))
			}
		case seq.OSC:
			if num, data, ok := seq.OSCNumber(tok.Body); ok && num == report.ProgramOSC && report.IsQuery(data) {
				a.ProgramStatus = "yes"
			}
		case seq.CSI:
			body := string(tok.Body)
			if v, ok := strings.CutPrefix(body, "?1004;"); ok {
				if v, ok := strings.CutSuffix(v, "$y"); ok {
					// 0: not known; 1, 2: set, reset; 3, 4: for good.
					n, _ := strconv.Atoi(v)
					a.Focus = "no"
					if n >= 1 && n <= 3 {
						a.Focus = "yes"
					}
				}
			}
			if strings.HasPrefix(body, "?") && strings.HasSuffix(body, "c") {
				a.Answers = true
				if a.ProgramStatus == "unknown" {
					a.ProgramStatus = "no"
				}
			}
		}
	}
	return a
}
