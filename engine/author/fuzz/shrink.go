// SPDX-License-Identifier: Apache-2.0

package fuzz

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// maxTries bounds the objects that are tried to make one smaller.
const maxTries = 500

// shrunk returns an object with less in it that still shows what was found: fields that the schema does not
// require, and items, are taken away as long as it does.
func (k Kind) shrunk(object *unstructured.Unstructured, shows func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	tries := 0
	for progress := true; progress; {
		progress = false
		for _, p := range k.removable(object) {
			if tries++; tries > maxTries {
				return object
			}
			smaller := object.DeepCopy()
			if remove(smaller.Object, p) && shows(smaller) {
				object, progress = smaller, true
				break
			}
		}
	}
	return object
}

// step is a key of a map, or an index of a list.
type step any

// removable returns the paths of what may be taken away, the outermost first.
func (k Kind) removable(object *unstructured.Unstructured) [][]step {
	type place struct {
		path   []step
		value  any
		schema map[string]any
	}
	var all [][]step
	queue := []place{{nil, object.Object, k.Schema}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		switch v := at.value.(type) {
		case map[string]any:
			required := requiredOf(at.schema)
			properties, _ := at.schema["properties"].(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(v)) {
				path := append(slices.Clone(at.path), key)
				isIdentity := len(at.path) == 0 && (key == "apiVersion" || key == "kind" || key == "metadata")
				if isIdentity {
					continue
				}
				if !slices.Contains(required, key) {
					all = append(all, path)
				}
				below, known := properties[key].(map[string]any)
				if !known {
					below, _ = at.schema["additionalProperties"].(map[string]any)
				}
				queue = append(queue, place{path, v[key], below})
			}
		case []any:
			items, _ := at.schema["items"].(map[string]any)
			for i := len(v) - 1; i >= 0; i-- {
				path := append(slices.Clone(at.path), i)
				if int64(len(v)) > whole(at.schema["minItems"], 0) {
					all = append(all, path)
				}
				queue = append(queue, place{path, v[i], items})
			}
		}
	}
	return all
}

// remove takes away what is at a path; false where nothing is.
func remove(m map[string]any, path []step) bool {
	var parent any = m
	var set func(v any)
	for i, s := range path {
		last := i == len(path)-1
		switch key := s.(type) {
		case string:
			of, ok := parent.(map[string]any)
			if !ok {
				return false
			}
			if last {
				delete(of, key)
				return true
			}
			parent, set = of[key], func(v any) { of[key] = v }
		case int:
			of, ok := parent.([]any)
			if !ok || key >= len(of) {
				return false
			}
			if last {
				set(slices.Delete(slices.Clone(of), key, key+1))
				return true
			}
			parent, set = of[key], func(v any) { of[key] = v }
		}
	}
	return false
}
