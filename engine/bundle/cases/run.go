// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Now returns the time that scripts see in a case.
func Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// Runner runs cases. It is safe for many goroutines.
type Runner struct {
	// Bundles answer the cases; Customizations take precedence over them.
	Bundles        []*bundle.Bundle
	Customizations []engine.RuleSet
	// AllowUnchecked allows results that the output of the case does not name.
	AllowUnchecked bool
	// Hint ends the error of a case that no script answers; "" is nothing.
	Hint string
	// Print keeps what the scripts print.
	Print bool

	gas atomic.Int64
	// most is what the runs and comparisons may take in all; 0 bounds each comparison by TrialGas.
	most int64
	// plain answers the cases without parameters; it is made once.
	plain     engine.Snapshot
	plainErr  error
	plainOnce sync.Once
}

// Gas returns what all runs took so far, those of laws included.
func (r *Runner) Gas() int64 { return r.gas.Load() }

// Result is the result of a case. It passed if there is no failure.
type Result struct {
	Case     *Case
	Gas      int64
	Failures []Failure
	// Unchecked are the results that the case's output does not name, where that is
	// allowed.
	Unchecked []string
	// Err is the error of the run, expected or not.
	Err error
	// Origin names what answered, such as bundle flink; "" where nothing does.
	Origin string
	// Printed are the lines that the script printed, each with file and line, where that is kept.
	Printed []string

	answer []any
}

// Unexpected returns the results of a case that are not what it expects, by name and as JSON has
// them: what its output would have to say; at the paths that the case ignores it is what the output says. It
// is nil where the case passed, has no output, expects an error, ended with one, or fails for another reason too.
func (r Result) Unexpected() map[string]any {
	otherwise := slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Message != "" })
	if r.Passed() || r.answer == nil || len(r.Case.output) == 0 || otherwise {
		return nil
	}
	unexpected := map[string]any{}
	for i, result := range r.Case.Operation.Results {
		_, named := r.Case.output[result.Name]
		got := plain(r.answer[i])
		switch {
		case named && len(r.Case.compare(nil, result, r.answer[i])) > 0, !named && got != nil && !result.Optional:
			unexpected[result.Name] = r.Case.withIgnored(result.Name, got)
		}
	}
	return unexpected
}

// Passed reports whether everything is as the case expects. A case that is skipped has not passed.
func (r Result) Passed() bool { return len(r.Failures) == 0 && !r.Skipped() }

// Skipped reports whether the case was not run, because it says so.
func (r Result) Skipped() bool { return r.Case.Skip != "" }

// Run runs one case. The bundle that has the kind of the case answers, or the one for any
// kind; the case fails if there is no script for the operation. A case of a kind without a
// bundle that sets the parameter replicasPath is about a kind whose CRD has that path.
func (r *Runner) Run(c *Case) Result {
	if c.Skip != "" {
		return Result{Case: c}
	}
	var gas int64
	var printed lines
	asked := engine.Options{Observe: func(run engine.Run) { gas += run.Usage.Gas }}
	if r.Print {
		asked.Print = printed.add
	}
	rules, err := r.rules(c, asked)
	if err != nil {
		return Result{Case: c}.failed(err)
	}
	result := r.run(c, rules).within(gas)
	result.Printed = printed.all()
	return result
}

// within returns the result of a run that took so much gas, which is a failure where the case allows less.
func (r Result) within(gas int64) Result {
	r.Gas = gas
	if most := r.Case.MaxGas; most > 0 && gas > most {
		r.Failures = append(r.Failures, Failure{Path: "gas", Message: fmt.Sprintf("the script took %d gas; maxGas is %d", gas, most)})
	}
	return r
}

// run runs one case by the rules that answer it. The Gas of the result is not set.
func (r *Runner) run(c *Case, rules engine.Snapshot) Result {
	result := Result{Case: c, Origin: rules.Origin(c.Kind(), c.Operation.Name)}
	if err := r.ask(&result, rules); err != nil {
		return result.failed(err)
	}
	return result
}

