// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"github.com/dragoman-io/dragoman/engine/script"
)

var _ script.Composite = (*table)(nil)

// Field returns the value under key; nil where there is none. A part that the
// script did not look into is a plain value.
func (t *table) Field(key string) any {
	if i := t.find(key); i >= 0 {
		return t.fields[i].value
	}
	return t.src[key]
}

// Source returns the map that the table is a view of, where the table adds nothing to it.
func (t *table) Source() map[string]any {
	if len(t.fields) > 0 || len(t.raw()) > 0 || t.more != nil {
		return nil
	}
	return t.src
}

// Walk checks that a map can hold the entries, and pays for reading them. A key that is
// no string is an error, unless it is a place in the list.
func (t *table) Walk() error {
	if err := t.checkPairs(); err != nil {
		return t.vm.resultError("a part of the result " + err.Error())
	}
	if err := t.reach(); err != nil {
		return err
	}
	return t.read()
}

// Next returns an entry with a string key: those of the source sorted, with null as nil,
// then those that the script added in the order in which it did.
func (t *table) Next(at int) (key string, value any, next int) {
	n := len(t.src)
	for ; at < n; at++ {
		key := t.order()[at]
		here := t.find(key)
		if here < 0 {
			return key, t.src[key], at + 1
		}
		if v := t.fields[here].value; v != nil {
			return key, v, at + 1
		}
	}
	for ; at-n < len(t.fields); at++ {
		f := &t.fields[at-n]
		if f.value != nil && (n == 0 || !t.has(f.key)) {
			return f.key, f.value, at + 1
		}
	}
	return "", nil, 0
}

// read pays for a walk over the fields, and sorts the keys of the source.
func (t *table) read() error {
	if n := len(t.src) + len(t.fields); n >= gasBytes {
		if err := t.vm.pay(int64(n)/2, 0); err != nil {
			return err
		}
	}
	if t.is.ordered || len(t.src) == 0 || t.Source() != nil {
		return nil
	}
	if err := t.vm.pay(t.ordering()); err != nil {
		return err
	}
	if err := t.vm.pay(t.collect(), 0); err != nil {
		return err
	}
	t.sort()
	return nil
}

// deleted reports whether the script wrote nil under a key of the source.
func (t *table) deleted(key string) bool {
	i := t.find(key)
	return i >= 0 && t.fields[i].value == nil
}

// Len is the number of items, null included.
func (t *table) Len() int { return len(t.raw()) }

// Item returns item i, from 0.
func (t *table) Item(i int) any { return t.raw()[i] }

// IsList reports whether the table has items, or came from a list.
func (t *table) IsList() bool { return t.is.fromList || t.Len() > 0 }

// IsMap reports whether the table has fields, or came from a map.
func (t *table) IsMap() bool {
	return t.is.fromMap || t.hasFields() || t.hasPairs()
}

// checkPairs is an error where the table has entries that neither a map nor a
// list can hold.
func (t *table) checkPairs() error {
	if !t.hasPairs() {
		return nil
	}
	for _, p := range t.more.pairs {
		if p.value != nil {
			return &misfit{reason: "has the key " + shown(p.key) + ", which neither a list nor a map can have,"}
		}
	}
	return nil
}

// shown returns a key for a message.
func shown(key any) string {
	switch key.(type) {
	case int64, float64, bool:
		return text(key)
	}
	return "of type " + typeName(key)
}

// resultError makes an error about the result of the run.
func (vm *machine) resultError(message string) *script.Error {
	return &script.Error{Code: script.Result, Position: script.Position{File: vm.program.file()}, Message: message}
}

// Pay takes what the reader of a result costs.
func (vm *machine) Pay(gas, memory int64) error { return vm.pay(gas, memory) }

// pay takes gas and memory, and returns an error where charge would panic: a
// decoder's calls come from outside.
func (vm *machine) pay(gas, memory int64) error {
	vm.gas -= gas
	vm.memory -= memory
	limit := script.Gas
	switch {
	case vm.gas < 0:
		vm.gas = -1 // by how much depends on the order of a map
	case vm.memory < 0:
		vm.memory = -1
		limit = script.Memory
	default:
		return nil
	}
	return &script.Error{Code: limit, Position: script.Position{File: vm.program.file()}, Message: vm.exceeded(limit)}
}
