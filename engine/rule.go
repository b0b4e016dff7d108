// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Layer is the rank of a rule set: of two rule sets that have a rule for the same kind and
// operation, the one in the lower layer answers.
type Layer int

const (
	// Customizations are ResourceInterpreterCustomization objects.
	Customizations Layer = iota
	// Installed are bundles loaded at run time.
	Installed
	// Embedded are the bundles of this program.
	Embedded
	// Derived are rules that are made of the CRD of a kind. They answer nothing for a kind
	// that Embedded has rules for, and a lower layer that has a rule for one of Demand
	// takes all of Demand from them.
	Derived

	layerCount
)

// AnyKind stands in a rule set of Embedded for the kinds that Embedded has no rules for: its
// rules answer where no rule set has a rule for such a kind and operation. No real kind has
// such a group.
var AnyKind = schema.GroupVersionKind{Group: "*", Version: "*", Kind: "Any"}

// Demand lists the operations that only make sense together: a kind whose pods are counted
// by one author is not divided by another.
func Demand() []Op { return []Op{InterpretReplica, InterpretComponent, ReviseReplica} }

// Rule is one compiled script and what it needs to run.
type Rule struct {
	Program script.Program
	// Function is the function of Program that answers, where the program is a module;
	// "" is the one of the operation.
	Function string
	// Origin names the rule set in messages and metrics: bundle flink,
	// customization foo.
	Origin string
	// Customization is the name of the ResourceInterpreterCustomization that the rule
	// comes from, or "".
	Customization string
	// Limits lower those of the interpreter for this rule; zero fields and larger
	// ones change nothing.
	Limits script.Limits
	// Params are the parameters of the bundle.
	Params map[string]any
	// Related are the objects that the rule wants to see where its operation has a
	// RelatedParam. It is not changed.
	Related []Related
	// NoWorkload reports whether the objects of the kind run nothing, as those of Services do.
	NoWorkload bool
	// Expression reports whether the program is one CEL expression: its single result
	// holds the whole answer, a merge patch where the operation has Patch.
	Expression bool
	// Compat reports whether the rule came in the published form, whose scripts expect
	// the lossy values of package compat, and where health is a boolean and nothing
	// else.
	Compat bool
	// Place returns the place in the file that the script was read from for one in the
	// script; nil keeps positions as they are.
	Place func(script.Position) script.Position
}

// printed returns what takes the lines that the rule prints, with the positions that Place returns.
func (r *Rule) printed(print func(script.Position, string)) func(script.Position, string) {
	if r.Place == nil || print == nil {
		return print
	}
	return func(at script.Position, line string) { print(r.Place(at), line) }
}

// placed returns an error of the rule with the positions that Place returns.
func (r *Rule) placed(err error) error {
	var failure *script.Error
	if r.Place == nil || !errors.As(err, &failure) {
		return err
	}
	moved := *failure
	moved.Position = r.Place(failure.Position)
	moved.Trace = slices.Clone(failure.Trace)
	for i := range moved.Trace {
		moved.Trace[i].Position = r.Place(moved.Trace[i].Position)
	}
	if before, wrapped := strings.CutSuffix(err.Error(), failure.Error()); wrapped && before != "" {
		return fmt.Errorf("%s%w", before, &moved)
	}
	return &moved
}

// entry returns the function that the rule calls for an operation.
func (r *Rule) entry(op *Operation) string {
	if r.Function != "" {
		return r.Function
	}
	return op.Entry
}
