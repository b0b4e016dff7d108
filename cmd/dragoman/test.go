// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/script"
)

// testOptions are the flags of test.
type testOptions struct {
	streams        Streams
	paths          []string
	bundle         string
	parameters     []string
	allowUnchecked bool
	coverage       bool
	coverageMin    float64
	output         string
	verbose        bool
}

func newTestCommand(streams Streams) *cobra.Command {
	o := &testOptions{streams: streams}
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER]...",
		Short: "Run the cases of scripts",
		Long: `test runs the cases in files and below folders, by default below this one.

A case below a folder with a bundle.yaml is run with that bundle. A case below a folder
with a customizations.yaml is run with the ResourceInterpreterCustomizations in it
alone, by the rules of the published form; results that it does not name are told of and
allowed. Any other case is run with the bundles of this program; with --bundle all are
run with that bundle. YAML files without anything like a case, such as objects, are
passed over.

A bundle that is tested as a whole must have a case for each script, and for each result
one that names it. On the objects of the cases of a bundle these laws must hold:
` + lawHelp() + `
With -o json stdout is one object:
  passed, failed  numbers of cases
  kinds           a list of {kind, passed, failed}
  cases           a list of {file, line, name, apiVersion, kind, operation, passed, gas,
                  failures, unchecked}; failures is a list of {path, expected, actual},
                  where expected or actual is absent when the value is; unchecked lists
                  the results that the case does not name
  laws            {checked, broken}; broken is a list of {law, file, line, name, kind,
                  failures}
  coverage        a list of {file, lines, missed}, with --coverage: the number of lines
                  that can run, and a list of those that no case ran
  errors          what could not be read or loaded, and what no case checks, a list of
                  texts`,
		Example: `  dragoman test ./flink
  dragoman test --parameter flink.memoryUnits=quantity ./cases`,
		RunE: func(_ *cobra.Command, args []string) error {
			o.paths = args
			return o.run()
		},
	}
	f := c.Flags()
	f.StringVar(&o.bundle, "bundle", "", "folder of a bundle that all cases are run with")
	f.StringArrayVar(&o.parameters, "parameter", nil, parameterUsage)
	f.BoolVar(&o.allowUnchecked, "allow-unchecked", false,
		"let results pass that a case's output does not name, and keys in cases outside of bundles that test does not know")
	f.BoolVar(&o.coverage, "coverage", false, "show which lines of the bundles' scripts the cases ran")
	f.Float64Var(&o.coverageMin, "coverage-min", 0, "fail where the cases ran less than this share of the lines, in percent; implies --coverage")
	f.StringVarP(&o.output, "output", "o", "text", "form of the report: text or json")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show the gas of cases, the errors they expect, and the files passed over")
	return c
}

// lawHelp lists the laws, a line each.
func lawHelp() string {
	var help string
	for _, law := range cases.Laws() {
		help += fmt.Sprintf("  %-23s %s\n", law.Name, law.Doc)
	}
	return help
}

func (o *testOptions) run() error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	if len(o.paths) == 0 {
		o.paths = []string{"."}
		if o.bundle != "" {
			o.paths = []string{o.bundle}
		}
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	loader := bundle.Loader{Compiler: c}
	if o.coverage = o.coverage || o.coverageMin > 0; o.coverage {
		loader.Coverage = script.NewCoverage()
	}
	plan, err := o.plan(loader)
	if err != nil {
		return err
	}
	r := newReport()
	if o.coverage {
		// What ran while bundles were loaded, and what the laws run, no case checks.
		loader.Coverage.Reset()
	}
	o.runCases(plan, r)
	if o.coverage {
		r.cover(loader.Coverage)
	}
	o.checkLaws(plan, r)
	for _, err := range plan.errs {
		r.Errors = append(r.Errors, err.Error())
	}
	return o.finish(r, plan)
}

func (o *testOptions) runCases(p *plan, r *report) {
	for _, g := range p.groups {
		runner := g.runner(o.allowUnchecked)
		for _, c := range g.cases {
			result := runner.Run(c)
			r.add(result)
			if o.output == "text" {
				o.printCase(result)
			}
		}
	}
}

// checkLaws checks what must hold for bundles beside their cases.
func (o *testOptions) checkLaws(p *plan, r *report) {
	var all []cases.Breach
	for _, g := range p.groups {
		if g.whole {
			p.fail(cases.Gaps(g.bundles[0], g.cases))
		}
		if !g.own {
			continue
		}
		runner := g.runner(o.allowUnchecked)
		for _, c := range g.cases {
			checked, broken := runner.CheckLaws(c)
			r.addLaws(checked, broken)
			all = append(all, broken...)
		}
	}
	if o.output == "text" {
		o.printBreaches(all)
	}
}

// finish prints what remains and settles the exit code.
func (o *testOptions) finish(r *report, p *plan) error {
	if o.output == "json" {
		if err := r.writeJSON(o.streams.Out); err != nil {
			return err
		}
	} else {
		r.writeSummary(o.streams.Out)
	}
	if o.verbose {
		for _, file := range p.skipped {
			fmt.Fprintf(o.streams.Err, "passed over %s: it holds no cases\n", file)
		}
	}
	switch {
	case len(p.errs) > 0:
		return errors.Join(p.errs...)
	case r.Failed > 0 || len(r.Laws.Broken) > 0:
		return &exitError{code: exitFound}
	case r.Passed == 0:
		return &exitError{exitNothing, "nothing ran: there are no cases in " + fmt.Sprint(o.paths)}
	}
	return r.shortOf(o.coverageMin)
}
