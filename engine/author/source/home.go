// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

const (
	// CustomizationsFile is the name of a file with customizations. The cases below its
	// folder are answered by them alone, by the rules of the published form.
	CustomizationsFile = "customizations.yaml"
	// PlacementRulesFile is the name of a file with PlacementRules. The cases below its folder are
	// about these.
	PlacementRulesFile = "placementrules.yaml"
)

// CustomizationKind returns the kind of customizations.
func CustomizationKind() schema.GroupVersionKind {
	return configv1alpha1.GroupVersion.WithKind("ResourceInterpreterCustomization")
}

// PlacementKind returns the kind of PlacementRules.
func PlacementKind() schema.GroupVersionKind {
	return interpreterv1alpha1.GroupVersion.WithKind("PlacementRule")
}

// Home is a folder with scripts. They, and nothing else, answer the cases below it, as far
// as these are in no home of their own.
type Home struct {
	// Kind is Manifest for a bundle, Customizations or PlacementRules.
	Kind Kind
	Dir  string
	// Files make the folder a home: the manifest, or what holds the customizations or the PlacementRules.
	Files []string

	ignore bundle.Ignore
}

// IsNamed reports whether the name of a file makes the home, which must then hold nothing else. Without such a
// file, customizations make one whatever the names of their files are.
func (h *Home) IsNamed() bool {
	return h.Kind != Customizations || len(h.Files) == 1 && path.Base(h.Files[0]) == CustomizationsFile
}

// LeavesOut reports whether a file or a folder below the home is no part of it: it, or a folder between, is
// hidden or ignored by the bundle.
func (h *Home) LeavesOut(name string, isDir bool) bool {
	return slices.ContainsFunc(strings.Split(h.within(name), "/"), bundle.Hidden) || h.Ignores(name, isDir)
}

// Ignores reports whether the bundle ignores a file or a folder by its .dragomanignore.
func (h *Home) Ignores(name string, isDir bool) bool { return h.ignore.Matches(h.within(name), isDir) }

// IsReference reports whether a file or a folder is that of objects for people and checks, which a bundle has
// beside its scripts and cases.
func (h *Home) IsReference(name string) bool {
	first, _, _ := strings.Cut(h.within(name), "/")
	return h.Kind == Manifest && (first == bundle.CRDsDir || first == bundle.SamplesDir)
}

// within returns the path of a file below the folder.
func (h *Home) within(name string) string {
	if h.Dir == "." {
		return name
	}
	return strings.TrimPrefix(name, strings.TrimSuffix(h.Dir, "/")+"/")
}

// Home returns the home of a path: the nearest folder above it that is one, or the path itself. It is nil
// where there is none.
func (t *Tree) Home(name string) *Home {
	for dir := range t.upwards(name) {
		if h := t.HomeAt(dir); h != nil {
			return h
		}
	}
	return nil
}

// HomeAt returns the home that a folder is, nil where it is none. A folder without one of the names that
// make a home is one if files in it hold customizations.
func (t *Tree) HomeAt(dir string) *Home {
	dir = path.Clean(dir)
	t.mu.Lock()
	h, known := t.homes[dir]
	t.mu.Unlock()
	if known {
		return h
	}
	h = t.findHome(dir)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.homes[dir] = h
	return h
}

func (t *Tree) findHome(dir string) *Home {
	switch {
	case t.hasManifest(dir):
		ignore, _ := bundle.ReadIgnore(t, dir) // what is wrong with it is for those that load the bundle
		return &Home{Kind: Manifest, Dir: dir, Files: []string{path.Join(dir, bundle.ManifestFile)}, ignore: ignore}
	case t.hasFile(dir, CustomizationsFile):
		return &Home{Kind: Customizations, Dir: dir, Files: []string{path.Join(dir, CustomizationsFile)}}
	case t.hasFile(dir, PlacementRulesFile):
		return &Home{Kind: PlacementRules, Dir: dir, Files: []string{path.Join(dir, PlacementRulesFile)}}
	}
	if files := t.customizationFiles(dir); len(files) > 0 {
		return &Home{Kind: Customizations, Dir: dir, Files: files}
	}
	return nil
}

// hasManifest reports whether a folder has the manifest of a bundle, also one that does not parse or is being
// written. An object of another program, such as a Bundle of Fleet, is none.
func (t *Tree) hasManifest(dir string) bool {
	if !t.hasFile(dir, bundle.ManifestFile) {
		return false
	}
	f, err := t.File(path.Join(dir, bundle.ManifestFile))
	if err != nil {
		return true // whoever loads the bundle reports why it cannot be read
	}
	documents, err := f.Documents()
	if err != nil || len(documents) == 0 || documents[0].Object == nil {
		return true
	}
	kinds, _, _ := unstructured.NestedFieldNoCopy(documents[0].Object.Object, "spec", "kinds")
	return documents[0].Object.GroupVersionKind().Group == PlacementKind().Group || kinds != nil
}

// customizationFiles returns the files in a folder that hold customizations. A file that
// cannot be read holds none.
func (t *Tree) customizationFiles(dir string) []string {
	var files []string
	entries, _ := fs.ReadDir(t, dir)
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		if e.IsDir() || bundle.Hidden(e.Name()) || !cases.IsCaseFile(e.Name()) {
			continue
		}
		if f, err := t.File(file); err == nil && f.holdsCustomizations() {
			files = append(files, file)
		}
	}
	return files
}

// customizationLine matches the line that makes a document a customization.
var customizationLine = regexp.MustCompile(`(?m)^kind:[ \t]*["']?ResourceInterpreterCustomization(List)?["']?[ \t]*(#.*)?\r?$`)

// holdsCustomizations reports whether one of the documents of a file is a customization, or has the kind of one and does not
// parse: what was one a moment ago still keeps other scripts from the cases beside it.
func (f *File) holdsCustomizations() bool {
	if !bytes.Contains(f.Text, []byte(CustomizationKind().Kind)) {
		return false
	}
	documents, _ := f.Documents()
	return slices.ContainsFunc(documents, func(d Document) bool {
		if d.Err != nil {
			return customizationLine.Match(d.text.Text)
		}
		all, _ := d.Objects()
		return slices.ContainsFunc(all, func(o Document) bool { return o.Object.GetKind() == CustomizationKind().Kind })
	})
}

// Untested returns an error for each other file with scripts beside customizations that
// their name makes a home: nothing would test them.
func (t *Tree) Untested(h *Home) error {
	if h.Kind != Customizations || !h.IsNamed() {
		return nil
	}
	var problems yamldoc.Problems
	for _, file := range t.customizationFiles(h.Dir) {
		if !slices.Contains(h.Files, file) {
			problems.Add(&yamldoc.Error{File: file, Message: "holds customizations that nothing tests: " + h.Files[0] +
				" alone answers the cases of this folder; put them into it, or into a folder of their own"})
		}
	}
	if t.hasFile(h.Dir, PlacementRulesFile) {
		problems.Add(&yamldoc.Error{File: path.Join(h.Dir, PlacementRulesFile), Message: "nothing tests it: " + h.Files[0] +
			" answers the cases of this folder; put it into a folder of its own"})
	}
	return problems.Err()
}
