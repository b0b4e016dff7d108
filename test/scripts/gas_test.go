// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

var update = flag.Bool("update", false, "rewrite the files in testdata; read the difference before you commit it")

// gasFile has what each case costs, a line a case, sorted: bundle kind operation case
// -> gas.
const gasFile = "testdata/gas.txt"

// TestGasOfCases compares what each case costs with what it cost before. A change is no
// fault, but it is one to be seen: what a script may do is bounded in gas.
func TestGasOfCases(t *testing.T) {
	text := strings.Join(askedOf(t, bundles(t)).gas(), "\n") + "\n"
	golden(t, gasFile, text)
}

// golden compares a text with that of a file, or with -update writes it there.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); d != "" {
		t.Errorf("%s: was -, is +; go test ./test/scripts -update writes it again:\n%s", file, d)
	}
}

// TestGasIsTheSameEverywhere asks the cases again: with other numbers of processors, and
// many at once, so that they meet machines in all states.
func TestGasIsTheSameEverywhere(t *testing.T) {
	asked := askedOf(t, bundles(t))
	want := asked.gas()
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		runtime.GC()
		answers := make([][]string, 4)
		var wait sync.WaitGroup
		for i := range answers {
			wait.Go(func() { answers[i] = asked.gas() })
		}
		wait.Wait()
		for _, got := range answers {
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("with %d processors: want -, got +:\n%s", processors, d)
			}
		}
	}
}

// mostGas is what a bundled script may cost on any of its cases.
const mostGas = 5_000

// TestGasOfScriptsIsBounded logs the highest and the typical gas of each script.
func TestGasOfScriptsIsBounded(t *testing.T) {
	asked := askedOf(t, bundles(t))
	costs := map[string][]int64{}
	for bundle, all := range asked.cases {
		for _, c := range all {
			script := fmt.Sprintf("%s/%s/%s", bundle, c.Kind().Kind, c.Operation.File)
			gas := asked.runners[bundle].Run(c).Gas
			costs[script] = append(costs[script], gas)
			if gas > mostGas {
				t.Errorf("%s: %s costs %d gas; at most %d are allowed", c.Where(), script, gas, mostGas)
			}
		}
	}
	for _, script := range slices.Sorted(maps.Keys(costs)) {
		gas := slices.Sorted(slices.Values(costs[script]))
		t.Logf("%s: highest %d, typical %d", script, gas[len(gas)-1], gas[len(gas)/2])
	}
}

// asked are the cases of all bundles, and what answers those of each, by the name of the bundle.
//
// A Runner makes an interpreter of its bundles for each case. With all bundles that takes longer
// than the case, so each bundle answers its cases alone; TestCasesOfBundles has them together.
type asked struct {
	runners map[string]*cases.Runner
	cases   map[string][]*cases.Case
}

func askedOf(t *testing.T, all []*bundle.Bundle) asked {
	t.Helper()
	a := asked{runners: map[string]*cases.Runner{}, cases: map[string][]*cases.Case{}}
	for _, b := range all {
		a.runners[b.Name] = &cases.Runner{Bundles: []*bundle.Bundle{b}}
		a.cases[b.Name] = casesOf(t, b)
	}
	return a
}

// gas returns the lines of the file.
func (a asked) gas() []string {
	var lines []string
	for bundle, all := range a.cases {
		for _, c := range all {
			lines = append(lines, fmt.Sprintf("%s %s %s %s -> %d", bundle, c.Kind().Kind, c.Operation.Name, c.Name, a.runners[bundle].Run(c).Gas))
		}
	}
	slices.Sort(lines)
	return lines
}
