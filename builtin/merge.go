// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"fmt"
	"maps"
)

// merge is kube.merge.
func merge() Function {
	return checked(Function{
		Name:   "merge",
		Params: []Param{{Name: "target", Type: "map", Optional: true}, {Name: "patch", Type: "map", Optional: true}},
		Result: "map",
		Doc:    "Puts a patch over a map, as a JSON merge patch (RFC 7396): maps merge key by key, a null in the patch deletes the key, anything else replaces. Neither argument changes; nil counts as an empty map.",
	}, func(args []any) (any, int64, error) {
		var maps [2]map[string]any
		for i := range maps {
			m, err := asMap(fmt.Sprintf("argument %d", i+1), arg(args, i))
			if err != nil {
				return nil, 1, err
			}
			maps[i] = m
		}
		merged, entries := MergePatch(maps[0], maps[1])
		return merged, 1 + entries, nil
	})
}

func isEmptyList(v any) bool {
	l, ok := v.([]any)
	return ok && len(l) == 0
}

// MergePatch applies a JSON merge patch (RFC 7396), and returns the number of entries
// that it handled as well. Neither argument is changed. The result shares with target what
// the patch does not touch, and is target itself where that is not nil and patch is empty.
func MergePatch(target, patch map[string]any) (merged map[string]any, entries int64) {
	entries = int64(len(target) + len(patch))
	if len(patch) == 0 && target != nil {
		return target, entries
	}
	merged = maps.Clone(target)
	if merged == nil {
		merged = make(map[string]any, len(patch))
	}
	for key, value := range patch {
		switch v := value.(type) {
		case nil:
			delete(merged, key)
		case map[string]any:
			below, _ := merged[key].(map[string]any)
			changed, n := MergePatch(below, v)
			merged[key] = changed
			entries += n
		default:
			merged[key] = v
		}
	}
	return merged, entries
}
