// SPDX-License-Identifier: Apache-2.0

package author

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/scripts"
)

// testOptions are the flags of test.
type testOptions struct {
	streams        verb.Streams
	paths          []string
	bundle         string
	customization  string
	runOnly        string
	coverageOut    string
	coverageHTML   string
	parameters     []string
	allowUnchecked bool
	coverage       bool
	coverageMin    float64
	laws           bool
	update         bool
	watch          bool
	output         string
	verbose        bool
}

func newTestCommand(streams verb.Streams) *cobra.Command {
	o := &testOptions{streams: streams}
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER]...",
		Short: "Run the cases of scripts",
		Long: `test runs the cases in files and below folders, by default below this one.

A case below a folder with a bundle.yaml is run with that bundle. A case below a folder
with a customizations.yaml, or without one with another file that holds
ResourceInterpreterCustomizations, is run with these alone, by the rules of the published
form; results that it does not name are reported and allowed. Any other case is run with
the bundles of this program, unless scripts lie beside it that belong to none of these,
which is an error; with --bundle all are run with that bundle. -v and -o json name who
answered. YAML and JSON files without anything like a case, such as objects, are passed
over, as are hidden folders.

A bundle that is tested as a whole must have a case for each script, and for each result
one that names it; customizations must have a case for each script. On the objects of the
cases of both these laws must hold:
` + lawHelp() + `
With --watch each change of a file runs the cases of the bundle again that the file is part of, or of the
customizations beside it; a file that belongs to neither runs all. It ends when it is interrupted, with the exit
code of the last run.

-o junit, tap and github have the cases, the laws that are broken and the errors in the
form of JUnit, of the Test Anything Protocol, and of annotations of a GitHub workflow.

With -o json stdout is one object:
  passed, failed  numbers of cases
  kinds           a list of {kind, passed, failed}
  cases           a list of {file, line, name, apiVersion, kind, operation, answeredBy,
                  passed, skipped, gas, failures, unchecked}; answeredBy names the bundle,
                  customization or rule and where it is; skipped is why the case was not run; failures
                  is a list of {path, expected, actual}, where expected or actual is absent when the
                  value is, or of {path, message, line, values}, where values are the parts of a condition,
                  a list of {expression, value}; unchecked lists the results that the case does not name
  skipped         the number of cases that say why they are not run
  laws            {checked, broken}; broken is a list of {law, file, line, name, kind,
                  failures}
  coverage        a list of {file, lines, missed}, with --coverage: the number of lines
                  that can run, and a list of those that no case ran
  warnings        what is probably not meant in customizations, a list of {file, line,
                  kind, name, field, message}
  errors          what could not be read or loaded, and what no case checks, a list of
                  texts`,
		Example: `  dragoman test ./flink
  dragoman test --run 'suspended' -v ./flink
  dragoman test --watch ./flink
  dragoman test --customization ric.yaml ./testdata
  dragoman test --parameter flink.memoryUnits=quantity ./cases`,
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			if o.watch {
				return o.runWatching(c.Context())
			}
			return o.run()
		},
	}
	f := c.Flags()
	f.StringVar(&o.bundle, "bundle", "", "folder of a bundle that all cases are run with")
	f.StringVar(&o.customization, "customization", "", "file with ResourceInterpreterCustomizations that all cases are run with, whatever its name")
	f.StringVar(&o.runOnly, "run", "", "run only the cases whose names match this regular expression; scripts without a case are no error then")
	f.StringArrayVar(&o.parameters, "parameter", nil, verb.ParameterUsage)
	f.BoolVar(&o.allowUnchecked, "allow-unchecked", false,
		"let results pass that a case's output does not name, and keys in cases outside of bundles that test does not know")
	f.BoolVar(&o.coverage, "coverage", false, "show which lines of the scripts the cases ran")
	f.Float64Var(&o.coverageMin, "coverage-min", 0, "fail where the cases ran less than this share of the lines, in percent; implies --coverage")
	f.StringVar(&o.coverageOut, "coverage-out", "", "write how often the cases ran each line to this file, in the form of lcov; implies --coverage")
	f.StringVar(&o.coverageHTML, "coverage-html", "", "write the scripts with how often each line ran to this file, as one HTML page; implies --coverage")
	f.BoolVar(&o.laws, "laws", true, "check the laws")
	f.BoolVar(&o.update, "update", false, "write what scripts answer into the outputs of cases that fail; read what it changed before you commit it")
	f.BoolVar(&o.watch, "watch", false, "run again what a change of a file affects, until it is interrupted")
	f.StringVarP(&o.output, "output", "o", "text", "form of the report: "+strings.Join(testOutputs, ", "))
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show the gas of cases, who answered them, the errors they expect, and the files passed over")
	c.MarkFlagsMutuallyExclusive("bundle", "customization")
	c.MarkFlagsMutuallyExclusive("watch", "update")
	return c
}

// testOutputs are the forms of a report.
var testOutputs = []string{"text", "json", "junit", "tap", "github"}

// lawHelp lists the laws, a line each.
func lawHelp() string {
	var help string
	for _, law := range cases.Laws() {
		help += fmt.Sprintf("  %-23s %s\n", law.Name, law.Doc)
	}
	return help
}

