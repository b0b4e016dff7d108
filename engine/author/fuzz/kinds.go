// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// KindsOf returns the kinds of a bundle that CRDs have a schema for, in the order of the CRDs, and the others
// of the bundle. name chooses one; "" takes all.
func KindsOf(definitions []*unstructured.Unstructured, of []schema.GroupVersionKind, name string) (found []Kind, without []schema.GroupVersionKind) {
	for _, d := range definitions {
		group, _, _ := unstructured.NestedString(d.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(d.Object, "spec", "names", "kind")
		scope, _, _ := unstructured.NestedString(d.Object, "spec", "scope")
		versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
		for _, v := range versions {
			version, _ := v.(map[string]any)
			versionName, _ := version["name"].(string)
			s, has, _ := unstructured.NestedMap(version, "schema", "openAPIV3Schema")
			k := Kind{schema.GroupVersionKind{Group: group, Version: versionName, Kind: kind}, scope != "Cluster", s}
			if has && slices.Contains(of, k.GroupVersionKind) && !isAmong(found, k.GroupVersionKind) && chosen(k.Kind, name) {
				found = append(found, k)
			}
		}
	}
	for _, k := range of {
		if !isAmong(found, k) && chosen(k.Kind, name) {
			without = append(without, k)
		}
	}
	return found, without
}

func isAmong(kinds []Kind, of schema.GroupVersionKind) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return k.GroupVersionKind == of })
}

func chosen(kind, name string) bool { return name == "" || strings.EqualFold(kind, name) }
