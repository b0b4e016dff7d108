// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/script"
)

// PruneTemplate takes out of a template what must not reach the member clusters.
const PruneTemplate Op = "PruneTemplate"

var pruneOp = &operation[*unstructured.Unstructured, *unstructured.Unstructured]{
	Operation: Operation{
		Name: PruneTemplate, Field: "templatePruning", Entry: "PruneTemplate", File: "prune",
		Params:  []Param{{"template", ObjectParam}},
		Results: []Result{{Name: "pruned", Type: "map"}}, Patch: true, Idempotent: true,
		Doc: "The template without what the API server of the control plane filled in, and without what makes sense in one cluster only.",
	},
	input: inputObject, bind: bindObject,
	references: func(in *unstructured.Unstructured) []any { return []any{in.Object} },
	decode: func(in *unstructured.Unstructured, rule *Rule, results []any) (*unstructured.Unstructured, error) {
		answer := at(results, 0)
		if paths, isList := answer.([]any); isList && rule.Expression {
			return removePaths(in, paths)
		}
		return decodeObject(in, rule, answer)
	},
}

// removePaths removes the values at JSON pointers from an object. A path that the object
// does not have is passed over.
func removePaths(object *unstructured.Unstructured, paths []any) (*unstructured.Unstructured, error) {
	pruned := object.Object
	for i, p := range paths {
		keys, err := pointerAt(i, p)
		if err != nil {
			return nil, err
		}
		if pruned, err = removed(pruned, keys); err != nil {
			return nil, script.Errorf(script.Result, "paths[%d]: %v: %v", i, p, err)
		}
	}
	if err := checkIdentity(object.Object, pruned); err != nil {
		return nil, err
	}
	return sameOrNew(object, pruned), nil
}

// removed returns m without the value below the keys; only the maps on the way are
// copied. It is m itself where there is no such value.
func removed(m map[string]any, keys []string) (map[string]any, error) {
	value, found := m[keys[0]]
	if !found || value == nil && len(keys) > 1 {
		return m, nil
	}
	if len(keys) == 1 {
		next := maps.Clone(m)
		delete(next, keys[0])
		return next, nil
	}
	below, isMap := value.(map[string]any)
	if !isMap {
		return nil, errNotAMap
	}
	changed, err := removed(below, keys[1:])
	if err != nil || sameMap(below, changed) {
		return m, err
	}
	next := maps.Clone(m)
	next[keys[0]] = changed
	return next, nil
}

// Prune returns the template as it is sent to member clusters, before overrides and
// replicas. The input is not changed; an answer that changes nothing is the input itself.
func (v Snapshot) Prune(template *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return run(v, pruneOp, template, template)
}
