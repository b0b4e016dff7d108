// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/internal/compat"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Operation describes one question that a script can answer, for all that
// ranges over the questions: command line, validation, metrics, documents.
type Operation struct {
	// Name is the wire name, such as InterpretHealth.
	Name string
	// Field is the name under spec.customizations of a
	// ResourceInterpreterCustomization.
	Field string
	// Entry is the function that a Lua script defines.
	Entry string
	// File is the name of the script in a bundle, without its ending.
	File string
	// Params are the names of the arguments, in order.
	Params []string
	// Results are the keys of the answer in a case file, in order.
	Results []string
	// Patch reports whether a CEL expression gives a merge patch on the first
	// argument and not the answer itself.
	Patch bool
	// Doc is one sentence for authors.
	Doc string

	// index is the place in operations.
	index int
}

// The names of the operations on the wire.
const (
	InterpretReplica    = "InterpretReplica"
	InterpretComponent  = "InterpretComponent"
	ReviseReplica       = "ReviseReplica"
	Retain              = "Retain"
	InterpretStatus     = "InterpretStatus"
	AggregateStatus     = "AggregateStatus"
	InterpretHealth     = "InterpretHealth"
	InterpretDependency = "InterpretDependency"
	InterpretState      = "InterpretState"
	RestoreState        = "RestoreState"
)

// operationCount is the number of operations; each has its index below it.
const operationCount = 10

// operations holds them by index.
var operations = [operationCount]*Operation{
	&replicaOp.Operation, &componentOp.Operation, &reviseOp.Operation, &retainOp.Operation, &statusOp.Operation,
	&aggregateOp.Operation, &healthOp.Operation, &dependencyOp.Operation, &stateOp.Operation, &restoreOp.Operation,
}

// Operations lists all operations in the order of the documents.
func Operations() []Operation {
	all := make([]Operation, 0, operationCount)
	for _, op := range operations {
		all = append(all, *op)
	}
	return all
}

// OperationNamed finds an operation by its wire name; case does not matter.
func OperationNamed(name string) (Operation, bool) {
	if i := indexOf(name); i >= 0 {
		return *operations[i], true
	}
	return Operation{}, false
}

// indexOf returns the index of an operation by its wire name, or -1. Most ask with the
// name as it is written here, which is quick to find.
func indexOf(name string) int {
	for i, op := range operations {
		if op.Name == name {
			return i
		}
	}
	return slices.IndexFunc(operations[:], func(op *Operation) bool { return strings.EqualFold(op.Name, name) })
}

// Op is an operation with its types: how to make the arguments from an In, and
// how to read an Out from the results of a script.
type Op[In, Out any] struct {
	Operation
	// bind appends the arguments, as many as there are Params.
	bind func(in In, args []any) []any
	// compatArgs, where it is set, changes the arguments to those that a script of the
	// published form expects.
	compatArgs func(in In, args []any)
	// forms are the forms of the results for a script of the published form, and
	// references gives the inputs that a result was made from; see package compat.
	forms      []compat.Form
	references func(in In) []any
	// decode reads the results of a script while its memory is alive.
	decode func(in In, rule *Rule, results []any) (Out, error)
	// items, where it is set, counts the status items of an input.
	items func(in In) int
	calls callPool[In, Out]
}

// call is one run of an operation; it is pooled, so that a run allocates nothing
// of its own.
type call[In, Out any] struct {
	script.Call
	op   *Op[In, Out]
	rule *Rule
	in   In
	out  Out
	args [2]any
}

// Decode decodes the results of the run.
func (c *call[In, Out]) Decode(results []any) error {
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
func (op *Op[In, Out]) bindCompat(in In, args []any) {
	if op.compatArgs != nil {
		op.compatArgs(in, args)
	}
	for i := range args {
		args[i] = compat.Input(args[i])
	}
}

// lossy returns the results of a script of the published form as that form reads them.
// What the script returns beyond them does not count.
func (op *Op[In, Out]) lossy(in In, results []any) ([]any, error) {
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

// lossyValue returns one result; only maps and lists are mended.
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
