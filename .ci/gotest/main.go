// Command gotest runs "go test -json ARG..." and shows a line for each
// package and everything that a failed test printed. It fails when a test
// fails, when one is skipped, when a package does not build, and when no test
// ran: on the machine that checks a change nothing may be left out silently.
//
// The number of tests that passed is added to the file that CI_COUNT names.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// event is one line of go test -json; see "go doc test2json".
type event struct {
	Action, Package, Test, Output string
	ImportPath, FailedBuild       string
	Elapsed                       float64
}

func main() {
	verbose := flag.Bool("v", false, "show what passing tests print, too")
	flag.Parse()
	passed, err := run(flag.Args(), *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	if file := os.Getenv("CI_COUNT"); file != "" {
		if f, e := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); e == nil {
			fmt.Fprintln(f, passed)
			f.Close()
		}
	}
	if err != nil {
		os.Exit(1)
	}
}

func run(args []string, verbose bool) (passed int, err error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var failed, skipped []string
	output := map[string]string{} // by package and test
	lines := bufio.NewReader(out)
	for {
		line, readErr := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil {
				fmt.Print(line)
				continue
			}
			key := e.Package + " " + e.Test
			name := strings.TrimSpace(key)
			switch e.Action {
			case "output":
				output[key] += e.Output
				if verbose {
					fmt.Print(e.Output)
				}
			case "build-output":
				fmt.Print(e.Output)
			case "skip":
				if e.Test == "" {
					fmt.Printf("?    %s: no tests\n", e.Package)
					break
				}
				skipped = append(skipped, name)
			case "pass":
				if e.Test == "" {
					fmt.Printf("ok   %s %.1fs\n", e.Package, e.Elapsed)
					break
				}
				passed++
				delete(output, key)
			case "fail":
				if e.Test != "" {
					failed = append(failed, name)
					if !verbose {
						fmt.Print(output[key])
					}
					break
				}
				fmt.Printf("FAIL %s %.1fs\n", e.Package, e.Elapsed)
				// A panic, a race at the end or a build error belongs to no test.
				if !slices.ContainsFunc(failed, func(f string) bool { return strings.HasPrefix(f, e.Package+" ") }) {
					failed = append(failed, e.Package)
					if !verbose {
						fmt.Print(output[key])
					}
				}
			}
		}
		if readErr != nil {
			break
		}
	}
	waitErr := cmd.Wait()
	for _, f := range failed {
		fmt.Println("failed: ", f)
	}
	for _, s := range skipped {
		fmt.Println("skipped:", s)
	}
	switch {
	case len(failed) > 0:
		return passed, fmt.Errorf("%d failed", len(failed))
	case waitErr != nil:
		return passed, fmt.Errorf("go test: %w", waitErr)
	case len(skipped) > 0:
		return passed, fmt.Errorf("%d skipped, and none may be", len(skipped))
	case passed == 0:
		return passed, fmt.Errorf("no test ran")
	}
	return passed, nil
}
