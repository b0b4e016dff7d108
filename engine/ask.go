// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Request is an operation with its arguments, for those who learn only at run
// time which operation it is: a command line, a case file.
type Request struct {
	// Operation is a wire name; case does not matter.
	Operation string
	// Object is the object, or for Retain and RestoreState the desired one.
	Object *unstructured.Unstructured
	// Observed is that of Retain, Items those of AggregateStatus (as StatusItem
	// makes them), Replicas that of ReviseReplica, State that of RestoreState.
	Observed *unstructured.Unstructured
	Items    []any
	Replicas int64
	State    map[string]string
}

// Evaluate answers a question: one result for each of the Results of its operation, in
// the form that the typed method of the operation gives. Health is true, false, or
// nil for Unknown.
//
// Other than Status, it returns ErrNoRule for each operation without a rule, and a list
// where a script of the published form gives one as status.
func (v Snapshot) Evaluate(q Request) ([]any, error) {
	op := indexOf(q.Operation)
	if op < 0 {
		return nil, fmt.Errorf("there is no operation %q", q.Operation)
	}
	if !v.supports(kindOf(q.Object), op) {
		return nil, ErrNoRule
	}
	switch operations[op].Name {
	case InterpretReplica:
		answer, err := v.Replicas(q.Object)
		return results(err, answer.Count, answer.Requirements)
	case InterpretComponent:
		return result(v.Components(q.Object))
	case ReviseReplica:
		return result(v.Revise(q.Object, q.Replicas))
	case Retain:
		return result(v.Retain(q.Object, q.Observed))
	case InterpretStatus:
		return result(run(v, statusOp, kindOf(q.Object), q.Object))
	case AggregateStatus:
		return result(v.Aggregate(q.Object, q.Items))
	case InterpretHealth:
		health, err := v.Health(q.Object)
		return results(err, healthy(health))
	case InterpretDependency:
		return result(v.Dependencies(q.Object))
	case InterpretState:
		return result(v.State(q.Object))
	default:
		return result(v.Restore(q.Object, q.State))
	}
}

func result[T any](v T, err error) ([]any, error) { return results(err, v) }

func results(err error, values ...any) ([]any, error) {
	if err != nil {
		return nil, err
	}
	return values, nil
}

// healthy returns health as case files have it.
func healthy(health workv1alpha2.ResourceHealth) any {
	if health == workv1alpha2.ResourceUnknown {
		return nil
	}
	return health == workv1alpha2.ResourceHealthy
}
