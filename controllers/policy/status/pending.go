// SPDX-License-Identifier: Apache-2.0

package status

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// waits reports whether the write of a status can wait for the outcome: it is not decided, or no template was
// claimed yet, and nobody takes what is written for an outcome that is well.
func waits(written, next *policyv1alpha1.PropagationStatus) bool {
	ready := meta.FindStatusCondition(next.Conditions, policyv1alpha1.Ready)
	if written.ObservedGeneration != next.ObservedGeneration {
		return ready.Status == metav1.ConditionUnknown || ready.Reason == policyv1alpha1.NoTemplateReason
	}
	return ready.Status == metav1.ConditionUnknown && !meta.IsStatusConditionTrue(written.Conditions, policyv1alpha1.Ready)
}

// pending are policies whose status waits to be written. It is safe for many goroutines; the zero value is
// empty.
type pending struct {
	since memory.Of[types.NamespacedName, time.Time]
}

// left returns for how long the status of a policy waits yet.
func (p *pending) left(key types.NamespacedName, now time.Time) time.Duration {
	left := Pending
	p.since.Update(key, func(since time.Time, ok bool) (time.Time, bool) {
		if !ok {
			since = now
		}
		left -= now.Sub(since)
		return since, true
	})
	return left
}

// end notes that the status of a policy does not wait.
func (p *pending) end(key types.NamespacedName) { p.since.Forget(key) }
