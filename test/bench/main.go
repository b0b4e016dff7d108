// SPDX-License-Identifier: Apache-2.0

// Command bench runs the benchmarks of the engine and prints the project's figures: for
// each the least of several runs, its ratio to the same work written by hand in Go on
// the same map, and the aim. It judges nothing: a busy machine is no defect.
package main

import (
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
)

func main() {
	rounds := flag.Int("rounds", 10, "rounds, each of which runs all benchmarks once; the least of a benchmark counts")
	each := flag.String("each", "150ms", "time for one run of a benchmark")
	flag.Parse()
	if err := run(*rounds, *each); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(rounds int, each string) error {
	fmt.Fprintf(os.Stderr, "running the benchmarks of %v in %d rounds; this takes some two minutes\n", packages, rounds)
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	programs, err := compile(folder)
	if err != nil {
		return err
	}
	all, err := measure(programs, rounds, each)
	if err != nil {
		return err
	}
	return write(all)
}

// write prints the figures.
func write(all results) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "figure\tns/op\tallocs\tratio to Go\taim\t")
	for _, f := range figures {
		line, err := f.line(all)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, line)
	}
	line, err := throughput(all)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, line)
	return out.Flush()
}
