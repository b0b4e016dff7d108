// SPDX-License-Identifier: Apache-2.0

// Package memory is what controllers remember of objects between two looks at them: a value for
// each key, until it is forgotten. It knows no kind. Whoever remembers something of an object
// forgets it when the object is gone: nothing here ends by itself.
package memory

import (
	"maps"
	"sync"
)

// Of remembers a value for each key. It is safe for many goroutines; the zero value is ready.
type Of[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]V
}

// Get returns the value of a key, and whether there is one.
func (m *Of[K, V]) Get(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.all[key]
	return value, ok
}

// Set remembers a value for a key, in place of the one it had.
func (m *Of[K, V]) Set(key K, value V) {
	m.Update(key, func(V, bool) (V, bool) { return value, true })
}

// Update has change decide what is remembered for a key: it gets the value and whether there is
// one, and returns the next and whether to remember it. Nobody reads or writes meanwhile, so
// change must not wait and must not use the memory.
func (m *Of[K, V]) Update(key K, change func(V, bool) (V, bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.all[key]
	next, keep := change(value, ok)
	switch {
	case !keep:
		delete(m.all, key)
	case m.all == nil:
		m.all = map[K]V{key: next}
	default:
		m.all[key] = next
	}
}

// Forget forgets the value of a key, and returns it and whether there was one.
func (m *Of[K, V]) Forget(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.all[key]
	delete(m.all, key)
	return value, ok
}

// ForgetIf forgets what gone reports true for. It costs as much as there is.
func (m *Of[K, V]) ForgetIf(gone func(K, V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.all, gone)
}

// Len returns for how many keys something is remembered.
func (m *Of[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all)
}
