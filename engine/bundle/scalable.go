// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"maps"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// ScalableKind stands in a manifest for the kinds whose replicas are at a path that only
// their CRD has. No real kind has such a group.
var ScalableKind = schema.GroupVersionKind{Group: "*", Version: "*", Kind: "Scalable"}

// ReplicasPath is the parameter by which the rules for ScalableKind see the path, with dots
// and without one in front: spec.replicas.
const ReplicasPath = "replicasPath"

// Generic is the name of the bundle of this program for kinds that nobody wrote a script for.
const Generic = "generic"

// ScalePathsOf returns where the objects of a CRD have their replicas, such as spec.replicas, by
// kind: for the versions that it serves and that have a scale subresource.
func ScalePathsOf(crd *apiextensionsv1.CustomResourceDefinition) map[schema.GroupVersionKind]string {
	paths := map[schema.GroupVersionKind]string{}
	for _, v := range crd.Spec.Versions {
		if !v.Served || v.Subresources == nil || v.Subresources.Scale == nil {
			continue
		}
		kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
		paths[kind] = strings.TrimPrefix(v.Subresources.Scale.SpecReplicasPath, ".")
	}
	return paths
}

// Scaled returns what the bundle has for ScalableKind as rules for kinds, each with the path
// of its replicas. They belong into the layer engine.Derived.
func (b *Bundle) Scaled(name string, paths map[schema.GroupVersionKind]string) engine.RuleSet {
	set := engine.RuleSet{Name: name, Kinds: make(map[schema.GroupVersionKind]engine.Rules, len(paths))}
	for kind, path := range paths {
		rules := engine.Rules{}
		for op, rule := range b.Source.Kinds[ScalableKind] {
			own := *rule
			own.Params = maps.Clone(rule.Params)
			own.Params[ReplicasPath] = path
			rules[op] = &own
		}
		set.Kinds[kind] = rules
	}
	return set
}
