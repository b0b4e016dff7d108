// SPDX-License-Identifier: Apache-2.0

package author

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// genericApplies reports whether the generic rules may answer for a kind: the bundles of this
// program answer, and none of them has the kind.
func (o *evalOptions) genericApplies(bundles []*bundle.Bundle, kind schema.GroupVersionKind) bool {
	return o.generic && len(o.bundles) == 0 && !verb.HaveKind(bundles, kind)
}

// divideByCRD has the engine divide a kind by the CRD that the flag names.
func (o *evalOptions) divideByCRD(i *engine.Interpreter, bundles []*bundle.Bundle, kind schema.GroupVersionKind) error {
	if o.crd == "" {
		return nil
	}
	paths, err := o.scalePaths(kind)
	if err != nil {
		return err
	}
	for _, b := range bundles {
		if path, has := paths[kind]; has && b.Name == bundle.Generic {
			return i.Set(engine.Derived, b.Scaled(b.Name, map[schema.GroupVersionKind]string{kind: path}))
		}
	}
	return nil
}

// scalePaths reads the CRD of a kind.
func (o *evalOptions) scalePaths(kind schema.GroupVersionKind) (map[schema.GroupVersionKind]string, error) {
	object, err := o.readObject(o.crd)
	if err != nil {
		return nil, err
	}
	if want := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"); object.GroupVersionKind() != want {
		return nil, fmt.Errorf("%s: want a CustomResourceDefinition of %s, got %s %s", o.crd, want.GroupVersion(), object.GetAPIVersion(), object.GetKind())
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &crd); err != nil {
		return nil, fmt.Errorf("%s: %w", o.crd, err)
	}
	if crd.Spec.Group != kind.Group || crd.Spec.Names.Kind != kind.Kind {
		return nil, fmt.Errorf("%s: it is the CRD of %s %s, the object is a %s %s", o.crd, crd.Spec.Group, crd.Spec.Names.Kind, kind.Group, kind.Kind)
	}
	return bundle.ScalePathsOf(&crd), nil
}

// noteGeneric reports on stderr where an answer is a generic one.
func (o *evalOptions) noteGeneric(rules engine.Snapshot, kind schema.GroupVersionKind, op engine.Op) {
	if rules.Origin(kind, op) == "bundle "+bundle.Generic {
		fmt.Fprintf(o.streams.Err, "answered by the generic rules: no script of this program is about %s %s\n", kind.GroupVersion(), kind.Kind)
	}
}

// noScript is the error where no script answers.
func (o *evalOptions) noScript(rules engine.Snapshot, kind schema.GroupVersionKind, op engine.Op) error {
	text := fmt.Sprintf("no script answers %s for %s %s", op, kind.GroupVersion(), kind.Kind)
	if op == engine.InterpretStatus {
		text += "; the control plane takes the whole status then"
	}
	if !slices.Contains([]engine.Op{engine.InterpretReplica, engine.ReviseReplica}, op) || rules.Origin(kind, engine.InterpretHealth) != "bundle "+bundle.Generic {
		return verb.Exit(verb.ExitNothing, text)
	}
	if o.crd == "" {
		text += "; the generic rules do if its CRD has a scale subresource: name the CRD with --crd"
	} else {
		text += "; its CRD has no scale subresource in this version"
	}
	return verb.Exit(verb.ExitNothing, text)
}
