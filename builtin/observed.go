// SPDX-License-Identifier: Apache-2.0

package builtin

import "errors"

// observedByAll is kube.observedByAll, the rule of Karmada for observedGeneration.
func observedByAll() Function {
	return checked(Function{
		Name:   "observedByAll",
		Params: []Param{{Name: "object", Type: "map", shape: wholeObject}, {Name: "items", Type: "list", Optional: true}},
		Result: "boolean",
		Doc:    "Reports whether every cluster has seen the object as it is now: each item has a status whose observedGeneration is at least its generation, and whose resourceTemplateGeneration is at least metadata.generation of the object. A missing number counts as 0. Without items it is true.",
	}, func(args []any, meter Meter) (any, error) {
		meter.Charge(1)
		object, err := asMap("object", arg(args, 0))
		if err != nil {
			return nil, err
		}
		all, err := members(arg(args, 1), memberGas, meter)
		if err != nil {
			return nil, err
		}
		wanted, ok := count(mapAt(object, "metadata"), "generation")
		if !ok {
			return nil, errors.New("metadata.generation must be a whole number")
		}
		seen := true
		for _, m := range all {
			ok, err := m.observed(wanted)
			if err != nil {
				return nil, err
			}
			seen = seen && ok
		}
		return seen, nil
	})
}

// observed reports whether the cluster has seen a generation of the template, and its
// controller the object made from it.
func (m member) observed(template int64) (bool, error) {
	var n [3]int64
	for i, key := range [...]string{"observedGeneration", "generation", "resourceTemplateGeneration"} {
		var ok bool
		if n[i], ok = count(m.status, key); !ok {
			return false, m.wrong(key, "a whole number", m.status[key])
		}
	}
	return m.status != nil && n[0] >= n[1] && n[2] >= template, nil
}
