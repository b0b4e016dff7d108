// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
)

// create has a user create a workload.
func (w *world) create() {
	name := fmt.Sprintf("b%d", w.random.IntN(8))
	if w.server[name] != nil || w.cache[name] != nil {
		return
	}
	w.uid++
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: types.UID(fmt.Sprint(w.uid)), Generation: 1}}
	b.ResourceVersion = string(b.UID) + "-1"
	b.Spec.Replicas = int32(1 + w.random.IntN(5))
	b.Spec.Placement = &policyv1alpha1.Placement{ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided}}
	b.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{corev1.ResourceCPU: milli(int64(250 * (1 + w.random.IntN(6))))}}
	b.Spec.SchedulePriority = &workv1alpha2.SchedulePriority{Priority: int32(w.random.IntN(2))}
	w.server[name] = b
	w.behind = append(w.behind, func() { w.cache[name] = b })
}

// remove has the API server delete a workload.
func (w *world) remove() {
	if b := w.anyOf(w.server); b != nil {
		delete(w.server, b.Name)
		w.behind = append(w.behind, func() {
			delete(w.cache, b.Name)
			w.ledger.onBinding().OnDelete(b)
		})
	}
}

// change has a user raise or lower the requests of a workload.
func (w *world) change() {
	b := w.anyOf(w.cache)
	if b == nil {
		return
	}
	cpu := milli(int64(250 * (1 + w.random.IntN(8))))
	w.write("template", b, func(b *workv1alpha2.ResourceBinding) {
		b.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{corev1.ResourceCPU: cpu}}
	})
}

// scale has a user scale a workload, which the scheduler has to follow.
func (w *world) scale() {
	if b := w.anyOf(w.cache); b != nil {
		n := int32(w.random.IntN(7))
		w.write("template", b, func(b *workv1alpha2.ResourceBinding) { b.Spec.Replicas = n })
	}
}

// evict has a cluster fail.
func (w *world) evict() {
	b := w.anyOf(w.server)
	if b == nil || len(b.Spec.Clusters) == 0 {
		return
	}
	if hasEnded(b, "m") && len(b.Spec.GracefulEvictionTasks) > 0 {
		return // what left earlier would count again, and nobody asks for it
	}
	_, _ = w.update(b, func(b *workv1alpha2.ResourceBinding) {
		n := b.Spec.Clusters[0].Replicas
		w.old++
		b.Spec.GracefulEvictionTasks = append(b.Spec.GracefulEvictionTasks, workv1alpha2.GracefulEvictionTask{FromCluster: fmt.Sprint("old", w.old), Replicas: &n})
		b.Spec.Clusters = nil
		for i := range b.Status.AggregatedStatus {
			if item := &b.Status.AggregatedStatus[i]; item.ClusterName == "m" {
				item.ClusterName = fmt.Sprint("old", w.old)
			}
		}
	})
}

// end has a copy end, or run again: a write of the status, which nobody admits. The cache has it
// at once that one runs again, since until then what it uses is given to others.
func (w *world) end() {
	stored := w.anyOf(w.server)
	if stored == nil || len(stored.Spec.Clusters) == 0 {
		return
	}
	b := stored.DeepCopy()
	b.Status.AggregatedStatus = slices.DeleteFunc(b.Status.AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool { return i.ClusterName == "m" })
	b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, workv1alpha2.AggregatedStatusItem{ClusterName: "m", Finished: !hasEnded(stored, "m")})
	w.uid++
	b.ResourceVersion = fmt.Sprint(b.UID, "-", b.Generation, "-", w.uid)
	w.server[b.Name] = b
	w.behind = append(w.behind, func() {
		was := w.cache[b.Name]
		w.cache[b.Name] = b
		w.ledger.onBinding().OnUpdate(was, b)
	})
	if !hasEnded(b, "m") {
		w.catchUp(len(w.behind))
	}
	w.log("%s in m has ended: %t", b.Name, hasEnded(b, "m"))
}

// finish has a failover end.
func (w *world) finish() {
	if b := w.anyOf(w.server); b != nil && len(b.Spec.GracefulEvictionTasks) > 0 && len(b.Spec.Clusters) > 0 {
		_, _ = w.update(b, func(b *workv1alpha2.ResourceBinding) { b.Spec.GracefulEvictionTasks = nil })
	}
}

