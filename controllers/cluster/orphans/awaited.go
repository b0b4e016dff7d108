// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
)

// awaited remembers the Works that orphans were written for: when one is created, its template
// was applied again, and the object is an orphan no longer. It is safe for many goroutines; the
// zero value is ready.
type awaited struct {
	mu  sync.Mutex
	all map[string]*count // by execution namespace
}

// count is what was counted in one cluster.
type count struct {
	cluster string
	at      time.Time
	// works are the Works of the orphans; nil while they are counted, when any Work may be.
	works sets.Set[string]
	// outdated is whether one of these Works was created since.
	outdated bool
}

// begin notes that a cluster is counted.
func (a *awaited) begin(cluster string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[string]*count{}
	}
	a.all[names.ExecutionSpace(cluster)] = &count{cluster: cluster, at: now}
}

// end notes what was found.
func (a *awaited) end(cluster string, found []Orphan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	space := names.ExecutionSpace(cluster)
	c := a.all[space]
	if c == nil || len(found) == 0 {
		delete(a.all, space)
		return
	}
	c.works = sets.Set[string]{}
	for _, o := range found {
		c.works.Insert(o.Work)
	}
}

// forget notes that a cluster is gone.
func (a *awaited) forget(cluster string) { a.end(cluster, nil) }

// isDue reports whether a cluster in which orphans were found is to be counted again, and if
// not yet, after which time; never is 0. One that this process has not counted is due.
func (a *awaited) isDue(cluster string, now time.Time) (bool, time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.all[names.ExecutionSpace(cluster)]
	if c == nil || c.works == nil {
		return true, 0
	}
	if !c.outdated {
		return false, 0
	}
	wait := c.at.Add(Grace).Sub(now)
	return wait <= 0, max(wait, 0)
}

// arrived notes that a Work was created, and returns the cluster that is to be counted again.
func (a *awaited) arrived(work types.NamespacedName) (cluster string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.all[work.Namespace]
	if c == nil || c.works != nil && !c.works.Has(work.Name) {
		return "", false
	}
	c.outdated = true
	return c.cluster, true
}

// onWork enqueues the cluster of a Work that is awaited, after a while, since others follow.
func (a *awaited) onWork() handler.EventHandler {
	return handler.Funcs{CreateFunc: func(_ context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		if cluster, ok := a.arrived(types.NamespacedName{Namespace: e.Object.GetNamespace(), Name: e.Object.GetName()}); ok {
			q.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Name: cluster}}, Grace)
		}
	}}
}
