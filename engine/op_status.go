// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/script"
)

// InterpretStatus asks what of an object's status to send to the control plane.
const InterpretStatus Op = "InterpretStatus"

// statusOp returns a map, nil, or in the published form also a list.
var statusOp = &operation[*unstructured.Unstructured, any]{
	Operation: Operation{
		Name: InterpretStatus, Field: "statusReflection", Entry: "ReflectStatus", File: "status", About: AboutCopy,
		Params:  []Param{{"object", ObjectParam}},
		Results: []Result{{Name: "status", Type: "map or nil"}},
		Doc:     "What of the object's status is worth to be sent to the control plane.",
	},
	input: inputObject, bind: bindObject,
	decode: func(in *unstructured.Unstructured, r *reader, results []any) (any, error) {
		status := at(results, 0)
		if r.rule.Compat {
			if status == nil {
				return nil, wrong("status: want a map, got nil")
			}
			if list, ok := status.([]any); ok {
				return list, r.stored(in.Object["status"], list)
			}
		}
		m, err := r.plainMap(status)
		if m == nil || err != nil {
			return nil, below("status", err)
		}
		return m, r.stored(in.Object["status"], m)
	},
}

// Status asks what of the status of a member's object to keep; nil where there is
// none. A kind without a script keeps its whole status. The answer may share parts
// with the object and must not be changed.
//
// A script of the published form may return a list, which is an error here: the API has
// no place for it.
func (v Snapshot) Status(object *unstructured.Unstructured) (map[string]any, error) {
	status, err := run(v, statusOp, object, object)
	if errors.Is(err, ErrNoRule) {
		status, err = object.Object["status"], nil
	}
	if err != nil {
		return nil, err
	}
	m, ok := status.(map[string]any)
	if !ok && status != nil {
		return nil, script.Errorf(script.Type, "status: want a map, got a %s", script.TypeName(status))
	}
	return m, nil
}
