// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
)

// accuratePodRequirements is kube.accuratePodRequirements.
func accuratePodRequirements() Function {
	return checked(Function{
		Name:   "accuratePodRequirements",
		Params: []Param{{Name: "podTemplate", Type: "map"}, {Name: "times", Type: "number", Optional: true}},
		Result: "map or nil",
		Doc:    "Returns what one pod of the template needs, as replica requirements: nodeClaim and resourceRequest. With times, a whole number from 1, it is what that many pods need together. It is nil where the template asks for nothing.",
	}, func(args []any) (any, int64, error) {
		times, ok := whole(arg(args, 1))
		if arg(args, 1) == nil {
			times, ok = 1, true
		}
		if !ok || times < 1 {
			return nil, 1, errors.New("times must be a whole number from 1, not " + shown(arg(args, 1)))
		}
		needs, gas, err := podRequirements(arg(args, 0), times)
		if needs == nil {
			return nil, gas, err
		}
		return needs, gas, err
	})
}

// podRequirements returns what a number of pods of a template need together, nil if they
// ask for nothing.
func podRequirements(v any, times int64) (needs map[string]any, gas int64, err error) {
	template, ok := v.(map[string]any)
	if !ok {
		return nil, 1, fmt.Errorf("a pod template is expected, not a %s", typeName(v))
	}
	spec := mapAt(template, "spec")
	var r requests
	r.pod(spec)
	gas = 4 + r.containers + r.read*quantityGas
	if r.wrong != "" {
		return nil, gas, fmt.Errorf("resource %s: %w", r.wrong, r.err)
	}
	list, claim := r.list(times), nodeClaim(spec)
	if len(list)+len(claim) == 0 {
		return nil, gas, nil
	}
	needs = map[string]any{}
	if len(list) > 0 {
		needs["resourceRequest"] = list
	}
	if len(claim) > 0 {
		needs["nodeClaim"] = claim
	}
	return needs, gas, nil
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
