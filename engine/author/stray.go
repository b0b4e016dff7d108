// SPDX-License-Identifier: Apache-2.0

package author

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

// isScript reports whether a file is a script by its name.
func isScript(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".lua", ".cel":
		return true
	}
	return false
}

// answersOperation reports whether a script is named like one of a bundle: health.lua, or
// Site.health.lua in the flat form of a ConfigMap.
func answersOperation(name string) bool {
	if !isScript(name) {
		return false
	}
	base := strings.TrimSuffix(name, path.Ext(name))
	operation := base[strings.LastIndexByte(base, '.')+1:]
	return slices.ContainsFunc(engine.Operations(), func(op engine.Operation) bool { return op.File == operation })
}

// stray returns why a file would be tested by nothing, nil where it is no script.
func (p *Plan) stray(file string) error {
	name := path.Base(file)
	switch {
	case bundle.Hidden(name):
		return nil
	case isScript(name):
		return &yamldoc.Error{File: file, Message: strayScript}
	case isMisnamed(name, bundle.ManifestFile):
		return &yamldoc.Error{File: file, Message: "the manifest of a bundle is found by its name, which is " + bundle.ManifestFile + "; rename the file"}
	case !cases.IsCaseFile(name):
		return nil
	}
	if data, err := yamldoc.ReadFile(p.selection.Files, file); err == nil {
		return strayObject(file, data)
	}
	return nil // whoever reads its cases reports why it cannot be read
}

// isMisnamed reports whether a file has the name of want but for its case or its ending.
func isMisnamed(name, want string) bool {
	base := strings.TrimSuffix(want, path.Ext(want))
	lower := strings.ToLower(name)
	return name != want && strings.TrimSuffix(lower, path.Ext(lower)) == base && cases.IsCaseFile(lower)
}

// strayAdvice is what to do about the objects of a kind that stand for scripts.
var strayAdvice = map[string]string{
	bundleKind:         "the manifest of a bundle is found by its name, which is " + bundle.ManifestFile + "; rename the file",
	placementKind.Kind: "PlacementRules are found by the name of their file, which is " + PlacementRulesFile + "; rename the file",
	"ConfigMap":        "a ConfigMap with scripts, which nothing tests; write its keys as files of a folder, and test that",
}

// strayObject returns an error for the first object of a file that stands for scripts.
func strayObject(file string, data []byte) error {
	words := append(slices.Collect(maps.Keys(strayAdvice)), "customizations")
	if !slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(data, []byte(word)) }) {
		return nil
	}
	for _, d := range objectsIn(file, data) {
		if advice := adviceAbout(d.Object); advice != "" {
			return &yamldoc.Error{File: file, Line: d.node.Line, Message: advice}
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
	case kind.Kind == bundleKind && kind.Group != placementKind.Group,
		kind.Kind == placementKind.Kind && kind.Group != placementKind.Group,
		kind.Kind == "ConfigMap" && !holdsScripts(o.Object["data"]):
		return ""
	case customizes && spec["target"] != nil && kind.Kind != customizationKind.Kind:
		return fmt.Sprintf("its spec is that of a customization, and its kind is %s; want a %s of %s", kind.Kind, customizationKind.Kind, customizationKind.GroupVersion())
	}
	return strayAdvice[kind.Kind]
}

// holdsScripts reports whether the data of a ConfigMap has scripts or a manifest.
func holdsScripts(data any) bool {
	entries, _ := data.(map[string]any)
	for key := range entries {
		if key == bundle.ManifestFile || isScript(key) {
			return true
		}
	}
	return false
}

// objectsIn returns the objects of a file, without the documents that are none or do not
// parse.
func objectsIn(file string, data []byte) []Document {
	documents, _ := yamldoc.Split(file, data)
	var all []Document
	for _, d := range documents {
		n, err := d.Parse()
		if err != nil {
			continue
		}
		found, _ := documentsAt(n)
		all = append(all, found...)
	}
	return all
}

// straysAbove returns errors for stray files in the folders above name, which has no home.
// Beside a folder testdata every script counts, and elsewhere one that is named like those
// of bundles: a folder above may hold anything.
func (p *Plan) straysAbove(name string) error {
	var problems yamldoc.Problems
	for dir := range p.upwards(name) {
		if dir == name {
			continue
		}
		info, err := fs.Stat(p.selection.Files, path.Join(dir, bundle.CasesDir))
		beside := err == nil && info.IsDir()
		entries, _ := fs.ReadDir(p.selection.Files, dir)
		for _, e := range entries {
			file := path.Join(dir, e.Name())
			if e.IsDir() || file == name || !beside && !answersOperation(e.Name()) && !isMisnamed(e.Name(), bundle.ManifestFile) {
				continue
			}
			problems.Add(p.stray(file))
		}
		if _, err := fs.Stat(p.selection.Files, path.Join(dir, ".git")); err == nil {
			break
		}
	}
	return problems.Err()
}

// walkShared adds the cases of a tree without a home. Where there are stray files in it or
// above it, they are errors, and the cases are not run.
func (p *Plan) walkShared(root string) {
	var (
		files  []string
		strays yamldoc.Problems
	)
	if !p.isAnswered() {
		strays.Add(p.straysAbove(root))
	}
	err := walkFiles(p.selection.Files, root, p.fail, func(file string, d fs.DirEntry) error {
		h := (*home)(nil)
		if d.IsDir() && file != root {
			h = p.homeAt(file)
		}
		switch {
		case h != nil:
			p.addCases(h, file)
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !p.isAnswered():
			strays.Add(p.stray(file))
		}
		if file == root || cases.IsCaseFile(file) {
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		p.fail(err)
	}
	if err := strays.Err(); err != nil {
		p.fail(err)
		return
	}
	for _, file := range files {
		p.file(file, p.shared(), file == root)
	}
}

// bundleKind is the kind of manifests.
const bundleKind = "Bundle"
