// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
)

// report writes the outcome of a customization to its status, and the first failure of
// the active scripts, if there was one.
func report(cr *configv1alpha1.ResourceInterpreterCustomization, o outcome, failure error) {
	cr.Status.ObservedGeneration, cr.Status.ContentHash = cr.Generation, o.hash
	if o.err == nil {
		set(cr, Compiled, metav1.ConditionTrue, cr.Generation, "Compiled", "all scripts compile")
		set(cr, configv1alpha1.ConditionActive, metav1.ConditionTrue, cr.Generation, "Active", "the scripts answer for their kind")
	} else {
		kept := "none of its scripts answer"
		if o.active > 0 {
			kept = fmt.Sprintf("generation %d stays active", o.active)
		}
		set(cr, Compiled, metav1.ConditionFalse, cr.Generation, string(activation.CodeOf(o.err)), o.err.Error())
		set(cr, configv1alpha1.ConditionActive, metav1.ConditionFalse, cr.Generation, "Broken",
			fmt.Sprintf("generation %d is not active, and %s: %v", cr.Generation, kept, o.err))
	}
	old := meta.FindStatusCondition(cr.Status.Conditions, Evaluated)
	switch {
	case failure != nil:
		set(cr, Evaluated, metav1.ConditionFalse, o.active, string(activation.CodeOf(failure)), failure.Error())
	case old != nil && old.ObservedGeneration != o.active:
		// What failed is not active any more. A failure that another process saw, or
		// this one before a restart, stays.
		meta.RemoveStatusCondition(&cr.Status.Conditions, Evaluated)
	}
}

// maxMessage is less than what the API server accepts: a script may raise any text.
const maxMessage = 4000

func set(cr *configv1alpha1.ResourceInterpreterCustomization, kind string, status metav1.ConditionStatus, generation int64, reason, message string) {
	meta.SetStatusCondition(&cr.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: fmt.Sprintf("%.*s", maxMessage, message), ObservedGeneration: generation,
	})
}
