// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
)

var (
	errConflict = errors.New("conflict")
	errCut      = errors.New("the cluster cannot be reached")
)

// plane is the API server of the control plane, and the queues of its controllers.
type plane struct {
	now      time.Time
	b        *workv1alpha2.ResourceBinding
	version  int
	works    map[string]*workv1alpha1.Work
	clusters map[string]*clusterv1alpha1.Cluster

	// queued are the controllers that an event or a timer enqueued, begun those that have
	// read and not written yet. timers enqueue.
	queued map[string]bool
	begun  map[string]*turn
	timers map[string]time.Time
	random *rand.Rand
	// writes counts those since the last event.
	writes int
}

// turn is one reconcile of a controller that has read and decided.
type turn struct {
	// writes are its requests, in their order.
	writes []func() error
	// wait is when it is enqueued again; 0 is never.
	wait time.Duration
}

// same reports whether two values mean the same. Most are equal altogether, which is found
// sooner.
func same(a, b any) bool { return reflect.DeepEqual(a, b) || equality.Semantic.DeepEqual(a, b) }

func (m *run) enqueue(names ...string) {
	for _, name := range names {
		m.queued[name] = true
	}
}

// writeSpec writes all but the status of the binding, unless it was changed since before
// was read; then after has the new version.
func (m *run) writeSpec(before, after *workv1alpha2.ResourceBinding) error {
	if before.ResourceVersion != m.b.ResourceVersion {
		return errConflict
	}
	was := m.b
	respecified := !same(&was.Spec, &after.Spec)
	if !respecified && maps.Equal(was.Annotations, after.Annotations) {
		return nil
	}
	written := after.DeepCopy()
	written.Status = was.Status
	if respecified {
		written.Generation++
	}
	m.store(was, written)
	after.ResourceVersion, after.Generation = m.b.ResourceVersion, m.b.Generation
	return nil
}

// writeStatus writes the status of the binding as writeSpec does the rest.
func (m *run) writeStatus(before, after *workv1alpha2.ResourceBinding) error {
	if before.ResourceVersion != m.b.ResourceVersion {
		return errConflict
	}
	if same(&m.b.Status, &after.Status) {
		return nil
	}
	was := m.b
	written := was.DeepCopy()
	after.Status.DeepCopyInto(&written.Status)
	m.store(was, written)
	m.sawStatus(written)
	after.ResourceVersion = m.b.ResourceVersion
	return nil
}

func (m *run) store(was, written *workv1alpha2.ResourceBinding) {
	m.version++
	m.writes++
	written.ResourceVersion = fmt.Sprint(m.version)
	m.b = written
	if carried := written.Annotations[binding.CarriedStateAnnotation]; carried != was.Annotations[binding.CarriedStateAnnotation] && written.Generation == was.Generation {
		m.note("  carried %s", carried)
	}
	m.onBinding(was, written)
}

// edit is a write of the binding that is tried until it is not outdated.
func (m *run) edit(change func(b *workv1alpha2.ResourceBinding)) {
	after := m.b.DeepCopy()
	change(after)
	if err := m.writeSpec(m.b, after); err != nil {
		m.fail("edit: %v", err)
	}
}

// onBinding enqueues as the watches of the controllers do.
func (m *run) onBinding(was, b *workv1alpha2.ResourceBinding) {
	if was.Generation != b.Generation {
		m.enqueue("status", "scheduling", "rendering", "taints")
		m.sawTargets(was, b)
	}
	if rendering.Concerns(was, b) {
		m.enqueue("rendering")
	}
	_, counting := b.Annotations[binding.UnhealthySinceAnnotation]
	_, failed := b.Annotations[binding.FailedClustersAnnotation]
	if counting || failed || b.Spec.Failover != nil && b.Spec.Failover.Application != nil {
		m.enqueue("failover")
	}
	if binding.IsEvicting(&b.Spec) || b.Annotations[binding.CarriedStateAnnotation] != "" {
		m.enqueue("eviction")
	}
}

// writeWork creates or changes a Work, unless it was changed since before was read. Nil
// stands for a Work that is not there.
func (m *run) writeWork(cluster string, before, after *workv1alpha1.Work) error {
	now := m.works[cluster]
	switch {
	case (now == nil) != (before == nil), now != nil && now.ResourceVersion != before.ResourceVersion:
		return errConflict
	case now == nil && after == nil, now != nil && after != nil && same(now, after):
		return nil
	}
	m.writes++
	if after == nil {
		delete(m.works, cluster)
	} else {
		m.version++
		after = after.DeepCopy()
		after.ResourceVersion = fmt.Sprint(m.version)
		if now == nil || !same(&now.Spec, &after.Spec) {
			after.Generation++
		}
		m.works[cluster] = after
	}
	m.onWork(cluster, now, after)
	return nil
}

func (m *run) onWork(cluster string, was, w *workv1alpha1.Work) {
	gone := was == nil || w == nil
	if gone || was.Generation != w.Generation || was.DeletionTimestamp.IsZero() != w.DeletionTimestamp.IsZero() {
		m.enqueue("rendering", "execution "+cluster)
	}
	if gone || !same(&was.Status, &w.Status) || was.DeletionTimestamp.IsZero() != w.DeletionTimestamp.IsZero() {
		m.enqueue("status")
	}
	if w == nil && (binding.IsEvicting(&m.b.Spec) || m.b.Annotations[binding.CarriedStateAnnotation] != "") {
		m.enqueue("eviction")
	}
	if w != nil && reported(w) && (was == nil || !reported(was)) {
		m.enqueue("member " + cluster)
	}
}

