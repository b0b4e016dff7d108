// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/internal/compat"
	"github.com/dragoman-io/dragoman/engine/script"
)

// operation is an operation with its types: how to make an In of a request and the
// arguments of an In, and how to read an Out from the results of a script.
type operation[In, Out any] struct {
	Operation
	// input makes the input of a request.
	input func(q Request) (In, error)
	// bind appends the arguments, as many as there are Params.
	bind func(in In, args []any) []any
	// compatArgs, where it is set, changes the arguments to those that a script of the
	// published form expects.
	compatArgs func(in In, args []any)
	// forms are the forms of the results for a script of the published form, and
	// references returns the inputs that a result was made from; see package compat.
	forms      []compat.Form
	references func(in In) []any
	// decode reads the results of a script while its memory is alive.
	decode func(in In, r *reader, results []any) (Out, error)
	// items, where it is set, counts the status items of an input.
	items func(in In) int
	// given, where it is set, returns the maps of an input that come beside its objects; the
	// run pays for them.
	given func(in In) []any
	// unite, where it is set, makes one answer of those of all rules. Otherwise the
	// first rule alone answers.
	unite func(answers []Out) Out
	// values returns an answer as the values of Results; where it is not set, the
	// answer is the one value.
	values func(out Out) []any

	// index is the place in the table, and names are those of the parameters.
	index int
	names []string
	calls callPool[In, Out]
}

// inputObject returns the input of an operation whose only parameter is an object.
func inputObject(q Request) (*unstructured.Unstructured, error) { return q.Object, nil }

// bindObject binds the argument of an operation whose only parameter is an object.
func bindObject(in *unstructured.Unstructured, args []any) []any { return append(args, in.Object) }

func (op *operation[In, Out]) describe() *Operation { return &op.Operation }

func (op *operation[In, Out]) unites() bool { return op.unite != nil }

func (op *operation[In, Out]) place(index int) {
	op.index, op.names = index, op.ParamNames()
}

func (op *operation[In, Out]) evaluate(v Snapshot, q Request) ([]any, error) {
	switch {
	case q.Object == nil:
		return nil, errNoObject
	case !v.supports(kindOf(q.Object), op.index):
		return nil, ErrNoRule
	}
	if len(q.Related) > 0 {
		var err error
		if q.related, err = v.related(q); err != nil {
			return nil, err
		}
	}
	in, err := op.input(q)
	if err != nil {
		return nil, err
	}
	out, err := run(v, op, q.Object, in)
	switch {
	case err != nil:
		return nil, err
	case op.values != nil:
		return op.values(out), nil
	}
	return []any{out}, nil
}

// call is one run of an operation; it is pooled, so that a run allocates nothing
// of its own.
type call[In, Out any] struct {
	script.Call
	op     *operation[In, Out]
	rule   *Rule
	in     In
	args   [3]any
	reader reader
	// out, usage and err are how the run ended.
	out   Out
	usage script.Usage
	err   error
}

// run runs the program, unless there are too many items for it.
func (c *call[In, Out]) run() (script.Usage, error) {
	if err := c.prepare(); err != nil {
		return c.Spent, inFile(err, c.rule.Program)
	}
	return c.rule.Program.Run(&c.Call, c)
}

// inFile names the file in an error of a run that did not begin.
func inFile(err error, program script.Program) error {
	var failure *script.Error
	c, known := program.(*compiled)
	if known && errors.As(err, &failure) && failure.File == "" {
		failure.File = c.file
	}
	return err
}

// prepare binds the arguments, and pays for what that takes.
func (c *call[In, Out]) prepare() error {
	if c.op.items != nil {
		n := c.op.items(c.in)
		if n > c.Limits.Items {
			return script.Errorf(script.Input, "items: there are %d status items; at most %d are allowed", n, c.Limits.Items)
		}
		c.Limits = c.Limits.WithItems(n)
	}
	if c.op.given != nil {
		if err := c.payFor(c.op.given(c.in)); err != nil {
			return err
		}
	}
	c.Args = c.op.bind(c.in, c.args[:0])
	if c.rule.Compat {
		return c.prepareCompat()
	}
	return nil
}

