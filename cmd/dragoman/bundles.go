// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// loadBundles returns the bundles in dirs, or where there are none those of this program,
// with the rules for one kind. Of two bundles that answer the same none can be meant: it is
// an error.
func loadBundles(l bundle.Loader, dirs []string, kind schema.GroupVersionKind) ([]*bundle.Bundle, error) {
	if len(dirs) == 0 {
		return l.LoadKind(scripts.FS, kind)
	}
	var (
		all  []*bundle.Bundle
		errs []error
	)
	for _, dir := range dirs {
		b, err := l.Load(hostFS{}, dir, nil)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, other := range all {
			errs = append(errs, bothAnswer(other, b))
		}
		all = append(all, b)
	}
	return all, errors.Join(errs...)
}

// bothAnswer returns an error where two bundles have one name, or answer one operation of a
// kind.
func bothAnswer(a, b *bundle.Bundle) error {
	if a.Name == b.Name {
		return fmt.Errorf("%s and %s: both bundles have the name %s; give one of them", a.Dir, b.Dir, a.Name)
	}
	for kind, rules := range a.Source.Kinds {
		for op := range rules {
			if b.Source.Kinds[kind][op] != nil {
				return fmt.Errorf("%s and %s: both bundles answer %s for %s %s; give one of them", a.Dir, b.Dir, op, kind.GroupVersion(), kind.Kind)
			}
		}
	}
	return nil
}

const parameterUsage = "value of a bundle's parameter, as [BUNDLE.]NAME=VALUE; can be repeated"
