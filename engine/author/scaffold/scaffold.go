// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// Options are what a draft is made from.
type Options struct {
	// Documents are CRDs, and objects of their kinds or of others. Kinds of the API server
	// itself are passed over where there are others.
	Documents []*unstructured.Unstructured
	// Kind chooses one of the kinds by name; "" takes all.
	Kind string
	// Name is that of the bundle; "" takes the first part of the first group, such as flink.
	Name string
}

// Draft is a bundle that was written.
type Draft struct {
	// Name is that of the bundle, and of its folder.
	Name string
	// Files are the texts of its files by their paths below the folder, with slashes.
	Files map[string]string
	// Notes are what a person should know: a kind without scripts, documents that were passed
	// over. One line each.
	Notes []string
}

// Paths are the paths of the files, sorted.
func (d *Draft) Paths() []string { return slices.Sorted(maps.Keys(d.Files)) }

// kind is what is known of a kind.
type kind struct {
	schema.GroupKind
	// versions are those that the API server serves, or of the objects; the first is the one
	// whose schema is read.
	versions   []string
	namespaced bool
	scale      string
	root       *shape
	objects    []*unstructured.Unstructured
	traits     traits
}

func (k *kind) apiVersion() string {
	return schema.GroupVersion{Group: k.Group, Version: k.versions[0]}.String()
}

// ErrNothing is returned where no document says anything about a kind that scripts can be
// written for.
var ErrNothing = errors.New("there is no CRD and no object of a kind that has one")

// New writes a draft of a bundle. The compiler runs its scripts, to write the outputs of its
// cases; the draft passes its own cases and keeps the laws.
//
// An error says which kind or name is not valid; ErrNothing that there is no kind.
func New(c *engine.Compiler, o Options) (*Draft, error) {
	kinds, notes, err := kindsOf(o)
	if err != nil {
		return nil, err
	}
	d := &Draft{Name: o.Name, Files: map[string]string{}, Notes: notes}
	if d.Name == "" {
		d.Name, _, _ = strings.Cut(kinds[0].Group, ".")
	}
	for _, k := range kinds {
		if err := d.add(k, len(kinds) > 1); err != nil {
			return nil, err
		}
	}
	d.Files[bundle.ManifestFile] = manifest(d.Name, kinds)
	if err := d.addCases(c, kinds); err != nil {
		return nil, err
	}
	return d, nil
}

// add writes the scripts of a kind.
func (d *Draft) add(k *kind, several bool) error {
	if d.Files[k.Kind] != "" || slices.ContainsFunc(d.Paths(), func(p string) bool { return strings.HasPrefix(p, k.Kind+"/") }) {
		return fmt.Errorf("two groups have a kind %s: choose one with --kind, and write a bundle for each group", k.Kind)
	}
	module := phasesModule
	if several {
		module = "lib." + strings.ToLower(k.Kind) + "_phases"
	}
	scripts := k.traits.scripts(module)
	if len(scripts) == 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s: nothing of it is recognized; write %s/health.lua, or give the CRD beside the object", k.Kind, k.Kind))
		scripts = map[string]string{"health": emptyHealth}
	}
	if len(k.traits.scripts(module)) > 0 && scripts["health"] == "" {
		d.Notes = append(d.Notes, fmt.Sprintf("%s: nothing in its status says how it is, so there is no %s/health.lua, and what is built in for any kind answers", k.Kind, k.Kind))
	}
	requires := false
	for name, text := range scripts {
		d.Files[path.Join(k.Kind, name+".lua")] = text
		requires = requires || strings.Contains(text, "require("+quoted(module)+")")
	}
	if requires {
		d.Files[strings.ReplaceAll(module, ".", "/")+".lua"] = k.traits.phasesText()
	}
	return nil
}

// emptyHealth is the script of a kind that nothing is known of.
const emptyHealth = `-- Drafted by dragoman init, which knows nothing of this kind: answer true where an object is
-- healthy, false where it does not recover by itself, and nil where that is not known yet.
function InterpretHealth(object)
  return nil
end
`

// manifest returns the text of the manifest.
func manifest(name string, kinds []*kind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: %s\nkind: Bundle\nmetadata:\n  name: %s\n  version: 0.1.0\nspec:\n  description: Drafted by dragoman init\n  kinds:\n", bundle.APIVersion, name)
	for _, k := range kinds {
		fmt.Fprintf(&b, "    - group: %q\n      versions: [%s]\n      kind: %s\n", k.Group, strings.Join(k.versions, ", "), k.Kind)
	}
	return b.String()
}

// addCases runs the scripts on samples and writes what they answer as cases.
func (d *Draft) addCases(c *engine.Compiler, kinds []*kind) error {
	b, err := bundle.Loader{Compiler: c}.Load(d.fileSystem(), d.Name, nil)
	if err != nil {
		return fmt.Errorf("load the draft: %w", err)
	}
	i := engine.NewInterpreter(engine.Options{})
	if err := i.Set(engine.Embedded, b.Source); err != nil {
		return fmt.Errorf("activate the draft: %w", err)
	}
	for _, k := range kinds {
		if err := d.casesOf(k, i.Snapshot()); err != nil {
			return err
		}
	}
	return nil
}

func (d *Draft) fileSystem() fs.FS {
	files := fstest.MapFS{}
	for name, text := range d.Files {
		files[path.Join(d.Name, name)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func (d *Draft) casesOf(k *kind, v engine.Snapshot) error {
	scripts := map[string]string{}
	for _, op := range engine.Operations() {
		scripts[op.File] = d.Files[path.Join(k.Kind, op.File+".lua")]
	}
	drafts := k.draftCases(scripts)
	if len(k.traits.scripts(phasesModule)) == 0 {
		drafts = map[string][]draftCase{"health": one(engine.InterpretHealth, "nothing is known of it")(k.sample())}
	}
	for _, op := range engine.Operations() {
		var documents []string
		for _, c := range drafts[op.File] {
			text, err := answered(v, op, c)
			if err != nil {
				return fmt.Errorf("%s of %s, case %q: %w", op.Name, k.Kind, c.name, err)
			}
			documents = append(documents, text)
		}
		if len(documents) > 0 {
			d.Files[path.Join(k.Kind, "testdata", op.File+".yaml")] = caseComment + strings.Join(documents, "---\n")
		}
	}
	return nil
}

// caseComment is the first line of a file of cases.
const caseComment = "# Drafted by dragoman init: each output is what the script answered then. Read whether it is right.\n"

// answered runs a case and returns it with the answer as its output.
func answered(v engine.Snapshot, op engine.Operation, c draftCase) (string, error) {
	c.question.Items = append(c.question.Items, c.items()...)
	answer, err := v.Evaluate(c.question)
	if err != nil {
		return "", err
	}
	return c.document(op, op.Named(answer))
}
