package cli

import (
	"fmt"
	"io"
	"strings"
)

// Exit statuses of fwrap itself. A wrapped command's own status passes
// unchanged; 125 to 127 are those of env, nice and timeout.
const (
	exitOK       = 0
	exitNegative = 1   // a verb: failed, or the answer is no
	exitUsage    = 2   // a verb or flag was used wrongly
	exitOwn      = 125 // fwrap failed before or around the command
	exitNoRun    = 126 // found but not runnable
	exitNotFound = 127
)

// printer writes fwrap's messages. While a command runs nothing is printed.
type printer struct{ w io.Writer }

// errorf writes one line "fwrap: error: …".
func (p printer) errorf(format string, args ...any) {
	p.line("error", fmt.Sprintf(format, args...))
}

// hint writes one line "fwrap: hint: …" that names the exact flag, file or command.
func (p printer) hint(format string, args ...any) {
	p.line("hint", fmt.Sprintf(format, args...))
}

// line writes a message, its further lines indented. What comes from files and
// arguments may hold control characters: they are shown, not sent.
func (p printer) line(what, msg string) {
	var sb strings.Builder
	for i, l := range strings.Split(strings.TrimRight(msg, "\n"), "\n") {
		if i == 0 {
			sb.WriteString("fwrap: " + what + ": ")
		} else {
			sb.WriteString("  ")
		}
		sb.WriteString(visible(l))
		sb.WriteByte('\n')
	}
	io.WriteString(p.w, sb.String())
}

// visible replaces control characters by their escaped form.
func visible(s string) string {
	var sb strings.Builder
	for _, r := range s {
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 {
			fmt.Fprintf(&sb, "\\x%02x", r)
			continue
		}
		sb.WriteRune(r)
	}
	return sb.String()
}
