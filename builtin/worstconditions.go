// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// worstConditions is kube.worstConditions.
func worstConditions() Function {
	return checked(Function{
		Name:   "worstConditions",
		Params: []Param{{Name: "items", Type: "list", Optional: true}, {Name: "abnormalTrue", Type: "list", Optional: true}},
		Result: "list",
		Doc:    "Merges status.conditions of the clusters as mergeConditions does, and keeps one condition of each type, since most APIs refuse more: the first that is abnormal, or else the first. Abnormal is the status \"True\" of a type in abnormalTrue, such as {\"Suspended\", \"UpgradeInProgress\"}, and any other status than \"True\" of all other types. Their observedGeneration is a generation of the template, where the clusters report the generations of reflectStatus. Where a cluster has no conditions yet, or none of the type Ready, what is normal and True elsewhere is \"Unknown\" with the reason NotReported.",
	}, func(args []any, m Meter) (any, error) {
		merged, err := mergedConditions(arg(args, 0), true, m)
		if err != nil {
			return nil, err
		}
		silent, unready, err := withoutConditions(arg(args, 0), m)
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
		out := worst(merged, abnormalTrue)
		if len(unready) > 0 {
			ofSilent, ofUnready := strings.Join(silent, ", "), strings.Join(unready, ", ")
			m.Charge(int64(4*len(out) + (len(ofSilent)+len(ofUnready))/32))
			notReported(out, ofSilent, ofUnready, abnormalTrue)
		}
		return out, nil
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

// withoutConditions returns the names of the clusters that have no conditions, and of those that have none
// of the type Ready.
func withoutConditions(items any, meter Meter) (silent, unready []string, err error) {
	all, err := members(items, 1, meter)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range all {
		list, _ := asList("", m.status["conditions"])
		if len(list) == 0 {
			silent = append(silent, m.cluster)
		}
		if !slices.ContainsFunc(list, func(c any) bool { return stringAt(c, "type") == "Ready" }) {
			unready = append(unready, m.cluster)
		}
	}
	return silent, unready, nil
}

// notReported makes what is True, and not abnormal then, Unknown where some clusters have not reported it: it does
// not hold in all yet. Of Ready these are the clusters without it, of all other types, which may be left
// out, the clusters without conditions; both are named with commas between.
func notReported(conditions []any, silent, unready string, abnormalTrue map[string]bool) {
	for i, v := range conditions {
		missing := silent
		if stringAt(v, "type") == "Ready" {
			missing = unready
		}
		if missing == "" || stringAt(v, "status") != "True" || abnormalTrue[stringAt(v, "type")] {
			continue
		}
		condition := maps.Clone(v.(map[string]any))
		condition["status"], condition["reason"] = "Unknown", "NotReported"
		condition["message"] = "not reported by " + missing
		conditions[i] = condition
	}
}
