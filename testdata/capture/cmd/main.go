// Command cmd adds a recording of an agent to the captures:
//
//	go run ./testdata/capture/cmd [flags] AGENT VERSION FILE.cast
//
// The labelled moments are the recording's own markers, "LABEL: STATE KIND
// NOTE", or are given with -at; -replace takes out a directory or a name. A
// recording is made with "fwrap record --record-input FILE.cast AGENT".
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fwrap/testdata/capture"
)

type list []string

func (l *list) String() string     { return strings.Join(*l, ", ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func main() {
	var at, replace list
	flag.Var(&at, "at", `a labelled moment, "12.5 LABEL: STATE KIND NOTE"; may be repeated`)
	flag.Var(&replace, "replace", "OLD=NEW, equally long, for what must not be published; may be repeated")
	dir := flag.String("dir", "testdata/captures", "where the captures are")
	name := flag.String("name", "", "of the recording; the file's if not given")
	flag.Parse()
	if flag.NArg() != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./testdata/capture/cmd [flags] AGENT VERSION FILE.cast")
		flag.PrintDefaults()
		os.Exit(2)
	}
	if err := add(flag.Arg(0), flag.Arg(1), flag.Arg(2), *name, *dir, at, replace); err != nil {
		fmt.Fprintln(os.Stderr, "capture:", err)
		os.Exit(1)
	}
}

func add(agent, version, file, name, dir string, at, replace []string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := capture.Read(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	for _, m := range at {
		when, label, _ := strings.Cut(m, " ")
		sec, err := strconv.ParseFloat(when, 64)
		if err != nil {
			return fmt.Errorf("-at %q: the time comes first, in seconds", m)
		}
		r.Mark(time.Duration(sec*float64(time.Second)), label)
	}
	for _, s := range replace {
		private, public, _ := strings.Cut(s, "=")
		if err := r.Replace(private, public); err != nil {
			return fmt.Errorf("-replace: %w", err)
		}
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), ".cast")
	}
	draw, cleanup, err := capture.XTerm()
	if err != nil {
		return err
	}
	defer cleanup()
	c := capture.Collection{Dir: dir, Draw: draw, Private: capture.Private()}
	return c.Add(agent, version, name, r)
}
