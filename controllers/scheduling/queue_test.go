// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/test/fixture/site"
)

// prioritized returns a binding of a priority.
func prioritized(name string, priority int32) *workv1alpha2.ResourceBinding {
	b := site.Packed(name, 1)
	b.Labels = map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "policy"}
	b.Spec.SchedulePriority = &workv1alpha2.SchedulePriority{Priority: priority}
	return b
}

// TestOrder has all bindings wait, and takes them from the queue of a controller.
func TestOrder(t *testing.T) {
	q := priorityqueue.New[reconcile.Request](t.Name())
	defer q.ShutDown()
	c := New[*workv1alpha2.ResourceBinding](base.Deps{}, &schedule.Assumptions{})
	h := c.onBinding()
	created := func(b *workv1alpha2.ResourceBinding, start bool) {
		h.Create(t.Context(), event.CreateEvent{Object: b, IsInInitialList: start}, q)
	}
	created(prioritized("start", 1000), true)
	created(prioritized("negative", -2_000_000_000), false)
	created(site.Packed("none", 1), false)
	created(prioritized("low", 10), false)
	changed := prioritized("high", 1000)
	changed.Generation = 2
	h.Update(t.Context(), event.UpdateEvent{ObjectOld: prioritized("high", 1000), ObjectNew: changed}, q)
	h.Update(t.Context(), event.UpdateEvent{ObjectOld: prioritized("status", 1000), ObjectNew: prioritized("status", 1000)}, q)
	h.Update(t.Context(), event.UpdateEvent{ObjectOld: site.Packed("claimed", 1), ObjectNew: prioritized("claimed", 5)}, q)

	var got []string
	for range q.Len() {
		r, priority, _ := q.GetWithPriority()
		if (priority <= handler.LowPriority) != (r.Name == "start") {
			t.Errorf("%s waits with priority %d: only the backlog of a start may have %d", r.Name, priority, handler.LowPriority)
		}
		got = append(got, r.Name)
	}
	if diff := cmp.Diff([]string{"high", "low", "claimed", "none", "negative", "start"}, got); diff != "" {
		t.Errorf("the highest class first, the backlog last, and not what only has another status (-want +got):\n%s", diff)
	}
}
