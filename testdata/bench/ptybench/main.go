//go:build linux

// Command ptybench measures what a wrapper around a terminal program costs:
// throughput, the way of a key there and back, start-up, memory, and wakeups at
// rest. It is the terminal emulator and the wrapped program in one.
//
//	ptybench [flags] NAME=COMMAND_LINE...
//
// Each COMMAND_LINE is a wrapper, split at spaces; the program is appended.
// In each round bare and all wrappers are measured in turn, so that the load of
// the machine hits all alike, and the best round counts.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

var self string

func main() {
	role := flag.String("role", "", "used by ptybench itself")
	n := flag.Int("n", 0, "used by ptybench itself")
	rounds := flag.Int("rounds", 3, "rounds")
	mb := flag.Int("mb", 100, "throughput: MiB of text in a round")
	keys := flag.Int("keys", 400, "keys in a round, 2 ms apart, and twice as many back to back")
	starts := flag.Int("starts", 15, "starts in a round")
	idle := flag.Int("idle", 5, "seconds at rest")
	tsv := flag.String("tsv", "", "also write the table to this file, tab-separated")
	flag.Parse()
	switch *role {
	case "generate":
		os.Exit(generate(*n))
	case "echo":
		os.Exit(echo())
	}
	var err error
	if self, err = os.Executable(); err != nil {
		fmt.Fprintln(os.Stderr, "ptybench:", err)
		os.Exit(1)
	}
	rows := []*row{newRow("bare", nil)}
	for _, arg := range flag.Args() {
		name, line, ok := strings.Cut(arg, "=")
		if !ok {
			line, name = arg, filepath.Base(strings.Fields(arg + " ?")[0])
		}
		rows = append(rows, newRow(name, strings.Fields(line)))
	}
	for range *rounds {
		for _, r := range rows {
			r.round(*mb, *keys, *starts)
		}
	}
	for _, r := range rows[1:] {
		r.try(func() (err error) { r.rest, err = measureRest(r.wrapper, *idle); return })
	}
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	table(tw, rows)
	tw.Flush()
	if *tsv != "" {
		var b strings.Builder
		table(&b, rows)
		if err := os.WriteFile(*tsv, []byte(b.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "ptybench:", err)
			os.Exit(1)
		}
	}
	for _, r := range rows {
		if r.err != nil {
			fmt.Fprintf(os.Stderr, "ptybench: %s: %v\n", r.name, r.err)
			defer os.Exit(1)
		}
	}
}

// row is what was measured of one wrapper; the best of all rounds.
type row struct {
	name    string
	wrapper []string
	err     error

	flood         flood
	p50, p99, hot float64 // microseconds: keys 2 ms apart, and back to back
	start         float64 // milliseconds
	rest          rest
}

func newRow(name string, wrapper []string) *row {
	inf := math.Inf(1)
	return &row{name: name, wrapper: wrapper, flood: flood{cpu: inf}, p50: inf, p99: inf, hot: inf, start: inf}
}

// try runs one measurement, unless one has failed before.
func (r *row) try(measure func() error) {
	if r.err == nil {
		r.err = measure()
	}
}

func (r *row) round(mb, keys, starts int) {
	r.try(func() error {
		f, err := measureFlood(r.wrapper, mb)
		r.flood.rate, r.flood.cpu = max(r.flood.rate, f.rate), min(r.flood.cpu, f.cpu)
		if f.lost != 0 {
			r.flood.lost = f.lost
		}
		return err
	})
	r.try(func() error {
		d, err := measureEcho(r.wrapper, keys, 2*time.Millisecond)
		if err == nil {
			r.p50, r.p99 = min(r.p50, quantile(d, 0.5)), min(r.p99, quantile(d, 0.99))
		}
		return err
	})
	r.try(func() error {
		d, err := measureEcho(r.wrapper, 2*keys, 0)
		if err == nil {
			r.hot = min(r.hot, quantile(d, 0.5))
		}
		return err
	})
	r.try(func() error {
		d, err := measureStart(r.wrapper, starts)
		if err == nil {
			r.start = min(r.start, quantile(d, 0.5))
		}
		return err
	})
}

func quantile(sorted []float64, q float64) float64 { return sorted[int(float64(len(sorted)-1)*q)] }

func table(w io.Writer, rows []*row) {
	fmt.Fprintln(w, "wrapper\tMB/s\tratio\tlost\tkey p50 µs\tratio\tp99\thot µs\tratio\tstart ms\tmore\tRSS MB\tprocs\tidle wakeups/s\tidle ms/s\tCPU ms/MB\tµs/key\tswitches/key")
	bare := rows[0]
	for _, r := range rows {
		if r.err != nil {
			fmt.Fprintf(w, "%s\tfailed: %v\n", r.name, r.err)
			continue
		}
		fmt.Fprintf(w, "%s\t%.1f\t%.2f\t%d\t%.0f\t%.2f\t%.0f\t%.0f\t%.2f\t%.1f\t%+.1f", r.name,
			r.flood.rate, r.flood.rate/bare.flood.rate, r.flood.lost, r.p50, r.p50/bare.p50, r.p99, r.hot, r.hot/bare.hot, r.start, r.start-bare.start)
		if r != bare {
			fmt.Fprintf(w, "\t%.1f\t%d\t%.1f\t%.2f\t%+.1f\t%.0f\t%.1f", r.rest.rss, r.rest.procs, r.rest.wakeups, r.rest.cpu, r.flood.cpu-bare.flood.cpu, r.rest.keyCPU, r.rest.switches)
		}
		fmt.Fprintln(w)
	}
}
