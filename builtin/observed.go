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
		o, err := observationOf(args, meter)
		if err != nil {
			return nil, err
		}
		return o.seen, nil
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

// observedGeneration is kube.observedGeneration.
func observedGeneration() Function {
	return checked(Function{
		Name:   "observedGeneration",
		Params: []Param{{Name: "object", Type: "map", shape: wholeObject}, {Name: "items", Type: "list", Optional: true}},
		Result: "number or nil",
		Doc:    "Returns the observedGeneration of the status of all clusters: metadata.generation of the object where every cluster has seen it, see observedByAll, or else the one that the status of the object has. Where that has none and a cluster reports one it is the generation before, so that clients wait. It is nil where clusters report a status and none what it has observed.",
	}, func(args []any, meter Meter) (any, error) {
		o, err := observationOf(args, meter)
		if err != nil {
			return nil, err
		}
		switch {
		case o.generation > 0 && o.seen:
			return o.generation, nil
		case o.generation > 0 && o.before == nil && o.reported:
			return o.generation - 1, nil
		case o.hasStatus && !o.reported:
			return nil, nil
		default:
			return o.before, nil
		}
	})
}

// observation is what clusters have seen of an object.
type observation struct {
	// generation is that of the object, 0 where it has none.
	generation int64
	// before is the observedGeneration that its status has.
	before any
	// seen reports whether all clusters have seen the generation, reported whether one reports what it has seen,
	// and hasStatus whether one reports a status.
	seen, reported, hasStatus bool
}

// observationOf reads the arguments object and items.
func observationOf(args []any, meter Meter) (o observation, err error) {
	meter.Charge(1)
	object, err := asMap("object", arg(args, 0))
	if err != nil {
		return o, err
	}
	all, err := members(arg(args, 1), memberGas, meter)
	if err != nil {
		return o, err
	}
	var ok bool
	if o.generation, ok = count(mapAt(object, "metadata"), "generation"); !ok {
		return o, errors.New("metadata.generation must be a whole number")
	}
	o.seen, o.before = true, mapAt(object, "status")["observedGeneration"]
	for _, m := range all {
		ok, err := m.observed(o.generation)
		if err != nil {
			return o, err
		}
		o.seen = o.seen && ok
		o.reported = o.reported || m.status["observedGeneration"] != nil
		o.hasStatus = o.hasStatus || m.status != nil
	}
	return o, nil
}
