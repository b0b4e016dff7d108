// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// overlap returns an error if two bundles cannot be active at the same time, because they
// have the same name or answer the same operation of a kind.
func overlap(a, b *Bundle) error {
	var errs []error
	if a.Name == b.Name {
		errs = append(errs, fmt.Errorf("the folders %s and %s hold bundles of one name, %s", a.Dir, b.Dir, b.Name))
	}
	for _, kind := range b.Kinds {
		for _, operation := range slices.Sorted(maps.Keys(b.Source.Kinds[kind])) {
			if a.Source.Kinds[kind][operation] != nil {
				errs = append(errs, fmt.Errorf("the bundles %s and %s both answer %s for %s %s",
					a.Name, b.Name, operation, kind.GroupVersion(), kind.Kind))
			}
		}
	}
	return errors.Join(errs...)
}
