package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fwrap/notify/command"
	"fwrap/testdata/ptyrun"
)

// TestCommand: the person's own program hears of the question, and that it has
// been answered; with --no-notify it hears nothing.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	prog, heard := filepath.Join(dir, "program"), filepath.Join(dir, "heard")
	if err := os.WriteFile(prog, []byte("#!/bin/sh\ncat >> '"+heard+"'\necho \"said $FWRAP_EVENT\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, rigOptions{config: "command = ['" + prog + "']\n"})
	r.agent.Works()
	r.Until("work", limit, ptyrun.Shows("Checking the site"))
	r.agent.Asks("make deploy")
	r.eventually(t, "command", func() bool { return strings.Contains(r.logged(), `output="said blocked"`) })
	r.Send("1")
	r.agent.Works()
	r.eventually(t, "command", func() bool { return strings.Contains(r.logged(), `output="said close"`) })
	b, err := os.ReadFile(heard)
	if err != nil {
		t.Fatal(err)
	}
	var got []command.Facts
	for line := range strings.Lines(string(b)) {
		var f command.Facts
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		got = append(got, f)
	}
	if len(got) != 2 || got[0].Event != "blocked" || got[0].Kind != "permission" || got[1].Event != "close" || got[0].ID != got[1].ID {
		t.Fatalf("heard %s", b)
	}
	if f := got[0]; !strings.Contains(f.Question, "make deploy") || len(f.Options) != 2 || f.Agent != "claude" || f.Dir != r.dir {
		t.Errorf("heard %+v", f)
	}

	q := newRig(t, rigOptions{config: "command = ['" + prog + "']\n", flags: []string{"--no-notify"}})
	q.agent.Works()
	q.Until("work", limit, ptyrun.Shows("Checking the site"))
	q.agent.Asks("make quietly")
	q.eventually(t, "word of the question", func() bool { return strings.Contains(q.logged(), "channel=off") })
	q.agent.Quit()
	if code := q.Wait(limit); code != 0 {
		t.Errorf("status %d", code)
	}
	if b, _ := os.ReadFile(heard); strings.Contains(string(b), "quietly") {
		t.Errorf("told in spite of --no-notify: %s", b)
	}
}
