package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"fwrap/notify"
	"fwrap/notify/desktop"
	"fwrap/notify/term"
)

// print writes the findings for a person, what is wrong last, where it is seen.
func (c *checkup) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(cells ...string) {
		for i, s := range cells {
			cells[i] = visible(s)
		}
		fmt.Fprintln(w, "  "+strings.Join(cells, "\t"))
	}
	head := func(s string) {
		w.Flush()
		fmt.Fprintf(out, "%s\n", s)
	}

	head("Terminal")
	t := c.Terminal
	line("TERM", or(t.Term, "not set"))
	if t.Program != "" {
		line("program", t.Program)
	}
	if t.Mux != "" {
		line("inside", t.Mux)
	}
	if t.SSH {
		line("reached by", "ssh")
	}
	if t.Unasked != "" {
		line("asked", "no: "+t.Unasked)
	} else {
		line("answers as", or(t.Version, "no name"))
		line("reports focus", t.Focus)
		line("reads OSC 7501", t.ProgramStatus)
	}
	if m := c.Tmux; m != nil && m.Error == "" {
		line("tmux", m.Version+", allow-passthrough "+or(m.Passthrough, "does not exist yet"))
		line("outside of it", or(strings.TrimSpace(m.Term+" "+m.Type), "nobody is attached"))
	}

	head("Notifications")
	ranks := []string{"", "chosen", "if that fails"}
	for _, ch := range c.Channels {
		usable := "yes"
		if !ch.Usable {
			usable = "no"
		}
		line(ch.Channel, usable, ranks[ch.Rank], ch.Why)
	}

	head("Agents in PATH")
	for _, a := range c.Agents {
		version := or(a.Version, "version not known")
		if !a.Checked {
			version += " (rules not checked with it)"
		}
		line(a.Agent, version, strings.Join(a.Reports, ", "), a.Path)
	}
	if len(c.Agents) == 0 {
		line("none")
	}

	file := c.Config.File
	if !c.Config.Exists {
		file += " (does not exist; that is fine)"
	}
	head("Configuration: " + file)
	for _, v := range c.Config.Values {
		line(v.Key, v.Value, v.Origin)
	}

	head("Rules")
	for _, m := range c.Rules {
		line(m.Agent, m.Version, fmt.Sprintf("%d rules", m.Rules), or(strings.Join(m.Checked, " "), "unverified"), m.From)
	}

	head("Sessions")
	if c.Sessions.Error != "" {
		line("error", c.Sessions.Error)
	} else {
		line(c.Sessions.Dir, fmt.Sprintf("%d running", c.Sessions.Live))
	}
	w.Flush()

	for _, n := range c.Notes {
		fmt.Fprintf(out, "\nNote: %s.\n", visible(n.What))
		if n.Hint != "" {
			fmt.Fprintf(out, "  %s\n", visible(n.Hint))
		}
	}
	for _, p := range c.Problems {
		fmt.Fprintf(out, "\nWrong: %s.\n", visible(p.What))
		if p.Hint != "" {
			fmt.Fprintf(out, "  %s\n", visible(p.Hint))
		}
	}
	if c.OK {
		fmt.Fprintf(out, "\nNothing is wrong.\n")
	}
}

func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}

// sendTests sends a notification on each channel and asks whether it was seen.
// It returns false if none was.
func (a *app) sendTests(ways []term.Route, delay time.Duration) bool {
	in := bufio.NewReader(a.stdin)
	seen := 0
	fmt.Fprintf(a.stdout, "\nA test notification on each channel. Look at another window while you wait.\n")
	for i, way := range ways {
		action := notify.Action{Op: notify.Show, Event: notify.Finished, ID: i + 1, Turn: 7 * time.Second}
		s := notify.Session{Agent: "fwrap doctor", Project: "test of " + way.Channel.String()}
		fmt.Fprintf(a.stdout, "%-8s in %v … ", way.Channel, delay)
		time.Sleep(delay)
		var up desktop.Handle
		if way.Channel == term.Desktop {
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
			r := desktop.Send(ctx, desktop.Host{Environ: a.environ}, notify.Compose(s, action, notify.Full, desktop.Limits), "fwrap-doctor", up)
			cancel()
			if r.Outcome != desktop.Shown {
				fmt.Fprintf(a.stdout, "%v: %v\n", r.Outcome, r.Err)
				continue
			}
			up = r.Handle
		} else if _, err := a.stdout.Write(way.Notify("fwrap-doctor", notify.Compose(s, action, notify.Full, way.Channel.Limits()))); err != nil {
			fmt.Fprintf(a.stdout, "%v\n", err)
			continue
		}
		yes, err := askYes(a.stdout, in, "did you see or hear it? [y/n] ")
		if up.ID != 0 {
			desktop.Withdraw(context.Background(), desktop.Host{Environ: a.environ}, up)
		}
		a.stdout.Write(way.Close("fwrap-doctor"))
		if err != nil {
			fmt.Fprintln(a.stdout)
			return seen > 0
		}
		if yes {
			seen++
			if seen == 1 {
				fmt.Fprintf(a.stdout, "         to use it always: channel = %q in [notify]\n", way.Channel)
			}
		}
	}
	return seen > 0
}

// askYes asks until the answer is yes or no; the error is the end of the input.
func askYes(out io.Writer, in *bufio.Reader, question string) (bool, error) {
	for {
		fmt.Fprint(out, question)
		line, err := in.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}
