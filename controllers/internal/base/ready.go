// SPDX-License-Identifier: Apache-2.0

package base

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
)

// SetReady writes the condition Ready of a ScriptBundle: that of the first stage that is not True, or
// that of Active. In the mode Shadow nothing need be active. It is Unknown while a stage is of an
// earlier generation, or the revision that was fetched last is not the one that answers.
func SetReady(b *interpreterv1alpha1.ScriptBundle) {
	pending := metav1.Condition{Status: metav1.ConditionUnknown, Reason: "Pending", Message: "not all stages were reached"}
	ready := pending
	for _, stage := range []string{
		interpreterv1alpha1.ConditionFetched, interpreterv1alpha1.ConditionVerified, interpreterv1alpha1.ConditionCompiled,
		interpreterv1alpha1.ConditionChecked, interpreterv1alpha1.ConditionSmokeTested, interpreterv1alpha1.ConditionActive,
	} {
		c := meta.FindStatusCondition(b.Status.Conditions, stage)
		if c == nil {
			continue
		}
		ready = *c
		if c.ObservedGeneration != b.Generation {
			ready = pending
		}
		if ready.Status != metav1.ConditionTrue {
			break
		}
	}
	wanted, active := b.Status.Wanted, b.Status.Active
	switch shadow := b.Spec.Mode == interpreterv1alpha1.ModeShadow; {
	case shadow && ready.Type == interpreterv1alpha1.ConditionActive:
		ready.Status = metav1.ConditionTrue
	case !shadow && ready.Status == metav1.ConditionTrue && (wanted == nil || active == nil || wanted.Revision != active.Revision):
		ready = pending
	}
	ready.Type, ready.ObservedGeneration, ready.LastTransitionTime = interpreterv1alpha1.ConditionReady, b.Generation, metav1.Time{}
	meta.SetStatusCondition(&b.Status.Conditions, ready)
}
