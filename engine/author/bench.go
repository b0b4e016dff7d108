// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// Cost is what one evaluation of a case takes.
type Cost struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Operation string `json:"operation"`
	// Gas is the number of steps, the same on each machine.
	Gas int64 `json:"gas"`
	// Nanoseconds is the least of several measurements, Allocations and Bytes are those of the
	// heap; all three are of this machine.
	Nanoseconds float64 `json:"nanoseconds"`
	Allocations float64 `json:"allocations"`
	Bytes       float64 `json:"bytes"`
}

// rounds is how often a case is measured; the least counts.
const rounds = 5

// Bench returns what one evaluation of each case takes, in their order, by measuring each for about
// some time; those that are skipped are left out. It calls each after every case, which may be nil. A case that does not pass is an error of
// the plan, and is not measured.
func (p *Plan) Bench(during time.Duration, each func(Cost)) []Cost {
	var all []Cost
	for _, g := range p.Groups {
		runner := p.runner(g)
		for _, c := range g.Cases {
			if c.Skip != "" {
				continue
			}
			result := runner.Run(c)
			if !result.Passed() {
				p.fail(fmt.Errorf("%s: %s does not pass, and is not measured; see dragoman test", c.Where(), c.Name))
				continue
			}
			cost, err := measured(runner, c, during)
			if err != nil {
				p.fail(fmt.Errorf("%s: %w", c.Where(), err))
				continue
			}
			cost.Gas = result.Gas
			all = append(all, cost)
			if each != nil {
				each(cost)
			}
		}
	}
	return all
}

// measured returns what an evaluation of a case takes, without its gas. An error that the case expects is
// part of it.
func measured(runner *cases.Runner, c *cases.Case, during time.Duration) (Cost, error) {
	cost := Cost{File: c.File, Line: c.Line, Name: c.Name, Kind: c.Kind().Kind, Operation: string(c.Operation.Name)}
	evaluate, err := runner.Evaluation(c)
	if err != nil {
		return cost, err
	}
	times := 1
	for took := time.Duration(0); ; times *= 2 {
		if took = timed(evaluate, times); took*rounds >= during || times >= 1<<20 {
			break
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	least := timed(evaluate, times)
	runtime.ReadMemStats(&after)
	for range rounds - 1 {
		least = min(least, timed(evaluate, times))
	}
	n := float64(times)
	cost.Nanoseconds = float64(least.Nanoseconds()) / n
	cost.Allocations = float64(after.Mallocs-before.Mallocs) / n
	cost.Bytes = float64(after.TotalAlloc-before.TotalAlloc) / n
	return cost, nil
}

// timed returns how long it takes to evaluate so many times.
func timed(evaluate func() error, times int) time.Duration {
	began := time.Now()
	for range times {
		_ = evaluate() // that of the case
	}
	return time.Since(began)
}

// CostChange is a case whose cost is not what it was.
type CostChange struct {
	Cost
	// Before is the cost before; nil for a case that was not there.
	Before *Cost
}

// CompareCosts returns the cases of which the gas is not what it was, those that are new, and the names
// of those that are gone. Cases are the same by kind, operation and name.
func CompareCosts(before, after []Cost) (changed []CostChange, gone []string) {
	known := map[string]*Cost{}
	for i := range before {
		known[before[i].key()] = &before[i]
	}
	for i := range after {
		was := known[after[i].key()]
		delete(known, after[i].key())
		if was == nil || was.Gas != after[i].Gas {
			changed = append(changed, CostChange{after[i], was})
		}
	}
	for i := range before {
		if known[before[i].key()] != nil {
			gone = append(gone, before[i].Name)
		}
	}
	return changed, gone
}

func (c *Cost) key() string { return c.Kind + "\n" + c.Operation + "\n" + c.Name }

// Grew returns by how much percent the gas of a case grew; a new case did not.
func (c *CostChange) Grew() float64 {
	if c.Before == nil || c.Before.Gas == 0 {
		return 0
	}
	return 100 * float64(c.Gas-c.Before.Gas) / float64(c.Before.Gas)
}

// WriteGoBench writes costs in the form of go test -bench, which benchstat reads.
func WriteGoBench(w io.Writer, all []Cost) error {
	for i := range all {
		c := &all[i]
		name := strings.Map(func(r rune) rune {
			if r <= ' ' || r == '/' {
				return '_'
			}
			return r
		}, c.Name)
		if _, err := fmt.Fprintf(w, "BenchmarkCase/%s/%s/%s \t1\t%.1f ns/op\t%.0f B/op\t%.0f allocs/op\t%d gas/op\n",
			c.Kind, c.Operation, name, c.Nanoseconds, c.Bytes, c.Allocations, c.Gas); err != nil {
			return err
		}
	}
	return nil
}

// CostLine returns a cost as a line for people.
func CostLine(c Cost) string {
	return fmt.Sprintf("%8d gas  %10s  %6.0f allocs  %s of %s: %s", c.Gas, duration(c.Nanoseconds), c.Allocations, c.Operation, inLine(c.Kind), inLine(c.Name))
}

// duration returns nanoseconds with three digits.
func duration(nanoseconds float64) string {
	unit := "ns"
	for _, larger := range []string{"µs", "ms", "s"} {
		if nanoseconds < 1000 {
			break
		}
		nanoseconds, unit = nanoseconds/1000, larger
	}
	return strconv.FormatFloat(nanoseconds, 'g', 3, 64) + " " + unit
}
