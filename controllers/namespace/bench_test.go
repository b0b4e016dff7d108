// SPDX-License-Identifier: Apache-2.0

package namespace

import (
	"fmt"
	"testing"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// BenchmarkWorkEvents handles the events of one more Work in a namespace, among many
// namespaces with ten Works each: the time must not grow with them, and nothing is
// enqueued for a namespace that is in the cluster already.
func BenchmarkWorkEvents(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("namespaces=%d,bindings=%d", n, 10*n), func(b *testing.B) {
			c := &Controller{}
			for i := range 10 * n {
				c.places.add(content("one", fmt.Sprintf("team-%d", i/10), fmt.Sprintf("w-%d", i)))
			}
			q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer q.ShutDown()
			handler, w := c.onWork(), content("one", "team-7", "more")
			for b.Loop() {
				handler.Create(b.Context(), event.CreateEvent{Object: w}, q)
				handler.Update(b.Context(), event.UpdateEvent{ObjectOld: w, ObjectNew: w}, q)
				handler.Delete(b.Context(), event.DeleteEvent{Object: w}, q)
				if clusters := c.places.of("team-7"); len(clusters) != 1 {
					b.Fatalf("the namespace is in %v, want one cluster", clusters)
				}
			}
			if q.Len() != 0 {
				b.Errorf("%d namespaces were enqueued, want none", q.Len())
			}
		})
	}
}
