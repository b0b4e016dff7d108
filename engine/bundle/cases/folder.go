// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// InBundle reads all cases of a bundle, from the file system that it was loaded from.
//
// The error is *yamldoc.Problems of its files; the valid cases are returned all the same.
// Together they are within the limits of a bundle, as those of a Trial are.
func InBundle(fsys fs.FS, b *bundle.Bundle) ([]*Case, error) {
	var (
		all      []*Case
		problems yamldoc.Problems
	)
	files, err := caseFiles(fsys, b)
	problems.Add(err)
	reader := BundleReader(b.Compiler())
	for _, file := range files {
		found, err := reader.readFile(fsys, file)
		all = append(all, found...)
		problems.Add(err)
	}
	return all, problems.Err()
}

// IsYAML reports whether a file is YAML by its name. Case does not matter.
func IsYAML(name string) bool {
	extension := strings.ToLower(path.Ext(name))
	return extension == ".yaml" || extension == ".yml"
}

// IsCaseFile reports whether a file may hold cases by its name: YAML, or JSON, which is
// read as YAML.
func IsCaseFile(name string) bool {
	return IsYAML(name) || strings.ToLower(path.Ext(name)) == ".json"
}

// readFile returns the cases of a file of a file system.
func (r *Reader) readFile(fsys fs.FS, file string) ([]*Case, error) {
	data, err := yamldoc.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	return r.Read(file, data)
}

// caseFiles lists the files with cases of a bundle, sorted within each kind.
func caseFiles(fsys fs.FS, b *bundle.Bundle) ([]string, error) {
	var (
		files    []string
		seen     []string
		problems yamldoc.Problems
	)
	for _, kind := range b.Kinds {
		if slices.Contains(seen, kind.Kind) {
			continue
		}
		seen = append(seen, kind.Kind)
		dir := path.Join(b.Dir, kind.Kind, bundle.CasesDir)
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems.Add(err)
		}
		for _, e := range entries {
			if file := path.Join(dir, e.Name()); !e.IsDir() && IsCaseFile(e.Name()) && !b.Ignores(file, false) {
				files = append(files, file)
			}
		}
	}
	return files, problems.Err()
}
