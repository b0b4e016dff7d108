// SPDX-License-Identifier: Apache-2.0

package memory

import "sync"

// Parts remembers a value for each part of an owner, and forgets all of an owner at once. It is
// safe for many goroutines; the zero value is ready.
type Parts[O, P comparable, V any] struct {
	mu  sync.Mutex
	all map[O]map[P]V
}

// Get returns the value of a part, and whether there is one.
func (m *Parts[O, P, V]) Get(owner O, part P) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.all[owner][part]
	return value, ok
}

// Set remembers a value for a part, in place of the one it had.
func (m *Parts[O, P, V]) Set(owner O, part P, value V) {
	m.Update(owner, part, func(V, bool) (V, bool) { return value, true })
}

// Update calls change with the value of a part and whether there is one, and remembers the value
// that it returns, or forgets it where change returns false. Nobody reads or writes meanwhile, so
// change must not wait and must not use the memory.
func (m *Parts[O, P, V]) Update(owner O, part P, change func(V, bool) (V, bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.all[owner][part]
	next, keep := change(value, ok)
	if !keep {
		delete(m.all[owner], part)
		if len(m.all[owner]) == 0 {
			delete(m.all, owner)
		}
		return
	}
	if m.all == nil {
		m.all = map[O]map[P]V{}
	}
	if m.all[owner] == nil {
		m.all[owner] = map[P]V{}
	}
	m.all[owner][part] = next
}

// Forget forgets the value of a part.
func (m *Parts[O, P, V]) Forget(owner O, part P) {
	m.Update(owner, part, func(v V, _ bool) (V, bool) { return v, false })
}

// ForgetAll forgets the values of all parts of an owner.
func (m *Parts[O, P, V]) ForgetAll(owner O) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, owner)
}

// Owners returns of how many owners something is remembered.
func (m *Parts[O, P, V]) Owners() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all)
}
