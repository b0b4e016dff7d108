// SPDX-License-Identifier: Apache-2.0

package quotas

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// TestLedgerIsSafeForManyGoroutines has workers admit and write while events of the same
// bindings come and requests that wait are notified.
func TestLedgerIsSafeForManyGoroutines(t *testing.T) {
	q := &policyv1alpha1.FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "q"}}
	q.Spec.Overall = corev1.ResourceList{corev1.ResourceCPU: milli(3000)}
	w := &world{quotas: map[string]*policyv1alpha1.FederatedResourceQuota{"q": q}}
	ledger, err := New(w, clock.RealClock{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ledger.later = func(_ time.Duration, do func()) { go do() }
	events, quotaEvents := ledger.onBinding(), ledger.onQuota()
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for round := range 100 {
				b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{
					Namespace: "team", Name: fmt.Sprint((g + round) % 3), UID: types.UID(fmt.Sprint(g)), Generation: int64(round),
				}}
				after := b.DeepCopy()
				after.Generation++
				after.Spec.Replicas = 1
				after.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{corev1.ResourceCPU: milli(1000)}}
				after.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "one", Replicas: 1}}
				r, err := ledger.Admit(t.Context(), Request{Consumer: fmt.Sprint(g), Binding: b, After: after, Notify: func() {}})
				switch {
				case err != nil:
					ledger.Leave(fmt.Sprint(g), types.NamespacedName{Namespace: "team", Name: b.Name})
				case round%3 == 0:
					r.Drop()
				case round%3 == 1:
					r.Done(after, nil)
				default:
					r.Done(nil, errors.New("the answer was lost"))
				}
				events.UpdateFunc(b, after)
				quotaEvents.UpdateFunc(q, &policyv1alpha1.FederatedResourceQuota{ObjectMeta: q.ObjectMeta})
				if round%10 == 0 {
					events.DeleteFunc(after)
				}
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-ledger.wake:
				ledger.notifyFreed(ctx)
			}
		}
	}()
	wait.Wait()
}
