// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/api/names"
)

func TestAwaited(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	work := func(name string) types.NamespacedName {
		return types.NamespacedName{Namespace: names.ExecutionSpace("one"), Name: name}
	}
	var a awaited
	due := func(after time.Duration) (bool, time.Duration) { return a.isDue("one", start.Add(after)) }
	expect := func(after time.Duration, want bool, wait time.Duration, reason string) {
		t.Helper()
		if got, left := due(after); got != want || left != wait {
			t.Errorf("after %v: due %v in %v, want %v in %v: %s", after, got, left, want, wait, reason)
		}
	}
	expect(0, true, 0, "this process has not counted it")
	if _, ok := a.arrived(work("web")); ok {
		t.Error("a Work of a cluster that is not known wakes it up")
	}
	a.begin("one", start)
	a.end("one", []Orphan{{Work: "web"}, {Work: "db"}})
	expect(time.Hour, false, 0, "nothing came")
	if _, ok := a.arrived(work("other")); ok {
		t.Error("a Work that no orphan was written for wakes the cluster up")
	}
	expect(time.Hour, false, 0, "what came was not awaited")
	if cluster, ok := a.arrived(work("web")); !ok || cluster != "one" {
		t.Errorf("the Work of an orphan wakes up %q, %v; want its cluster", cluster, ok)
	}
	expect(Grace/2, false, Grace/2, "others follow")
	expect(Grace, true, 0, "a Work came")
	a.begin("one", start.Add(Grace))
	if _, ok := a.arrived(work("any")); !ok {
		t.Error("a Work that is created during the count is overlooked")
	}
	a.end("one", []Orphan{{Work: "db"}})
	expect(2*Grace, true, 0, "a Work came during the count")
	a.forget("one")
	expect(0, true, 0, "the cluster is gone")
}
