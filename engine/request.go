// SPDX-License-Identifier: Apache-2.0

package engine

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Request is an operation with its arguments, for callers that learn only at run
// time which operation it is, such as a command line or a case file.
type Request struct {
	Operation Op
	// Object is the object, or for Retain and RestoreState the desired one.
	Object *unstructured.Unstructured
	// Observed is the argument of an ObservedParam, Items of an ItemsParam (as
	// StatusItem makes them), Replicas of a CountParam, State of a StateParam, Division of a
	// DivisionParam, Failover of a FailoverParam. Related are objects of the object's cluster,
	// of which those are the RelatedParam that the rule declares as related.
	Observed *unstructured.Unstructured
	Items    []any
	Replicas int64
	State    map[string]string
	Division Division
	Failover bool
	Related  []*unstructured.Unstructured

	// related are the values of those that are related.
	related []any
}

// Evaluate answers a request: one value for each of the Results of its operation, in
// the form that the typed method of the operation returns. Health is true, false, or
// nil for Unknown.
//
// Other than Status, it returns ErrNoRule for each operation without a rule, and a list
// where a script of the published form returns one as status.
func (v Snapshot) Evaluate(q Request) ([]any, error) {
	op, err := entryOf(q.Operation)
	if err != nil {
		return nil, err
	}
	return op.evaluate(v, q)
}
