// SPDX-License-Identifier: Apache-2.0

package lua

// getPair reads an entry whose key is no string and not in the list.
func (t *table) getPair(key any) any {
	if i := t.findPair(key); i >= 0 {
		return t.more.pairs[i].value
	}
	return nil
}

func (t *table) findPair(key any) int {
	if t.more == nil {
		return -1
	}
	if t.more.byKey != nil {
		if i, ok := t.more.byKey[key]; ok {
			return int(i)
		}
		return -1
	}
	for i := range t.more.pairs {
		if t.more.pairs[i].key == key {
			return i
		}
	}
	return -1
}

// put writes the value of entry i.
func (m *more) put(i int, v any) {
	p := &m.pairs[i]
	m.gone += int(change(p.value, v))
	p.value = v
}

// hasPairs reports whether an entry is not nil whose key is no string and not in the
// list.
func (t *table) hasPairs() bool { return t.more != nil && len(t.more.pairs) > t.more.gone }

// setPair writes such an entry. A deleted one keeps its place.
func (t *table) setPair(key, v any) {
	if i := t.findPair(key); i >= 0 {
		t.more.put(i, v)
		return
	}
	if v == nil {
		return
	}
	t.vm.allocate(pairBytes)
	x := t.extra()
	x.pairs = append(x.pairs, pair{key, v})
	n := len(x.pairs)
	if n <= manyPairs {
		return
	}
	if x.byKey == nil {
		x.byKey = make(map[any]int32, 4*manyPairs)
		for i := range x.pairs {
			x.byKey[x.pairs[i].key] = int32(i)
		}
	}
	x.byKey[key] = int32(n - 1)
}
