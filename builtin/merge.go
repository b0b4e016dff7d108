// SPDX-License-Identifier: Apache-2.0

package builtin

import "maps"

// merge is kube.merge.
func merge() Function {
	return checked(Function{
		Name:   "merge",
		Params: []Param{{Name: "target", Type: "map", Optional: true}, {Name: "patch", Type: "map", Optional: true}},
		Result: "map",
		Doc:    "Puts a patch over a map, as a JSON merge patch (RFC 7396): maps merge key by key, a null in the patch deletes the key, anything else replaces. Neither argument changes; nil counts as an empty map.",
	}, func(args []any, m Meter) (any, error) {
		target, err := asMap("target", arg(args, 0))
		if err != nil {
			return refused(m, err)
		}
		patch, err := asMap("patch", arg(args, 1))
		if err != nil {
			return refused(m, err)
		}
		m.Charge(1)
		return MergePatch(target, patch, m), nil
	})
}

func isEmptyList(v any) bool {
	l, ok := v.([]any)
	return ok && len(l) == 0
}

// MergePatch applies a JSON merge patch (RFC 7396), and charges m for the entries that it
// handles. Neither argument is changed. The result shares with target what the patch does
// not touch, and is target itself where that is not nil and patch is empty.
func MergePatch(target, patch map[string]any, m Meter) map[string]any {
	p := patching{meter: m}
	return p.merge(target, patch)
}

// fewMaps is up to how many maps a merge patch makes for the price of their entries, and
// mapGas what each more costs.
const (
	fewMaps = 32
	mapGas  = 4
)

// patching applies a merge patch.
type patching struct {
	meter Meter
	made  int
}

func (p *patching) merge(target, patch map[string]any) map[string]any {
	p.meter.Charge(int64(len(target) + len(patch)))
	if len(patch) == 0 && target != nil {
		return target
	}
	if p.made++; p.made > fewMaps {
		p.meter.Charge(mapGas)
	}
	merged := maps.Clone(target)
	if merged == nil {
		merged = make(map[string]any, len(patch))
	}
	for key, value := range patch {
		switch v := value.(type) {
		case nil:
			delete(merged, key)
		case map[string]any:
			below, _ := merged[key].(map[string]any)
			merged[key] = p.merge(below, v)
		default:
			merged[key] = v
		}
	}
	return merged
}
