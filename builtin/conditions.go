// SPDX-License-Identifier: Apache-2.0

package builtin

// condition is kube.condition.
func condition() Function {
	return checked(Function{
		Name:    "condition",
		Params:  []Param{{Name: "object", Type: "map or list", Optional: true}, {Name: "type", Type: "string"}},
		Result:  "map or nil",
		Doc:     "Returns the condition of that type from status.conditions of an object, or nil. In place of the object, the list of conditions itself will do.",
		InPlace: true,
	}, conditionOf)
}

// conditionTrue is kube.conditionTrue.
func conditionTrue() Function {
	return checked(Function{
		Name:    "conditionTrue",
		Params:  []Param{{Name: "object", Type: "map or list", Optional: true, shape: notAStatus}, {Name: "type", Type: "string"}},
		Result:  "boolean",
		Doc:     "Reports whether the status of the condition of that type is \"True\". It is false where there is no such condition. The object is read as condition reads it.",
		InPlace: true,
	}, func(args []any, m Meter) (any, error) {
		c, err := conditionOf(args, m)
		if err != nil {
			return nil, err
		}
		m.Charge(1)
		return field(c, "status") == "True", nil
	})
}

// conditionOf returns the condition that the arguments of condition name.
func conditionOf(args []any, m Meter) (any, error) {
	wanted, _ := arg(args, 1).(string)
	status := field(arg(args, 0), "status")
	if n, at := items(arg(args, 0)); n > 0 {
		return find(n, at, wanted, m), nil
	}
	if status == nil {
		if err := notAStatus(arg(args, 0)); err != nil {
			return refused(m, &ArgumentError{0, "object " + err.Error()})
		}
	}
	n, at := items(field(status, "conditions"))
	return find(n, at, wanted, m), nil
}

// find returns the first of n conditions that has the wanted type.
func find(n int, at func(i int) any, wanted string, m Meter) any {
	for i := range n {
		m.Charge(1)
		c := at(i)
		if sameText(field(c, "type"), wanted, m) {
			return c
		}
	}
	m.Charge(1)
	return nil
}

// sameText reports whether v is a text.
func sameText(v any, text string, m Meter) bool {
	s, ok := v.(string)
	if !ok || len(s) != len(text) {
		return false
	}
	if len(s) >= 64 {
		m.Charge(int64(len(s)) / 64)
	}
	return s == text
}

// items returns the length of a list in either form and what reads it; 0 for
// anything else.
func items(v any) (n int, at func(i int) any) {
	switch x := v.(type) {
	case []any:
		return len(x), func(i int) any { return x[i] }
	case Node:
		return x.Len(), x.At
	}
	return 0, nil
}
