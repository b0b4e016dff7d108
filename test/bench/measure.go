// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// packages are those whose benchmarks the figures are made of.
var packages = []string{"./engine", "./engine/internal/lua", "./engine/internal/cel", "./test/scripts"}

// program is the test binary of a package, and the folder that it runs in.
type program struct{ path, folder string }

// compile makes the test binaries of packages in a folder.
func compile(folder string) ([]program, error) {
	cmd := exec.Command("go", append([]string{"test", "-c", "-o", folder + string(filepath.Separator)}, packages...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("compile the benchmarks: %w", err)
	}
	var programs []program
	for _, p := range packages {
		programs = append(programs, program{filepath.Join(folder, filepath.Base(p)+".test"), p})
	}
	return programs, nil
}

// results are the least run of each benchmark, by its name without the word Benchmark.
// Names end in -N for N processors other than 1.
type results map[string]benchmark

// measure runs the benchmarks of the figures. The runs of one benchmark are spread over the
// whole time, so that what else the machine does for some seconds meets all of them alike,
// and the least of each had the machine for itself.
func measure(programs []program, rounds int, each string) (results, error) {
	least := results{}
	for range rounds {
		for _, p := range programs {
			if err := least.add(p, pattern(benchmarks()), "1", each); err != nil {
				return nil, err
			}
			if err := least.add(p, pattern(parallel), "1,2", each); err != nil {
				return nil, err
			}
		}
	}
	return least, nil
}

// add runs the benchmarks of a program that match an expression.
func (r results) add(p program, expression, processors, each string) error {
	cmd := exec.Command(p.path, "-test.run", "^$", "-test.bench", expression, "-test.benchmem", "-test.cpu", processors, "-test.benchtime", each)
	cmd.Dir, cmd.Stderr = p.folder, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("run the benchmarks of %s: %w\n%s", p.folder, err, text)
	}
	all, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("read the results of %s: %w", p.folder, err)
	}
	for _, b := range all {
		if best, ok := r[b.name]; !ok || b.ns < best.ns {
			r[b.name] = b
		}
	}
	return nil
}

func (r results) get(name string) (benchmark, error) {
	if b, ok := r[name]; ok {
		return b, nil
	}
	return benchmark{}, fmt.Errorf("there is no benchmark %s; test/bench/figures.go names it", name)
}

// pattern returns the expression that matches the benchmarks of these names and no other,
// as the flag -bench reads it: one part for each level.
func pattern(names []string) string {
	var all []string
	for _, name := range names {
		levels := strings.Split("Benchmark"+name, "/")
		for i, level := range levels {
			levels[i] = "^" + regexp.QuoteMeta(level) + "$"
		}
		all = append(all, strings.Join(levels, "/"))
	}
	return strings.Join(all, "|")
}
