// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// Validate returns what is wrong with the policy beyond what the schema refuses.
// The list is empty for a good policy.
func (p *ClusterTaintPolicy) Validate() field.ErrorList {
	path := field.NewPath("spec")
	var errs field.ErrorList
	if p.Spec.TargetClusters != nil {
		errs = append(errs, p.Spec.TargetClusters.validate(path.Child("targetClusters"))...)
	}
	errs = append(errs, validateMatchConditions(p.Spec.AddOnConditions, path.Child("addOnConditions"))...)
	errs = append(errs, validateMatchConditions(p.Spec.RemoveOnConditions, path.Child("removeOnConditions"))...)
	if len(p.Spec.Taints) == 0 {
		errs = append(errs, field.Required(path.Child("taints"), "name at least one taint to add or remove"))
	}
	type identity struct {
		key    string
		effect corev1.TaintEffect
	}
	seen := map[identity]bool{}
	for i, taint := range p.Spec.Taints {
		at := path.Child("taints").Index(i)
		errs = append(errs, taint.validate(at)...)
		id := identity{taint.Key, taint.Effect}
		if seen[id] {
			errs = append(errs, field.Duplicate(at, taint.Key+":"+string(taint.Effect)))
		}
		seen[id] = true
	}
	return errs
}

func (t Taint) validate(path *field.Path) field.ErrorList {
	errs := validateLabelKey(t.Key, path.Child("key"))
	for _, message := range validation.IsValidLabelValue(t.Value) {
		errs = append(errs, field.Invalid(path.Child("value"), t.Value, message))
	}
	if clusterv1alpha1.IsTaintOfReadiness(t.Key, t.Effect) {
		errs = append(errs, field.Forbidden(path, "the manager adds and removes "+t.Key+":"+string(t.Effect)+" by the readiness of the cluster; use another key or effect"))
	}
	return append(errs, validateTaintEffect(t.Effect, path.Child("effect"))...)
}

func validateMatchConditions(conditions []MatchCondition, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, condition := range conditions {
		at := path.Index(i)
		if condition.ConditionType == "" {
			errs = append(errs, field.Required(at.Child("conditionType"), "name a condition of the cluster, for example Ready"))
		}
		switch condition.Operator {
		case MatchConditionOpIn, MatchConditionOpNotIn:
		default:
			errs = append(errs, field.NotSupported(at.Child("operator"), condition.Operator,
				[]MatchConditionOperator{MatchConditionOpIn, MatchConditionOpNotIn}))
		}
		if len(condition.StatusValues) == 0 {
			errs = append(errs, field.Required(at.Child("statusValues"), "give at least one of True, False and Unknown"))
		}
	}
	return errs
}
