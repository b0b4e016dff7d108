// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// limited returns a world with one quota of two CPUs.
func limited(t *testing.T) *world {
	w := newWorld(t, 1)
	q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "q"}}
	q.Spec.Overall = corev1.ResourceList{corev1.ResourceCPU: milli(2000)}
	w.quotas = map[string]*policyv1alpha1.FederatedResourceQuota{"q": q}
	return w
}

// cpus returns a binding that wants replicas of one CPU each, of which some are placed.
func cpus(name string, uid types.UID, replicas, placed int32) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, UID: uid}}
	b.Spec.Replicas = replicas
	b.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{corev1.ResourceCPU: milli(1000)}}
	if placed > 0 {
		b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "m", Replicas: placed}}
	}
	return b
}

// place asks for all replicas of a binding in one cluster.
func place(w *world, b *workv1alpha2.ResourceBinding) (notified *bool, err error) {
	notified = new(bool)
	after := cpus(b.Name, b.UID, b.Spec.Replicas, b.Spec.Replicas)
	admission, err := w.ledger.Admit(w.t.Context(), Request{Consumer: "scheduling", Binding: b, After: after, Notify: func() { *notified = true }})
	admission.Drop()
	return notified, err
}

// TestAWaitEndsWithItsBinding has a request be refused that was read before its binding was deleted,
// and another one come once there is room.
func TestAWaitEndsWithItsBinding(t *testing.T) {
	leaving := cpus("gone", "1", 2, 0)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	for _, tc := range []struct {
		reason string
		cached *workv1alpha2.ResourceBinding
		waits  bool
	}{
		{"its binding is gone", nil, false},
		{"its binding is being deleted", leaving, false},
		{"another binding has its name", cpus("gone", "2", 2, 0), false},
		{"its binding is there", cpus("gone", "1", 2, 0), true},
	} {
		w := limited(t)
		gone, runs, late := cpus("gone", "1", 2, 0), cpus("runs", "3", 2, 2), cpus("late", "4", 1, 0)
		w.cache = map[string]*workv1alpha2.ResourceBinding{"runs": runs, "late": late}
		w.ledger.onBinding().DeleteFunc(gone)
		if _, err := place(w, gone); err == nil {
			t.Fatalf("%s: two CPUs are admitted beside the two that run", tc.reason)
		}
		if tc.cached != nil {
			w.cache["gone"] = tc.cached
		}
		delete(w.cache, "runs")
		w.ledger.onBinding().DeleteFunc(runs)
		if _, err := place(w, late); (err != nil) != tc.waits {
			t.Errorf("%s: what comes behind it gets %v", tc.reason, err)
		}
	}
}

// TestWhoWaitsIsNotifiedBehindWhatIsGone has room come for both a request whose binding is gone and one
// behind it.
func TestWhoWaitsIsNotifiedBehindWhatIsGone(t *testing.T) {
	w := limited(t)
	gone, runs, late := cpus("gone", "1", 2, 0), cpus("runs", "3", 2, 2), cpus("late", "4", 1, 0)
	w.cache = map[string]*workv1alpha2.ResourceBinding{"runs": runs, "late": late}
	w.ledger.onBinding().DeleteFunc(gone)
	ghost, err := place(w, gone)
	if err == nil {
		t.Fatal("two CPUs are admitted beside the two that run")
	}
	waits, err := place(w, late)
	if err == nil {
		t.Fatal("one CPU is admitted beside the two that run")
	}
	delete(w.cache, "runs")
	w.ledger.onBinding().DeleteFunc(runs)
	w.ledger.notifyFreed(t.Context())
	if *ghost || !*waits {
		t.Errorf("notified: what is gone %t, what waits %t", *ghost, *waits)
	}
}

// failing fails lists while it says so.
type failing struct {
	*world
	fails bool
}

func (f *failing) List(ctx context.Context, list client.ObjectList, o ...client.ListOption) error {
	if f.fails {
		return errors.New("the cache has ended")
	}
	return f.world.List(ctx, list, o...)
}

// TestAFailedListLosesNoNotification has room come while nothing can be counted.
func TestAFailedListLosesNoNotification(t *testing.T) {
	w := limited(t)
	runs, late := cpus("runs", "3", 2, 2), cpus("late", "4", 1, 0)
	w.cache = map[string]*workv1alpha2.ResourceBinding{"runs": runs, "late": late}
	waits, err := place(w, late)
	if err == nil {
		t.Fatal("one CPU is admitted beside the two that run")
	}
	f := &failing{w, true}
	w.ledger.reader = f
	delete(w.cache, "runs")
	w.ledger.onBinding().DeleteFunc(runs)
	w.ledger.notifyFreed(t.Context())
	if *waits {
		t.Fatal("notified without a count")
	}
	f.fails = false
	timers := slices.Clone(w.timers)
	w.timers = nil
	for _, do := range timers {
		do()
	}
	w.ledger.notifyFreed(t.Context())
	if !*waits {
		t.Error("what waits is not notified, though there is room")
	}
}
