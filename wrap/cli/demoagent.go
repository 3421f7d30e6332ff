package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// demoAgentName is the argv[0] under which this program is the demo's agent.
const demoAgentName = "fwrap-demo-agent"

// demoAgent is a pretend agent for people who have none installed. It draws the
// screens of Claude Code 2.1 in their plainest form, so that the built-in rules
// for it are what decides.
type demoAgent struct {
	out  io.Writer
	keys <-chan byte // closed at the end of input
	work time.Duration
}

const (
	demoRule = "────────────────────────────────────────────────────────────"
	demoBox  = demoRule + "\r\n❯ \r\n" + demoRule + "\r\n"
)

// run plays one turn: work, ask, work, finish. It returns the exit status.
func (d *demoAgent) run() int {
	d.print("\x1b[?25l\x1b[2J\x1b[H")
	d.print("\r\n  fwrap demo: a pretend agent. No model, no network, nothing is run.\r\n")
	d.print("  Look at another window now: you will be told when it needs you.\r\n\r\n")
	d.print("❯ deploy the website\r\n\r\n")
	defer d.print("\x1b[?25h\r\n")

	if !d.spin("Checking the site", d.work) {
		return 130
	}
	answer, ok := d.ask()
	if !ok {
		return 130
	}
	if answer == 1 {
		d.print("● Bash(make deploy)\r\n  ⎿  deployed 3 files\r\n\r\n")
		if !d.spin("Writing it up", d.work) {
			return 130
		}
		d.print("● The website is live.\r\n\r\n")
	} else {
		d.print("● Nothing was deployed.\r\n\r\n")
	}
	d.print("✻ Worked for a while\r\n\r\n" + demoBox + "  ? for shortcuts\r\n")
	d.print("\r\n  That is all. Press any key to leave the demo.\x1b[3A\r\x1b[2C")
	<-d.keys
	d.print("\x1b[4B\r")
	return 0
}

func (d *demoAgent) print(s string) { io.WriteString(d.out, s) }

// spin draws a spinner above the input box for a while. It returns false if the
// person pressed Ctrl-C or the input ended.
func (d *demoAgent) spin(what string, long time.Duration) bool {
	frames := []string{"·", "✢", "✳", "✶", "✻", "✽"}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(long)
	defer end.Stop()
	start := time.Now()
	for i := 0; ; i++ {
		d.print(fmt.Sprintf("%s %s… (%ds)\r\n\r\n%s  esc to interrupt\x1b[5A\r",
			frames[i%len(frames)], what, int(time.Since(start).Seconds()), demoBox))
		select {
		case <-tick.C:
		case <-end.C:
			d.print("\x1b[J")
			return true
		case k, ok := <-d.keys:
			if !ok || k == 3 {
				d.print("\x1b[J")
				return false
			}
		}
	}
}

// ask draws a permission dialog and returns the number of the person's choice.
func (d *demoAgent) ask() (answer int, ok bool) {
	answer = 1
	esc := time.NewTimer(time.Hour)
	defer esc.Stop()
	var seq []byte // an escape sequence that has begun
	for {
		mark := func(n int) string {
			if n == answer {
				return "❯"
			}
			return " "
		}
		lines := []string{
			demoRule, " Bash command", "", "   make deploy", "   Publish the website", "",
			" Do you want to proceed?",
			" " + mark(1) + " 1. Yes", " " + mark(2) + " 2. No", "",
			" Esc to cancel · Tab to amend",
		}
		d.print(strings.Join(lines, "\r\n") + fmt.Sprintf("\x1b[%dA\r", len(lines)-1))
		var k byte
		select {
		case k, ok = <-d.keys:
		case <-esc.C: // Esc alone
			k, ok = 0x1b, true
			seq = nil
			answer = 2
			d.print("\x1b[J")
			return answer, true
		}
		switch {
		case !ok || k == 3:
			d.print("\x1b[J")
			return 0, false
		case k == 0x1b:
			seq = []byte{k}
			esc.Reset(50 * time.Millisecond)
			continue
		case len(seq) > 0:
			esc.Stop()
			seq = append(seq, k)
			if k == '[' || k == 'O' {
				esc.Reset(50 * time.Millisecond)
				continue
			}
			switch k {
			case 'A':
				answer = 1
			case 'B':
				answer = 2
			}
			seq = nil
		case k == '1' || k == 'y':
			d.print("\x1b[J")
			return 1, true
		case k == '2' || k == 'n':
			d.print("\x1b[J")
			return 2, true
		case k == '\r' || k == '\n':
			d.print("\x1b[J")
			return answer, true
		}
	}
}

// readKeys sends in's bytes, one by one, until it ends.
func readKeys(in io.Reader) <-chan byte {
	ch := make(chan byte)
	go func() { // ends with the input; the process does not outlive it
		defer close(ch)
		b := make([]byte, 1)
		for {
			n, err := in.Read(b)
			if n > 0 {
				ch <- b[0]
			}
			if err != nil {
				return
			}
		}
	}()
	return ch
}
