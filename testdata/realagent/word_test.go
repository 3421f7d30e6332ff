package realagent

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fwrap/testdata/ptyrun"
)

// said is a line of fwrap's log.
type said struct {
	at     time.Time
	msg    string
	fields map[string]string
}

// token is a state with its kind, as the tables here write it.
func (s said) token() string {
	if k := s.fields["kind"]; k != "" {
		return s.fields["state"] + "/" + k
	}
	return s.fields["state"]
}

// journal reads the log that fwrap writes while it runs.
type journal struct{ file string }

func newJournal(t testing.TB) (*journal, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fwrap.log")
	t.Cleanup(func() {
		if t.Failed() {
			b, _ := os.ReadFile(file)
			t.Logf("fwrap's log:\n%s", b)
		}
	})
	return &journal{file}, "FWRAP_LOG=" + file
}

// lines returns the log's lines with the message, or all.
func (j *journal) lines(msg string) []said {
	f, err := os.Open(j.file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []said
	for in := bufio.NewScanner(f); in.Scan(); {
		s := said{fields: map[string]string{}}
		for _, kv := range words(in.Text()) {
			k, v, ok := strings.Cut(kv, "=")
			switch {
			case !ok:
			case k == "time":
				s.at, _ = time.Parse(time.RFC3339Nano, v)
			case k == "msg":
				s.msg = v
			default:
				s.fields[k] = v
			}
		}
		if msg == "" || s.msg == msg {
			list = append(list, s)
		}
	}
	return list
}

// words splits a line at its blanks and takes the quotes off.
func words(line string) (list []string) {
	var w strings.Builder
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted && i+1 < len(line):
			i++
			w.WriteByte(line[i])
		case c == '"':
			quoted = !quoted
		case c == ' ' && !quoted:
			list = append(list, w.String())
			w.Reset()
		default:
			w.WriteByte(c)
		}
	}
	return append(list, w.String())
}

// states returns the states since a line of the log, which counts from 0.
func (j *journal) states(from int) (list []string) {
	all := j.lines("state")
	for _, s := range all[min(from, len(all)):] {
		if n := len(list); n == 0 || list[n-1] != s.token() {
			list = append(list, s.token())
		}
	}
	return list
}

// now returns the last state.
func (j *journal) now() string {
	all := j.lines("state")
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].token()
}

// wait waits until the log says so.
func (j *journal) wait(t testing.TB, p *ptyrun.Program, what string, limit time.Duration, cond func() bool) bool {
	t.Helper()
	end := time.Now().Add(limit)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		if time.Now().After(end) {
			t.Errorf("no %s within %v, but %s\n%s", what, limit, j.now(), p.Describe())
			return false
		}
		<-tick.C
	}
	return true
}
