// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (f *FailoverBehavior) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if f.Application != nil {
		errs = append(errs, f.Application.validate(path.Child("application"))...)
	}
	if f.Cluster != nil {
		errs = append(errs, f.Cluster.StatePreservation.validate(path.Child("cluster", "statePreservation"))...)
	}
	return errs
}

func (a *ApplicationFailoverBehavior) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if seconds := a.DecisionConditions.TolerationSeconds; seconds != nil && *seconds < 0 {
		errs = append(errs, field.Invalid(path.Child("decisionConditions", "tolerationSeconds"), *seconds,
			"must not be negative; 0 moves an unhealthy application at once"))
	}
	if a.GracePeriodSeconds != nil {
		errs = append(errs, a.validateGracePeriod(path.Child("gracePeriodSeconds"))...)
	}
	return append(errs, a.StatePreservation.validate(path.Child("statePreservation"))...)
}

func (a *ApplicationFailoverBehavior) validateGracePeriod(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !a.gracefully() {
		errs = append(errs, field.Forbidden(path, "only the purgeMode Gracefully has a grace period; remove it, or change purgeMode"))
	}
	if *a.GracePeriodSeconds <= 0 {
		errs = append(errs, field.Invalid(path, *a.GracePeriodSeconds, "must be above 0; use the purgeMode Directly to remove the old copy first"))
	}
	return errs
}

// HasOpenBrace reports whether the last brace of the path is not closed.
func (r *StatePreservationRule) HasOpenBrace() bool {
	return strings.LastIndexByte(r.JSONPath, '{') > strings.LastIndexByte(r.JSONPath, '}')
}

// validate returns what is wrong with the rules; nil is fine. A jsonPath is
// not parsed.
func (s *StatePreservation) validate(path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	path = path.Child("rules")
	var errs field.ErrorList
	aliases := map[string]bool{}
	for i, rule := range s.Rules {
		at := path.Index(i)
		errs = append(errs, validateLabelKey(rule.AliasLabelName, at.Child("aliasLabelName"))...)
		if aliases[rule.AliasLabelName] {
			errs = append(errs, field.Duplicate(at.Child("aliasLabelName"), rule.AliasLabelName))
		}
		aliases[rule.AliasLabelName] = true
		switch {
		case rule.JSONPath == "":
			errs = append(errs, field.Required(at.Child("jsonPath"), "give the path of the value in the status, for example { .jobStatus.jobID }"))
		case rule.HasOpenBrace():
			errs = append(errs, field.Invalid(at.Child("jsonPath"), rule.JSONPath, "a brace is not closed; write the path of a field of the status in braces, such as { .jobStatus.jobId }"))
		}
	}
	return errs
}
