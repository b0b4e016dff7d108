// SPDX-License-Identifier: Apache-2.0

package engine

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// retention is the input of Retain; observed may be nil.
type retention struct{ desired, observed *unstructured.Unstructured }

// member returns the observed object as an argument.
func (in retention) member() any {
	if in.observed == nil {
		return nil
	}
	return in.observed.Object
}

// Retain keeps in the desired object what belongs to the member cluster.
const Retain Op = "Retain"

var retainOp = &operation[retention, *unstructured.Unstructured]{
	Operation: Operation{
		Name: Retain, Field: "retention", Entry: "Retain", File: "retain", About: AboutBoth,
		Params:  []Param{{"desired", ObjectParam}, {"observed", ObservedParam}},
		Results: []Result{{Name: "retained", Type: "map"}}, Patch: true, Idempotent: true,
		Doc: "The desired object with the fields that the member cluster owns, as observed there.",
	},
	input:      func(q Request) (retention, error) { return retention{q.Object, q.Observed}, nil },
	bind:       func(in retention, args []any) []any { return append(args, in.desired.Object, in.member()) },
	references: func(in retention) []any { return []any{in.desired.Object, in.member()} },
	decode: func(in retention, r *reader, results []any) (*unstructured.Unstructured, error) {
		answer := at(results, 0)
		if paths, isList := answer.([]any); isList && r.rule.Expression {
			return r.keepPaths(in, paths)
		}
		return r.object(in.desired, answer)
	},
}

// keepPaths copies the values at JSON pointers from the observed object into the desired
// one. A path that the observed one does not have is left as the desired one has it.
func (r *reader) keepPaths(in retention, paths []any) (*unstructured.Unstructured, error) {
	p, err := r.pointers(paths)
	if err != nil {
		return nil, err
	}
	observed, _ := in.member().(map[string]any)
	kept, first, err := edit{r, paths}.keep(in.desired.Object, observed, p)
	if err != nil || first < 0 {
		return in.desired, err
	}
	return r.changed(in.desired, kept)
}

// Retain returns desired with the fields that belong to the member cluster. Without an
// observed object, which is nil, the script decides what that means. No input
// is changed; an answer that changes nothing is desired itself.
func (v Snapshot) Retain(desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return run(v, retainOp, desired, retention{desired, observed})
}