// payFor takes what maps beside the objects cost: a step for each value, and one for each 64
// bytes of text, before they are looked at.
func (c *call[In, Out]) payFor(given []any) error {
	tally := script.Tally{Meter: preparation{&c.Call}}
	for i, value := range given {
		if _, ok := value.(map[string]any); !ok {
			return script.Errorf(script.Internal, "related[%d]: want a map, got a %s", i, script.TypeName(value))
		}
		if err := payValue(&tally, value); err != nil {
			return err
		}
	}
	return tally.Close()
}

// payValue pays for a value and its parts.
func payValue(t *script.Tally, v any) error {
	if err := t.Add(1, 0); err != nil {
		return err
	}
	switch x := v.(type) {
	case string:
		return t.Text(len(x))
	case map[string]any:
		for key, value := range x {
			if err := errors.Join(t.Text(len(key)), payValue(t, value)); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range x {
			if err := payValue(t, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepareCompat changes the arguments to what a script of the published form sees.
func (c *call[In, Out]) prepareCompat() error {
	if c.op.compatArgs != nil {
		c.op.compatArgs(c.in, c.Args)
	}
	for i, arg := range c.Args {
		seen, err := compat.Input(arg, preparation{&c.Call})
		if err != nil {
			return err
		}
		c.Args[i] = seen
	}
	return nil
}

// preparation is the meter of what comes before a run.
type preparation struct{ *script.Call }

// Pay adds to what the run has spent when it begins.
func (p preparation) Pay(gas, memory int64) error {
	p.Spent.Gas += gas
	p.Spent.Memory += memory
	switch {
	case p.Spent.Gas > p.Limits.Gas:
		p.Spent.Gas = p.Limits.Gas // by how much depends on the order of a map
		return script.Errorf(script.Gas, "the arguments alone need more than %d units of gas", p.Limits.Gas)
	case p.Spent.Memory > p.Limits.Memory:
		p.Spent.Memory = p.Limits.Memory
		return script.Errorf(script.Memory, "the arguments alone need more than %d bytes of memory", p.Limits.Memory)
	}
	return nil
}

// Decode decodes the results of the run.
func (c *call[In, Out]) Decode(results []any, m script.Meter) error {
	c.reader.begin(c.rule, m)
	var err error
	if c.rule.Compat {
		if results, err = c.op.lossy(c.in, m, results); err != nil {
			return err
		}
	}
	c.out, err = c.op.decode(c.in, &c.reader, results)
	if err = resultError(err); err != nil && !isResult(err) {
		return err
	}
	// Where something is wrong, too: what is left depends on the order of maps.
	if paid := c.reader.Close(); paid != nil {
		return paid
	}
	return err
}

// isResult reports whether an error is one of an answer, and not of a limit.
func isResult(err error) bool {
	e, ok := errors.AsType[*script.Error](err)
	return ok && e.Code == script.Result
}

// lossy returns the results of a script of the published form as that form reads them.
// What the script returns beyond them does not count.
func (op *operation[In, Out]) lossy(in In, m script.Meter, results []any) ([]any, error) {
	var references []any
	if op.references != nil {
		references = op.references(in)
	}
	read := make([]any, min(len(results), len(op.Results)))
	for i := range read {
		form := compat.Map
		if i < len(op.forms) {
			form = op.forms[i]
		}
		var err error
		if read[i], err = lossyValue(results[i], form, m, references); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// lossyValue returns one result; only maps and lists are changed.
func lossyValue(result any, form compat.Form, m script.Meter, references []any) (any, error) {
	plain, err := script.Plain(result)
	if err != nil {
		return nil, err
	}
	switch plain.(type) {
	case map[string]any, []any:
		return compat.Output(plain, form, m, references...)
	}
	return plain, nil
}
