// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/script"
)

// InterpretFinished asks whether an object has reached a terminal state.
const InterpretFinished Op = "InterpretFinished"

var finishedOp = &operation[*unstructured.Unstructured, bool]{
	Operation: Operation{
		Name: InterpretFinished, Field: "finishedInterpretation", Entry: "IsFinished", File: "finished", About: AboutCopy,
		Params:  []Param{{"object", ObjectParam}},
		Results: []Result{{Name: "finished", Type: "boolean or nil"}},
		Doc:     "Whether the object has reached a state after which its controller does nothing more with it, however it ended; nil is false.",
	},
	input: inputObject, bind: bindObject,
	decode: func(_ *unstructured.Unstructured, _ *reader, results []any) (bool, error) {
		switch v := at(results, 0).(type) {
		case bool:
			return v, nil
		case nil:
			return false, nil
		default:
			return false, wrong("finished: want a boolean, got a %s", script.TypeName(v))
		}
	},
}

// Finished asks whether the object has reached a terminal state: its controller does
// nothing more with it, whether it ended well or not. An object that still runs, or of
// which nothing is known yet, is not finished.
func (v Snapshot) Finished(object *unstructured.Unstructured) (bool, error) {
	return run(v, finishedOp, object, object)
}
