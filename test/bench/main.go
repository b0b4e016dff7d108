// SPDX-License-Identifier: Apache-2.0

// Command bench runs the benchmarks of the engine and prints the project's figures: for
// each the least of several runs, its ratio to the same work written by hand in Go on
// the same map, and the aim. It judges nothing: a busy machine is no defect.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"text/tabwriter"
)

// packages are those whose benchmarks the figures are made of.
var packages = []string{"./engine", "./engine/internal/lua", "./engine/internal/cel", "./test/scripts"}

func main() {
	count := flag.Int("count", 6, "runs of each benchmark, of which the least counts")
	each := flag.String("each", "300ms", "time for one run of a benchmark")
	flag.Parse()
	if err := run(*count, *each); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(count int, each string) error {
	fmt.Fprintf(os.Stderr, "running the benchmarks of %v %d times; this takes some minutes\n", packages, count)
	one, err := measure(".", count, each, "1")
	if err != nil {
		return err
	}
	two, err := measure("^"+parallel+"$", count, each, "1,2")
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "figure\tns/op\tallocs\tratio to Go\taim\t")
	for _, f := range figures {
		line, err := f.line(one)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, line)
	}
	line, err := throughput(two)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, line)
	return out.Flush()
}

// results are the least run of each benchmark, by its name without the word Benchmark.
type results map[string]benchmark

// measure runs the benchmarks that match pattern. Names end in -N for N processors other
// than 1.
func measure(pattern string, count int, each, processors string) (results, error) {
	args := append([]string{
		"test", "-run", "^$", "-bench", pattern, "-benchmem", "-cpu", processors,
		"-count", fmt.Sprint(count), "-benchtime", each,
	}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run the benchmarks: %w\n%s", err, text)
	}
	all, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("read the results: %w", err)
	}
	least := results{}
	for _, b := range all {
		if best, ok := least[b.name]; !ok || b.ns < best.ns {
			least[b.name] = b
		}
	}
	return least, nil
}

func (r results) get(name string) (benchmark, error) {
	if b, ok := r[name]; ok {
		return b, nil
	}
	return benchmark{}, fmt.Errorf("there is no benchmark %s; test/bench/figures.go names it", name)
}
