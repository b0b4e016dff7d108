// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

const crdKind = "CustomResourceDefinition"

// kindsOf returns the kinds of documents, sorted by group and name, and notes about what was
// passed over.
func kindsOf(o Options) ([]*kind, []string, error) {
	known := map[schema.GroupKind]*kind{}
	for _, d := range o.Documents {
		if d.GetKind() == crdKind {
			k, err := ofDefinition(d)
			if err != nil {
				return nil, nil, err
			}
			known[k.GroupKind] = k
		}
	}
	passed := map[string]bool{}
	for _, d := range o.Documents {
		gvk := d.GroupVersionKind()
		k := known[gvk.GroupKind()]
		switch {
		case gvk.Kind == crdKind:
			continue
		case k == nil && isBuiltIn(gvk.Group):
			passed[gvk.Kind] = true
			continue
		case k == nil:
			k = &kind{GroupKind: gvk.GroupKind(), versions: []string{gvk.Version}, root: &shape{kind: objectType}, namespaced: true}
			known[gvk.GroupKind()] = k
		}
		if !slices.Contains(k.versions, gvk.Version) {
			return nil, nil, fmt.Errorf("%s %s: the CRD does not serve version %s; it serves %s", k.Kind, d.GetName(), gvk.Version, strings.Join(k.versions, ", "))
		}
		k.objects = append(k.objects, d)
	}
	all, err := chosen(known, o.Kind)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range all {
		k.recognize()
	}
	return all, notes(passed), nil
}

// builtIn are the groups of the API server itself that have a domain (Kubernetes 1.36).
var builtIn = []string{
	"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io",
	"certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io",
	"networking.k8s.io", "node.k8s.io", "rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
}

// isBuiltIn reports whether a group is one of the API server itself.
func isBuiltIn(group string) bool {
	return !strings.Contains(group, ".") || slices.Contains(builtIn, group)
}

func notes(passed map[string]bool) []string {
	var all []string
	for name := range passed {
		all = append(all, fmt.Sprintf("%s: passed over, for it is a kind of the API server itself", name))
	}
	slices.Sort(all)
	return all
}

// chosen returns the kinds that are asked for.
func chosen(known map[schema.GroupKind]*kind, name string) ([]*kind, error) {
	var all []*kind
	var names []string
	for _, k := range known {
		names = append(names, k.Kind)
		if name == "" || strings.EqualFold(k.Kind, name) {
			all = append(all, k)
		}
	}
	switch {
	case len(known) == 0:
		return nil, ErrNothing
	case len(all) == 0:
		slices.Sort(names)
		return nil, fmt.Errorf("%s", script.Unknown("kind", name, slices.Compact(names)))
	}
	slices.SortFunc(all, func(a, b *kind) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind))
	})
	return all, nil
}

// ofDefinition returns the kind of a CRD, by the schema of its storage version.
func ofDefinition(d *unstructured.Unstructured) (*kind, error) {
	spec := object(d.Object, "spec")
	k := &kind{namespaced: text(spec, "scope") != "Cluster"}
	k.Group, k.Kind = text(spec, "group"), text(object(spec, "names"), "kind")
	if k.Group == "" || k.Kind == "" {
		return nil, fmt.Errorf("CRD %s: spec.group and spec.names.kind must be set", d.GetName())
	}
	versions, _ := spec["versions"].([]any)
	for _, item := range versions {
		version, _ := item.(map[string]any)
		if version["served"] != true {
			continue
		}
		if version["storage"] != true && k.root != nil {
			k.versions = append(k.versions, text(version, "name"))
			continue
		}
		k.versions = append([]string{text(version, "name")}, k.versions...)
		k.root = ofSchema(object(object(version, "schema"), "openAPIV3Schema"), maxDepth)
		k.scale = text(object(object(version, "subresources"), "scale"), "specReplicasPath")
	}
	if k.root == nil {
		return nil, fmt.Errorf("CRD %s: no version in spec.versions is served; it must be of apiextensions.k8s.io/v1", d.GetName())
	}
	return k, nil
}

// recognize finds the traits of a kind by its schema and its objects.
func (k *kind) recognize() {
	var conditions []string
	for _, o := range k.objects {
		k.root.with(ofValue(o.Object, maxDepth))
		all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		for _, c := range all {
			if m, isMap := c.(map[string]any); isMap {
				conditions = append(conditions, text(m, "type"))
			}
		}
	}
	k.traits = recognize(k.root, k.scale, conditions)
}
