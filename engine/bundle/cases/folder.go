// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/dragoman-io/dragoman/engine/bundle"
)

// InBundle reads all cases of a bundle, from the file system that it was loaded from.
//
// The error joins those of its files; the valid cases are returned all the same.
func InBundle(fsys fs.FS, b *bundle.Bundle) ([]*Case, error) {
	var (
		all  []*Case
		errs []error
		seen []string
	)
	for _, kind := range b.Kinds {
		if slices.Contains(seen, kind.Kind) {
			continue
		}
		seen = append(seen, kind.Kind)
		found, err := inFolder(fsys, path.Join(b.Dir, kind.Kind, bundle.CasesDir))
		all, errs = append(all, found...), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// inFolder reads the cases of one folder; a folder that is not there has none.
func inFolder(fsys fs.FS, dir string) ([]*Case, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	errs := []error{err}
	var all []*Case
	for _, e := range entries {
		if e.IsDir() || !IsYAML(e.Name()) {
			continue
		}
		file := path.Join(dir, e.Name())
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found, err := Read(file, data)
		all, errs = append(all, found...), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// IsYAML reports whether a file is YAML by its name.
func IsYAML(name string) bool {
	extension := path.Ext(name)
	return extension == ".yaml" || extension == ".yml"
}
