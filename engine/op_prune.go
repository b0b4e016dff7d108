// SPDX-License-Identifier: Apache-2.0

package engine

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// PruneTemplate takes out of a template what must not reach the member clusters.
const PruneTemplate Op = "PruneTemplate"

var pruneOp = &operation[*unstructured.Unstructured, *unstructured.Unstructured]{
	Operation: Operation{
		Name: PruneTemplate, Field: "templatePruning", Entry: "PruneTemplate", File: "prune", About: AboutTemplate,
		Params:  []Param{{"template", ObjectParam}},
		Results: []Result{{Name: "pruned", Type: "map"}}, Patch: true, Idempotent: true,
		Doc: "The template without what the API server of the control plane filled in, and without what makes sense in one cluster only.",
	},
	input: inputObject, bind: bindObject,
	references: func(in *unstructured.Unstructured) []any { return []any{in.Object} },
	decode: func(in *unstructured.Unstructured, r *reader, results []any) (*unstructured.Unstructured, error) {
		answer := at(results, 0)
		if paths, isList := answer.([]any); isList && r.rule.Expression {
			return r.removePaths(in, paths)
		}
		return r.object(in, answer)
	},
}

// removePaths removes the values at JSON pointers from an object. A path that the object
// does not have is passed over.
func (r *reader) removePaths(object *unstructured.Unstructured, paths []any) (*unstructured.Unstructured, error) {
	p, err := r.pointers(paths)
	if err != nil {
		return nil, err
	}
	pruned, changed, err := edit{r, paths}.remove(object.Object, p)
	if err != nil || !changed {
		return object, err
	}
	return r.changed(object, pruned)
}

// Prune returns the template as it is sent to member clusters, before overrides and
// replicas. The input is not changed; an answer that changes nothing is the input itself.
func (v Snapshot) Prune(template *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return run(v, pruneOp, template, template)
}
