// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"slices"
)

// orNil is kube.orNil.
func orNil() Function {
	return checked(Function{
		Name:    "orNil",
		Params:  []Param{{Name: "value", Type: "any", Optional: true}},
		Result:  "any or nil",
		Doc:     "Returns a list or a map, or nil where it is empty: status.conditions = orNil(mergeConditions(items)). A map whose values are all null is empty.",
		InPlace: true,
	}, func(args []any) (any, int64, error) {
		v := arg(args, 0)
		switch x := v.(type) {
		case nil:
		case []any:
			if len(x) > 0 {
				return v, 1, nil
			}
		case map[string]any:
			for _, at := range x {
				if at != nil {
					return v, 1 + int64(len(x))/4, nil
				}
			}
			return nil, 1 + int64(len(x))/4, nil
		case Node:
			if !x.Empty() {
				return v, 1, nil
			}
		default:
			return nil, 0, fmt.Errorf("the value must be a list or a map, not a %s", typeName(v))
		}
		return nil, 1, nil
	})
}

// list is kube.list.
func list() Function {
	return Function{
		Name:     "list",
		Params:   []Param{{Name: "items", Type: "any", Optional: true}},
		Variadic: true,
		Result:   "list",
		Doc:      "Returns a list of its arguments. Without arguments it is an empty list, which in a result stays one, where {} would be an empty map.",
		Call: func(args []any) (any, int64, error) {
			items := slices.Clone(args)
			if items == nil {
				items = []any{}
			}
			return items, 1 + int64(len(args))/4, nil
		},
	}
}

// concat is kube.concat.
func concat() Function {
	return Function{
		Name:     "concat",
		Params:   []Param{{Name: "lists", Type: "list", Optional: true}},
		Variadic: true,
		Result:   "list",
		Doc:      "Returns one list of the items of all lists, in their order. A nil is skipped; without any items it is an empty list, as list returns it.",
		Call: func(args []any) (any, int64, error) {
			items := []any{}
			for i, v := range args {
				list, err := asList(fmt.Sprintf("argument %d", i+1), v)
				if err != nil {
					return nil, 1 + int64(len(items)), err
				}
				items = append(items, list...)
			}
			return items, 1 + int64(len(args)+len(items)), nil
		},
	}
}
