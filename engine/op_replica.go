// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Replicas is the answer of InterpretReplica.
type Replicas struct {
	// Count is the number of replicas that the object asks for.
	Count int32
	// Requirements are what one replica needs; nil where the object has none.
	Requirements *workv1alpha2.ReplicaRequirements
}

// InterpretReplica asks how many replicas an object wants, and what one of them needs.
const InterpretReplica Op = "InterpretReplica"

var replicaOp = &operation[*unstructured.Unstructured, Replicas]{
	Operation: Operation{
		Name: InterpretReplica, Field: "replicaResource", Entry: "GetReplicas", File: "replicas", About: AboutTemplate,
		Params:  []Param{{"object", ObjectParam}},
		Results: []Result{{Name: "replica", Type: "integer"}, typedResult[*workv1alpha2.ReplicaRequirements]("requires", "map or nil")},
		Doc:     "How many replicas the object asks for, and what one replica needs.",
	},
	input: inputObject, bind: bindObject,
	values: func(out Replicas) []any { return []any{out.Count, out.Requirements} },
	decode: func(_ *unstructured.Unstructured, r *reader, results []any) (Replicas, error) {
		count, requirements := at(results, 0), at(results, 1)
		if r.rule.Expression {
			count, requirements = script.Field(count, "replicas"), script.Field(count, "requirements")
		}
		if f, ok := count.(float64); ok && r.rule.Compat {
			count = math.Trunc(f) // as published: 2.7 replicas are 2
		}
		var (
			answer Replicas
			err    error
		)
		if answer.Count, err = r.count(count); err != nil {
			return answer, below("replicas", err)
		}
		answer.Requirements, err = r.requirements(requirements)
		return answer, below("requirements", err)
	},
}

// Replicas asks how many replicas the object wants and what one of them needs.
func (v Snapshot) Replicas(object *unstructured.Unstructured) (Replicas, error) {
	return run(v, replicaOp, object, object)
}
