// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the policy beyond what the schema refuses:
// required fields, enums and ranges are the schema's part. The list is empty for
// a good policy. The JSON paths of state preservation are not parsed here.
//
// Karmada demands propagateDeps for application failover; this does not, since
// an application without dependencies has none to carry along.
func (p *PropagationPolicy) Validate() field.ErrorList {
	path := field.NewPath("spec")
	errs := validateSelectorNamespaces(p.Spec.ResourceSelectors, p.Namespace, path.Child("resourceSelectors"))
	return append(errs, p.Spec.validate(path)...)
}

// Validate returns what is wrong with the policy, as PropagationPolicy.Validate
// does.
func (p *ClusterPropagationPolicy) Validate() field.ErrorList {
	return p.Spec.validate(field.NewPath("spec"))
}

// ValidateUpdate returns what is wrong with the policy, and what was changed in it
// that never changes: the scheduler and, once it is set, the permanent ID.
func (p *PropagationPolicy) ValidateUpdate(old *PropagationPolicy) field.ErrorList {
	return append(p.Validate(), p.ValidateChange(old)...)
}

// ValidateChange returns what was changed in the policy that never changes.
func (p *PropagationPolicy) ValidateChange(old *PropagationPolicy) field.ErrorList {
	errs := validateSchedulerUnchanged(&old.Spec, &p.Spec)
	return append(errs, validatePermanentIDUnchanged(PropagationPolicyPermanentIDLabel, old.Labels, p.Labels)...)
}

// ValidateUpdate returns what is wrong with the policy, and what was changed in
// it, as PropagationPolicy.ValidateUpdate does.
func (p *ClusterPropagationPolicy) ValidateUpdate(old *ClusterPropagationPolicy) field.ErrorList {
	return append(p.Validate(), p.ValidateChange(old)...)
}

// ValidateChange returns what was changed in the policy, as PropagationPolicy.ValidateChange
// does.
func (p *ClusterPropagationPolicy) ValidateChange(old *ClusterPropagationPolicy) field.ErrorList {
	errs := validateSchedulerUnchanged(&old.Spec, &p.Spec)
	return append(errs, validatePermanentIDUnchanged(ClusterPropagationPolicyPermanentIDLabel, old.Labels, p.Labels)...)
}

func (s *PropagationSpec) validate(path *field.Path) field.ErrorList {
	selectors := path.Child("resourceSelectors")
	var errs field.ErrorList
	if s.ResourceSelectors != nil && len(s.ResourceSelectors) == 0 {
		errs = append(errs, field.Required(selectors, "select at least one kind, or leave the field out for a policy that selects nothing yet"))
	}
	errs = append(errs, validateSelectors(s.ResourceSelectors, selectors)...)
	if s.Preemption == PreemptAlways {
		errs = append(errs, validateSelectorsNamed(s.ResourceSelectors, selectors)...)
	}
	errs = append(errs, s.Placement.validate(path.Child("placement"))...)
	if s.Failover != nil {
		errs = append(errs, s.Failover.validate(path.Child("failover"))...)
	}
	if s.Suspension != nil {
		errs = append(errs, s.Suspension.Validate(path.Child("suspension"))...)
	}
	if p := s.SchedulePriority; p != nil && p.PriorityClassName == "" {
		errs = append(errs, field.Required(path.Child("schedulePriority", "priorityClassName"), "name the PriorityClass, or remove schedulePriority"))
	}
	return errs
}

// validateSelectorsNamed demands what preemption needs: a policy that takes
// objects from others must say which.
func validateSelectorsNamed(selectors []ResourceSelector, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, selector := range selectors {
		if selector.Name == "" {
			errs = append(errs, field.Required(path.Index(i).Child("name"), "preemption Always takes over only objects given by name; set the name, or set preemption to Never"))
		}
	}
	return errs
}

// Validate returns what is wrong with the suspension, with paths below the one
// given.
func (s *Suspension) Validate(path *field.Path) field.ErrorList {
	if s.Dispatching == nil || !*s.Dispatching {
		return nil
	}
	if s.DispatchingOnClusters == nil || len(s.DispatchingOnClusters.ClusterNames) == 0 {
		return nil
	}
	return field.ErrorList{field.Forbidden(path.Child("dispatchingOnClusters"),
		"dispatching: true stops all clusters already; remove it to stop only the clusters named here, or remove the names")}
}

func validateSchedulerUnchanged(old, spec *PropagationSpec) field.ErrorList {
	if schedulerOrDefault(old) == schedulerOrDefault(spec) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "schedulerName"), spec.SchedulerName,
		"schedulerName never changes; make a new policy for another scheduler")}
}

func schedulerOrDefault(s *PropagationSpec) string {
	if s.SchedulerName == "" {
		return DefaultScheduler
	}
	return s.SchedulerName
}

// validatePermanentIDUnchanged refuses to change or remove a permanent ID. An
// absent one may be set: the control plane sets it itself.
func validatePermanentIDUnchanged(label string, old, labels map[string]string) field.ErrorList {
	if old[label] == "" || old[label] == labels[label] {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("metadata", "labels").Key(label), labels[label],
		"the permanent ID ties the policy to its objects and never changes; restore the value "+old[label])}
}
