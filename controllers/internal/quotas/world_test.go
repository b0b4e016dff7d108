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
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
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
