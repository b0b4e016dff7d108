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

// next returns the next entry that is not nil.
func (c *cursor) next() (key, value any, ok bool) {
	t := c.table
	if c.part == partList {
		for c.at < len(t.raw()) {
			c.at++
			if v := t.getItem(int64(c.at)); v != nil {
				return int64(c.at), v, true
			}
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
			if v := t.getField(key); v != nil {
				return key, v, true
			}
		}
		c.part, c.at = partAdded, 0
	}
	if c.part == partAdded {
		for c.at < len(t.fields) {
			f := &t.fields[c.at]
			c.at++
			if f.value != nil && !t.has(f.key) {
				return f.key, f.value, true
			}
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
	}
	return t.sortedKeys()
}

// ordering is what sorting the keys costs.
func (t *table) ordering() (gas, memory int64) {
	n := len(t.src)
	return int64(n + n*bits.Len(uint(n))/8), int64(n) * valueBytes
}

// sortedKeys is order for keys that are paid for.
func (t *table) sortedKeys() []string {
	vm := t.vm
	if !t.is.ordered {
		first := len(vm.keys)
		for key := range t.src {
			vm.keys = append(vm.keys, key)
		}
		slices.Sort(vm.keys[first:])
		t.first, t.sorted, t.is.ordered = int32(first), int32(len(t.src)), true
	}
	return vm.keys[t.first : t.first+t.sorted]
}

// after returns a cursor that stands behind the entry of key. It is not ok where
// the table never had such an entry.
func (t *table) after(key any) (c cursor, ok bool) {
	c.table = t
	switch k := key.(type) {
	case nil:
		return c, true
	case string:
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
