package hooks

import (
	"slices"
	"strings"
)

// arg is one argument of a command line as far as it is understood.
type arg struct {
	at, n  int    // its place, and how many arguments it takes up
	flag   string // "--settings", "-p"; empty for a positional argument
	value  string // of a flag that takes one, or the positional argument itself
	has    bool   // the flag has a value
	broken bool   // the flag's value is missing
}

// scan reads a command line up to "--". Flags whose value is the next argument
// are in valued, flags that take all up to the next flag in variadic. A flag
// that is not known is taken to have no value of its own: then what follows it
// counts as positional, which at worst leaves hooks out.
func scan(args, valued, variadic []string) []arg {
	var as []arg
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return as
		case len(a) < 2 || a[0] != '-':
			as = append(as, arg{at: i, n: 1, value: a})
		default:
			name, value, inline := strings.Cut(a, "=")
			f := arg{at: i, n: 1, flag: name, value: value, has: inline}
			switch {
			case inline:
			case slices.Contains(valued, name):
				if i+1 >= len(args) {
					f.broken = true
					break
				}
				f.value, f.has, f.n = args[i+1], true, 2
				i++
			case slices.Contains(variadic, name):
				for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
					f.n++
					i++
				}
			}
			as = append(as, f)
		}
	}
	return as
}

// command returns the first positional argument, which is where a subcommand
// stands.
func command(as []arg) string {
	for _, a := range as {
		if a.flag == "" {
			return a.value
		}
	}
	return ""
}

func findFlag(as []arg, names ...string) *arg {
	for i := len(as) - 1; i >= 0; i-- {
		if as[i].flag != "" && slices.Contains(names, as[i].flag) {
			return &as[i]
		}
	}
	return nil
}

// without returns args less all occurrences of the flag.
func without(args []string, as []arg, flag string) []string {
	out := make([]string, 0, len(args))
	next := 0
	for _, a := range as {
		if a.flag == flag {
			out = append(out, args[next:a.at]...)
			next = a.at + a.n
		}
	}
	return append(out, args[next:]...)
}
