// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// assertion is a condition in CEL about the answer to a case.
type assertion struct {
	text   string
	line   int
	places *yamldoc.TextPlaces
	// compiled is nil where the case was read without a compiler.
	compiled *engine.Assertion
}

const (
	// maxCondition bounds a condition in bytes, maxConditions those of all cases together, each counted
	// once, and maxConditionBytes what they keep.
	maxCondition      = 4 << 10
	maxConditions     = 256 << 10
	maxConditionBytes = 32 << 20
	// bytesPerConditionGas turns what a condition keeps into gas for its compilation, refusedGas is that of
	// one that does not compile: 25 ms.
	bytesPerConditionGas = 40
	refusedGas           = 50_000
	// maxParts is how many parts of a condition that is not true are shown.
	maxParts = 20
)

// readAssertions reads the conditions of a case.
func (d *parsedCase) readAssertions() error {
	if d.assert.Value == nil {
		return nil
	}
	if list, isList := d.assert.Value.([]any); isList && len(list) == 0 {
		return d.assert.Errorf("it has no conditions, so that it checks nothing")
	}
	return d.assert.Items(func(n yamldoc.Node) error {
		a := &assertion{line: n.Line}
		if err := yamldoc.String(&a.text)(n); err != nil {
			return err
		}
		if err := d.reader.take(conditionGas + int64(len(a.text))/stepsPerGas); err != nil {
			return n.Errorf("%v", err)
		}
		if len(a.text) > maxCondition {
			return n.Errorf("a condition of %d bytes; want at most %d", len(a.text), maxCondition)
		}
		a.places = n.TextPlaces(d.reader.fileLines())
		compiled, err := d.reader.condition(d.Operation, a.text)
		if err != nil {
			return a.refused(n, err)
		}
		a.compiled = compiled
		d.Case.assertions = append(d.Case.assertions, a)
		return nil
	})
}

// refused returns the error of a condition that does not compile, at its place in the file of the case.
func (a *assertion) refused(n yamldoc.Node, err error) error {
	failure, ok := errors.AsType[*script.Error](err)
	if !ok {
		return n.Errorf("%v", err)
	}
	placed := *failure
	placed.Position = a.places.Place(failure.Position)
	placed.Message = n.Path + ": " + failure.Message
	return &placed
}

// fileLines returns the lines of the file that is being read.
func (r *Reader) fileLines() *yamldoc.Lines {
	if r.lines == nil {
		r.lines = yamldoc.NewLines(r.file)
	}
	return r.lines
}

// condition compiles a condition about an operation, once for all cases that have it.
func (r *Reader) condition(op engine.Operation, text string) (*engine.Assertion, error) {
	if r.compiler == nil {
		return nil, nil
	}
	key := string(op.Name) + "\n" + text
	if known := r.compiled[key]; known != nil {
		return known, nil
	}
	if r.sources += int64(len(text)); r.sources > maxConditions || r.bytes > maxConditionBytes {
		return nil, errors.New("the conditions of all cases are too long together; want shorter ones, or fewer")
	}
	if err := r.take(0); err != nil {
		return nil, err
	}
	compiled, err := r.compiler.Assertion(engine.AssertionSource{Text: text, Results: op.ResultNames(), Inputs: inputKeys(op)})
	if err != nil {
		r.gas += refusedGas
		return nil, err
	}
	if r.compiled == nil {
		r.compiled = map[string]*engine.Assertion{}
	}
	r.compiled[key] = compiled
	r.bytes += compiled.Size()
	r.gas += compiled.Size() / bytesPerConditionGas
	return compiled, nil
}

// Gas returns what reading takes of TrialGas: the conditions and patterns of cases, and the texts of their rows.
func (r *Reader) Gas() int64 { return r.gas }

// take takes gas before something is read. The error is that there is not as much left.
func (r *Reader) take(gas int64) error {
	if r.gas += gas; r.gas > r.most {
		return fmt.Errorf("reading the cases takes more gas than the %d that all cases of a bundle may take; want fewer conditions, patterns and rows", TrialGas)
	}
	return nil
}

