// Command cmd serves a notification service on a bus of its own and prints each
// call as a line of JSON, until its standard input or the command ends.
//
//	go run ./testdata/notifyspy/cmd [-mode ok|hang|hangall|error|absent|lazy|trap|mute|garble] [-slow 3s] [-- COMMAND [ARG...]]
//
// COMMAND gets the bus in DBUS_SESSION_BUS_ADDRESS and the terminal; the lines
// then go to the file of -out, and without one to standard error at the end.
// Without COMMAND the bus's address is the first line.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"fwrap/testdata/notifyspy"
)

func main() {
	mode := flag.String("mode", "ok", "how the service behaves")
	slow := flag.Duration("slow", 0, "how long Notify takes to answer")
	caps := flag.String("caps", "body,body-markup,actions", "the service's capabilities")
	out := flag.String("out", "", "file for the calls")
	flag.Parse()
	status, err := run(notifyspy.Options{Mode: notifyspy.Mode(*mode), Slow: *slow, Caps: strings.Split(*caps, ",")}, *out, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "notifyspy:", err)
		status = 1
	}
	os.Exit(status)
}

func run(o notifyspy.Options, out string, argv []string) (int, error) {
	dir, err := os.MkdirTemp("", "notifyspy")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	var late strings.Builder
	var w io.Writer = os.Stdout
	if out != "" {
		f, err := os.Create(out)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		w = f
	} else if len(argv) > 0 {
		w = &late
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	var mu sync.Mutex
	o.Log = func(c notifyspy.Call) {
		mu.Lock()
		defer mu.Unlock()
		enc.Encode(c)
	}
	bus, err := notifyspy.Start(dir, o)
	if err != nil {
		return 0, err
	}
	status := 0
	if len(argv) == 0 {
		fmt.Println(bus.Address())
		io.Copy(io.Discard, os.Stdin)
	} else {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "DBUS_SESSION_BUS_ADDRESS="+bus.Address())
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = cmd.Run()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			status, err = exit.ExitCode(), nil
		}
	}
	bus.Close()
	mu.Lock()
	defer mu.Unlock()
	fmt.Fprint(os.Stderr, late.String())
	return status, err
}
