// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// orderedMap is a map that is walked in the order of its keys.
type orderedMap struct {
	traits.Mapper
	keys []ref.Val
}

// ordered returns a map that is iterated in the order of its keys.
func ordered(m *meter, x traits.Mapper) ref.Val {
	n := length(x)
	if n < 2 {
		return x
	}
	m.charge(2 * n)
	m.allocate(4 * itemBytes * n)
	return orderedMap{Mapper: x, keys: sortedKeys(x)}
}

// sortedKeys returns the keys of a map: numbers before strings, each ascending.
func sortedKeys(m traits.Mapper) []ref.Val {
	keys := make([]ref.Val, 0, length(m))
	if x, ok := m.Value().(map[string]any); ok {
		names := make([]string, 0, len(x))
		for name := range x {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			keys = append(keys, types.String(name))
		}
		return keys
	}
	for it := m.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// compareKeys orders two keys of a map.
func compareKeys(a, b ref.Val) int {
	if a.Type() != b.Type() {
		return cmp.Compare(a.Type().TypeName(), b.Type().TypeName())
	}
	if x, ok := a.(traits.Comparer); ok {
		if order, ok := x.Compare(b).(types.Int); ok {
			return int(order)
		}
	}
	return cmp.Compare(fmt.Sprint(a.Value()), fmt.Sprint(b.Value()))
}

// Iterator walks the keys in order.
func (m orderedMap) Iterator() traits.Iterator {
	return types.NewRefValList(types.DefaultTypeAdapter, m.keys).Iterator()
}
