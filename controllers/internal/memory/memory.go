// SPDX-License-Identifier: Apache-2.0

// Package memory is what controllers remember of objects between two looks at them: a value for
// each key, until it is forgotten. It knows no kind. Whoever remembers something of an object
// forgets it when the object is gone: nothing here ends by itself.
package memory

import "sync"

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

// Update calls change with the value of a key and whether there is one, and remembers the value
// that it returns, or forgets it where change returns false. Nobody reads or writes meanwhile, so
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

// Len returns how many keys have a value.
func (m *Of[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all)
}

// Forget forgets the value of a key, and returns it and whether there was one.
func (m *Of[K, V]) Forget(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.all[key]
	delete(m.all, key)
	return value, ok
}
