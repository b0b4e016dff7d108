// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

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
	keys := keysOf(x)
	// Each key is compared with some others, and looked up in its round.
	bytes := int64(0)
	for _, k := range keys {
		bytes += bytesOf(k)
	}
	if bytes >= gasBytes*n {
		m.charge(product(bytes/gasBytes, 2+int64(bits.Len64(uint64(n)))))
	}
	slices.SortFunc(keys, compareKeys)
	return orderedMap{Mapper: x, keys: keys}
}

// keysOf returns the keys of a map in any order.
func keysOf(m traits.Mapper) []ref.Val {
	keys := make([]ref.Val, 0, length(m))
	if x, ok := m.Value().(map[string]any); ok {
		for name := range x {
			keys = append(keys, types.String(name))
		}
		return keys
	}
	for it := m.Iterator(); it.HasNext() == types.True; {
		keys = append(keys, it.Next())
	}
	return keys
}

// compareKeys orders two keys of a map: numbers before strings, each ascending.
func compareKeys(a, b ref.Val) int {
	if x, ok := a.(types.String); ok {
		if y, ok := b.(types.String); ok {
			return strings.Compare(string(x), string(y))
		}
	}
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
