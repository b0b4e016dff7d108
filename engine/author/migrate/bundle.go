// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/internal/lua"
)

// Bundled is what customizations are as a bundle.
type Bundled struct {
	// Files are the texts of the files by their paths below the folder, with slashes.
	Files map[string]string
	// Compared is how many cases were asked in both forms, Changed the answers that are other ones. The
	// cases of the bundle say what was answered before.
	Compared int
	Changed  []*AnswerError
	// Notes are what was changed so that the scripts mean the same, a line each.
	Notes []string
}

// Paths are the paths of the files, sorted.
func (b *Bundled) Paths() []string { return slices.Sorted(maps.Keys(b.Files)) }

// Bundle returns customizations as a bundle of a name, with the cases that they answer. A global that a
// script assigns becomes a local variable of it: a bundle refuses globals, and each run of a script begins
// without.
//
// The error joins what a bundle cannot say, such as scripts that differ from one version of a kind to
// the next, and what it refuses, such as reading a global that nothing defines.
func Bundle(c *engine.Compiler, name string, objects []*configv1alpha1.ResourceInterpreterCustomization, all []*cases.Case, of Selection) (*Bundled, error) {
	before, err := compiled(c, objects)
	if err != nil {
		return nil, err
	}
	w := &bundler{made: &Bundled{Files: map[string]string{}}, texts: map[scriptOf]string{}, of: of}
	if err := w.add(objects); err != nil {
		return nil, err
	}
	if len(w.made.Files) == 0 {
		return nil, ErrNothing
	}
	w.made.Files[bundle.ManifestFile] = w.manifest(name)
	b, err := w.load(c, name)
	if err != nil {
		return nil, err
	}
	after, err := snapshotOf(engine.Embedded, b.Source)
	if err != nil {
		return nil, err
	}
	asked := askAll(before, all, of)
	w.made.Compared, w.made.Changed = len(asked), compare(asked, after)
	return w.made, w.addCases(c, name, asked)
}

// scriptOf is the place of a script: a bundle has one for all groups and versions of a kind.
type scriptOf struct{ kind, operation string }

// bundler writes the files of one bundle.
type bundler struct {
	made  *Bundled
	kinds []schema.GroupVersionKind
	// texts are the scripts as the customizations have them.
	texts map[scriptOf]string
	of    Selection
}

// add writes the scripts of all customizations.
func (w *bundler) add(objects []*configv1alpha1.ResourceInterpreterCustomization) error {
	var errs []error
	answers := map[schema.GroupVersionKind]map[string]string{}
	for _, object := range objects {
		version, err := schema.ParseGroupVersion(object.Spec.Target.APIVersion)
		if err != nil {
			return fmt.Errorf("%s: spec.target.apiVersion: %w", object.Name, err)
		}
		kind := version.WithKind(object.Spec.Target.Kind)
		for _, op := range engine.Operations() {
			s, err := field(object, op.Field)
			if err != nil {
				return err
			}
			if s == nil || !w.of.has(kind.Kind, op.Name) {
				continue
			}
			if answers[kind] == nil {
				answers[kind] = map[string]string{}
				w.kinds = append(w.kinds, kind)
			}
			if other := answers[kind][op.File]; other != "" {
				errs = append(errs, inexpressible(other+" and "+object.Name, "both answer %s for %s %s; a bundle has one script for it", op.Name, kind.GroupVersion(), kind.Kind))
				continue
			}
			answers[kind][op.File] = object.Name
			errs = append(errs, w.script(object, op, s))
		}
	}
	errs = append(errs, w.sameAnswers(answers))
	return errors.Join(errs...)
}

// sameAnswers returns an error where a version of a kind lacks a script that another one has: in a bundle
// both would have it.
func (w *bundler) sameAnswers(answers map[schema.GroupVersionKind]map[string]string) error {
	var errs []error
	for _, kind := range w.kinds {
		for _, other := range w.kinds {
			if other.Kind != kind.Kind || other == kind {
				continue
			}
			for _, file := range slices.Sorted(maps.Keys(answers[other])) {
				if answers[kind][file] == "" {
					errs = append(errs, inexpressible(answers[other][file], "it answers %s for %s and nothing does for %s; a bundle has one script for all versions of %s: migrate them by themselves",
						file, other.GroupVersion(), kind.GroupVersion(), kind.Kind))
				}
			}
		}
	}
	return errors.Join(errs...)
}

// script writes one script.
func (w *bundler) script(object *configv1alpha1.ResourceInterpreterCustomization, op engine.Operation, s *configv1alpha1.Script) error {
	of := scriptOf{object.Spec.Target.Kind, op.File}
	text := s.LuaScript + s.CELExpression
	if other, has := w.texts[of]; has && other != text {
		return inexpressible(object.Name, "spec.customizations.%s is not the same as for another version or group of %s; a bundle has one script for all: migrate them by themselves",
			op.Field, object.Spec.Target.Kind)
	}
	w.texts[of] = text
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	file := path.Join(of.kind, op.File)
	if s.CELExpression != "" {
		w.made.Files[file+".cel"] = text
		return nil
	}
	if globals := lua.Undeclared(lua.Script{Text: text}); len(globals) > 0 {
		names := strings.Join(globals, ", ")
		text = "local " + names + "\n" + text
		w.made.Notes = append(w.made.Notes, fmt.Sprintf("%s.lua: now local: %s", file, names))
	}
	w.made.Files[file+".lua"] = text
	return nil
}

