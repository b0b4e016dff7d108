// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
)

// outcome is what became of the spec of a ScriptBundle. The zero value is one that the control plane
// has not dealt with yet.
type outcome struct {
	// done is set where it is as the spec says: what the source has answers, or in the mode Shadow is
	// evaluated.
	done bool
	// refusal is why it is not, and will not be without another spec or another source; "" for none.
	refusal string
}

// outcomeOf returns what became of the spec of a ScriptBundle, by the conditions that are about its
// generation. of is a revision that the source is known to have although it could not be read since
// the spec was written; see unchangedSource.
//
// A source that cannot be read is no refusal once it was read for this generation: a registry may be
// away for a while, and what it had answers. Before that the revision that answers is of another
// source.
func outcomeOf(b *interpreterv1alpha1.ScriptBundle, of string) outcome {
	fetched, verified := currentCondition(b, interpreterv1alpha1.ConditionFetched), currentCondition(b, interpreterv1alpha1.ConditionVerified)
	condition := currentCondition(b, interpreterv1alpha1.ConditionActive)
	done, known := isWantedActive(b), verified.Status == metav1.ConditionTrue
	if b.Spec.Mode == interpreterv1alpha1.ModeShadow {
		condition, done = currentCondition(b, interpreterv1alpha1.ConditionShadowed), isWantedEvaluated(b)
	} else {
		known = known || of != "" && revisionOf(b.Status.Wanted) == of
	}
	switch {
	case verified.Status == metav1.ConditionFalse:
		return outcome{refusal: conditionMessage(verified)}
	case fetched.Status == metav1.ConditionFalse && !known:
		return outcome{refusal: conditionMessage(fetched)}
	case condition.Status == metav1.ConditionFalse:
		return outcome{refusal: conditionMessage(condition)}
	}
	return outcome{done: known && done && condition.Status == metav1.ConditionTrue}
}

// currentCondition returns a condition of a ScriptBundle; the zero value where it is not about its generation.
func currentCondition(b *interpreterv1alpha1.ScriptBundle, condition string) metav1.Condition {
	if c := meta.FindStatusCondition(b.Status.Conditions, condition); c != nil && c.ObservedGeneration == b.Generation {
		return *c
	}
	return metav1.Condition{}
}

// conditionMessage returns the message of a condition, which is never empty.
func conditionMessage(c metav1.Condition) string {
	if c.Message == "" {
		return "the condition " + c.Type + " is False"
	}
	return c.Message
}

func revisionOf(r *interpreterv1alpha1.BundleRevision) string {
	if r == nil {
		return ""
	}
	return r.Revision
}

// isWantedActive reports whether the wanted revision is the active one, with the parameters of the spec.
func isWantedActive(b *interpreterv1alpha1.ScriptBundle) bool {
	a := b.Status.Active
	return a != nil && a.Revision == revisionOf(b.Status.Wanted) && maps.Equal(a.Parameters, b.Spec.Parameters)
}

// isWantedEvaluated reports whether the wanted revision is the one that was evaluated.
func isWantedEvaluated(b *interpreterv1alpha1.ScriptBundle) bool {
	return b.Status.Shadow != nil && b.Status.Wanted != nil && b.Status.Shadow.Revision == b.Status.Wanted.Revision
}

// unchangedSource returns the wanted revision of a ScriptBundle, if it is of its source by the spec and if
// a later spec has the same source and the same keys; else "".
func unchangedSource(before *interpreterv1alpha1.ScriptBundle, spec *interpreterv1alpha1.ScriptBundleSpec) string {
	same := before.Spec.Revision == "" && spec.Revision == "" &&
		equality.Semantic.DeepEqual(before.Spec.Source, spec.Source) && equality.Semantic.DeepEqual(before.Spec.Keys, spec.Keys)
	if !same || currentCondition(before, interpreterv1alpha1.ConditionVerified).Status != metav1.ConditionTrue {
		return ""
	}
	return revisionOf(before.Status.Wanted)
}
