// Command cmd runs the mock Messages API by itself, to try an agent by hand:
//
//	go run ./testdata/mockapi/cmd -addr 127.0.0.1:18080 -log requests.jsonl
//	ANTHROPIC_BASE_URL=http://127.0.0.1:18080 ANTHROPIC_API_KEY=x claude
//
// A line on its standard input opens the gate of that name.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"fwrap/testdata/mockapi"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:18080", "loopback address to listen on")
	file := flag.String("log", "", "file that gets a line of JSON for each request")
	flag.Parse()
	if err := run(*addr, *file); err != nil {
		fmt.Fprintln(os.Stderr, "mockapi:", err)
		os.Exit(1)
	}
}

func run(addr, file string) error {
	var log io.Writer
	if file != "" {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("open the log: %w", err)
		}
		defer f.Close()
		log = f
	}
	s, err := mockapi.Start(addr, log)
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println(s.URL)
	go func() { // ends with the process
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			s.Open(mockapi.Gate(strings.TrimSpace(in.Text())))
		}
	}()
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM)
	<-end
	return nil
}
