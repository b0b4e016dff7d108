// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/shipped"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author"
	"github.com/dragoman-io/dragoman/engine/author/provenance"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// runFiles shows which scripts answer about the objects of a file.
func (o *explainOptions) runFiles(paths []string) error {
	documents, err := o.streams.Documents(o.object)
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		return fmt.Errorf("%s: want an object, got none", o.object)
	}
	found := explanation{Objects: []provenance.Object{}}
	known := map[schema.GroupVersionKind]*provenance.Rules{}
	given, err := o.readPaths(paths)
	if err != nil {
		return err
	}
	for _, d := range documents {
		object := o.withNamespace(d.Object)
		kind := object.GroupVersionKind()
		if known[kind] == nil {
			if known[kind], err = o.rulesOf(given, kind); err != nil {
				return err
			}
		}
		one, err := o.ask(known[kind], object)
		if err != nil {
			return err
		}
		found.Objects = append(found.Objects, one)
	}
	if err := o.writeScripts(found); err != nil {
		return err
	}
	return o.finishScripts(found.Objects)
}

// withNamespace returns the object with a namespace, where it has none and would have one.
func (o *explainOptions) withNamespace(object *unstructured.Unstructured) *unstructured.Unstructured {
	if o.namespace != "" && object.GetNamespace() == "" {
		object.SetNamespace(o.namespace)
	}
	return object
}

// writeEncoded prints what was found as JSON or YAML.
func (o *explainOptions) writeEncoded(found any) error {
	text, err := verb.Encode(o.output, found)
	if err != nil {
		return err
	}
	_, err = o.streams.Out.Write(text)
	return err
}

// writeScripts prints what scripts answer.
func (o *explainOptions) writeScripts(found explanation) error {
	if o.output != "text" {
		return o.writeEncoded(found)
	}
	for i, object := range found.Objects {
		if i > 0 {
			fmt.Fprintln(o.streams.Out)
		}
		if err := object.WriteText(o.streams.Out); err != nil {
			return err
		}
	}
	return nil
}

// givenPath is a bundle or a file of customizations that is given as a PATH.
type givenPath struct {
	name string
	// shipped is an archive, data a file of customizations; a folder has neither.
	shipped *shipped.Bundle
	data    []byte
}

// readPaths reads the files of paths.
func (o *explainOptions) readPaths(paths []string) ([]givenPath, error) {
	var (
		all  []givenPath
		errs []error
	)
	for _, p := range paths {
		one := givenPath{name: filepath.ToSlash(p)}
		var err error
		switch form, formErr := shipped.FormOf(p); {
		case shipped.IsArchiveName(p) && formErr == nil:
			one.shipped, err = shipped.ReadFile(p)
		case p != "-" && formErr == nil && form == shipped.Folder:
		default:
			one.name, one.data, err = o.streams.Read(p)
		}
		errs = append(errs, err)
		all = append(all, one)
	}
	return all, errors.Join(errs...)
}

// rulesOf returns the rules that answer for a kind: those of paths, and the bundles of this program.
func (o *explainOptions) rulesOf(given []givenPath, kind schema.GroupVersionKind) (*provenance.Rules, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	rules := provenance.NewRules()
	loader := bundle.Loader{Compiler: c, Recording: rules.Recording()}
	embedded, err := loadEmbedded(loader, kind)
	if err != nil {
		return nil, err
	}
	bundles, places, err := o.loadInstalled(loader, rules, given)
	if err != nil {
		return nil, err
	}
	count := len(bundles)
	if bundles, err = bundle.Choose(append(bundles, embedded...), o.parameters); err != nil {
		return nil, err
	}
	for i, b := range bundles {
		layer, s := engine.Embedded, provenance.Of(b, engine.Embedded)
		if i < count {
			layer, s = engine.Installed, provenance.Of(b, engine.Installed)
			s.Place, s.Revision = places[i].place, places[i].revision
		}
		rules.Known = append(rules.Known, b.Kinds...)
		if err := rules.Add(layer, b.Source, s); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// loadEmbedded returns the bundles of this program with the rules for a kind, and the generic ones.
func loadEmbedded(l bundle.Loader, kind schema.GroupVersionKind) ([]*bundle.Bundle, error) {
	bundles, err := verb.LoadBundles(l, nil, kind)
	if err != nil {
		return nil, err
	}
	return bundles, verb.WithGeneric(l, bundles)
}

// installedFrom is where a bundle was read from.
type installedFrom struct{ place, revision string }

// loadInstalled loads the bundles of paths, and adds the customizations to rules.
func (o *explainOptions) loadInstalled(l bundle.Loader, rules *provenance.Rules, given []givenPath) ([]*bundle.Bundle, []installedFrom, error) {
	var (
		all    []*bundle.Bundle
		places []installedFrom
		errs   []error
	)
	for _, p := range given {
		if p.data != nil {
			errs = append(errs, o.addCustomizations(l, rules, p))
			continue
		}
		b, revision, err := p.load(l)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, other := range all {
			errs = append(errs, verb.BothAnswer(other, b))
		}
		all, places = append(all, b), append(places, installedFrom{p.name, revision})
	}
	return all, places, errors.Join(errs...)
}

// load loads the bundle of a path.
func (p givenPath) load(l bundle.Loader) (*bundle.Bundle, string, error) {
	if p.shipped != nil {
		files := p.shipped.Archive.FS(".")
		b, err := l.Load(files, ".", nil)
		if err != nil {
			return nil, "", shipped.FoundIn(p.shipped.Where, err)
		}
		revision, err := bundle.Revision(files, ".")
		return b, revision, err
	}
	dir := filepath.ToSlash(filepath.Clean(p.name))
	b, err := l.Load(verb.HostFS{}, dir, nil)
	if err != nil {
		return nil, "", err
	}
	revision, err := bundle.Revision(verb.HostFS{}, dir)
	return b, revision, err
}

// addCustomizations adds those of a file.
func (o *explainOptions) addCustomizations(l bundle.Loader, rules *provenance.Rules, p givenPath) error {
	sets, _, err := author.Customizations(l.Compiler, source.Read(p.name, p.data), l.Recording)
	if err != nil {
		return err
	}
	for _, set := range sets {
		name := ""
		for kind, of := range set.Kinds {
			rules.Known = append(rules.Known, kind)
			for _, rule := range of {
				name = rule.Customization
			}
		}
		if err := rules.Add(engine.Customizations, set, provenance.Source{Layer: provenance.Customization, Name: name, Place: p.name}); err != nil {
			return err
		}
	}
	return nil
}

// eachOnce returns texts, each once, in their order.
func eachOnce(all []string) []string {
	var once []string
	for _, text := range all {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}
