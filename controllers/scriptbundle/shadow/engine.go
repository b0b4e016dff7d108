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
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// Engine returns an engine with the rules that a control plane has: its customizations, its active
// ScriptBundles, embedded bundles, and those for the scale subresources of its CRDs. left are the errors of those that do not compile, and that
// the control plane leaves out too. The error is about reading them.
func Engine(ctx context.Context, hub client.Reader, compiler *engine.Compiler, embedded fs.FS) (i *engine.Interpreter, left []error, err error) {
	i = engine.NewInterpreter(engine.Options{})
	bundles, err := bundle.Loader{Compiler: compiler}.LoadAll(embedded)
	if err != nil {
		return nil, nil, err
	}
	for _, b := range bundles {
		left = append(left, i.Set(engine.Embedded, b.Source))
	}
	for _, b := range bundles {
		if b.Name == bundle.Generic {
			if err := addScaled(ctx, hub, i, b); err != nil {
				return nil, nil, err
			}
		}
	}
	var installed interpreterv1alpha1.ScriptBundleList
	if err := hub.List(ctx, &installed); err != nil && !meta.IsNoMatchError(err) {
		return nil, nil, fmt.Errorf("list the ScriptBundles: %w", err)
	}
	for k := range installed.Items {
		left = append(left, addActive(ctx, hub, compiler, i, &installed.Items[k]))
	}
	var customizations configv1alpha1.ResourceInterpreterCustomizationList
	if err := hub.List(ctx, &customizations); err != nil {
		return nil, nil, fmt.Errorf("list the customizations: %w", err)
	}
	for k := range customizations.Items {
		rules, broken := compiler.Customization(&customizations.Items[k])
		if len(broken) > 0 {
			left = append(left, fmt.Errorf("customization %s is left out: %w", customizations.Items[k].Name, errors.Join(broken...)))
			continue
		}
		left = append(left, i.Set(engine.Customizations, rules))
	}
	return i, without(left), nil
}

// crdPage is how many CRDs are read at once. They are large.
const crdPage = 50

// addScaled adds rules for the scale subresources of CRDs.
func addScaled(ctx context.Context, hub client.Reader, i *engine.Interpreter, scripts *bundle.Bundle) error {
	for next := ""; ; {
		var crds apiextensionsv1.CustomResourceDefinitionList
		if err := hub.List(ctx, &crds, client.Limit(crdPage), client.Continue(next)); err != nil {
			return fmt.Errorf("list CRDs: %w", err)
		}
		for k := range crds.Items {
			paths := bundle.ScalePathsOf(&crds.Items[k])
			if len(paths) == 0 {
				continue
			}
			if err := i.Set(engine.Derived, scripts.Scaled(crds.Items[k].Name, paths)); err != nil {
				return err
			}
		}
		if next = crds.Continue; next == "" {
			return nil
		}
	}
}

// addActive adds the active revision of a ScriptBundle.
func addActive(ctx context.Context, hub client.Reader, compiler *engine.Compiler, i *engine.Interpreter, b *interpreterv1alpha1.ScriptBundle) error {
	if b.Status.Active == nil {
		return nil
	}
	dir := source.Folder(b.Name)
	files, err := kept.Store{Reader: hub}.Get(ctx, b.Name, b.Status.Active.Revision, dir)
	if err == nil {
		var active *bundle.Bundle
		if active, err = (bundle.Loader{Compiler: compiler}).Load(files, dir, b.Status.Active.Parameters); err == nil {
			err = i.Set(engine.Installed, active.Source)
		}
	}
	if err != nil {
		return fmt.Errorf("ScriptBundle %s is left out: %w", b.Name, err)
	}
	return nil
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
