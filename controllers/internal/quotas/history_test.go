// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/quota"
)

// world is an API server with a cache that lags behind it, and the controllers that write
// through a ledger, as a model: everything is in milli-CPU.
type world struct {
	t      testing.TB
	random *rand.Rand
	clock  *clocktesting.FakePassiveClock
	ledger *Ledger

	server map[string]*workv1alpha2.ResourceBinding
	cache  map[string]*workv1alpha2.ResourceBinding
	quotas map[string]*policyv1alpha1.FederatedResourceQuota
	// behind are the events that the cache does not have yet.
	behind []func()
	// notified are the requests that the ledger said fit.
	notified []string
	// retried are writes whose outcome was not known: their controllers reconcile again.
	retried map[string]bool
	timers  []func()
	history []string
	uid     int
	// old is how many clusters have failed.
	old int
}

// List implements client.Reader by the cache.
func (w *world) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch list := list.(type) {
	case *workv1alpha2.ResourceBindingList:
		for _, b := range w.cache {
			list.Items = append(list.Items, *b)
		}
	case *policyv1alpha1.FederatedResourceQuotaList:
		for _, q := range w.quotas {
			list.Items = append(list.Items, *q)
		}
	}
	return nil
}

// Get implements client.Reader.
func (w *world) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errors.New("nothing is read by its name")
}

func newWorld(t testing.TB, seed uint64) *world {
	w := &world{
		t: t, random: rand.New(rand.NewPCG(seed, 1)), clock: clocktesting.NewFakePassiveClock(time.Unix(0, 0)),
		server: map[string]*workv1alpha2.ResourceBinding{}, cache: map[string]*workv1alpha2.ResourceBinding{},
		quotas: map[string]*policyv1alpha1.FederatedResourceQuota{}, retried: map[string]bool{},
	}
	var err error
	if w.ledger, err = New(w, w.clock, nil); err != nil {
		t.Fatal(err)
	}
	w.ledger.later = func(_ time.Duration, do func()) { w.timers = append(w.timers, do) }
	for i := range 1 + w.random.IntN(2) {
		name := fmt.Sprintf("q%d", i)
		q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
		resource := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceRequestsCPU}[w.random.IntN(2)]
		q.Spec.Overall = corev1.ResourceList{resource: milli(int64(1000 * (2 + w.random.IntN(12))))}
		w.quotas[name] = q
	}
	return w
}

func milli(n int64) resource.Quantity { return *resource.NewMilliQuantity(n, resource.DecimalSI) }

func (w *world) log(format string, args ...any) {
	w.history = append(w.history, fmt.Sprintf(format, args...))
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	for _, line := range w.history {
		w.t.Log(line)
	}
	w.t.Fatalf(format, args...)
}

// granted is an annotation of the model: how many replicas the scheduler placed at last.
const granted = "model/granted"

// recount is what bindings use by what this model means by it, in milli-CPU: of each, the
// replicas that are placed, or that leave and have no other place yet, and have not ended.
func recount(bindings map[string]*workv1alpha2.ResourceBinding) int64 {
	sum := int64(0)
	for _, b := range bindings {
		replicas, leaves := 0, 0
		for _, c := range b.Spec.Clusters {
			replicas += int(c.Replicas)
		}
		for _, task := range b.Spec.GracefulEvictionTasks {
			if !hasEnded(b, task.FromCluster) {
				leaves += int(*task.Replicas)
			}
		}
		most := int(b.Spec.Replicas)
		if n, is := b.Annotations[granted]; is {
			admitted, _ := strconv.Atoi(n)
			most = min(most, admitted)
		}
		for leaves > 0 && replicas < most {
			leaves, replicas = leaves-1, replicas+1
		}
		for _, c := range b.Spec.Clusters {
			if hasEnded(b, c.Name) {
				replicas -= int(c.Replicas)
			}
		}
		sum += int64(replicas) * b.Spec.ReplicaRequirements.ResourceRequest.Cpu().MilliValue()
	}
	return sum
}

func hasEnded(b *workv1alpha2.ResourceBinding, cluster string) bool {
	return slices.ContainsFunc(b.Status.AggregatedStatus, func(i workv1alpha2.AggregatedStatusItem) bool { return i.ClusterName == cluster && i.Finished })
}

// hard returns the smallest limit of all quotas, in milli-CPU; both names are the same.
func (w *world) hard() int64 {
	least := int64(1 << 40)
	for _, q := range w.quotas {
		for _, limit := range q.Spec.Overall {
			least = min(least, limit.MilliValue())
		}
	}
	return least
}

