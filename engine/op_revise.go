// SPDX-License-Identifier: Apache-2.0

package engine

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// revision is the input of ReviseReplica.
type revision struct {
	object   *unstructured.Unstructured
	replicas int64
	division Division
}

// ReviseReplica sets the number of replicas of an object.
const ReviseReplica Op = "ReviseReplica"

var reviseOp = &operation[revision, *unstructured.Unstructured]{
	Operation: Operation{
		Name: ReviseReplica, Field: "replicaRevision", Entry: "ReviseReplica", File: "revise", About: AboutTemplate,
		Params:  []Param{{"object", ObjectParam}, {"replicas", CountParam}, {"division", DivisionParam}},
		Results: []Result{{Name: "revised", Type: "map"}}, Patch: true,
		Doc: "The object with its replicas set to the number given. Where replicas are divided among clusters, the division has the shares of all of them.",
	},
	input: func(q Request) (revision, error) {
		return revision{q.Object, q.Replicas, q.Division}, q.Division.check()
	},
	bind: func(in revision, args []any) []any {
		return append(args, in.object.Object, in.replicas, in.division.argument())
	},
	references: func(in revision) []any { return []any{in.object.Object} },
	decode: func(in revision, r *reader, results []any) (*unstructured.Unstructured, error) {
		return r.object(in.object, at(results, 0))
	},
}

// Revise returns the object with its replicas set, for one cluster of a division. The
// input is not changed; an answer that changes nothing is the input itself.
func (v Snapshot) Revise(object *unstructured.Unstructured, replicas int64, division Division) (*unstructured.Unstructured, error) {
	return run(v, reviseOp, object, revision{object, replicas, division})
}