// inputKeys lists the keys of cases that an operation reads.
func inputKeys(op engine.Operation) []string {
	keys := []string{desiredKey, observedKey, "parameters"}
	for kind, key := range argumentKeys {
		if op.Takes(kind) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// argumentKeys are the keys of cases for what an operation takes beside objects.
var argumentKeys = map[engine.ParamKind]string{
	engine.ItemsParam: "statusItems", engine.CountParam: "inputReplicas", engine.DivisionParam: "division",
	engine.StateParam: "state", engine.FailoverParam: "failover", engine.RelatedParam: "related",
}

// input returns the arguments of a case by its keys, as scripts see them; of those that the operation reads
// none is absent but the objects that the case does not have.
func (c *Case) input() map[string]any {
	q := c.Question
	all := map[string]any{c.objectKey: q.Object.Object}
	if q.Observed != nil {
		all[observedKey] = q.Observed.Object
	}
	parameters := map[string]any{}
	for name, value := range c.Parameters {
		parameters[name] = value
	}
	all["parameters"] = parameters
	values := map[engine.ParamKind]any{
		engine.ItemsParam: q.Items, engine.CountParam: q.Replicas, engine.FailoverParam: q.Failover,
		engine.DivisionParam: nil, engine.StateParam: plain(q.State), engine.RelatedParam: objectsOf(c),
	}
	if len(q.Division.Shares) > 0 {
		values[engine.DivisionParam] = q.Division.Argument()
	}
	for kind, key := range argumentKeys {
		if c.Operation.Takes(kind) {
			all[key] = values[kind]
		}
	}
	return all
}

// objectsOf returns the related objects of a case.
func objectsOf(c *Case) []any {
	all := []any{}
	for _, o := range c.Question.Related {
		all = append(all, o.Object)
	}
	return all
}

// assert returns a failure for each condition of a case that is not true of its answer. What the conditions
// take counts to the gas of the runner, and not to that of the case.
func (r *Runner) assert(m *meter, c *Case, answer []any) []Failure {
	if len(c.assertions) == 0 {
		return nil
	}
	for _, value := range answer {
		if !m.take(comparisonGas(value)) {
			return unpaid("assert")
		}
	}
	values := engine.AssertionValues{Result: map[string]any{}, Input: c.input(), Now: Now()}
	for i, result := range c.Operation.Results {
		values.Result[result.Name] = plain(answer[i])
	}
	var failures []Failure
	for i, a := range c.assertions {
		if !m.take(conditionGas) {
			return append(failures, unpaid(fmt.Sprintf("assert[%d]", i))...)
		}
		if failure := a.check(m, values); failure != nil {
			failure.Path, failure.Line = fmt.Sprintf("assert[%d]", i), a.line
			failures = append(failures, *failure)
		}
	}
	return failures
}

// check returns how a condition fails; nil where it is true.
func (a *assertion) check(m *meter, values engine.AssertionValues) *Failure {
	if a.compiled == nil {
		return &Failure{Message: "it is not compiled, since the case was read without a compiler"}
	}
	holds, usage, err := a.compiled.Holds(values)
	m.take(usage.Gas)
	if err == nil && holds {
		return nil
	}
	failure := &Failure{Message: diag.Clip(strings.Join(strings.Fields(a.text), " ")) + " is false"}
	if err != nil {
		failure.Message = a.located(err)
	}
	parts, usage := a.compiled.Explain(values, maxParts)
	m.take(usage.Gas + a.compiled.Size()/bytesPerConditionGas)
	for _, p := range parts {
		if err != nil && strings.HasPrefix(p.Value, "error: ") {
			continue // all of what the error is part of has it
		}
		failure.Values = append(failure.Values, Value{p.Expression, p.Value})
	}
	return failure
}

// located returns the text of an error of an evaluation, with its place in the file of the case.
func (a *assertion) located(err error) string {
	failure, ok := errors.AsType[*script.Error](err)
	if !ok {
		return err.Error()
	}
	placed := *failure
	placed.Position = a.places.Place(failure.Position)
	text := placed.Error()
	if failure.Code == script.Gas || failure.Code == script.Memory {
		text += fmt.Sprintf(" (code %s: a condition has the limits of a script)", failure.Code)
	}
	return text
}
