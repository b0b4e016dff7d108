// SPDX-License-Identifier: Apache-2.0

package builtin

// reported is kube.reported.
func reported() Function {
	return checked(Function{
		Name:   "reported",
		Params: []Param{{Name: "items", Type: "list", Optional: true}},
		Result: "list",
		Doc:    "Returns the items of the clusters that report a status, in their order: #reported(items) is 0 while none does.",
	}, func(args []any, m Meter) (any, error) {
		m.Charge(1)
		list, err := asList("items", arg(args, 0))
		if err != nil {
			return nil, err
		}
		all, err := members(list, 1, m)
		if err != nil {
			return nil, err
		}
		out := make([]any, 0, len(all))
		for _, item := range list {
			if field(item, "status") != nil {
				out = append(out, item)
			}
		}
		return out, nil
	})
}
