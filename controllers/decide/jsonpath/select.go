// SPDX-License-Identifier: Apache-2.0

package jsonpath

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/client-go/third_party/forked/golang/template"
	"k8s.io/client-go/util/jsonpath"
)

// field returns what maps have under a key; an error if there are values and none of them
// has it.
func field(values []any, key string) ([]any, error) {
	if len(values) == 0 {
		return nil, nil
	}
	var found []any
	for _, value := range values {
		if m, ok := value.(map[string]any); ok {
			if inner, has := m[key]; has {
				found = append(found, inner)
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%.256s is not found", key)
	}
	return found, nil
}

// array returns an item or some items of lists. Absent values have none.
func (e *evaluation) array(values []any, n *jsonpath.ArrayNode) ([]any, error) {
	var found []any
	for _, value := range values {
		if value == nil {
			continue
		}
		list, ok := value.([]any)
		if !ok {
			return nil, fmt.Errorf("%s is not array or slice", kindOf(value))
		}
		from, to, step, err := bounds(n.Params, len(list))
		if err != nil {
			return nil, err
		}
		if err := e.pay((to - from) / step); err != nil {
			return nil, err
		}
		for i := from; i < to; i += step {
			found = append(found, list[i])
		}
	}
	return found, nil
}

// bounds returns which items of a list of a length are meant: from, behind the last, and
// the distance, which is at least 1. It returns an error for items that are not there.
func bounds(params [3]jsonpath.ParamsEntry, length int) (from, to, step int, err error) {
	from, to, step = 0, length, 1
	if params[0].Known {
		from = params[0].Value
	}
	if from < 0 {
		from += length
	}
	if params[1].Known {
		to = params[1].Value
	}
	if to < 0 || to == 0 && params[1].Derived {
		to += length
	}
	switch {
	case from == to:
		return 0, 0, 1, nil
	case from >= length || from < 0:
		return 0, 0, 1, fmt.Errorf("array index out of bounds: index %d, length %d", from, length)
	case to > length || to < 0:
		return 0, 0, 1, fmt.Errorf("array index out of bounds: index %d, length %d", to-1, length)
	case from > to:
		return 0, 0, 1, fmt.Errorf("starting index %d is greater than ending index %d", from, to)
	}
	if params[2].Known {
		if step = params[2].Value; step <= 0 {
			return 0, 0, 1, errors.New("step must be > 0")
		}
	}
	return from, to, min(step, length), nil
}

// all returns the values of maps, in the order of their keys, the items of lists and the
// bytes of texts.
func (e *evaluation) all(values []any) ([]any, error) {
	var found []any
	for _, value := range values {
		inner, err := e.parts(value)
		if err != nil {
			return nil, err
		}
		found = append(found, inner...)
	}
	return found, nil
}

// parts returns what a value consists of.
func (e *evaluation) parts(value any) ([]any, error) {
	switch value := value.(type) {
	case map[string]any:
		if err := e.pay(4 * len(value)); err != nil { // sorted
			return nil, err
		}
		found := make([]any, 0, len(value))
		for _, key := range slices.Sorted(maps.Keys(value)) {
			found = append(found, value[key])
		}
		return found, nil
	case []any:
		return value, e.pay(len(value))
	case string:
		if err := e.pay(len(value)); err != nil {
			return nil, err
		}
		found := make([]any, 0, len(value))
		for i := range len(value) {
			found = append(found, value[i])
		}
		return found, nil
	}
	return nil, nil
}

// below appends to found the values that have parts, and those among their parts, and so
// on: each before its parts.
func (e *evaluation) below(found, values []any) ([]any, error) {
	for _, value := range values {
		inner, err := e.parts(value)
		if err != nil {
			return nil, err
		}
		if len(inner) == 0 {
			continue
		}
		if found, err = e.below(append(found, value), inner); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// filter returns the items of lists for which a comparison holds, or in which a path
// names something.
func (e *evaluation) filter(values []any, n *jsonpath.FilterNode) ([]any, error) {
	var found []any
	for _, value := range values {
		list, ok := value.([]any)
		if !ok {
			return nil, fmt.Errorf("%s is not array or slice and cannot be filtered", kindOf(value))
		}
		for _, item := range list {
			passes, err := e.passes(item, n)
			if err != nil {
				return nil, err
			}
			if passes {
				found = append(found, item)
			}
		}
	}
	return found, nil
}

func (e *evaluation) passes(item any, n *jsonpath.FilterNode) (bool, error) {
	lefts, err := e.walk([]any{item}, n.Left)
	if n.Operator == "exists" {
		return len(lefts) > 0, onlyBudget(err)
	}
	if err != nil || len(lefts) == 0 {
		return false, err
	}
	if len(lefts) > 1 {
		return false, errMany
	}
	rights, err := e.walk([]any{item}, n.Right)
	if err != nil || len(rights) == 0 {
		return false, err
	}
	if len(rights) > 1 {
		return false, errMany
	}
	if err := e.pay(min(size(lefts[0]), size(rights[0]))); err != nil {
		return false, err
	}
	return compare(n.Operator, lefts[0], rights[0])
}

var errMany = errors.New("can only compare one element at a time")

// onlyBudget returns the errors that are not about what a path names.
func onlyBudget(err error) error {
	if errors.Is(err, ErrBudget) {
		return err
	}
	return nil
}

func compare(operator string, left, right any) (bool, error) {
	switch operator {
	case "<":
		return template.Less(left, right)
	case ">":
		return template.Greater(left, right)
	case "==":
		return template.Equal(left, right)
	case "!=":
		return template.NotEqual(left, right)
	case "<=":
		return template.LessEqual(left, right)
	case ">=":
		return template.GreaterEqual(left, right)
	}
	return false, fmt.Errorf("unrecognized filter operator %s", operator)
}

// size returns what comparing a value costs.
func size(value any) int {
	if text, ok := value.(string); ok {
		return 1 + len(text)/64
	}
	return 1
}

// kindOf names the sort of a value.
func kindOf(value any) string {
	switch value.(type) {
	case nil, nothing:
		return "an absent value"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a text"
	case bool:
		return "true or false"
	}
	return "a number"
}
