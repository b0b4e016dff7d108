// SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/scripts"
)

// LoadBundles returns the bundles in dirs, or where there are none those of this program,
// with the rules for one kind. Of two bundles that answer the same none can be meant: it is
// an error.
func LoadBundles(l bundle.Loader, dirs []string, kind schema.GroupVersionKind) ([]*bundle.Bundle, error) {
	if len(dirs) == 0 {
		return l.LoadKind(scripts.FS, kind)
	}
	var (
		all  []*bundle.Bundle
		errs []error
	)
	for _, dir := range dirs {
		b, err := l.Load(HostFS{}, dir, nil)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, other := range all {
			errs = append(errs, BothAnswer(other, b))
		}
		all = append(all, b)
	}
	return all, errors.Join(errs...)
}

// BothAnswer returns an error where two bundles have one name, or answer one operation of a
// kind.
func BothAnswer(a, b *bundle.Bundle) error {
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

const ParameterUsage = "value of a bundle's parameter, as [BUNDLE.]NAME=VALUE; can be repeated"

// HaveKind reports whether one of the bundles is about a kind.
func HaveKind(bundles []*bundle.Bundle, kind schema.GroupVersionKind) bool {
	return slices.ContainsFunc(bundles, func(b *bundle.Bundle) bool { return slices.Contains(b.Kinds, kind) })
}

// WithGeneric puts the scripts of the generic rules in the place of their manifest.
func WithGeneric(l bundle.Loader, bundles []*bundle.Bundle) error {
	b, err := l.Load(scripts.FS, bundle.Generic, nil)
	if err != nil {
		return err
	}
	for i := range bundles {
		if bundles[i].Name == b.Name {
			bundles[i] = b
		}
	}
	return nil
}

// IsBundle reports whether a path is the folder of a bundle.
func IsBundle(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, bundle.ManifestFile))
	return err == nil && info.Mode().IsRegular()
}