// update has the server store a version of a binding if nobody else wrote it since, and the
// cache get it later.
func (w *world) update(read *workv1alpha2.ResourceBinding, change func(*workv1alpha2.ResourceBinding)) (*workv1alpha2.ResourceBinding, error) {
	stored := w.server[read.Name]
	if stored == nil || stored.ResourceVersion != read.ResourceVersion {
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "resourcebindings"}, read.Name, errors.New("changed"))
	}
	before, b := recount(w.server), stored.DeepCopy()
	change(b)
	b.Generation++
	b.ResourceVersion = fmt.Sprint(b.UID, "-", b.Generation)
	w.server[b.Name] = b
	if after := recount(w.server); after > before && after > w.hard() {
		w.fail("a write of %s raised the use from %d to %d, over the limit of %d", b.Name, before, after, w.hard())
	}
	w.behind = append(w.behind, func() {
		was := w.cache[b.Name]
		w.cache[b.Name] = b
		w.ledger.onBinding().OnUpdate(was, b)
	})
	return b, nil
}

// write has a controller write a change if the quotas admit it.
func (w *world) write(consumer string, read *workv1alpha2.ResourceBinding, change func(*workv1alpha2.ResourceBinding)) (refused bool) {
	after := read.DeepCopy()
	change(after)
	name := consumer + " " + read.Name
	delete(w.retried, name)
	admission, err := w.ledger.Admit(w.t.Context(), Request{
		Consumer: consumer, Binding: read, After: after, Notify: func() { w.notified = append(w.notified, name) },
	})
	if err != nil {
		w.log("%s: refused: %v", name, err)
		return true
	}
	switch lost := w.random.IntN(12); {
	case lost == 0: // the answer is lost, and the write was made
		_, _ = w.update(read, change)
		err = errors.New("timeout")
		w.retried[name] = true
	case lost == 1: // the request is lost
		err = errors.New("timeout")
		w.retried[name] = true
	default:
		var written *workv1alpha2.ResourceBinding
		if written, err = w.update(read, change); err == nil {
			read = written
		}
	}
	w.log("%s: wrote: %v", name, err)
	admission.Done(read, err)
	if apierrors.IsConflict(err) {
		w.retried[name] = true
	}
	return false
}

// put places replicas in one cluster, as the scheduler does.
func put(n int32) func(*workv1alpha2.ResourceBinding) {
	return func(b *workv1alpha2.ResourceBinding) {
		b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "m", Replicas: n}}
		quota.Record(b)
		b.Annotations = maps.Clone(b.Annotations)
		if b.Annotations == nil {
			b.Annotations = map[string]string{}
		}
		b.Annotations[granted] = fmt.Sprint(n)
	}
}

// schedule is the scheduler: it places what is wanted in one cluster, or if that is refused, what
// was admitted.
func (w *world) schedule(b *workv1alpha2.ResourceBinding) {
	placed := int32(0)
	for _, c := range b.Spec.Clusters {
		placed += c.Replicas
	}
	if placed == b.Spec.Replicas {
		w.ledger.Leave("scheduling", client.ObjectKeyFromObject(b))
		delete(w.retried, "scheduling "+b.Name)
		return
	}
	if !w.write("scheduling", b, put(b.Spec.Replicas)) {
		return
	}
	if within := quota.DividedWithin(b); within > 0 && within != placed {
		written, err := w.update(b, put(within))
		w.log("scheduling %s: wrote %d: %v", b.Name, within, err)
		if err == nil && recount(map[string]*workv1alpha2.ResourceBinding{"": written}) > recount(map[string]*workv1alpha2.ResourceBinding{"": b}) {
			w.fail("%s uses more though it was refused", b.Name)
		}
	}
}

// reconcile has a controller reconcile as it does after a notification or an error: by what the
// cache has once it has caught up with that binding.
func (w *world) reconcile(name string) {
	w.catchUp(len(w.behind))
	var consumer, of string
	_, _ = fmt.Sscan(name, &consumer, &of)
	b := w.cache[of]
	switch {
	case b == nil:
		delete(w.retried, name)
	case consumer == "scheduling":
		w.schedule(b)
	default: // the user has changed the mind
		delete(w.retried, name)
		w.ledger.Leave(consumer, client.ObjectKeyFromObject(b))
	}
}

// catchUp has the cache get the next events.
func (w *world) catchUp(n int) {
	for range min(n, len(w.behind)) {
		next := w.behind[0]
		w.behind = w.behind[1:]
		next()
	}
}

// anyOf returns one of the bindings; nil if there is none.
func (w *world) anyOf(bindings map[string]*workv1alpha2.ResourceBinding) *workv1alpha2.ResourceBinding {
	if len(bindings) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(bindings))
	return bindings[names[w.random.IntN(len(names))]]
}

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
	of, err := w.ledger.usages(w.t.Context(), "team")
	if err != nil {
		w.fail("%v", err)
	}
	sum := of.sum()
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
			of, _ := w.ledger.usages(t.Context(), "team")
			if fits := quota.Admissible(limits, of.sum(), s.asks(of)); len(fits) > 0 {
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