func (o *testOptions) run() error {
	if !slices.Contains(testOutputs, o.output) {
		return fmt.Errorf("output %q: want %s", o.output, strings.Join(testOutputs, ", "))
	}
	if !(o.coverageMin >= 0 && o.coverageMin <= 100) {
		return fmt.Errorf("coverage-min %v: want a share in percent, from 0 to 100", o.coverageMin)
	}
	selection, err := o.selection()
	if err != nil {
		return err
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return err
	}
	plan, err := author.NewPlan(c, selection)
	if err != nil {
		return err
	}
	r, err := o.report(plan)
	if err != nil {
		return err
	}
	if err := o.writeCoverage(r, plan); err != nil {
		return err
	}
	if o.update {
		if err := o.writeUpdates(r, plan); err != nil {
			return err
		}
	}
	return o.finish(r, plan)
}

// report runs the plan and prints its report.
func (o *testOptions) report(plan *author.Plan) (*author.Report, error) {
	out := o.streams.Out
	if o.output == "text" {
		printer := author.Printer{Out: out, Verbose: o.verbose}
		r := plan.Run(printer.Case)
		printer.Summary(r)
		return r, nil
	}
	r := plan.Run(nil)
	write := map[string]func(io.Writer) error{"json": r.WriteJSON, "junit": r.WriteJUnit, "tap": r.WriteTAP, "github": r.WriteGitHub}
	return r, write[o.output](out)
}

// writeCoverage writes the coverage to the files that were asked for.
func (o *testOptions) writeCoverage(r *author.Report, plan *author.Plan) error {
	if o.coverageOut != "" {
		var text bytes.Buffer
		if err := r.WriteLCOV(&text); err != nil {
			return err
		}
		if err := os.WriteFile(o.coverageOut, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if o.coverageHTML == "" {
		return nil
	}
	var page bytes.Buffer
	if err := plan.WriteHTML(&page, r); err != nil {
		return err
	}
	return verb.WriteFile(o.coverageHTML, page.Bytes(), 0o644)
}

// wantsCoverage reports whether a flag asks for the coverage.
func (o *testOptions) wantsCoverage() bool {
	return o.coverage || o.coverageMin > 0 || o.coverageOut != "" || o.coverageHTML != ""
}

// selection returns what the flags select.
func (o *testOptions) selection() (author.Selection, error) {
	s := author.Selection{
		Files: verb.HostFS{}, Bundle: filepath.ToSlash(o.bundle), Bundles: scripts.FS, Parameters: o.parameters,
		AllowUnchecked: o.allowUnchecked, WithoutLaws: !o.laws, Coverage: o.wantsCoverage(),
		Customization: filepath.ToSlash(o.customization),
	}
	if o.runOnly != "" {
		pattern, err := regexp.Compile(o.runOnly)
		if err != nil {
			return s, fmt.Errorf("run: %w", err)
		}
		s.Run = pattern
	}
	for _, p := range o.paths {
		s.Paths = append(s.Paths, filepath.ToSlash(p))
	}
	switch {
	case len(o.paths) > 0:
	case o.bundle != "":
		s.Paths = []string{s.Bundle}
	default:
		s.Paths = []string{"."}
	}
	return s, nil
}

// finish returns the error that the exit code is made of.
func (o *testOptions) finish(r *author.Report, p *author.Plan) error {
	if o.verbose {
		for _, file := range p.Skipped {
			fmt.Fprintf(o.streams.Err, "passed over %s: it holds no cases\n", file)
		}
	}
	printer := author.Printer{Out: o.streams.Err}
	printer.Warnings(r.Warnings)
	switch {
	case len(r.Errs) > 0:
		return errors.Join(r.Errs...)
	case r.Failed > 0 || len(r.Laws.Broken) > 0:
		return verb.Exit(verb.ExitFound, "")
	case r.Passed == 0 && r.Skipped > 0:
		return verb.Nothingf("nothing ran: all %d cases are skipped", r.Skipped)
	case r.Passed == 0:
		return verb.Exit(verb.ExitNothing, o.nothingRan())
	}
	return o.finishCoverage(r.Total())
}

// nothingRan is the message of a run without a case.
func (o *testOptions) nothingRan() string {
	selection, _ := o.selection() // it was read before
	if o.runOnly != "" {
		return fmt.Sprintf("nothing ran: no case in %v has a name that matches %q", selection.Paths, o.runOnly)
	}
	return "nothing ran: there are no cases in " + fmt.Sprint(selection.Paths)
}

// finishCoverage returns the error of a run whose cases ran less than the share of the
// lines that was asked for.
func (o *testOptions) finishCoverage(all author.FileCoverage) error {
	switch {
	case !o.wantsCoverage():
		return nil
	case all.Lines == 0:
		return verb.Exit(verb.ExitNothing, "nothing to cover: no case was run with scripts that have lines")
	case all.Percent() < o.coverageMin:
		return verb.Foundf("the cases ran %.1f %% of the lines of scripts; want at least %.1f %%", all.Percent(), o.coverageMin)
	}
	return nil
}
