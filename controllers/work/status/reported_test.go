// SPDX-License-Identifier: Apache-2.0

package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

func TestReported(t *testing.T) {
	fresh := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	applied := fresh.DeepCopy()
	applied.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue, ObservedGeneration: 1}}
	p := reported()
	if p.Create(event.CreateEvent{Object: fresh}) {
		t.Error("a new Work is reconciled before it is applied, and has nothing to reflect")
	}
	if !p.Create(event.CreateEvent{Object: applied}) {
		t.Error("a restart does not reconcile what was applied before")
	}
	if !p.Update(event.UpdateEvent{ObjectOld: fresh, ObjectNew: applied}) {
		t.Error("a Work is not reconciled once it is applied")
	}
	if p.Update(event.UpdateEvent{ObjectOld: applied, ObjectNew: applied}) {
		t.Error("each write of a Work reconciles it")
	}
}
