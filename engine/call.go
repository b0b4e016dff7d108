// SPDX-License-Identifier: Apache-2.0

package engine

import (
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
	decode func(in In, rule *Rule, results []any) (Out, error)
	// items, where it is set, counts the status items of an input.
	items func(in In) int
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

func (op *operation[In, Out]) place(index int) {
	op.index, op.names = index, op.ParamNames()
}

func (op *operation[In, Out]) evaluate(v Snapshot, q Request) ([]any, error) {
	if !v.supports(kindOf(q.Object), op.index) {
		return nil, ErrNoRule
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
	op   *operation[In, Out]
	rule *Rule
	in   In
	args [2]any
	// out, usage and err are how the run ended.
	out   Out
	usage script.Usage
	err   error
}

// Decode decodes the results of the run.
func (c *call[In, Out]) Decode(results []any, _ script.Meter) error {
	var err error
	if c.rule.Compat {
		if results, err = c.op.lossy(c.in, results); err != nil {
			return err
		}
	}
	c.out, err = c.op.decode(c.in, c.rule, results)
	return err
}

// bindCompat changes the arguments to what a script of the published form sees.
func (op *operation[In, Out]) bindCompat(in In, args []any) {
	if op.compatArgs != nil {
		op.compatArgs(in, args)
	}
	for i := range args {
		args[i] = compat.Input(args[i])
	}
}

// lossy returns the results of a script of the published form as that form reads them.
// What the script returns beyond them does not count.
func (op *operation[In, Out]) lossy(in In, results []any) ([]any, error) {
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
		if read[i], err = lossyValue(results[i], form, references); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// lossyValue returns one result; only maps and lists are changed.
func lossyValue(result any, form compat.Form, references []any) (any, error) {
	plain, err := script.Plain(result)
	if err != nil {
		return nil, err
	}
	switch plain.(type) {
	case map[string]any, []any:
		mended, err := compat.Output(plain, form, references...)
		if err != nil {
			return nil, script.Errorf(script.Result, "%v", err)
		}
		return mended, nil
	}
	return plain, nil
}
