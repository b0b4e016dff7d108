// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

const (
	// TrialGas is what all cases of a bundle may take together, as Runner.Gas returns it
	// and with the surcharge of a Trial. It is at most 2 s of CPU.
	TrialGas int64 = 4_000_000
	// caseGas and ruleGas are the surcharge of a case, and for each rule of the bundle
	// that of a case with parameters, which copies them.
	caseGas, ruleGas = 500, 2
	// parameterGas is the surcharge of a parameter that a case sets.
	parameterGas = 100
	// maxItems is how many status items a case may have: each adds to the gas of its run.
	maxItems = 500
)

// Trial runs the cases of a bundle, one at each step, and keeps those of one file in memory
// only. Its cases may take TrialGas together.
type Trial struct {
	fsys   fs.FS
	bundle *bundle.Bundle
	runner Runner
	// rules answer the cases without parameters, nil before the first; took is the gas of their runs.
	rules  *engine.Snapshot
	took   int64
	reader *Reader
	files  []string
	cases  []*Case
	// surcharges are those of the cases that were run, and ran is their number.
	surcharges int64
	ran        int
	problems   yamldoc.Problems
}

// NewTrial returns the trial of a bundle by its cases, in the file system that it was
// loaded from.
func NewTrial(fsys fs.FS, b *bundle.Bundle) *Trial {
	t := &Trial{fsys: fsys, bundle: b, runner: Runner{Bundles: []*bundle.Bundle{b}}, reader: BundleReader(b.Compiler())}
	files, err := caseFiles(fsys, b)
	t.files = files
	t.problems.Add(err)
	return t
}

// Step reads a file of cases or runs a case, and reports whether there is more to do. The
// error is not nil only where there is not: it has the cases that do not pass and what
// could not be read, or says that the trial took more than TrialGas.
//
// What a step reads and compares pays before it does so, from what all steps left of TrialGas: no step takes much more
// than is left.
func (t *Trial) Step() (more bool, err error) {
	t.reader.most = TrialGas - t.surcharges - t.runner.Gas()
	t.runner.most = max(TrialGas-t.surcharges-t.reader.Gas(), 1)
	switch {
	case len(t.cases) > 0:
		t.run(t.cases[0])
		t.cases = t.cases[1:]
	case len(t.files) > 0:
		t.read(t.files[0])
		t.files = t.files[1:]
	}
	if t.surcharges+t.reader.Gas()+t.runner.Gas() > TrialGas {
		return false, t.spent()
	}
	if len(t.cases) > 0 || len(t.files) > 0 {
		return true, nil
	}
	return false, t.problems.Err()
}

// spent is the error of a trial that took too much. The problems that it found before are
// part of it.
func (t *Trial) spent() error {
	var p yamldoc.Problems
	p.Add(OverBudget(t.bundle, t.ran), t.problems.Err())
	return p.Err()
}

// OverBudget is the error of a bundle whose cases took more than TrialGas; ran is the
// number of the cases that were run.
func OverBudget(b *bundle.Bundle, ran int) error {
	message := fmt.Sprintf("the trial of bundle %s is over its budget: its first %d cases took more than %d gas together; "+
		"keep cases with less to compute, or split the bundle", b.Name, ran, TrialGas)
	return &yamldoc.Error{File: path.Join(b.Dir, bundle.ManifestFile), Message: message}
}

func (t *Trial) read(file string) {
	found, err := t.reader.readFile(t.fsys, file)
	t.problems.Add(err)
	t.cases = found
}

func (t *Trial) run(c *Case) {
	if c.Skip != "" {
		return
	}
	if n := len(c.Question.Items); n > maxItems {
		t.problems.Add(&yamldoc.Error{File: c.File, Line: c.Line, Message: fmt.Sprintf("%d status items; a case of a bundle may have at most %d", n, maxItems)})
		return
	}
	t.surcharges += Surcharge(t.bundle, c)
	t.ran++
	for _, failure := range t.result(c).Failures {
		t.problems.AddFrom(func() error { return failure.at(c) })
	}
}

// result runs a case. Those without parameters share their rules.
func (t *Trial) result(c *Case) Result {
	if len(c.Parameters) > 0 {
		return t.runner.Run(c)
	}
	if t.rules == nil {
		rules, err := t.runner.rules(c, engine.Options{Observe: func(run engine.Run) { t.took += run.Usage.Gas }})
		if err != nil {
			return Result{Case: c}.failed(err)
		}
		t.rules = &rules
	}
	before := t.took
	result := t.runner.run(c, *t.rules)
	return result.within(t.took - before)
}

// Surcharge is what a case of a bundle takes of TrialGas beside its run.
func Surcharge(b *bundle.Bundle, c *Case) int64 {
	gas := int64(caseGas)
	if len(c.Parameters) > 0 {
		gas += parameterGas * int64(len(c.Parameters))
		for _, rules := range b.Source.Kinds {
			gas += ruleGas * int64(len(rules))
		}
	}
	return gas
}

// maxValue bounds a value in the error of a difference, in bytes.
const maxValue = 200

// at returns the error of a difference of a case.
func (f Failure) at(c *Case) error {
	line := c.Line
	if f.Line > 0 {
		line = f.Line
	}
	return &yamldoc.Error{File: c.File, Line: line, Message: diag.Clip(c.Name + ": " + f.Path + ": " + f.what())}
}

// what returns what is wrong, on one line.
func (f Failure) what() string {
	if f.Message == "" {
		return fmt.Sprintf("want %s, got %s", clipped(f.Want), clipped(f.Got))
	}
	text := f.Message
	for _, v := range f.Values {
		text += fmt.Sprintf("; %s -> %s", v.Expression, v.Value)
	}
	return text
}

// clipped returns a value as text, cut to a length.
func clipped(value []byte) string {
	switch {
	case value == nil:
		return "nothing"
	case len(value) > maxValue:
		return strings.ToValidUTF8(string(value[:maxValue]), "") + "..."
	}
	return string(value)
}
