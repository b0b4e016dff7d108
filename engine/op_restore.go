// SPDX-License-Identifier: Apache-2.0

package engine

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// restoration is the input of RestoreState.
type restoration struct {
	desired *unstructured.Unstructured
	state   map[string]any
}

func newRestoration(desired *unstructured.Unstructured, state map[string]string) restoration {
	values := make(map[string]any, len(state))
	for k, v := range state {
		values[k] = v
	}
	return restoration{desired, values}
}

// RestoreState writes preserved state into the object for the next cluster.
const RestoreState Op = "RestoreState"

var restoreOp = &operation[restoration, *unstructured.Unstructured]{
	Operation: Operation{
		Name: RestoreState, Field: "stateRestoration", Entry: "RestoreState", File: "restore", About: AboutTemplate,
		Params:  []Param{{"desired", ObjectParam}, {"state", StateParam}},
		Results: []Result{{Name: "restored", Type: "map"}}, Patch: true,
		Doc: "The object for the next cluster, set to continue from the state of the last one.",
	},
	input:      func(q Request) (restoration, error) { return newRestoration(q.Object, q.State), nil },
	bind:       func(in restoration, args []any) []any { return append(args, in.desired.Object, in.state) },
	references: func(in restoration) []any { return []any{in.desired.Object} },
	decode: func(in restoration, r *reader, results []any) (*unstructured.Unstructured, error) {
		return r.object(in.desired, at(results, 0))
	},
}

// Restore returns the object for the next cluster with the preserved state written
// into it. The input is not changed; an answer that changes nothing is the input.
func (v Snapshot) Restore(desired *unstructured.Unstructured, state map[string]string) (*unstructured.Unstructured, error) {
	return run(v, restoreOp, desired, newRestoration(desired, state))
}
