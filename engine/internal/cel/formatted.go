// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math/bits"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// maps pays for the maps that a value has, if it is written by format: cel-go writes each
// entry as a text of its own, sorts them, and copies them into that of the map, so what is
// below many maps is copied as often. It returns how long the text of the value is, which
// the caller measured before.
func (m *meter) maps(v ref.Val) int64 {
	if n := bytesOf(v); n > 0 {
		return n
	}
	written := int64(formattedBytes)
	switch x := v.(type) {
	case *types.Optional:
		if x.HasValue() {
			written = sum(written, m.maps(x.GetValue()))
		}
	case traits.Mapper:
		n := length(x)
		for it := x.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			written = sum(written, sum(bytesOf(k)+formattedBytes, m.maps(x.Get(k))))
		}
		m.charge(sum(product(n, int64(bits.Len64(uint64(n))))/8, written/gasBytes))
		m.allocate(product(2, written))
	case traits.Lister:
		for it := x.Iterator(); it.HasNext() == types.True; {
			written = sum(written, m.maps(it.Next()))
		}
	}
	return written
}

// formattedBytes is what a number takes in a text, at least.
const formattedBytes = 8
