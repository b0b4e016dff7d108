// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/engine"
)

// The reasons of the conditions beside the codes of scripts.
const (
	// Pending: the scripts wait to be compiled.
	Pending = "Pending"
	// OverBudget: the programs of the scripts do not fit into the memory for programs.
	OverBudget = "OverBudget"
	// Broken: the scripts do not compile.
	Broken = "Broken"
)

// report writes the outcome of a customization to its status, and the first failure of
// the active scripts, if there was one.
func report(cr *configv1alpha1.ResourceInterpreterCustomization, o outcome, failure error) {
	cr.Status.ObservedGeneration, cr.Status.ContentHash = cr.Generation, o.hash
	var over *engine.OverBudgetError
	switch {
	case o.generation != cr.Generation:
		set(cr, Compiled, metav1.ConditionUnknown, cr.Generation, Pending, fmt.Sprintf("generation %d is not compiled yet", cr.Generation))
		set(cr, configv1alpha1.ConditionActive, metav1.ConditionUnknown, cr.Generation, Pending,
			fmt.Sprintf("generation %d is not compiled yet, and %s", cr.Generation, o.kept()))
	case o.err == nil:
		set(cr, Compiled, metav1.ConditionTrue, cr.Generation, "Compiled", "all scripts compile")
		set(cr, configv1alpha1.ConditionActive, metav1.ConditionTrue, cr.Generation, "Active", "the scripts answer for their kind")
	case errors.As(o.err, &over):
		set(cr, Compiled, metav1.ConditionUnknown, cr.Generation, OverBudget, o.err.Error())
		set(cr, configv1alpha1.ConditionActive, metav1.ConditionFalse, cr.Generation, OverBudget,
			fmt.Sprintf("generation %d is not active, and %s: %v", cr.Generation, o.kept(), o.err))
	default:
		set(cr, Compiled, metav1.ConditionFalse, cr.Generation, string(activation.CodeOf(o.err)), o.err.Error())
		set(cr, configv1alpha1.ConditionActive, metav1.ConditionFalse, cr.Generation, Broken,
			fmt.Sprintf("generation %d is not active, and %s: %v", cr.Generation, o.kept(), o.err))
	}
	old := meta.FindStatusCondition(cr.Status.Conditions, Evaluated)
	switch {
	case o.generation != cr.Generation && o.active == 0:
		// Nothing answers yet, so that nothing is known but what was before a restart.
	case failure != nil:
		set(cr, Evaluated, metav1.ConditionFalse, o.active, string(activation.CodeOf(failure)), failure.Error())
	case old != nil && old.ObservedGeneration != o.active:
		// What failed is not active any more. A failure that another process saw, or
		// this one before a restart, stays.
		meta.RemoveStatusCondition(&cr.Status.Conditions, Evaluated)
	}
}

// kept returns what answers as long as a generation does not.
func (o outcome) kept() string {
	switch {
	case o.active > 0:
		return fmt.Sprintf("generation %d stays active", o.active)
	case o.pending:
		return "its operations answer with an error until it is"
	}
	return "none of its scripts answer"
}

// maxMessage is less than what the API server accepts: a script may raise any text.
const maxMessage = 4000

func set(cr *configv1alpha1.ResourceInterpreterCustomization, kind string, status metav1.ConditionStatus, generation int64, reason, message string) {
	meta.SetStatusCondition(&cr.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: fmt.Sprintf("%.*s", maxMessage, message), ObservedGeneration: generation,
	})
}
