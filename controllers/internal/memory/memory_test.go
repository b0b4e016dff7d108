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
	if _, ok := m.Forget("a"); ok || m.Len() != 0 {
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
	if a, ok := m.Get("a"); a != 2 || !ok || m.Len() != 2 {
		t.Errorf("a is %d, %v of %d, want 2 of 2", a, ok, m.Len())
	}
	m.Update("b", func(v int, _ bool) (int, bool) { return v, false })
	if _, ok := m.Get("b"); ok {
		t.Error("b was not forgotten")
	}
	if v, ok := m.Forget("a"); v != 2 || !ok {
		t.Errorf("forgot %d, %v, want 2", v, ok)
	}
	for i := range 10 {
		m.Set(string(rune('a'+i)), i)
	}
	m.ForgetIf(func(_ string, v int) bool { return v%2 == 0 })
	if _, ok := m.Get("a"); ok || m.Len() != 5 {
		t.Errorf("%d are left, want the 5 odd ones", m.Len())
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
