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
		Doc:    "Puts a patch over a map, as a JSON merge patch (RFC 7386): maps merge key by key, a null in the patch deletes the key, anything else replaces. Neither argument changes; nil counts as an empty map.",
	}, func(args []any) (any, int64, error) {
		var maps [2]map[string]any
		for i := range maps {
			m, err := asMap(fmt.Sprintf("argument %d", i+1), arg(args, i))
			if err != nil {
				return nil, 1, err
			}
			maps[i] = m
		}
		var m merging
		return m.over(maps[0], maps[1]), 1 + m.nodes, nil
	})
}

func isEmptyList(v any) bool {
	l, ok := v.([]any)
	return ok && len(l) == 0
}

// merging counts the entries that a merge handles.
type merging struct{ nodes int64 }

// over returns target with patch over it, in a new map.
func (m *merging) over(target, patch map[string]any) map[string]any {
	m.nodes += int64(len(target) + len(patch))
	out := maps.Clone(target)
	if out == nil {
		out = make(map[string]any, len(patch))
	}
	for key, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(out, key)
		case map[string]any:
			below, _ := out[key].(map[string]any)
			out[key] = m.over(below, v)
		default:
			out[key] = v
		}
	}
	return out
}
