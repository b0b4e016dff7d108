// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestSlow has Works of two classes become slow, and one class recover.
func TestSlow(t *testing.T) {
	work := func(name string) types.NamespacedName {
		return types.NamespacedName{Namespace: "karmada-es-one", Name: name}
	}
	jobs := class{cluster: "one", namespace: "space", kind: schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}}
	maps := class{cluster: "one", namespace: "space", kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}}
	var (
		s     slow
		moved []string
	)
	s.move = func(requests ...reconcile.Request) {
		for _, r := range requests {
			moved = append(moved, r.Name)
		}
	}
	groups := func() string {
		var all []string
		for _, name := range []string{"a", "b", "c"} {
			all = append(all, fmt.Sprintf("%s:%t", name, s.group(reconcile.Request{NamespacedName: work(name)}) != "karmada-es-one"))
		}
		return fmt.Sprint(all)
	}
	expect := func(reason, want string, wantMoved ...string) {
		t.Helper()
		slices.Sort(moved)
		if got := groups(); got != want || !slices.Equal(moved, wantMoved) {
			t.Errorf("%s: slow are %s, moved %q; want %s and %q", reason, got, moved, want, wantMoved)
		}
		moved = nil
	}
	expect("nothing is slow", "[a:false b:false c:false]")
	if s.any("one") || s.joins(work("a"), jobs) {
		t.Error("something is slow before anything was")
	}
	s.add(work("a"), jobs)
	s.add(work("c"), maps)
	expect("two took long", "[a:true b:false c:true]", "a", "c")
	if !s.any("one") || s.any("two") {
		t.Error("slow is a cluster that is not, or is not one that is")
	}
	if !s.joins(work("b"), jobs) || s.joins(work("b"), jobs) || s.joins(work("a"), jobs) {
		t.Error("a Work joins those like it once")
	}
	expect("one is like them", "[a:true b:true c:true]", "b")
	s.drop(jobs)
	expect("a write was quick", "[a:false b:false c:true]", "a", "b")
	s.forget(work("c"))
	expect("the Work ended", "[a:false b:false c:false]")
	if s.any("one") || len(s.works)+len(s.classes) != 0 {
		t.Errorf("%d Works and %d classes are left", len(s.works), len(s.classes))
	}
}
