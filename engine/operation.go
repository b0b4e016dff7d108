// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Op names an operation on the wire, such as InterpretHealth. The constants of this
// type are all there are; ParseOperation reads what a user wrote.
type Op string

// Operation describes one question that a script can answer, for whatever ranges over
// the questions: command line, validation, metrics, documents.
type Operation struct {
	// Name is the name on the wire.
	Name Op
	// Field is the name under spec.customizations of a
	// ResourceInterpreterCustomization.
	Field string
	// Entry is the function that a Lua script defines.
	Entry string
	// File is the name of the script in a bundle, without its ending.
	File string
	// About is which object it asks about.
	About About
	// Params are the parameters, in order; the first is an object.
	Params []Param
	// Results are the values of an answer, in order.
	Results []Result
	// Patch reports whether an answer is the first argument in a new form, for which a
	// CEL expression returns a merge patch on that argument.
	Patch bool
	// Idempotent reports whether the operation changes nothing in its own answer, which
	// is a law for its scripts.
	Idempotent bool
	// Doc is one sentence for authors.
	Doc string
}

// ParamNames returns the names of the parameters, in order.
func (o Operation) ParamNames() []string {
	names := make([]string, 0, len(o.Params))
	for _, p := range o.Params {
		names = append(names, p.Name)
	}
	return names
}

// ResultNames returns the names of the results, in order.
func (o Operation) ResultNames() []string {
	names := make([]string, 0, len(o.Results))
	for _, r := range o.Results {
		names = append(names, r.Name)
	}
	return names
}

// Named returns the values of an answer by the names of their results, without optional ones that
// it does not have.
func (o Operation) Named(answer []any) map[string]any {
	named := make(map[string]any, len(o.Results))
	for i, r := range o.Results {
		if !r.Optional || answer[i] != nil {
			named[r.Name] = answer[i]
		}
	}
	return named
}

// Takes reports whether the operation has a parameter of a kind.
func (o Operation) Takes(kind ParamKind) bool {
	return slices.ContainsFunc(o.Params, func(p Param) bool { return p.Kind == kind })
}

// clone returns a copy that shares no memory with o.
func (o Operation) clone() Operation {
	o.Params, o.Results = slices.Clone(o.Params), slices.Clone(o.Results)
	return o
}

// Operations lists all operations in the order of the documents.
func Operations() []Operation {
	all := make([]Operation, 0, len(operations))
	for _, op := range operations {
		all = append(all, op.describe().clone())
	}
	return all
}

// Describe returns the description of an operation. An Op that is none of the constants
// is an error.
func Describe(op Op) (Operation, error) {
	e, err := entryOf(op)
	if err != nil {
		return Operation{}, err
	}
	return e.describe().clone(), nil
}

// ParseOperation returns the operation that a user names: by its Name, by the File or the
// Entry of its scripts, or by its Field; case does not matter. The error of an unknown name
// suggests the one that was probably meant.
func ParseOperation(name string) (Operation, error) {
	for _, op := range operationNames {
		if strings.EqualFold(string(op), name) {
			return Describe(op)
		}
	}
	for _, found := range operations {
		op := found.describe()
		for _, alias := range op.aliases() {
			if strings.EqualFold(alias, name) {
				return op.clone(), nil
			}
		}
	}
	return Operation{}, unknownOperation(name)
}

// aliases are the other names of the operation.
func (o *Operation) aliases() []string { return []string{o.File, o.Field, o.Entry} }

func unknownOperation(name string) error {
	var known, aliases []string
	for _, op := range operationNames {
		known = append(known, string(op))
	}
	for _, found := range operations {
		aliases = append(aliases, found.describe().aliases()...)
	}
	if script.Nearest(name, known) == "" && script.Nearest(name, aliases) != "" {
		known = aliases
	}
	return errors.New(script.Unknown("operation", name, known))
}
