// SPDX-License-Identifier: Apache-2.0

package lua

// own copies the list that the table is a view of, so that it can be written.
func (t *table) own() {
	if t.is.owned {
		return
	}
	n := len(t.items)
	t.vm.allocate(int64(n+firstSlots) * valueBytes)
	t.vm.charge(int64(n) / 4)
	if cap(t.list) < n {
		t.list = make([]any, 0, n+firstSlots)
	}
	t.list = append(t.list[:0], t.items...)
	t.is.owned = true
}

// raw returns the list as it is stored: null is nil, parts that the script did
// not look into are plain.
func (t *table) raw() []any {
	if t.is.owned {
		return t.list
	}
	return t.items
}

// length returns the length of the list without nil at its end.
func (t *table) length() int {
	list := t.raw()
	n := len(list)
	for n > 0 && list[n-1] == nil {
		n--
	}
	if tail := len(list) - n; tail > 0 {
		t.vm.charge(int64(tail) / 8)
	}
	return n
}

// getItem reads the value under an integer key.
func (t *table) getItem(i int64) any {
	list := t.raw()
	if i < 1 || i > int64(len(list)) {
		return t.getPair(i)
	}
	v := list[i-1]
	switch v.(type) {
	case nil, string, bool, int64, float64, *table, *function:
		return v
	case *native, *library:
		return v
	}
	t.own()
	v = t.vm.wrap(v)
	if t.is.made {
		made(v)
	}
	t.list[i-1] = v
	return v
}

// setItem writes the value under an integer key.
func (t *table) setItem(i int64, v any) {
	n := int64(len(t.raw()))
	switch {
	case i >= 1 && i < n, i == n && n > 0 && v != nil:
		t.own()
		t.list[i-1] = v
	case i == n && n > 0:
		t.own()
		for n--; n > 0 && t.list[n-1] == nil; n-- {
		}
		t.list = t.list[:n]
	case i == n+1 && v != nil:
		t.own()
		t.append(v)
		t.adopt()
	default:
		t.setPair(i, v)
	}
}

// append adds a value at the end of an owned list. The charge follows the
// length alone, not how much room a pooled list has.
func (t *table) append(v any) {
	if n := len(t.list); n >= firstSlots && n&(n-1) == 0 {
		t.vm.allocate(int64(n) * valueBytes)
	}
	if cap(t.list) == 0 {
		t.list = make([]any, 0, firstSlots)
	}
	t.list = append(t.list, v)
}

// adopt moves the entries that continue the list into it, after it grew. An
// entry in the place of the newest item is gone.
func (t *table) adopt() {
	if t.more == nil || len(t.more.pairs) == 0 {
		return
	}
	t.setPair(int64(len(t.list)), nil)
	for {
		i := t.findPair(int64(len(t.list) + 1))
		if i < 0 || t.more.pairs[i].value == nil {
			return
		}
		t.vm.charge(1)
		t.append(t.more.pairs[i].value)
		t.more.put(i, nil)
	}
}

// insert moves the items from position i on by one and puts v there. i is at
// least 1 and at most the length.
func (t *table) insert(i int64, v any) {
	t.own()
	t.append(nil)
	t.vm.charge((int64(len(t.list))-i)/8 + 1)
	copy(t.list[i:], t.list[i-1:])
	t.list[i-1] = v
	t.adopt()
}

// remove takes item i out and moves those after it by one. i is at least 1 and
// at most the length.
func (t *table) remove(i int64) any {
	v := t.getItem(i)
	t.own()
	n := len(t.list)
	t.vm.charge((int64(n)-i)/8 + 1)
	copy(t.list[i-1:], t.list[i:])
	t.list[n-1] = nil
	t.list = t.list[:n-1]
	return v
}
