// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"io/fs"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// LoadKind is LoadAll for whoever asks about one kind: it compiles only what answers for
// the kind, and reads of the bundles that do not have it only the manifest; they have no
// rules. So it finds fewer errors.
func (l Loader) LoadKind(fsys fs.FS, kind schema.GroupVersionKind) ([]*Bundle, error) {
	return all(fsys, func(dir string) (*Bundle, error) {
		b, err := manifestOf(fsys, dir)
		if err != nil || !slices.Contains(b.Kinds, kind) {
			return b, err
		}
		return l.loadKind(fsys, dir, kind.Kind)
	})
}

// loadKind loads a bundle with the scripts for one kind.
func (l Loader) loadKind(fsys fs.FS, dir, kind string) (*Bundle, error) {
	d, err := read(fsys, dir)
	if err != nil {
		return nil, err
	}
	if err := d.choose(nil); err != nil {
		return nil, err
	}
	d.scripts = slices.DeleteFunc(d.scripts, func(s scriptFile) bool { return !slices.Contains(s.kinds, kind) })
	for i := range d.scripts {
		d.scripts[i].kinds = []string{kind}
	}
	d.begin(l)
	for _, s := range d.scripts {
		d.errs.add(d.compileScript(l, s))
	}
	if err := d.errs.join(); err != nil {
		return nil, err
	}
	return d.bundle, finish(func() (bool, error) { return d.smokeNext(l.Compiler) })
}
