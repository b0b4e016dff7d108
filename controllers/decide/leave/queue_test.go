// SPDX-License-Identifier: Apache-2.0

package leave

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

var start = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// leaves returns a departure of a priority for a taint that is that many seconds old.
func leaves(name string, priority int32, age int) Departure {
	since := start.Add(-time.Duration(age) * time.Second)
	return Departure{Key: types.NamespacedName{Namespace: "space", Name: name}, Priority: priority, Since: since, Leaves: from(since, "one")}
}

// from are clusters that are left at a time.
func from(due time.Time, clusters ...string) []binding.Untolerated {
	var all []binding.Untolerated
	for _, c := range clusters {
		all = append(all, binding.Untolerated{Cluster: c, Due: due})
	}
	return all
}

func TestOrder(t *testing.T) {
	late := leaves("late", 100, 1)
	late.Leaves = from(start.Add(time.Minute), "one")
	var w Queue
	for _, d := range []Departure{leaves("b", 0, 10), leaves("a", 0, 10), leaves("young", 0, 5), leaves("important", 7, 1), late, leaves("gone", 9, 1)} {
		w.Set(d)
	}
	w.Remove(leaves("gone", 0, 0).Key)
	var order []string
	for {
		d, found, wait := w.Next(start)
		if !found {
			if wait != time.Minute {
				t.Errorf("what is not due yet is due in %v, want a minute", wait)
			}
			break
		}
		order = append(order, d.Key.Name)
		w.Remove(d.Key)
	}
	if diff := cmp.Diff([]string{"important", "a", "b", "young"}, order); diff != "" {
		t.Errorf("by priority, then by the age of the taint, then by name (-want +got):\n%s", diff)
	}
	if d, found, _ := w.Next(start.Add(time.Minute)); !found || d.Key.Name != "late" {
		t.Errorf("got %v, want what is due now", d.Key)
	}
	if _, found, wait := (&Queue{}).Next(start); found || wait != 0 {
		t.Error("of nothing nothing is due, ever")
	}
}

// TestNamespacesTakeTurns has forty departures of one namespace, whose taint is older, and two each of
// others.
func TestNamespacesTakeTurns(t *testing.T) {
	var w Queue
	for i := range 40 {
		w.Set(leaves(fmt.Sprintf("many-%02d", i), 0, 100))
	}
	for _, namespace := range []string{"second", "third"} {
		for i := range 2 {
			d := leaves(fmt.Sprintf("%s-%d", namespace, i), 0, 10+i)
			d.Key.Namespace = namespace
			w.Set(d)
		}
	}
	important := leaves("important", 7, 1)
	w.Set(important)
	next := func() string {
		d, _, _ := w.Next(start)
		w.Took(d.Key)
		w.Remove(d.Key)
		return d.Key.Name
	}
	var order []string
	for range 9 {
		order = append(order, next())
	}
	if diff := cmp.Diff([]string{
		"important", "second-1", "third-1", "many-00", "second-0", "third-0", "many-01", "many-02", "many-03",
	}, order); diff != "" {
		t.Errorf("the important, then a namespace after the other (-want +got):\n%s", diff)
	}
	for range 36 {
		next()
	}
	if left, _, _ := w.DueNow(start); left != 0 {
		t.Errorf("%d wait, want none", left)
	}
}

// TestNamespacesAreForgotten has many namespaces leave while one departure is due in a year.
func TestNamespacesAreForgotten(t *testing.T) {
	var w Queue
	later := leaves("later", 0, 0)
	later.Leaves = from(start.AddDate(1, 0, 0), "one")
	w.Set(later)
	for i := range 1000 {
		d := leaves("gone", 0, 10)
		d.Key.Namespace = fmt.Sprintf("namespace-%d", i)
		w.Set(d)
		w.Took(d.Key)
		w.Remove(d.Key)
	}
	if n := len(w.lastTurn); n > 5 {
		t.Errorf("%d namespaces are remembered, one of which waits", n)
	}
}

// TestFailuresTakeTurns has departures of one namespace fail, whose taint is older.
func TestFailuresTakeTurns(t *testing.T) {
	var w Queue
	for i := range 5 {
		w.Set(leaves(fmt.Sprintf("broken-%d", i), 0, 100))
	}
	fine := leaves("fine", 0, 10)
	fine.Key.Namespace = "second"
	w.Set(fine)
	first, _, _ := w.Next(start)
	w.Postpone(first.Key, start)
	if next, _, _ := w.Next(start); next.Key != fine.Key {
		t.Errorf("%v is next after a failure, want that of the other namespace", next.Key)
	}
}

func TestPostpone(t *testing.T) {
	var w Queue
	w.Set(leaves("broken", 9, 10))
	w.Set(leaves("fine", 0, 10))
	key, at := leaves("broken", 0, 0).Key, start
	var waits []time.Duration
	for range 8 {
		w.Postpone(key, at)
		if d, found, _ := w.Next(at); !found || d.Key.Name != "fine" {
			t.Fatalf("got %v, want the other one meanwhile", d.Key)
		}
		only := Queue{all: map[types.NamespacedName]Departure{key: w.all[key]}, retries: w.retries}
		_, _, wait := only.Next(at)
		waits, at = append(waits, wait), at.Add(wait)
		if d, found, _ := w.Next(at); !found || d.Key != key {
			t.Fatalf("got %v, want the one that failed again after %v", d.Key, wait)
		}
	}
	if !slices.Equal(waits, []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9, 32e9, 60e9, 60e9}) {
		t.Errorf("waits %v", waits)
	}
	w.Remove(key)
	w.Set(leaves("broken", 9, 10))
	if d, _, _ := w.Next(start); d.Key != key {
		t.Error("what does not fail any more is not postponed")
	}
}

func TestDueNow(t *testing.T) {
	var w Queue
	one, two, late := leaves("one", 0, 1), leaves("two", 0, 1), leaves("late", 0, 1)
	two.Leaves = from(start, "one", "two")
	late.Leaves = from(start.Add(time.Hour), "three")
	for _, d := range []Departure{one, two, late} {
		w.Set(d)
	}
	count, clusters, more := w.DueNow(start)
	if diff := cmp.Diff(map[string]bool{"one": true, "two": true}, clusters); diff != "" || count != 2 || more != time.Hour {
		t.Errorf("got %d and more in %v (-want +got):\n%s", count, more, diff)
	}
}

// BenchmarkNext finds the next of many departures, as before each eviction.
func BenchmarkNext(b *testing.B) {
	for _, n := range []int{50, 500, 5000} {
		b.Run(fmt.Sprintf("waiting=%d", n), func(b *testing.B) {
			var w Queue
			for i := range n {
				w.Set(leaves(fmt.Sprint(i), int32(i%7), i))
			}
			for b.Loop() {
				if _, found, _ := w.Next(start); !found {
					b.Fatal("nothing is due")
				}
			}
		})
	}
}
