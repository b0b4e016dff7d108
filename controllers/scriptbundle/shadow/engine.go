// SPDX-License-Identifier: Apache-2.0

package shadow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/kept"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/source"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/provenance"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// Engine returns an engine with the rules that a control plane has: its customizations, its active
// ScriptBundles, embedded bundles, and those for the scale subresources of its CRDs. left are the errors of those that do not compile, and that
// the control plane leaves out too. The error is about reading them.
func Engine(ctx context.Context, hub client.Reader, compiler *engine.Compiler, embedded fs.FS) (i *engine.Interpreter, left []error, err error) {
	i = engine.NewInterpreter(engine.Options{})
	loader := bundle.Loader{Compiler: compiler}
	bundles, err := loader.LoadAll(embedded)
	if err != nil {
		return nil, nil, err
	}
	r := Reader{Hub: hub, Loader: loader, Embedded: bundles}
	r.Add = func(l engine.Layer, rules engine.RuleSet, _ provenance.Source) error { return i.Set(l, rules) }
	left, err = r.Read(ctx)
	return i, left, err
}

// Reader reads the rule sets that a control plane has.
type Reader struct {
	Hub    client.Reader
	Loader bundle.Loader
	// Embedded are the bundles of this program.
	Embedded []*bundle.Bundle
	// Add takes each rule set. Its error is among those of what is left out.
	Add func(engine.Layer, engine.RuleSet, provenance.Source) error
}

// Read adds all rule sets. left are the errors of those that cannot be, and that the control plane
// leaves out too. The error is about reading them.
func (r Reader) Read(ctx context.Context) (left []error, err error) {
	for _, b := range r.Embedded {
		left = append(left, r.Add(engine.Embedded, b.Source, provenance.Of(b, engine.Embedded)))
	}
	for _, b := range r.Embedded {
		if b.Name == bundle.Generic {
			if err := r.addScaled(ctx, b); err != nil {
				return nil, err
			}
		}
	}
	var installed interpreterv1alpha1.ScriptBundleList
	if err := r.Hub.List(ctx, &installed); err != nil && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("list the ScriptBundles: %w", err)
	}
	for k := range installed.Items {
		left = append(left, r.addActive(ctx, &installed.Items[k]))
	}
	var customizations configv1alpha1.ResourceInterpreterCustomizationList
	if err := r.Hub.List(ctx, &customizations); err != nil {
		return nil, fmt.Errorf("list the customizations: %w", err)
	}
	for k := range customizations.Items {
		left = append(left, r.addCustomization(&customizations.Items[k]))
	}
	return without(left), nil
}

// addCustomization adds a customization.
func (r Reader) addCustomization(c *configv1alpha1.ResourceInterpreterCustomization) error {
	rules, broken := r.Loader.Compiler.CustomizationFrom(c, engine.CustomizationSource{Recording: r.Loader.Recording})
	if len(broken) > 0 {
		return fmt.Errorf("customization %s is left out: %w", c.Name, errors.Join(broken...))
	}
	return r.Add(engine.Customizations, rules, provenance.Source{Layer: provenance.Customization, Name: c.Name, Generation: c.Generation})
}

// crdPage is how many CRDs are read at once. They are large.
const crdPage = 50

// addScaled adds rules for the scale subresources of CRDs.
func (r Reader) addScaled(ctx context.Context, scripts *bundle.Bundle) error {
	for next := ""; ; {
		var crds apiextensionsv1.CustomResourceDefinitionList
		if err := r.Hub.List(ctx, &crds, client.Limit(crdPage), client.Continue(next)); err != nil {
			return fmt.Errorf("list CRDs: %w", err)
		}
		for k := range crds.Items {
			paths := bundle.ScalePathsOf(&crds.Items[k])
			if len(paths) == 0 {
				continue
			}
			name := crds.Items[k].Name
			if err := r.Add(engine.Derived, scripts.Scaled(name, paths), provenance.Source{Layer: provenance.Scale, Name: name}); err != nil {
				return err
			}
		}
		if next = crds.Continue; next == "" {
			return nil
		}
	}
}

// addActive adds the active revision of a ScriptBundle.
func (r Reader) addActive(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) error {
	if b.Status.Active == nil {
		return nil
	}
	active, err := r.load(ctx, b, b.Status.Active)
	if err == nil {
		s := provenance.Of(active, engine.Installed)
		s.Revision, s.Place = b.Status.Active.Revision, "ScriptBundle "+b.Name
		err = r.Add(engine.Installed, active.Source, s)
	}
	if err != nil {
		return fmt.Errorf("ScriptBundle %s is left out: %w", b.Name, err)
	}
	return nil
}

// load loads a revision of a ScriptBundle, as the control plane keeps it.
func (r Reader) load(ctx context.Context, b *interpreterv1alpha1.ScriptBundle, revision *interpreterv1alpha1.BundleRevision) (*bundle.Bundle, error) {
	dir := source.Folder(b.Name)
	files, err := kept.Store{Reader: r.Hub}.Get(ctx, b.Name, revision.Revision, dir)
	if err != nil {
		return nil, err
	}
	return r.Loader.Load(files, dir, revision.Parameters)
}

// without returns errors without nil.
func without(all []error) []error {
	var left []error
	for _, err := range all {
		if err != nil {
			left = append(left, err)
		}
	}
	return left
}
