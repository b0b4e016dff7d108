// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Layer is the rank of a source: of two sources that have a rule for the same
// kind and operation, the one with the lower layer answers.
type Layer int

const (
	// Customizations are ResourceInterpreterCustomization objects.
	Customizations Layer = iota
	// Installed are bundles loaded at run time.
	Installed
	// Embedded are the bundles of this program.
	Embedded

	layerCount
)

// Rule is one compiled script and what it needs to run.
type Rule struct {
	Program script.Program
	// Function is the function of Program that answers, where the program is a module;
	// "" is the one of the operation.
	Function string
	// Origin names the source in messages and metrics: bundle flink,
	// customization foo.
	Origin string
	// Customization names the ResourceInterpreterCustomization that the rule is of,
	// or is "".
	Customization string
	// Limits lower those of the interpreter for this rule; zero fields and larger
	// ones change nothing.
	Limits script.Limits
	// Params are the parameters of the bundle.
	Params map[string]any
	// Expression reports whether the program is one CEL expression: its single result
	// holds the whole answer, a merge patch where the operation has Patch.
	Expression bool
	// Compat reports whether the rule came in the published form, whose scripts expect
	// the lossy values of package compat, and where health is a boolean and nothing
	// else.
	Compat bool
}

// entry returns the function that the rule calls for an operation.
func (r *Rule) entry(op *Operation) string {
	if r.Function != "" {
		return r.Function
	}
	return op.Entry
}

// RuleSet is the rules of one customization or one bundle.
type RuleSet struct {
	// Name orders the sources of one layer, and names this one for replacement.
	Name string
	// Kinds holds the rules; it must not be changed once an interpreter has the
	// source.
	Kinds map[schema.GroupVersionKind]Rules
}

// validate refuses rules for operations that do not exist.
func (s *RuleSet) validate() error {
	for kind, rules := range s.Kinds {
		for op := range rules {
			if _, err := entryOf(op); err != nil {
				return fmt.Errorf("rules of %s for %s %s: %w", s.Name, kind.GroupVersion(), kind.Kind, err)
			}
		}
	}
	return nil
}

// Rules are the rules of one source for one kind, by operation.
type Rules map[Op]*Rule
