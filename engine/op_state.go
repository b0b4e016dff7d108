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

// preservation is the input of InterpretState.
type preservation struct {
	object  *unstructured.Unstructured
	related []any
}

// noRelated is the argument where there are no related objects; it is never changed.
var noRelated any = []any{}

var stateOp = &operation[preservation, map[string]string]{
	Operation: Operation{
		Name: InterpretState, Field: "stateInterpretation", Entry: "GetState", File: "state", About: AboutCopy,
		Params:  []Param{{"object", ObjectParam}, {"related", RelatedParam}},
		Results: []Result{{Name: "state", Type: "map of strings"}},
		Doc:     "The state that must survive a move to another cluster, as a map of name to value. It may stand in objects that a bundle declares as related.",
	},
	input: func(q Request) (preservation, error) { return preservation{q.Object, q.related}, nil },
	bind: func(in preservation, args []any) []any {
		if len(in.related) == 0 {
			return append(args, in.object.Object, noRelated)
		}
		return append(args, in.object.Object, in.related)
	},
	given: func(in preservation) []any { return in.related },
	decode: func(_ preservation, r *reader, results []any) (map[string]string, error) {
		value := at(results, 0)
		if value == nil {
			return nil, nil
		}
		state := map[string]string{}
		err := r.fields(value, func(key string, v any) (err error) {
			if err := r.Add(2*entrySteps, entryBytes); err != nil {
				return err
			}
			state[key], err = r.stateValue(v)
			return belowField(key, err)
		})
		return state, below("state", err)
	},
}

// stateValue reads one piece of state, which may be a string, a number or a boolean.
func (r *reader) stateValue(v any) (string, error) {
	text, err := scalar(v)
	switch {
	case err != nil:
		return "", err
	case len(text) > maxStateValue:
		return "", wrong("longer than %d characters", maxStateValue)
	}
	if err := r.Add(0, int64(len(text))); err != nil {
		return "", err
	}
	return text, r.text(text)
}

// scalar returns a string, number or boolean as text.
func scalar(v any) (string, error) {
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
	return "", wrong("want a string, got a %s", script.TypeName(v))
}

// State asks for the state that must survive a move of the object; nil where it
// has none yet. The related objects are those of RelatedValues.
func (v Snapshot) State(object *unstructured.Unstructured, related ...any) (map[string]string, error) {
	return run(v, stateOp, object, preservation{object, related})
}
