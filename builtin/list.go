// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"slices"
	"strconv"
)

// orNil is kube.orNil.
func orNil() Function {
	return checked(Function{
		Name:    "orNil",
		Params:  []Param{{Name: "value", Type: "map or list", Optional: true}},
		Result:  "any or nil",
		Doc:     "Returns a list or a map, or nil where it is empty: status.conditions = orNil(mergeConditions(items)). A map whose values are all null is empty.",
		InPlace: true,
	}, func(args []any, m Meter) (any, error) {
		v := arg(args, 0)
		switch x := v.(type) {
		case nil:
		case []any:
			if len(x) > 0 {
				m.Charge(1)
				return v, nil
			}
		case map[string]any:
			m.Charge(1 + int64(len(x))/4)
			for _, at := range x {
				if at != nil {
					return v, nil
				}
			}
			return nil, nil
		case Node:
			if !x.Empty() {
				m.Charge(1)
				return v, nil
			}
		}
		m.Charge(1)
		return nil, nil
	})
}

// list is kube.list.
func list() Function {
	return priced(Function{
		Name:     "list",
		Params:   []Param{{Name: "items", Type: "any", Optional: true}},
		Variadic: true,
		Result:   "list",
		Doc:      "Returns a list of its arguments. Without arguments it is an empty list, which in a result stays one, where {} would be an empty map.",
	}, func(args []any, m Meter) (any, error) {
		m.Charge(1 + int64(len(args))/4)
		items := slices.Clone(args)
		if items == nil {
			items = []any{}
		}
		return items, nil
	})
}

// concat is kube.concat.
func concat() Function {
	return checked(Function{
		Name:     "concat",
		Params:   []Param{{Name: "lists", Type: "list", Optional: true}},
		Variadic: true,
		Result:   "list",
		Doc:      "Returns one list of the items of all lists, in their order. A nil is skipped; without any items it is an empty list, as list returns it.",
	}, func(args []any, m Meter) (any, error) {
		m.Charge(1)
		items := []any{}
		for i, v := range args {
			list, err := asList("argument "+strconv.Itoa(i+1), v)
			if err != nil {
				return nil, err
			}
			m.Charge(int64(len(list)))
			items = append(items, list...)
		}
		m.Charge(int64(len(args)))
		return items, nil
	})
}
