// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strconv"
	"strings"
)

// benchmark is one line that go test -bench prints.
type benchmark struct {
	// name has no word Benchmark before it, and -N after it for N processors other than 1.
	name string
	ns   float64
	// allocs is the number of allocations of one round.
	allocs uint64
}

// parse returns the benchmarks among the lines that go test prints.
func parse(text string) ([]benchmark, error) {
	var all []benchmark
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		// A benchmark that prints has its name alone on a line first.
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		b, err := parseLine(fields)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
		}
		all = append(all, b)
	}
	return all, nil
}

// parseLine reads a name, the number of rounds and pairs of a value and its unit. Units
// other than ns/op and allocs/op are left out.
func parseLine(fields []string) (benchmark, error) {
	b := benchmark{name: strings.TrimPrefix(fields[0], "Benchmark")}
	var err error
	for i := 2; i+1 < len(fields) && err == nil; i += 2 {
		switch fields[i+1] {
		case "ns/op":
			b.ns, err = strconv.ParseFloat(fields[i], 64)
		case "allocs/op":
			b.allocs, err = strconv.ParseUint(fields[i], 10, 64)
		}
	}
	return b, err
}