// ask asks the rules, and compares what they answer. The error is one that the case does not expect; a panic is
// one of the case.
func (r *Runner) ask(result *Result, rules engine.Snapshot) (err error) {
	c := result.Case
	defer script.Recover(&err, script.Position{File: c.File, Line: c.Line}, "running the case")
	answer, err := rules.Evaluate(c.Question)
	result.Err = err
	switch {
	case errors.Is(err, engine.ErrNoRule):
		return r.noRule(c)
	case c.failure != nil:
		result.Failures = c.failure.compare(r.meter(), err)
	case err != nil:
		return err
	default:
		r.checkResults(result, answer)
	}
	return nil
}

// rulesOf returns the rules that answer a case. Those without parameters share theirs.
func (r *Runner) rulesOf(c *Case) (engine.Snapshot, error) {
	if len(c.Parameters) > 0 {
		return r.rules(c, engine.Options{})
	}
	r.plainOnce.Do(func() { r.plain, r.plainErr = r.rules(c, engine.Options{}) })
	return r.plain, r.plainErr
}

// rules returns the rules that answer a case, which call Observe of the options for each run if it
// is not nil, and Print. The error is about the parameters of the case.
func (r *Runner) rules(c *Case, asked engine.Options) (engine.Snapshot, error) {
	i := engine.NewInterpreter(engine.Options{Clock: fixed(Now()), Print: asked.Print, Observe: func(run engine.Run) {
		r.gas.Add(run.Usage.Gas)
		if asked.Observe != nil {
			asked.Observe(run)
		}
	}})
	for _, b := range r.Bundles {
		answers := r.answers(b, c.Kind())
		if answers {
			with, err := b.With(c.Parameters)
			if err != nil {
				return engine.Snapshot{}, err
			}
			b = with
		}
		if err := i.Set(engine.Embedded, b.Source); err != nil {
			return engine.Snapshot{}, err
		}
		if path := c.Parameters[bundle.ReplicasPath]; answers && path != "" {
			if err := i.Set(engine.Derived, b.Scaled(b.Name, map[schema.GroupVersionKind]string{c.Kind(): path})); err != nil {
				return engine.Snapshot{}, err
			}
		}
	}
	for _, source := range r.Customizations {
		if err := i.Set(engine.Customizations, source); err != nil {
			return engine.Snapshot{}, err
		}
	}
	return i.Snapshot(), nil
}

// answers reports whether a bundle answers for a kind: it has the kind, or it answers for any
// and no bundle has it.
func (r *Runner) answers(b *bundle.Bundle, kind schema.GroupVersionKind) bool {
	if _, has := b.Source.Kinds[kind]; has {
		return true
	}
	_, any := b.Source.Kinds[engine.AnyKind]
	return any && !slices.ContainsFunc(r.Bundles, func(b *bundle.Bundle) bool {
		_, has := b.Source.Kinds[kind]
		return has
	})
}

// noRule is the error of a case that no script answers. It names what there is for its
// kind, and Hint.
func (r *Runner) noRule(c *Case) error {
	text := fmt.Sprintf("no script answers %s for %s %s", c.Operation.Name, c.Kind().GroupVersion(), c.Kind().Kind)
	if other := r.otherVersions(c.Kind()); len(other) > 0 {
		text += "; there are scripts for " + script.List(other)
	}
	if r.Hint != "" {
		text += "; " + r.Hint
	}
	return errors.New(text)
}

