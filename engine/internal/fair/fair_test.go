// SPDX-License-Identifier: Apache-2.0

package fair_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dragoman-io/dragoman/engine/internal/fair"
)

// TestTurns has many wait for one unit, and notes in which order they get it.
func TestTurns(t *testing.T) {
	for _, tc := range []struct {
		reason string
		wait   string // tenant/kind of each, in the order in which they come
		want   string
	}{
		{"one tenant is served in order", "a/x a/x a/x", "1 2 3"},
		{"another tenant comes after one of many", "a/x a/x a/x a/x b/x", "1 5 2 3 4"},
		{"tenants take turns", "a/x a/x b/x b/x c/x", "1 3 5 2 4"},
		{"kinds of one tenant take turns", "a/x a/x a/x a/y", "1 4 2 3"},
		{"a tenant of many kinds has one turn", "a/x a/y a/z b/x b/x", "1 4 2 5 3"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := fair.New(1)
			s.Acquire(1, fair.Group{})
			var (
				mu    sync.Mutex
				order []string
				wg    sync.WaitGroup
			)
			for i, of := range strings.Fields(tc.wait) {
				tenant, kind, _ := strings.Cut(of, "/")
				wg.Go(func() {
					s.Acquire(1, fair.Group{Tenant: tenant, Kind: kind})
					mu.Lock()
					order = append(order, fmt.Sprint(i+1))
					mu.Unlock()
					s.Release(1)
				})
				synctest.Wait()
			}
			s.Release(1)
			wg.Wait()
			if got := strings.Join(order, " "); got != tc.want {
				t.Errorf("%s: the order is %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

// A large request is not overtaken for good by small ones.
func TestLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(4)
		s.Acquire(2, fair.Group{})
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			order []int64
		)
		for _, units := range []int64{4, 1, 1} {
			wg.Go(func() {
				s.Acquire(units, fair.Group{Tenant: fmt.Sprint(units)})
				mu.Lock()
				order = append(order, units)
				mu.Unlock()
				s.Release(units)
			})
			synctest.Wait()
		}
		if len(order) != 0 {
			t.Errorf("%v overtook", order)
		}
		s.Release(2)
		wg.Wait()
		if !slices.Equal(order, []int64{4, 1, 1}) {
			t.Errorf("the order is %v, want 4 first", order)
		}
	})
}

// TestMany has many goroutines ask for units, never more at once than there are.
func TestMany(t *testing.T) {
	s := fair.New(5)
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		used int64
	)
	for i := range 64 {
		wg.Go(func() {
			for range 200 {
				units := int64(1 + i%5)
				s.Acquire(units, fair.Group{Tenant: fmt.Sprint(i % 3), Kind: fmt.Sprint(i % 4)})
				mu.Lock()
				if used += units; used > 5 {
					t.Errorf("%d units are in use", used)
				}
				mu.Unlock()
				mu.Lock()
				used -= units
				mu.Unlock()
				s.Release(units)
			}
		})
	}
	wg.Wait()
}

func BenchmarkAcquire(b *testing.B) {
	s := fair.New(4)
	b.ReportAllocs()
	for b.Loop() {
		s.Acquire(1, fair.Group{Tenant: "space", Kind: "Job"})
		s.Release(1)
	}
}
