package cli

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		line string
		want invocation
		err  string
	}{
		{line: "", want: invocation{}},
		{line: "claude", want: invocation{command: []string{"claude"}}},
		{line: "claude --help", want: invocation{command: []string{"claude", "--help"}}},
		{line: "claude --version --agent x", want: invocation{command: []string{"claude", "--version", "--agent", "x"}}},
		{line: "claude -- -x", want: invocation{command: []string{"claude", "--", "-x"}}},
		{line: "--agent claude node cli.js", want: invocation{command: []string{"node", "cli.js"}, flags: wrapFlags{agent: "claude"}}},
		{line: "-agent=claude node", want: invocation{command: []string{"node"}, flags: wrapFlags{agent: "claude"}}},
		{line: "--pure -- list", want: invocation{command: []string{"list"}, flags: wrapFlags{pure: true}}},
		{line: "-- list", want: invocation{command: []string{"list"}}},
		{line: "--agent -- list", want: invocation{verb: "list", args: []string{}, flags: wrapFlags{agent: "--"}}},
		{line: "--agent -- -- list", want: invocation{command: []string{"list"}, flags: wrapFlags{agent: "--"}}},
		{line: "--agent=-- list", want: invocation{verb: "list", args: []string{}, flags: wrapFlags{agent: "--"}}},
		{line: "list", want: invocation{verb: "list", args: []string{}}},
		{line: "list --json", want: invocation{verb: "list", args: []string{"--json"}}},
		{line: "./list", want: invocation{command: []string{"./list"}}},
		{line: "run list -x", want: invocation{command: []string{"list", "-x"}}},
		{line: "run -- list -- x", want: invocation{command: []string{"list", "--", "x"}}},
		{line: "run", err: "run needs a command"},
		{line: "--", err: "no command after --"},
		{line: "--bogus claude", err: "unknown flag --bogus"},
		{line: "--agent", err: "flag --agent needs a value"},
		{line: "--help", want: invocation{flags: wrapFlags{help: true}}},
		{line: "-h claude", want: invocation{flags: wrapFlags{help: true}}},
		{line: "--version", want: invocation{flags: wrapFlags{version: true}}},
		{line: "help claude", want: invocation{verb: "help", args: []string{"claude"}}},
	} {
		t.Run(tt.line, func(t *testing.T) {
			got, err := parse(strings.Fields(tt.line))
			if tt.err != "" {
				if err == nil || !errors.Is(err, errUsage) || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want a usage error with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// FuzzParse: whatever stands after the first word of a command reaches it.
func FuzzParse(f *testing.F) {
	f.Add("claude\x00--help")
	f.Add("--agent\x00claude\x00--\x00list\x00-x")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		inv, err := parse(args)
		if err != nil || inv.command == nil {
			return
		}
		tail := args[len(args)-len(inv.command):]
		if !reflect.DeepEqual(tail, inv.command) {
			t.Errorf("parse(%q) gives the command %q, not the end of its arguments", args, inv.command)
		}
	})
}
