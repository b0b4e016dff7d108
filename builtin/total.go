// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// totalReplicas is kube.totalReplicas.
func totalReplicas() Function {
	return checked(Function{
		Name:   "totalReplicas",
		Params: []Param{{Name: "components", Type: "list"}},
		Result: "number",
		Doc:    "Sums the replicas of components, as GetComponents returns them, for the GetReplicas of a kind that has both.",
	}, func(args []any, m Meter) (any, error) {
		m.Charge(1)
		all, err := componentsOf(arg(args, 0), 2, m)
		if err != nil {
			return nil, err
		}
		var total int64
		for _, c := range all {
			total += c.replicas
		}
		if total > math.MaxInt32 {
			return nil, errors.New("the components have more than 2147483647 replicas together")
		}
		return total, nil
	})
}

// largestRequirements is kube.largestRequirements.
func largestRequirements() Function {
	return checked(Function{
		Name:   "largestRequirements",
		Params: []Param{{Name: "components", Type: "list"}},
		Result: "map or nil",
		Doc:    "Returns requirements that are enough for a replica of any of the components: of each resource the largest request. What the components do not have in common of nodeClaim and priorityClassName is left out. Components without replicas do not count. It is nil where nothing is asked.",
	}, func(args []any, m Meter) (any, error) {
		m.Charge(1)
		all, err := componentsOf(arg(args, 0), 0, m)
		if err != nil {
			return nil, err
		}
		largest := map[string]any{}
		common := map[string]any(nil)
		for _, c := range all {
			if c.replicas == 0 {
				continue
			}
			if err := raise(largest, mapAt(c.needs, "resourceRequest"), m); err != nil {
				return nil, fmt.Errorf("component %s: %w", clipped(c.name), err)
			}
			// What is common so far is compared with the needs of each component.
			common = commonRequirements(common, c.needs)
			size := parts(common)
			m.Charge(size / 2)
			if len(all) > fewComponents {
				m.Charge(size)
			}
		}
		if len(largest) > 0 {
			common = maps.Clone(common)
			common["resourceRequest"] = largest
		}
		if len(common) == 0 {
			return nil, nil
		}
		return common, nil
	})
}

// part is a component as far as it is summed.
type part struct {
	name     string
	replicas int64
	needs    map[string]any
}

// fewComponents is up to how many components cost nothing but what is done with them.
const fewComponents = 16

// componentsOf reads components, each for gas.
func componentsOf(v any, gas int64, m Meter) ([]part, error) {
	list, err := asList("components", v)
	if err != nil {
		return nil, err
	}
	m.Charge(gas * int64(len(list)))
	if len(list) > fewComponents {
		m.Charge(3 * int64(len(list)))
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
func raise(largest, requests map[string]any, m Meter) error {
	for name := range requests {
		m.Charge(quantityGas + int64(len(name))/64)
	}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		quantity := requests[name]
		m.Charge(gasOf(quantity))
		if largest[name] == nil {
			largest[name] = quantity
			continue
		}
		if gas := gasOf(largest[name]); gas > quantityGas {
			m.Charge(gas)
		}
		a, err := parseQuantity(largest[name])
		if err != nil {
			return err
		}
		b, err := parseQuantity(quantity)
		if err != nil {
			return err
		}
		if b.Cmp(a) > 0 {
			largest[name] = quantity
		}
	}
	return nil
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
		if v := needs[key]; v != nil && (before == nil || Equal(v, before[key])) {
			common[key] = v
		}
	}
	return common
}
