// SPDX-License-Identifier: Apache-2.0

package author

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/scripts"
)

// benchOptions are the flags of bench.
type benchOptions struct {
	streams       verb.Streams
	bundle        string
	customization string
	runOnly       string
	save, compare string
	threshold     float64
	during        time.Duration
	output        string
}

// benchOutputs are the forms of the report of bench.
var benchOutputs = []string{"text", "json", "gobench"}

func newBenchCommand(streams verb.Streams) *cobra.Command {
	o := &benchOptions{streams: streams}
	c := &cobra.Command{
		Use:   "bench [FILE|FOLDER]...",
		Short: "Measure what the cases of scripts take",
		Long: `bench runs cases, as test does, and shows what one evaluation of each takes: gas, which is the same
on each machine, and the time and allocations of this one, the least of several measurements.

--save keeps the costs in a file, and --compare shows what is other than in such a file. Only gas is
compared, since that has no noise: it exits 1 where the gas of a case grew by more than --threshold
percent, and 0 where it did not.

With -o json stdout is a list of {file, line, name, kind, operation, gas, nanoseconds, allocations,
bytes}, which is also the form of the file. -o gobench is for benchstat.`,
		Example: `  dragoman bench ./flink --save base.json
  dragoman bench ./flink --compare base.json --threshold 5`,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	f := c.Flags()
	f.StringVar(&o.bundle, "bundle", "", "folder of a bundle that all cases are run with")
	f.StringVar(&o.customization, "customization", "", "file with ResourceInterpreterCustomizations that all cases are run with, whatever its name")
	f.StringVar(&o.runOnly, "run", "", "measure only the cases whose names match this regular expression")
	f.StringVar(&o.save, "save", "", "write the costs to this file")
	f.StringVar(&o.compare, "compare", "", "compare the gas with that in this file, which --save wrote")
	f.Float64Var(&o.threshold, "threshold", 0, "by how much percent the gas of a case may grow")
	f.DurationVar(&o.during, "time", 20*time.Millisecond, "about how long each case is measured")
	f.StringVarP(&o.output, "output", "o", "text", "form of the report: "+joinOr(benchOutputs))
	c.MarkFlagsMutuallyExclusive("bundle", "customization")
	return c
}

func (o *benchOptions) run(paths []string) error {
	switch {
	case !slices.Contains(benchOutputs, o.output):
		return fmt.Errorf("output %q: want %s", o.output, joinOr(benchOutputs))
	case !(o.threshold >= 0):
		return fmt.Errorf("threshold %v: want a share in percent, from 0 on", o.threshold)
	case o.during < 0:
		return fmt.Errorf("time %v: want a duration such as 20ms", o.during)
	}
	before, err := o.readBase()
	if err != nil {
		return err
	}
	plan, err := o.plan(paths)
	if err != nil {
		return err
	}
	costs := plan.Bench(o.during, o.costPrinter())
	if len(costs) == 0 && len(plan.Errs) == 0 {
		return verb.Exit(verb.ExitNothing, "no case was measured")
	}
	if err := errors.Join(o.report(costs), errors.Join(plan.Errs...)); err != nil {
		return err
	}
	if o.save != "" {
		if err := writeCosts(o.save, costs); err != nil {
			return err
		}
	}
	if o.compare == "" {
		return nil
	}
	return o.compareWith(before, costs)
}

// plan reads the cases.
func (o *benchOptions) plan(paths []string) (*author.Plan, error) {
	s := author.Selection{
		Files: verb.HostFS{}, Bundle: filepath.ToSlash(o.bundle), Bundles: scripts.FS, Customization: filepath.ToSlash(o.customization),
		AllowUnchecked: true, WithoutLaws: true,
	}
	if o.runOnly != "" {
		pattern, err := regexp.Compile(o.runOnly)
		if err != nil {
			return nil, fmt.Errorf("run: %w", err)
		}
		s.Run = pattern
	}
	for _, path := range paths {
		s.Paths = append(s.Paths, filepath.ToSlash(path))
	}
	switch {
	case len(paths) > 0:
	case o.bundle != "":
		s.Paths = []string{s.Bundle}
	default:
		return nil, errors.New("name files or folders with cases, or a bundle with --bundle")
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	return author.NewPlan(c, s)
}

// costPrinter returns what prints each cost once it is known; nil where they are printed together.
func (o *benchOptions) costPrinter() func(author.Cost) {
	if o.output != "text" {
		return nil
	}
	return func(c author.Cost) { _, _ = fmt.Fprintln(o.streams.Out, author.CostLine(c)) }
}

// report prints costs that were not printed yet.
func (o *benchOptions) report(costs []author.Cost) error {
	switch o.output {
	case "json":
		encoder := json.NewEncoder(o.streams.Out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(costs)
	case "gobench":
		return author.WriteGoBench(o.streams.Out, costs)
	}
	return nil
}

// readBase reads the costs to compare with, before anything runs.
func (o *benchOptions) readBase() ([]author.Cost, error) {
	if o.compare == "" {
		return nil, nil
	}
	data, err := os.ReadFile(o.compare)
	if err != nil {
		return nil, err
	}
	var costs []author.Cost
	if err := json.Unmarshal(data, &costs); err != nil {
		return nil, fmt.Errorf("%s: %w; want a file that bench --save wrote", o.compare, err)
	}
	return costs, nil
}

func writeCosts(file string, costs []author.Cost) error {
	data, err := json.MarshalIndent(costs, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

// compareWith prints which costs are other ones, below the report for people and else to stderr, and is an
// error where one grew too much.
func (o *benchOptions) compareWith(before, after []author.Cost) error {
	changed, gone := author.CompareCosts(before, after)
	out, grew := o.streams.Out, 0
	if o.output != "text" {
		out = o.streams.Err
	}
	var text strings.Builder
	for i := range changed {
		c := &changed[i]
		switch {
		case c.Before == nil:
			fmt.Fprintf(&text, "new   %d gas  %s\n", c.Gas, c.Name)
			continue
		case c.Grew() > o.threshold:
			grew++
			text.WriteString("grew  ")
		case c.Grew() > 0:
			text.WriteString("more  ")
		default:
			text.WriteString("less  ")
		}
		fmt.Fprintf(&text, "%d to %d gas, %+.1f %%  %s (%s:%d)\n", c.Before.Gas, c.Gas, c.Grew(), c.Name, c.File, c.Line)
	}
	for _, name := range gone {
		fmt.Fprintf(&text, "gone  %s\n", name)
	}
	fmt.Fprintf(&text, "%d of %d cases take other gas than in %s\n", len(changed), len(after), o.compare)
	if _, err := fmt.Fprint(out, text.String()); err != nil {
		return err
	}
	if grew > 0 {
		return verb.Foundf("the gas of %d cases grew by more than %v %%", grew, o.threshold)
	}
	return nil
}
