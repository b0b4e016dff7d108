// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/yamldoc"
)

// Scripts that no home makes part of it are stray. The cases beside them are not asked:
// the bundles of the program would answer in their place, and a test that passes would say
// nothing about them.

// strayScript is the advice for a script outside of a bundle.
const strayScript = "a script without a " + bundle.ManifestFile + " in a folder above it, so that it belongs to no bundle and nothing tests it; " +
	"the bundles of this program would answer the cases beside it. Put a " + bundle.ManifestFile + " into the folder of the bundle, or test a folder without scripts"

// AnswersOperation reports whether a script is named like one of a bundle: health.lua, or
// Site.health.lua in the flat form of a ConfigMap.
func AnswersOperation(name string) bool {
	if !IsScript(name) {
		return false
	}
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	operation := base[strings.LastIndexByte(base, '.')+1:]
	return slices.ContainsFunc(engine.Operations(), func(op engine.Operation) bool { return op.File == operation })
}

// Stray returns why a file that is in no home, or is a script beside customizations, would be tested by nothing: a *yamldoc.Error
// that has what to do about it. It is nil where the file is no script, and stands for none.
func (t *Tree) Stray(file string) error {
	name := path.Base(file)
	switch {
	case bundle.Hidden(name):
		return nil
	case IsScript(name):
		return &yamldoc.Error{File: file, Message: strayScript}
	case isMisnamed(name, bundle.ManifestFile):
		return &yamldoc.Error{File: file, Message: MisnamedManifest}
	case !cases.IsCaseFile(name):
		return nil
	}
	if f, err := t.File(file); err == nil {
		return f.strayObject()
	}
	return nil // whoever reads its cases reports why it cannot be read
}

// isMisnamed reports whether a file has the name of want but for its case or its ending.
func isMisnamed(name, want string) bool {
	base := strings.TrimSuffix(want, path.Ext(want))
	lower := strings.ToLower(name)
	return name != want && strings.TrimSuffix(lower, path.Ext(lower)) == base && cases.IsCaseFile(lower)
}

// MisnamedManifest is the advice for a manifest that has another name.
const MisnamedManifest = "the manifest of a bundle is found by its name, which is " + bundle.ManifestFile + "; rename the file"

// strayAdvice returns what to do about the objects of a kind that stand for scripts.
func strayAdvice() map[string]string {
	return map[string]string{
		ManifestKind:         MisnamedManifest,
		PlacementKind().Kind: "PlacementRules are found by the name of their file, which is " + PlacementRulesFile + "; rename the file",
		"ConfigMap":          "a ConfigMap with scripts, which nothing tests; write its keys as files of a folder, and test that",
	}
}

// strayObject returns an error for the first object of a file that stands for scripts.
func (f *File) strayObject() error {
	words := append(slices.Collect(maps.Keys(strayAdvice())), "customizations")
	if !slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(f.Text, []byte(word)) }) {
		return nil
	}
	documents, _ := f.Documents()
	for _, d := range documents {
		all, _ := d.Objects() // what is no object stands for no script
		for _, o := range all {
			if advice := adviceAbout(o.Object); advice != "" {
				return &yamldoc.Error{File: f.Name, Line: o.Node.Line, Message: advice}
			}
		}
	}
	return nil
}

// adviceAbout returns what to do about an object that stands for scripts, "" for any other.
func adviceAbout(o *unstructured.Unstructured) string {
	kind := o.GroupVersionKind()
	spec, _ := o.Object["spec"].(map[string]any)
	_, customizes := spec["customizations"].(map[string]any)
	switch {
	case kind.Kind == ManifestKind && kind.Group != PlacementKind().Group,
		kind.Kind == PlacementKind().Kind && kind.Group != PlacementKind().Group,
		kind.Kind == "ConfigMap" && !holdsScripts(o.Object["data"]):
		return ""
	case customizes && spec["target"] != nil && kind.Kind != CustomizationKind().Kind:
		return fmt.Sprintf("its spec is that of a customization, and its kind is %s; want a %s of %s", kind.Kind, CustomizationKind().Kind, CustomizationKind().GroupVersion())
	}
	return strayAdvice()[kind.Kind]
}

// holdsScripts reports whether the data of a ConfigMap has scripts or a manifest.
func holdsScripts(data any) bool {
	entries, _ := data.(map[string]any)
	for key := range entries {
		if key == bundle.ManifestFile || IsScript(key) {
			return true
		}
	}
	return false
}

// StraysAbove returns errors for stray files in the folders above name, which has no home.
// Beside a folder testdata every script counts, and elsewhere one that is named like those
// of bundles: a folder above may hold anything. It ends at the folder of a repository.
func (t *Tree) StraysAbove(name string) error {
	var problems yamldoc.Problems
	for dir := range t.upwards(name) {
		if dir == name {
			continue
		}
		info, err := fs.Stat(t, path.Join(dir, bundle.CasesDir))
		beside := err == nil && info.IsDir()
		entries, _ := fs.ReadDir(t, dir)
		for _, e := range entries {
			file := path.Join(dir, e.Name())
			if e.IsDir() || file == name || !beside && !AnswersOperation(e.Name()) && !isMisnamed(e.Name(), bundle.ManifestFile) {
				continue
			}
			problems.Add(t.Stray(file))
		}
		if _, err := fs.Stat(t, path.Join(dir, ".git")); err == nil {
			break
		}
	}
	return problems.Err()
}

// ManifestKind is the kind of manifests.
const ManifestKind = "Bundle"
