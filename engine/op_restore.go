// SPDX-License-Identifier: Apache-2.0

package engine

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// restoration is the input of RestoreState.
type restoration struct {
	desired *unstructured.Unstructured
	state   map[string]any
}

var restoreOp = &Op[restoration, *unstructured.Unstructured]{
	Operation: Operation{
		Name: RestoreState, Field: "stateRestoration", Entry: "RestoreState", File: "restore", index: 9,
		Params: []string{"desired", "state"}, Results: []string{"restored"}, Patch: true,
		Doc: "The object for the next cluster, told to go on from the state of the last one.",
	},
	bind:       func(in restoration, args []any) []any { return append(args, in.desired.Object, in.state) },
	references: func(in restoration) []any { return []any{in.desired.Object} },
	decode: func(in restoration, rule *Rule, results []any) (*unstructured.Unstructured, error) {
		return decodeObject(in.desired, rule, at(results, 0))
	},
}

// Restore returns the object for the next cluster with the preserved state written
// into it. The input is not changed; an answer that changes nothing is the input.
func (v Snapshot) Restore(desired *unstructured.Unstructured, state map[string]string) (*unstructured.Unstructured, error) {
	values := make(map[string]any, len(state))
	for k, v := range state {
		values[k] = v
	}
	return run(v, restoreOp, kindOf(desired), restoration{desired, values})
}