// reported reports whether the current generation of a Work was applied, or could not be, or is
// not to be.
func reported(w *workv1alpha1.Work) bool {
	if *w.Spec.SuspendDispatching {
		return true
	}
	c := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied)
	return c != nil && c.ObservedGeneration == w.Generation
}

// editCluster changes a cluster and enqueues as the watches do.
func (m *run) editCluster(name string, change func(c *clusterv1alpha1.Cluster)) {
	was := m.clusters[name]
	if was == nil {
		return
	}
	c := was.DeepCopy()
	change(c)
	if same(was, c) {
		return
	}
	m.clusters[name] = c
	m.onCluster(was, c)
}

func (m *run) onCluster(was, c *clusterv1alpha1.Cluster) {
	if (placement.Change{Before: was, After: c}).Concerns(&m.b.Spec, &m.b.Status) {
		m.enqueue("scheduling")
	}
	if was == nil || c == nil {
		return
	}
	if isReady(was) != isReady(c) {
		m.enqueue("status")
		if isReady(c) {
			m.enqueue("execution "+c.Name, "member "+c.Name)
		}
	}
	if binding.IsFenced(c) && !binding.IsFenced(was) {
		m.enqueue("rendering")
	}
	if !same(was.Spec.Taints, c.Spec.Taints) {
		m.enqueue("taints")
	}
}

func isReady(c *clusterv1alpha1.Cluster) bool {
	return meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
}

// everyone are all controllers: those with a queue for each cluster once for each.
func everyone() []string {
	all := []string{"status", "failover", "taints", "eviction", "scheduling", "rendering"}
	for _, cluster := range memberNames {
		all = append(all, "probe "+cluster, "execution "+cluster, "member "+cluster)
	}
	return all
}

// restart ends the manager: what it has in memory is gone, and all controllers look at
// everything.
func (m *run) restart() {
	clear(m.begun)
	clear(m.timers)
	m.blockedSince, m.unreadSince = time.Time{}, time.Time{}
	clear(m.trials)
	m.enqueue(everyone()...)
}

// begin has a controller read and decide.
func (m *run) begin(name string) {
	delete(m.queued, name)
	delete(m.timers, name)
	m.begun[name] = m.decide(name)
}

// finish has a controller write the first n of what it decided, all if n is negative. It
// is enqueued again if that fails.
func (m *run) finish(name string, n int) {
	t := m.begun[name]
	delete(m.begun, name)
	for i, write := range t.writes {
		if i == n {
			m.enqueue(name)
			return
		}
		switch err := write(); {
		case errors.Is(err, errCut): // it is enqueued when the cluster is back
			return
		case err != nil:
			m.enqueue(name)
			return
		}
	}
	if t.wait > 0 {
		m.timers[name] = m.now.Add(t.wait)
	}
}

const (
	// most is how many reconciles and writes may follow an event before all is at rest.
	mostTurns, mostWrites = 1000, 150
)

// rest has all controllers take their turns until there is nothing to do.
func (m *run) rest() {
	m.writes = 0
	for turns := 0; m.failure == ""; turns++ {
		waiting := slices.Sorted(maps.Keys(m.queued))
		for name := range m.begun {
			if !m.queued[name] {
				waiting = append(waiting, name)
			}
		}
		if len(waiting) == 0 {
			break
		}
		slices.Sort(waiting)
		if turns > mostTurns || m.writes > mostWrites {
			m.fail("the controllers do not come to rest: %d turns, %d writes, and %s still wait", turns, m.writes, strings.Join(waiting, ", "))
			return
		}
		name := waiting[m.random.IntN(len(waiting))]
		if m.begun[name] == nil {
			m.begin(name)
		}
		m.finish(name, -1)
		m.world.evolve()
	}
	m.atRest()
}

// turbulence has controllers take n steps.
func (m *run) turbulence(n int) {
	for range n {
		m.writes = 0
		queued, begun := slices.Sorted(maps.Keys(m.queued)), slices.Sorted(maps.Keys(m.begun))
		queued = slices.DeleteFunc(queued, func(name string) bool { return m.begun[name] != nil })
		choose := func(names []string) string { return names[m.random.IntN(len(names))] }
		switch what := m.random.IntN(16); {
		case what < 7 && len(queued) > 0:
			m.begin(choose(queued))
		case what < 12 && len(begun) > 0:
			m.finish(choose(begun), -1)
		case what == 12 && len(begun) > 0: // only some of its writes
			m.finish(choose(begun), 1)
		case what == 13 && len(begun) > 0: // none
			m.finish(choose(begun), 0)
		case what == 14: // an event that nothing caused
			m.enqueue(choose(everyone()))
		case what == 15:
			m.note("  the manager ends")
			m.restart()
		}
		m.world.evolve()
	}
}

// pass has time pass. Timers enqueue on the way, and all comes to rest after each.
func (m *run) pass(d time.Duration, rests bool) {
	end := m.now.Add(d)
	for fired := 0; m.failure == ""; fired++ {
		next := end
		for _, at := range m.timers {
			if at.Before(next) {
				next = at
			}
		}
		m.now = next
		due := false
		for name, at := range m.timers {
			if !at.After(next) {
				delete(m.timers, name)
				m.enqueue(name)
				due = true
			}
		}
		if !due {
			break
		}
		if !rests {
			continue
		}
		if fired > 20+int(d/(5*time.Second)) {
			m.fail("timers fired %d times in %s", fired, d)
		}
		m.rest()
	}
	m.now = end
}