// limit has an administrator change a quota.
func (w *world) limit() {
	name := slices.Sorted(maps.Keys(w.quotas))[0]
	was, is := w.quotas[name], w.quotas[name].DeepCopy()
	for resource := range is.Spec.Overall {
		is.Spec.Overall[resource] = milli(int64(1000 * (2 + w.random.IntN(12))))
	}
	w.quotas[name] = is
	w.log("the limit is %d", w.hard())
	w.ledger.onQuota().OnUpdate(was, is)
}

// step does one thing at random.
func (w *world) step() {
	w.clock.SetTime(w.clock.Now().Add(time.Second))
	w.catchUp(len(w.behind) - 10) // a ledger relies on a cache that is less than unknownFor behind
	roll := w.random.IntN(100)
	for _, possible := range []struct {
		until int
		do    func()
	}{
		{15, w.create},
		{18, w.remove},
		{26, w.change},
		{38, w.scale},
		{43, w.evict},
		{46, w.finish},
		{49, w.limit},
		{54, w.end},
		{72, func() {
			if b := w.anyOf(w.cache); b != nil {
				w.schedule(b)
			}
		}},
		{90, func() { w.catchUp(1 + w.random.IntN(3)) }},
		{100, w.answer},
	} {
		if roll < possible.until {
			possible.do()
			break
		}
	}
	if used, ok := w.counted(); !ok {
		w.fail("the ledger counts %v, which is less than the %d of the cache", used, recount(w.cache))
	}
}

// answer has the controllers reconcile what was notified or must be tried again.
func (w *world) answer() {
	w.ledger.notifyFreed(w.t.Context())
	again := append(w.notified, slices.Sorted(maps.Keys(w.retried))...)
	w.notified = nil
	for _, name := range again {
		w.reconcile(name)
	}
}

// counted returns what the ledger counts, and whether it has all that the cache has.
func (w *world) counted() (int64, bool) {
	w.ledger.mu.Lock()
	defer w.ledger.mu.Unlock()
	of, err := w.ledger.bindings(w.t.Context(), "team")
	if err != nil {
		w.fail("%v", err)
	}
	sum := of.used.sum()
	return sum.Cpu().MilliValue(), sum.Cpu().MilliValue() >= recount(w.cache)
}

// settle has everything happen that is in progress.
func (w *world) settle() {
	for range 500 {
		w.clock.SetTime(w.clock.Now().Add(2 * unknownFor))
		w.catchUp(len(w.behind))
		for _, do := range w.timers {
			do()
		}
		w.timers = nil
		w.ledger.notifyFreed(w.t.Context())
		if len(w.notified)+len(w.retried) == 0 {
			return
		}
		w.answer()
	}
	w.fail("the controllers do not come to rest")
}

// seeds returns the first n seeds.
func seeds(n uint64) []uint64 {
	all := make([]uint64, n)
	for i := range all {
		all[i] = uint64(i)
	}
	return all
}

// TestHistories runs 1,000 histories of writes that race, get lost, are refused and wait. No
// write that raises the use leads beyond a limit, what is used is always what a recount of the
// model finds, nothing stays reserved, and at the end nothing waits that fits.
func TestHistories(t *testing.T) {
	refused, admitted := 0, 0
	for _, seed := range append(seeds(1000), 5432) { // refused by a version from before its own write
		w := newWorld(t, seed)
		w.history = append(w.history, fmt.Sprint("seed ", seed))
		for range 120 {
			w.step()
		}
		w.settle()
		if len(w.behind) > 0 || len(w.cache) != len(w.server) {
			w.fail("the cache has %d of %d bindings", len(w.cache), len(w.server))
		}
		used, _ := w.counted()
		if want := recount(w.server); used != want {
			w.fail("the ledger counts %d, and a recount %d", used, want)
		}
		if s := w.ledger.spaces["team"]; s != nil {
			if len(s.reserved) > 0 {
				w.fail("%d bindings stay reserved", len(s.reserved))
			}
			limits, _ := w.ledger.limits(t.Context(), "team")
			of, _ := w.ledger.bindings(t.Context(), "team")
			if fits := quota.Admissible(limits, of.used.sum(), s.asks(of.used)); len(fits) > 0 {
				w.fail("%s waits and fits", fits[0].Name)
			}
			refused += len(s.waiting)
		}
		for _, line := range w.history {
			if len(line) > 6 && line[len(line)-5:] == "<nil>" {
				admitted++
			}
		}
	}
	if refused < 100 || admitted < 1000 {
		t.Errorf("%d requests wait at the end and %d were written: the histories try too little", refused, admitted)
	}
}
