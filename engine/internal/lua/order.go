// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"math/bits"
	"slices"
)

// cursor walks the entries of a table in their fixed order: the list, the keys
// of the source sorted, the fields that the script added in the order in which
// it did, and then all other keys in that order. Entries may be changed and
// removed meanwhile. A new cursor stands before the first entry.
type cursor struct {
	table *table
	part  part
	// at is the index of the next entry within the part.
	at int
}

type part uint8

const (
	partList part = iota
	partSource
	partAdded
	partPairs
)

// next returns the next entry that is not nil. Each that is passed over costs a unit; a
// view of what the source has already shown, an eighth.
func (c *cursor) next() (key, value any, ok bool) {
	t := c.table
	if c.part == partList {
		for c.at < len(t.raw()) {
			c.at++
			if v := t.getItem(int64(c.at)); v != nil {
				return int64(c.at), v, true
			}
			t.vm.charge(1)
		}
		c.part, c.at = partSource, 0
	}
	if key, value, ok = c.nextField(); ok {
		return key, value, true
	}
	for t.more != nil && c.at < len(t.more.pairs) {
		p := &t.more.pairs[c.at]
		c.at++
		if p.value != nil {
			return p.key, p.value, true
		}
		t.vm.charge(1)
	}
	return nil, nil, false
}

// nextField returns the next field that is not nil, once the list is done.
func (c *cursor) nextField() (key string, value any, ok bool) {
	t := c.table
	if c.part == partSource {
		for len(t.src) > 0 && c.at < len(t.order()) {
			key := t.order()[c.at]
			c.at++
			t.vm.hash(key)
			if v := t.getField(key); v != nil {
				return key, v, true
			}
			t.vm.charge(1)
		}
		c.part, c.at = partAdded, 0
	}
	if c.part == partAdded {
		for c.at < len(t.fields) {
			f := &t.fields[c.at]
			c.at++
			if !f.written {
				t.vm.charge(int64(c.at%8) / 7)
				continue
			}
			t.vm.hash(f.key)
			if f.value != nil && !t.has(f.key) {
				return f.key, f.value, true
			}
			t.vm.charge(1)
		}
		c.part, c.at = partPairs, 0
	}
	return "", nil, false
}

// order returns the keys of the source, sorted. The slice is good until the next
// table of the run is ordered.
func (t *table) order() []string {
	if !t.is.ordered {
		gas, memory := t.ordering()
		t.vm.charge(gas)
		t.vm.allocate(memory)
		t.vm.charge(t.collect())
		t.sort()
	}
	return t.vm.keys[t.first : t.first+t.sorted]
}

// ordering is what sorting short keys costs.
func (t *table) ordering() (gas, memory int64) {
	n := len(t.src)
	return int64(n + n*bits.Len(uint(n))/8), int64(n) * valueBytes
}

// collect takes down the keys of the source, and returns what sorting them costs besides
// because some are long.
func (t *table) collect() (gas int64) {
	vm := t.vm
	t.first, t.sorted = int32(len(vm.keys)), int32(len(t.src))
	long := 0
	for key := range t.src {
		vm.keys = append(vm.keys, key)
		if len(key) >= gasBytes {
			long += len(key)
		}
	}
	return int64(long) / (16 * gasBytes) * int64(bits.Len(uint(len(t.src))))
}

// sort orders the keys that collect took down.
func (t *table) sort() {
	slices.Sort(t.vm.keys[t.first : t.first+t.sorted])
	t.is.ordered = true
}

// after returns a cursor that stands behind the entry of key. It is not ok where
// the table never had such an entry.
func (t *table) after(key any) (c cursor, ok bool) {
	c.table = t
	switch k := key.(type) {
	case nil:
		return c, true
	case string:
		t.vm.hash(k)
		if t.has(k) {
			i, _ := slices.BinarySearch(t.order(), k)
			c.part, c.at = partSource, i+1
			return c, true
		}
		i := t.find(k)
		c.part, c.at = partAdded, i+1
		return c, i >= 0
	case float64:
		if i, ok := integral(k); ok {
			return t.after(i)
		}
	case int64:
		if k >= 1 && k <= int64(len(t.raw())) {
			c.at = int(k)
			return c, true
		}
	}
	i := t.findPair(key)
	c.part, c.at = partPairs, i+1
	return c, i >= 0
}
