// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"sync"
	"testing"

	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

func TestOf(t *testing.T) {
	var m memory.Of[string, int]
	if v, ok := m.Get("a"); ok || v != 0 {
		t.Errorf("an empty memory has %d, %v", v, ok)
	}
	if _, ok := m.Forget("a"); ok {
		t.Error("an empty memory forgot something")
	}
	m.Set("a", 1)
	m.Set("a", 2)
	m.Update("b", func(v int, ok bool) (int, bool) {
		if ok {
			t.Error("b was remembered before")
		}
		return 3, true
	})
	m.Update("c", func(int, bool) (int, bool) { return 4, false })
	if a, ok := m.Get("a"); a != 2 || !ok {
		t.Errorf("a is %d, %v, want 2", a, ok)
	}
	if b, ok := m.Get("b"); b != 3 || !ok {
		t.Errorf("b is %d, %v, want 3", b, ok)
	}
	if _, ok := m.Get("c"); ok {
		t.Error("c is remembered")
	}
	m.Update("b", func(v int, _ bool) (int, bool) { return v, false })
	if _, ok := m.Get("b"); ok {
		t.Error("b was not forgotten")
	}
	if v, ok := m.Forget("a"); v != 2 || !ok {
		t.Errorf("forgot %d, %v, want 2", v, ok)
	}
	if v, ok := m.Get("a"); ok {
		t.Errorf("a is %d although it was forgotten", v)
	}
}

// TestOfMany counts with many goroutines: an update is seen by the next.
func TestOfMany(t *testing.T) {
	var (
		m  memory.Of[int, int]
		wg sync.WaitGroup
	)
	for i := range 100 {
		wg.Go(func() {
			m.Update(i%2, func(v int, _ bool) (int, bool) { return v + 1, true })
			m.Get(i)
		})
	}
	wg.Wait()
	for _, key := range []int{0, 1} {
		if v, _ := m.Forget(key); v != 50 {
			t.Errorf("%d was counted %d times, want 50", key, v)
		}
	}
}
