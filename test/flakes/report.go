// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// tally counts what became of runs. It is safe for many goroutines.
type tally struct {
	mu                 sync.Mutex
	runs, failedRuns   int
	specs, failedSpecs int
	packages           map[string]bool
	byName             map[string]*count
}

// count is what became of one spec in all runs.
type count struct {
	of, failed int
	// seeds and logs are those of the runs in which it failed.
	seeds, logs []string
}

func newTally() *tally {
	return &tally{packages: map[string]bool{}, byName: map[string]*count{}}
}

// add counts the results of a run. It returns how many runs have ended, and a line about
// this one. An error of running it counts as a failed run.
func (t *tally) add(j job, results []result, err error) (ended int, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		results = []result{{name: "(the run: " + err.Error() + ")", failed: true, outside: true}}
	}
	t.runs++
	t.packages[j.pkg.name()] = true
	failed := failures(results)
	if len(failed) > 0 {
		t.failedRuns++
	}
	specs := 0
	for _, r := range results {
		t.count(j, r)
		if !r.outside {
			specs++
		}
	}
	t.specs += specs
	line = fmt.Sprintf("%s run %d, seed %d: %d specs passed", j.pkg.name(), j.run, j.seed, specs)
	if len(failed) > 0 {
		line = fmt.Sprintf("%s run %d, seed %d: FAILED %s", j.pkg.name(), j.run, j.seed, names(failed))
	}
	return t.runs, line
}

func (t *tally) count(j job, r result) {
	name := j.pkg.name() + ": " + r.name
	c := t.byName[name]
	if c == nil {
		c = &count{}
		t.byName[name] = c
	}
	c.of++
	if !r.failed {
		return
	}
	if !r.outside {
		t.failedSpecs++
	}
	c.failed++
	c.seeds = append(c.seeds, fmt.Sprint(j.seed))
	c.logs = append(c.logs, fmt.Sprintf("%s/%s-%d.log", logs, j.pkg.file(), j.run))
}

// report returns what failed, the most frequent first, and the rates.
func (t *tally) report() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	names := slices.DeleteFunc(sorted(t.byName), func(name string) bool { return t.byName[name].failed == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return t.byName[b].failed - t.byName[a].failed })
	for _, name := range names {
		c := t.byName[name]
		fmt.Fprintf(&b, "\n%s\n\tfailed %d of %d\n", name, c.failed, c.of)
		for i, seed := range c.seeds {
			fmt.Fprintf(&b, "\tseed %s, %s\n", seed, c.logs[i])
		}
	}
	fmt.Fprintf(&b, "\n%d packages, %d runs, %d failed (%s); %d specs, %d failed (%s)\n", len(t.packages),
		t.runs, t.failedRuns, share(t.failedRuns, t.runs), t.specs, t.failedSpecs, share(t.failedSpecs, t.specs))
	return b.String()
}

// share returns a part of a whole in per cent.
func share(part, whole int) string {
	if whole == 0 {
		return "nothing ran"
	}
	return fmt.Sprintf("%.3g %%", 100*float64(part)/float64(whole))
}

// names returns the names of results, separated by semicolons.
func names(results []result) string {
	var all []string
	for _, r := range results {
		all = append(all, r.name)
	}
	return strings.Join(all, "; ")
}

// sorted returns the keys of a map, sorted.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
