package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// testOptions are the flags of test.
type testOptions struct {
	streams        Streams
	paths          []string
	bundle         string
	parameters     []string
	allowUnchecked bool
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

With -o json stdout is one object:
  passed, failed  numbers of cases
  cases           a list of {file, line, name, kind, operation, passed, gas, failures,
                  unchecked}; failures is a list of {path, want, got}, where want or got
                  is absent when the value is; unchecked lists the results that the case
                  does not name
  errors          what could not be read or loaded, a list of texts`,
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
	f.BoolVar(&o.allowUnchecked, "allow-unchecked", false, "let results pass that a case's output does not name")
	f.StringVarP(&o.output, "output", "o", "text", "form of the report: text or json")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show the gas of cases, the errors they expect, and the files passed over")
	return c
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
	plan, err := o.plan(c)
	if err != nil {
		return err
	}
	r := &report{Cases: []caseReport{}, Errors: []string{}}
	for _, err := range plan.errs {
		r.Errors = append(r.Errors, err.Error())
	}
	for _, g := range plan.groups {
		runner := &cases.Runner{
			Bundles: g.bundles, Customizations: g.customizations,
			AllowUnchecked: o.allowUnchecked || g.customizations != nil,
		}
		for _, c := range g.cases {
			result := runner.Run(c)
			r.add(result)
			if o.output == "text" {
				o.printCase(result)
			}
		}
	}
	return o.finish(r, plan)
}

// finish prints what remains and settles the exit code.
func (o *testOptions) finish(r *report, p *plan) error {
	if o.output == "json" {
		if err := r.writeJSON(o.streams.Out); err != nil {
			return err
		}
	}
	if o.verbose {
		for _, file := range p.skipped {
			fmt.Fprintf(o.streams.Err, "passed over %s: it holds no cases\n", file)
		}
	}
	if o.output == "text" && r.Passed+r.Failed > 0 {
		fmt.Fprintf(o.streams.Out, "%d passed, %d failed\n", r.Passed, r.Failed)
	}
	switch {
	case len(p.errs) > 0:
		return errors.Join(p.errs...)
	case r.Failed > 0:
		return &exitError{code: exitFound}
	case r.Passed == 0:
		return &exitError{exitNothing, "nothing ran: there are no cases in " + fmt.Sprint(o.paths)}
	}
	return nil
}