// manifest returns the text of the manifest.
func (w *bundler) manifest(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: %s\nkind: Bundle\nmetadata:\n  name: %s\nspec:\n  description: Migrated by dragoman from customizations\n  kinds:\n", bundle.APIVersion, name)
	versions := map[schema.GroupKind][]string{}
	for _, kind := range w.kinds {
		versions[kind.GroupKind()] = append(versions[kind.GroupKind()], kind.Version)
	}
	for _, kind := range w.kinds {
		if all := versions[kind.GroupKind()]; all != nil {
			fmt.Fprintf(&b, "    - group: %q\n      versions: [%s]\n      kind: %s\n", kind.Group, strings.Join(all, ", "), kind.Kind)
			delete(versions, kind.GroupKind())
		}
	}
	return b.String()
}

// files returns the bundle as a file system, in a folder of its name.
func (w *bundler) files(name string) fs.FS {
	files := fstest.MapFS{}
	for file, text := range w.made.Files {
		files[path.Join(name, file)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func (w *bundler) load(c *engine.Compiler, name string) (*bundle.Bundle, error) {
	return bundle.Loader{Compiler: c}.Load(w.files(name), name, nil)
}

// againMark begins what is added to the name of a case that another one has.
const againMark = " (again "

// addCases writes the cases that were asked, with the answers of the scripts, and runs them.
func (w *bundler) addCases(c *engine.Compiler, name string, all []asked) error {
	names := map[string]int{}
	for _, a := range all {
		if len(a.Question.Division.Shares) > 0 || len(a.Question.Related) > 0 {
			continue // which customizations do not see
		}
		kind := a.Kind().Kind
		key := kind + "/" + string(a.Operation.Name) + "/" + a.Name
		title := a.Name
		if names[key]++; names[key] > 1 {
			title = fmt.Sprintf("%s%s%d)", a.Name, againMark, names[key])
		}
		text, err := document(a, title)
		if err != nil {
			return err
		}
		file := path.Join(kind, bundle.CasesDir, a.Operation.File+".yaml")
		if w.made.Files[file] != "" {
			text = w.made.Files[file] + "---\n" + text
		}
		w.made.Files[file] = text
	}
	b, err := w.load(c, name)
	if err != nil {
		return err
	}
	read, err := cases.InBundle(w.files(name), b)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for _, a := range w.made.Changed {
		changed[a.Name] = true
	}
	runner := &cases.Runner{Bundles: []*bundle.Bundle{b}}
	for _, one := range read {
		before, _, _ := strings.Cut(one.Name, againMark)
		if result := runner.Run(one); !result.Passed() && !changed[before] {
			return fmt.Errorf("%s: %s does not pass with its own answer: %s is not the same again", one.Where(), one.Name, result.Failures[0].Path)
		}
	}
	return nil
}

// document returns a case with the answer that the scripts have.
func document(a asked, title string) (string, error) {
	q := a.Question
	entries := []struct {
		key   string
		value any
	}{{"name", title}, {"desiredObj", q.Object.Object}}
	add := func(key string, value any) {
		entries = append(entries, struct {
			key   string
			value any
		}{key, value})
	}
	if q.Observed != nil {
		add("observedObj", q.Observed.Object)
	}
	if a.Operation.Takes(engine.ItemsParam) {
		add("statusItems", append([]any{}, q.Items...))
	}
	if a.Operation.Takes(engine.CountParam) {
		add("inputReplicas", q.Replicas)
	}
	if a.Operation.Takes(engine.StateParam) {
		add("state", q.State)
	}
	if q.Failover {
		add("failover", true)
	}
	add("operation", string(a.Operation.Name))
	if a.err != nil {
		add("expectError", map[string]any{"message": "."})
	} else {
		add("output", a.Operation.Named(a.answer))
	}
	var b strings.Builder
	for _, e := range entries {
		text, err := yaml.Marshal(map[string]any{e.key: e.value})
		if err != nil {
			return "", fmt.Errorf("write case %q: %w", title, err)
		}
		b.Write(text)
	}
	return b.String(), nil
}

// rules returns the scripts of a customization by their fields.
func rules(object *configv1alpha1.ResourceInterpreterCustomization) (map[string]any, error) {
	return runtime.DefaultUnstructuredConverter.ToUnstructured(&object.Spec.Customizations)
}

// field returns the script under a field; nil where there is none.
func field(object *configv1alpha1.ResourceInterpreterCustomization, name string) (*configv1alpha1.Script, error) {
	all, err := rules(object)
	if err != nil || all[name] == nil {
		return nil, err
	}
	one, _ := all[name].(map[string]any)
	s := &configv1alpha1.Script{}
	err = runtime.DefaultUnstructuredConverter.FromUnstructured(one, s)
	return s, err
}

// setField sets the script under a field.
func setField(object *configv1alpha1.ResourceInterpreterCustomization, name string, s *configv1alpha1.Script) error {
	all, err := rules(object)
	if err != nil {
		return err
	}
	if all[name], err = runtime.DefaultUnstructuredConverter.ToUnstructured(s); err != nil {
		return err
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(all, &object.Spec.Customizations)
}
