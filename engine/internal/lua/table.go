// SPDX-License-Identifier: Apache-2.0

package lua

import "slices"

// table is a table of a script: a source that is never written, and what the
// script wrote or looked into on top of it. A table made by the script has no
// source. All of it lives in the machine of the run.
type table struct {
	vm *machine
	// src and items are the map or the list that the table is a view of.
	src   map[string]any
	items []any
	// fields lie over src: what the script wrote, and the views of the parts it
	// looked into, in the order in which they came.
	fields []field
	// list replaces items once owned.
	list []any
	more *more
	// first and sorted locate the sorted keys of src among the machine's keys.
	first, sorted int32

	is marks
}

// marks are the properties of a table.
type marks struct {
	// owned reports whether list is in use.
	owned bool
	// ordered reports whether the keys of src are sorted.
	ordered  bool
	fromMap  bool
	fromList bool
	// template reports whether items belong to the program, not to an argument.
	template bool
	// shared reports whether fields belong to the program: copy before writing.
	shared bool
	// given reports whether a result holds the table already.
	given bool
	// made reports whether the source is what a library function made; uses counts how
	// often such functions got the table for nothing.
	made bool
	uses uint8
	// gone is how many fields are nil.
	gone int32
}

// field is one entry of a table with a string key. A field that was not written
// is a view of the source's value. A written nil deletes.
type field struct {
	key     string
	value   any
	written bool
}

// more is what small tables with string keys do not need.
type more struct {
	// byName finds fields by key once they are many.
	byName map[string]int32
	// pairs are the entries whose key is no string and no place in the list; gone is
	// how many of them are nil.
	pairs []pair
	gone  int
	byKey map[any]int32
}

type pair struct{ key, value any }

const (
	// manyFields and manyPairs are from how many on entries are indexed.
	manyFields = 12
	manyPairs  = 8
	firstSlots = 4
)

func (t *table) extra() *more {
	if t.more == nil {
		t.more = &more{}
	}
	return t.more
}

// find returns the index of key among the fields, or -1.
func (t *table) find(key string) int {
	if t.more != nil && t.more.byName != nil {
		if i, ok := t.more.byName[key]; ok {
			return int(i)
		}
		return -1
	}
	for i := range t.fields {
		if t.fields[i].key == key {
			return i
		}
	}
	return -1
}

// add appends a field; the key is new.
func (t *table) add(key string, value any, written bool) {
	t.unshare()
	t.push(key, value, written)
	if len(t.fields) > manyFields {
		t.indexField(key)
	}
}

// push is add for a table of its own fields that stay few.
func (t *table) push(key string, value any, written bool) {
	t.vm.allocate(fieldBytes)
	n := len(t.fields)
	if n == cap(t.fields) {
		t.fields = slices.Grow(t.fields, max(n, firstSlots))
	}
	t.fields = t.fields[:n+1]
	f := &t.fields[n]
	f.key, f.value, f.written = key, value, written
}

// indexField enters the last field, of the given key, into the index of many.
func (t *table) indexField(key string) {
	t.vm.allocate(fieldBytes)
	n := len(t.fields)
	x := t.extra()
	if x.byName == nil {
		t.vm.allocate(manyFields * fieldBytes)
		x.byName = make(map[string]int32, 4*manyFields)
		for i := range t.fields {
			x.byName[t.fields[i].key] = int32(i)
		}
	}
	x.byName[key] = int32(n - 1)
}

// unshare copies the fields of the table before a write.
func (t *table) unshare() {
	if !t.is.shared {
		return
	}
	t.vm.allocate(int64(len(t.fields)+firstSlots) * fieldBytes)
	t.fields = append(make([]field, 0, len(t.fields)+firstSlots), t.fields...)
	t.is.shared = false
}

// getField reads the value under a string key.
func (t *table) getField(key string) any {
	if len(t.fields) > 0 {
		if i := t.find(key); i >= 0 {
			return t.fields[i].value
		}
	}
	if t.src == nil {
		return nil
	}
	v := t.src[key]
	if isScalar(v) {
		return v
	}
	return t.view(key, v)
}

// view adds the view of a part of the source that is under key, which is none of the fields.
func (t *table) view(key string, part any) any {
	v := t.vm.wrap(part)
	if t.is.made {
		made(v)
	}
	t.add(key, v, false)
	return v
}

// setField writes the value under a string key.
func (t *table) setField(key string, v any) {
	if i := t.find(key); i >= 0 {
		t.unshare()
		f := &t.fields[i]
		t.is.gone += change(f.value, v)
		f.value, f.written = v, true
		return
	}
	if v == nil {
		if _, ok := t.src[key]; !ok {
			return
		}
		t.is.gone++
	}
	t.add(key, v, true)
}

// change is by how many entries are nil more when a value takes the place of another.
func change(before, after any) int32 {
	switch {
	case before != nil && after == nil:
		return 1
	case before == nil && after != nil:
		return -1
	}
	return 0
}

// hasFields reports whether a field that the script wrote or looked into is not nil.
func (t *table) hasFields() bool { return len(t.fields) > int(t.is.gone) }

// get reads the value under any key.
func (t *table) get(key any) any {
	switch k := key.(type) {
	case string:
		t.vm.hash(k)
		return t.getField(k)
	case int64:
		return t.getItem(k)
	case float64:
		if i, ok := integral(k); ok {
			return t.getItem(i)
		}
	case nil:
		return nil
	}
	return t.getPair(key)
}

// set writes the value under any key but nil and NaN, which can be none; it
// reports what is wrong with those.
func (t *table) set(key, v any) (problem string) {
	switch k := key.(type) {
	case string:
		t.vm.hash(k)
		t.setField(k, v)
		return ""
	case int64:
		t.setItem(k, v)
		return ""
	case float64:
		if i, ok := integral(k); ok {
			t.setItem(i, v)
			return ""
		}
		if k != k {
			return "a table key is not a number (nan)"
		}
	case nil:
		return "a table key is nil"
	}
	t.setPair(key, v)
	return ""
}

// longKey is the length from which on a key costs more than the step that uses it: it is
// hashed, and compared with up to manyFields keys of its length.
const longKey = 4 * gasBytes

// keyGas is what the use of a key costs besides the step.
func keyGas(key string) int64 {
	if len(key) < longKey {
		return 0
	}
	return int64(len(key)) / (gasBytes / 4)
}

// hash charges for a key, or a text that is compared with another.
func (vm *machine) hash(key string) {
	if len(key) >= longKey {
		vm.charge(keyGas(key))
	}
}

// has reports whether src has key, also with null.
func (t *table) has(key string) bool {
	_, ok := t.src[key]
	return ok
}
