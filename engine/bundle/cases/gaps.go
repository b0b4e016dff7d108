// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Gaps returns an error for what the cases of a bundle do not test: a script that no case
// runs, and a result of a script that no case expects anything of. A case of one version
// of a kind counts for all. The error has a *yamldoc.Error for each gap, with the
// path of the script, or the line of the manifest that names its function.
func Gaps(b *bundle.Bundle, all []*Case) error {
	var problems yamldoc.Problems
	done := map[schema.GroupKind]bool{}
	for _, kind := range b.Kinds {
		if done[kind.GroupKind()] {
			continue
		}
		done[kind.GroupKind()] = true
		for _, op := range engine.Operations() {
			if b.Source.Kinds[kind][op.Name] == nil {
				continue
			}
			at := b.Script(kind, op)
			of := ""
			if at.Line > 0 {
				of = " of " + kind.Kind
			}
			problems.Add(gaps(at, of, op, asking(b, kind.GroupKind(), op, all)))
		}
	}
	return problems.Err()
}

// asking returns the cases of an operation of a kind; of a kind that stands for others,
// those of kinds that the bundle does not name.
func asking(b *bundle.Bundle, kind schema.GroupKind, op engine.Operation, all []*Case) []*Case {
	standsForOthers := kind == engine.AnyKind.GroupKind() || kind == bundle.ScalableKind.GroupKind()
	return slices.DeleteFunc(slices.Clone(all), func(c *Case) bool {
		own := c.Kind().GroupKind() == kind || standsForOthers && !slices.Contains(b.Kinds, c.Kind())
		return !own || c.Operation.Name != op.Name || c.Skip != ""
	})
}

// checks reports whether a case expects something of a result: by its output, a part of it, or a condition.
func (c *Case) checks(result string) bool {
	want, exact := c.output[result]
	part, contains := c.subset[result]
	return exact && want.Value != any(excluded) || contains && part.Value != any(excluded) || c.asserts(result)
}

// asserts reports whether a condition of the case looks at a result.
func (c *Case) asserts(result string) bool {
	return slices.ContainsFunc(c.assertions, func(a *assertion) bool {
		return a.compiled != nil && slices.Contains(a.compiled.Results(), result)
	})
}

// gaps returns the errors for what cases do not test of the script at a place. of names
// the kind in messages where the place does not.
func gaps(at script.Position, of string, op engine.Operation, asking []*Case) error {
	if len(asking) == 0 {
		return &yamldoc.Error{File: at.File, Line: at.Line, Message: "no case asks it" + of}
	}
	var errs []error
	for _, result := range op.Results {
		if result.Optional {
			continue
		}
		excludes := func(c *Case) bool { return c.output[result.Name].Value == any(excluded) }
		if !slices.ContainsFunc(asking, func(c *Case) bool { return c.checks(result.Name) }) {
			message := fmt.Sprintf("no case of %s%s has %s in its output", op.Name, of, result.Name)
			if slices.ContainsFunc(asking, excludes) {
				message += ", other than as " + excluded
			}
			errs = append(errs, &yamldoc.Error{File: at.File, Line: at.Line, Message: message})
		}
	}
	return errors.Join(errs...)
}
