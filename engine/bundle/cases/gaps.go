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
		return !own || c.Operation.Name != op.Name
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
		names := func(c *Case) bool { _, named := c.output[result.Name]; return named }
		checks := func(c *Case) bool { return names(c) && c.output[result.Name].Value != any(excluded) }
		if !slices.ContainsFunc(asking, checks) {
			message := fmt.Sprintf("no case of %s%s has %s in its output", op.Name, of, result.Name)
			if slices.ContainsFunc(asking, names) {
				message += ", other than as " + excluded
			}
			errs = append(errs, &yamldoc.Error{File: at.File, Line: at.Line, Message: message})
		}
	}
	return errors.Join(errs...)
}