// otherVersions lists the group and version of the kinds with rules that have the name of a
// kind and are not the kind itself, sorted.
func (r *Runner) otherVersions(kind schema.GroupVersionKind) []string {
	var names []string
	sets := slices.Clone(r.Customizations)
	for _, b := range r.Bundles {
		sets = append(sets, b.Source)
	}
	for _, set := range sets {
		for known := range set.Kinds {
			if name := known.GroupVersion().String(); known.Kind == kind.Kind && known != kind && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (r Result) failed(err error) Result {
	r.Err = err
	r.Failures = append(r.Failures, Failure{Path: "error", Got: text(err.Error())})
	return r
}

// checkResults compares the results with the output of the case.
func (r *Runner) checkResults(result *Result, answer []any) {
	c := result.Case
	result.answer = answer
	m := r.meter()
	for i, wanted := range c.Operation.Results {
		if !m.take(comparisonGas(answer[i])) {
			result.Failures = append(result.Failures, unpaid(wanted.Name)...)
			return
		}
		if _, named := c.output[wanted.Name]; named {
			result.Failures = append(result.Failures, c.compare(m, wanted, answer[i])...)
			continue
		}
		if _, named := c.subset[wanted.Name]; named {
			result.Failures = append(result.Failures, c.compareSubset(m, wanted, answer[i])...)
			continue
		}
		got := plain(answer[i])
		switch {
		case got == nil && wanted.Optional, (got == nil || wanted.Optional) && c.expects(), len(c.output) == 0 && c.expects(), c.asserts(wanted.Name):
		case r.AllowUnchecked:
			result.Unchecked = append(result.Unchecked, wanted.Name)
		default:
			result.Failures = append(result.Failures, Failure{Path: wanted.Name, Got: text(got)})
		}
	}
	result.Failures = append(result.Failures, r.assert(m, c, answer)...)
}

// meter returns what the comparison of one answer is taken from.
func (r *Runner) meter() *meter {
	m := &meter{gas: &r.gas, left: TrialGas}
	if r.most > 0 {
		m.left = r.most - r.gas.Load()
	}
	return m
}

// expects reports whether the case says something of the answer. One of the published form need not.
func (c *Case) expects() bool { return len(c.output)+len(c.subset)+len(c.assertions) > 0 }

// compare returns the differences between an error and what is expected of it.
func (e *expectedError) compare(m *meter, err error) []Failure {
	if err == nil {
		return []Failure{{Path: "error", Want: text(e.String())}}
	}
	var failure *script.Error
	if !errors.As(err, &failure) {
		return []Failure{{Path: "error", Want: text(e.String()), Got: text(err.Error())}}
	}
	var failures []Failure
	if e.code != "" && failure.Code != e.code {
		failures = append(failures, Failure{Path: "error.code", Want: text(e.code), Got: text(failure.Code)})
	}
	switch {
	case e.message == nil:
	case !m.take(e.message.Instructions * int64(len(failure.Message)+1) / stepsPerGas):
		return unpaid("error.message")
	case !e.message.MatchString(failure.Message):
		failures = append(failures, Failure{Path: "error.message", Want: text(e.message.String()), Got: text(failure.Message)})
	}
	if e.at != "" && !standsAt(failure.Position, e.at) {
		failures = append(failures, Failure{Path: "error.at", Want: text(e.at), Got: text(failure.Position.String())})
	}
	return failures
}

// String describes the error that is expected.
func (e *expectedError) String() string {
	parts := []string{"an error"}
	if e.code != "" {
		parts = append(parts, "of code "+string(e.code))
	}
	if e.message != nil && e.message.String() != "" {
		parts = append(parts, "matching "+e.message.String())
	}
	if e.at != "" {
		parts = append(parts, "at "+e.at)
	}
	return strings.Join(parts, " ")
}

// standsAt reports whether a position is the one given as file, file:line or
// file:line:column; the file may lack leading folders.
func standsAt(p script.Position, at string) bool {
	forms := []string{p.File, fmt.Sprintf("%s:%d", p.File, p.Line), fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)}
	return slices.ContainsFunc(forms, func(form string) bool {
		return form == at || strings.HasSuffix(form, "/"+at)
	})
}

// fixed is a clock that stands still.
type fixed time.Time

// Now returns the time of the clock.
func (f fixed) Now() time.Time { return time.Time(f) }

// Since returns the time from t to that of the clock.
func (f fixed) Since(t time.Time) time.Duration { return time.Time(f).Sub(t) }

// Evaluation returns what evaluates a case again and again, as a control plane does, without a
// look at its answer. The error is about the parameters of the case.
func (r *Runner) Evaluation(c *Case) (func() error, error) {
	rules, err := r.rulesOf(c)
	if err != nil {
		return nil, err
	}
	return func() error {
		_, err := rules.Evaluate(c.Question)
		return err
	}, nil
}
