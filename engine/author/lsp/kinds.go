// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// entry is a function that the engine calls, or an expression.
type entry struct {
	name  string
	op    engine.Operation
	kinds []schema.GroupVersionKind
}

// manifest returns what can be read of the manifest of the document's bundle.
func (c cursor) manifest() bundle.Manifest {
	if c.unit.bundleDir() == "" {
		return bundle.Manifest{}
	}
	m, _ := bundle.ReadManifest(c.files, c.unit.bundleDir()) // what is wrong is for the check
	return m
}

// entries returns the functions of a document that the engine calls: that of the file's name in a
// bundle, those of a module that the manifest names, and in other documents any.
func (c cursor) entries() []entry {
	m := c.manifest()
	inside := c.inBundle()
	var all []entry
	for _, op := range engine.Operations() {
		if inside == "" || op.File == c.base() {
			all = append(all, entry{op.Entry, op, kindsNamed(m, path.Dir(inside))})
		}
	}
	module := strings.ReplaceAll(strings.TrimSuffix(inside, path.Ext(inside)), "/", ".")
	for _, mapping := range m.Mappings {
		for _, f := range mapping.Functions {
			if f.Module == module {
				all = append(all, entry{f.Name, f.Operation, kindsNamed(m, mapping.Kinds...)})
			}
		}
	}
	return all
}

// kindsNamed returns the kinds of a manifest with one of the names, in each version.
func kindsNamed(m bundle.Manifest, names ...string) []schema.GroupVersionKind {
	return slices.DeleteFunc(slices.Clone(m.Kinds), func(k schema.GroupVersionKind) bool { return !slices.Contains(names, k.Kind) })
}
