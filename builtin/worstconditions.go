// SPDX-License-Identifier: Apache-2.0

package builtin

import "fmt"

// worstConditions is kube.worstConditions.
func worstConditions() Function {
	return checked(Function{
		Name:   "worstConditions",
		Params: []Param{{Name: "items", Type: "list", Optional: true}, {Name: "abnormalTrue", Type: "list", Optional: true}},
		Result: "list",
		Doc:    "Merges status.conditions of the clusters as mergeConditions does, and keeps one condition of each type, since most APIs refuse more: the first that is abnormal, or else the first. Abnormal is the status \"True\" of a type in abnormalTrue, such as {\"Suspended\", \"UpgradeInProgress\"}, and any other status than \"True\" of all other types.",
	}, func(args []any, m Meter) (any, error) {
		merged, err := mergedConditions(arg(args, 0), m)
		if err != nil {
			return nil, err
		}
		types, err := asList("abnormalTrue", arg(args, 1))
		if err != nil {
			return nil, err
		}
		m.Charge(int64(len(types) + len(merged)))
		abnormalTrue := map[string]bool{}
		for _, v := range types {
			name, ok := v.(string)
			if !ok {
				return nil, fmt.Errorf("a type of abnormalTrue must be a string, not a %s", typeName(v))
			}
			abnormalTrue[name] = true
		}
		return worst(merged, abnormalTrue), nil
	})
}

// worst returns one condition of each type, in the order in which the types come first.
func worst(all []any, abnormalTrue map[string]bool) []any {
	out := make([]any, 0, len(all))
	index := map[string]int{}
	abnormal := func(condition any) bool {
		return (stringAt(condition, "status") == "True") == abnormalTrue[stringAt(condition, "type")]
	}
	for _, condition := range all {
		kind := stringAt(condition, "type")
		i, known := index[kind]
		switch {
		case !known:
			index[kind] = len(out)
			out = append(out, condition)
		case abnormal(condition) && !abnormal(out[i]):
			out[i] = condition
		}
	}
	return out
}
