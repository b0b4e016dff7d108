// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// totalReplicas is kube.totalReplicas.
func totalReplicas() Function {
	return checked(Function{
		Name:   "totalReplicas",
		Params: []Param{{Name: "components", Type: "list"}},
		Result: "number",
		Doc:    "Sums the replicas of components, as GetComponents returns them, for the GetReplicas of a kind that has both.",
	}, func(args []any) (any, int64, error) {
		var total int64
		all, err := componentsOf(arg(args, 0))
		for _, c := range all {
			total += c.replicas
		}
		if err == nil && total > math.MaxInt32 {
			err = errors.New("the components have more than 2147483647 replicas together")
		}
		return total, 1 + 2*int64(len(all)), err
	})
}

// largestRequirements is kube.largestRequirements.
func largestRequirements() Function {
	return checked(Function{
		Name:   "largestRequirements",
		Params: []Param{{Name: "components", Type: "list"}},
		Result: "map or nil",
		Doc:    "Returns requirements that are enough for a replica of any of the components: of each resource the largest request. What the components do not have in common of nodeClaim and priorityClassName is left out. Components without replicas do not count. It is nil where nothing is asked.",
	}, func(args []any) (any, int64, error) {
		all, err := componentsOf(arg(args, 0))
		if err != nil {
			return nil, 1, err
		}
		largest := map[string]any{}
		common, gas := map[string]any(nil), int64(1)
		for _, c := range all {
			if c.replicas == 0 {
				continue
			}
			cost, err := raise(largest, mapAt(c.needs, "resourceRequest"))
			if gas += cost; err != nil {
				return nil, gas, fmt.Errorf("component %s: %w", c.name, err)
			}
			// What is common so far is compared with the needs of each component.
			common = commonRequirements(common, c.needs)
			gas += parts(common) / 2
		}
		if len(largest) > 0 {
			common = maps.Clone(common)
			common["resourceRequest"] = largest
		}
		if len(common) == 0 {
			return nil, gas, nil
		}
		return common, gas, nil
	})
}

// part is a component as far as it is summed.
type part struct {
	name     string
	replicas int64
	needs    map[string]any
}

func componentsOf(v any) ([]part, error) {
	list, err := asList("components", v)
	if err != nil {
		return nil, err
	}
	parts := make([]part, len(list))
	for i, c := range list {
		if _, ok := c.(map[string]any); !ok {
			return nil, fmt.Errorf("component %d must be a map, not a %s", i+1, typeName(c))
		}
		parts[i] = part{name: stringAt(c, "name"), needs: mapAt(c, "replicaRequirements")}
		if parts[i].replicas, err = replicasOf(field(c, "replicas")); err != nil {
			return nil, fmt.Errorf("component %d: %w", i+1, err)
		}
	}
	return parts, nil
}

// raise puts the larger of two quantities of each resource into largest.
func raise(largest, requests map[string]any) (gas int64, err error) {
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		quantity := requests[name]
		gas += 2 * quantityGas
		if largest[name] == nil {
			largest[name] = quantity
			continue
		}
		a, err := parseQuantity(largest[name])
		if err != nil {
			return gas, err
		}
		b, err := parseQuantity(quantity)
		if err != nil {
			return gas, err
		}
		if b.Cmp(a) > 0 {
			largest[name] = quantity
		}
	}
	return gas, nil
}

// parts counts what a value consists of.
func parts(v any) int64 {
	n := int64(1)
	switch x := v.(type) {
	case map[string]any:
		for _, e := range x {
			n += parts(e)
		}
	case []any:
		for _, e := range x {
			n += parts(e)
		}
	}
	return n
}

// commonRequirements returns what needs and all before it have in common besides the
// resources; before is nil at the first call.
func commonRequirements(before, needs map[string]any) map[string]any {
	common := map[string]any{}
	for _, key := range [...]string{"nodeClaim", "priorityClassName"} {
		if v := needs[key]; v != nil && (before == nil || reflect.DeepEqual(v, before[key])) {
			common[key] = v
		}
	}
	return common
}
