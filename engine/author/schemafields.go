// SPDX-License-Identifier: Apache-2.0

package author

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// schemas are those of CRDs by kind.
type schemas map[schema.GroupVersionKind]map[string]any

func schemasOf(definitions []*unstructured.Unstructured) schemas {
	all := schemas{}
	for _, d := range definitions {
		group, _, _ := unstructured.NestedString(d.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(d.Object, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
		for _, v := range versions {
			version, _ := v.(map[string]any)
			name, _, _ := unstructured.NestedString(version, "name")
			if s, found, _ := unstructured.NestedMap(version, "schema", "openAPIV3Schema"); found {
				all[schema.GroupVersionKind{Group: group, Version: name, Kind: kind}] = s
			}
		}
	}
	return all
}

// unknown returns the path of a read, from the name of its argument on, and what is wrong with
// it. It is "" where one of the kinds and versions that the script answers for has the field,
// leaves it open, or has no schema here.
func (s schemas) unknown(kinds []schema.GroupVersionKind, op engine.Operation, read script.Read) (field, message string) {
	steps := schemaSteps(op, read)
	if steps == nil {
		return "", ""
	}
	sizes := map[schema.GroupKind]int{}
	for _, kind := range kinds {
		root := s[kind]
		if root == nil {
			continue
		}
		sizes[kind.GroupKind()]++
		at, siblings := missing(root, steps)
		if at < 0 {
			return "", ""
		}
		if message == "" {
			field = op.Params[read.Param].Name + "." + strings.Join(steps[:at+1], ".")
			message = script.Unknown("field of "+kind.Kind, steps[at], siblings)
		}
	}
	for _, kind := range kinds {
		if sizes[kind.GroupKind()] == 0 {
			return "", ""
		}
	}
	return field, message
}

// schemaSteps returns the path of a read from the root of an object on; nil where it is below
// something else.
func schemaSteps(op engine.Operation, read script.Read) []string {
	if read.Param >= len(op.Params) {
		return nil
	}
	switch op.Params[read.Param].Kind {
	case engine.ObjectParam, engine.ObservedParam:
		return read.Path
	case engine.ItemsParam:
		if steps := read.Path; len(steps) > 2 && steps[0] == script.AnyElement && steps[1] == "status" && !slices.Contains(reflected, steps[2]) {
			return steps[1:]
		}
	}
	return nil
}

// reflected are the fields that kube.reflectStatus adds to what a cluster reports.
var reflected = []string{"generation", "resourceTemplateGeneration"}

// missing returns the index of the first step of a path that a schema does not have, with the
// names that it has there; -1 where it has all, or leaves them open.
func missing(root map[string]any, steps []string) (at int, siblings []string) {
	here := root
	for i, step := range steps {
		properties, _ := here["properties"].(map[string]any)
		if i == 0 && (step == "apiVersion" || step == "kind" || step == "metadata") {
			return -1, nil
		}
		next, found := properties[step].(map[string]any)
		if step == script.AnyElement || !found {
			elements := elementsOf(here)
			if elements == nil && (step == script.AnyElement || len(properties) == 0 || isOpen(here)) {
				return -1, nil
			}
			if elements == nil {
				return i, slices.Sorted(maps.Keys(properties))
			}
			next = elements
		}
		if isOpen(next) && len(steps) > i+1 {
			return -1, nil
		}
		here = next
	}
	return -1, nil
}

// elementsOf returns the schema of the items of a list, or of the values of a map with free
// keys.
func elementsOf(s map[string]any) map[string]any {
	for _, key := range []string{"items", "additionalProperties"} {
		if elements, ok := s[key].(map[string]any); ok {
			return elements
		}
	}
	return nil
}

// isOpen reports whether an object of a schema may have fields that the schema does not name.
func isOpen(s map[string]any) bool {
	return s["x-kubernetes-preserve-unknown-fields"] == true || s["x-kubernetes-embedded-resource"] == true || s["additionalProperties"] == true
}

// Schemas returns the schemas of the CRDs among objects, by kind. They must not be changed.
func Schemas(definitions []*unstructured.Unstructured) map[schema.GroupVersionKind]map[string]any {
	return schemasOf(definitions)
}
