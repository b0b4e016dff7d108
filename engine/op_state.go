// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/script"
)

// maxStateValue is the longest value of one piece of state, as the schema of
// GracefulEvictionTask has it.
const maxStateValue = 4096

// InterpretState asks for the state that must survive a move of an object.
const InterpretState Op = "InterpretState"

var stateOp = &operation[*unstructured.Unstructured, map[string]string]{
	Operation: Operation{
		Name: InterpretState, Field: "stateInterpretation", Entry: "GetState", File: "state",
		Params:  []Param{{"object", ObjectParam}},
		Results: []Result{{Name: "state", Type: "map of strings"}},
		Doc:     "The state that must survive a move to another cluster, as a map of name to value.",
	},
	input: inputObject, bind: bindObject,
	decode: func(_ *unstructured.Unstructured, _ *Rule, results []any) (map[string]string, error) {
		value := at(results, 0)
		if value == nil {
			return nil, nil
		}
		state := map[string]string{}
		_, err := decodeFields("state", value, func(key string, v any) error {
			text, err := decodeScalar("state."+key, v)
			if err != nil {
				return err
			}
			if len(text) > maxStateValue {
				return script.Errorf(script.Result, "state.%s: longer than %d characters", key, maxStateValue)
			}
			state[key] = text
			return nil
		})
		return state, err
	},
}

// decodeScalar returns a string, number or boolean as text.
func decodeScalar(path string, v any) (string, error) {
	switch x := v.(type) {
	case string:
		return x, nil
	case bool:
		return strconv.FormatBool(x), nil
	case int64:
		return strconv.FormatInt(x, 10), nil
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), nil
	}
	return "", script.Errorf(script.Result, "%s: want a string, got a %s", path, script.TypeName(v))
}

// State asks for the state that must survive a move of the object; nil where it
// has none yet.
func (v Snapshot) State(object *unstructured.Unstructured) (map[string]string, error) {
	return run(v, stateOp, object, object)
}
