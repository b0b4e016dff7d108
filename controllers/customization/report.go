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
	// Shadowed: other customizations answer for all scripts.
	Shadowed = "Shadowed"
	// PartlyShadowed: other customizations answer for some scripts.
	PartlyShadowed = "PartlyShadowed"
	// Empty: there are no scripts.
	Empty = "Empty"
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
		status, reason, message := o.share.active()
		set(cr, configv1alpha1.ConditionActive, status, cr.Generation, reason, message)
	case errors.As(o.err, &over):
		set(cr, Compiled, metav1.ConditionUnknown, cr.Generation, OverBudget, o.err.Error())
		set(cr, configv1alpha1.ConditionActive, metav1.ConditionFalse, cr.Generation, OverBudget,
			fmt.Sprintf("generation %d is not active, and %s: %v", cr.Generation, o.kept(), o.err))
	default:
		set(cr, Compiled, metav1.ConditionFalse, cr.Generation, string(activation.CodeOf(o.err)), o.err.Error())
		set(cr, configv1alpha1.ConditionActive, metav1.ConditionFalse, cr.Generation, Broken,
			fmt.Sprintf("generation %d is not active, and %s: %v", cr.Generation, o.kept(), o.err))
	}
	ready := *meta.FindStatusCondition(cr.Status.Conditions, configv1alpha1.ConditionActive)
	ready.Type = configv1alpha1.ConditionReady
	meta.SetStatusCondition(&cr.Status.Conditions, ready)
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

// active returns the condition Active of scripts that compile.
func (s share) active() (status metav1.ConditionStatus, reason, message string) {
	switch {
	case s.all == 0:
		return metav1.ConditionFalse, Empty, "there are no scripts, so that it answers nothing; add some below spec.customizations"
	case len(s.shadowed) == s.all:
		return metav1.ConditionFalse, Shadowed, "it answers nothing: " + s.String() + ", since the first by name answers"
	case len(s.shadowed) > 0:
		return metav1.ConditionTrue, PartlyShadowed, "the other scripts answer for their kind; " + s.String() + ", since the first by name answers"
	}
	return metav1.ConditionTrue, "Active", "the scripts answer for their kind"
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
