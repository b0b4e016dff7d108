// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
)

// accuratePodRequirements is kube.accuratePodRequirements. The template has a shape; nil
// takes any.
func accuratePodRequirements(shape func(any) error) Function {
	return checked(Function{
		Name:   "accuratePodRequirements",
		Params: []Param{{Name: "podTemplate", Type: "map", shape: shape}, {Name: "times", Type: "number", Optional: true, want: "a whole number from 1"}},
		Result: "map or nil",
		Doc:    "Returns what one pod of the template needs, as replica requirements: nodeClaim, resourceRequest and priorityClassName. Requests are those that the scheduler counts: of the pod as a whole or of its containers, with sidecars and overhead, and limits where there is no request. With times, a whole number from 1, it is what that many pods need together. It is nil where the template asks for nothing.",
	}, func(args []any, m Meter) (any, error) {
		times, ok := whole(arg(args, 1))
		if arg(args, 1) == nil {
			times, ok = 1, true
		}
		if !ok || times < 1 {
			return refused(m, errors.New("times must be a whole number from 1, not "+shown(arg(args, 1))))
		}
		needs, err := podRequirements(arg(args, 0), times, m)
		if needs == nil {
			return nil, err
		}
		return needs, err
	})
}

// podRequirements returns what a number of pods of a template need together, nil if they
// ask for nothing.
func podRequirements(v any, times int64, m Meter) (map[string]any, error) {
	template, _ := v.(map[string]any)
	m.Charge(4)
	spec := mapAt(template, "spec")
	r := requests{meter: m}
	r.pod(spec)
	if r.err != nil {
		return nil, fmt.Errorf("resource %s: %w", clipped(r.wrong), r.err)
	}
	list, claim := r.list(times), nodeClaim(spec)
	priority := stringAt(spec, "priorityClassName")
	if len(list)+len(claim)+len(priority) == 0 {
		return nil, nil
	}
	needs := map[string]any{}
	if len(list) > 0 {
		needs["resourceRequest"] = list
	}
	if len(claim) > 0 {
		needs["nodeClaim"] = claim
	}
	if priority != "" {
		needs["priorityClassName"] = priority
	}
	return needs, nil
}

// nodeClaim returns what a pod asks of its node. Empty parts count as absent;
// it is nil where nothing is left.
func nodeClaim(spec map[string]any) map[string]any {
	var claim map[string]any
	take := func(name string, part any) {
		if claim == nil {
			claim = map[string]any{}
		}
		claim[name] = part
	}
	if selector := mapAt(spec, "nodeSelector"); len(selector) > 0 {
		take("nodeSelector", selector)
	}
	if tolerations := listAt(spec, "tolerations"); len(tolerations) > 0 {
		take("tolerations", tolerations)
	}
	affinity := mapAt(mapAt(spec, "affinity"), "nodeAffinity")
	if required := mapAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution"); len(required) > 0 {
		take("hardNodeAffinity", required)
	}
	return claim
}
