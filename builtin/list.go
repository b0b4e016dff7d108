// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"slices"
)

// list is kube.list.
func list() Function {
	return Function{
		Name:     "list",
		Params:   []Param{{Name: "items", Type: "any", Optional: true}},
		Variadic: true,
		Result:   "list",
		Doc:      "Makes a list of its arguments. Without arguments it is an empty list, which in a result stays one, where {} would be an empty map.",
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
		Doc:      "Makes one list of the items of all lists, in their order. A nil is skipped; without any items it is an empty list, as list gives it.",
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
