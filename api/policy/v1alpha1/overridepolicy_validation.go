// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the policy beyond what the schema refuses:
// required fields, enums and ranges are the schema's part. The list is empty for
// a good policy.
func (p *OverridePolicy) Validate() field.ErrorList {
	path := field.NewPath("spec")
	errs := validateSelectorNamespaces(p.Spec.ResourceSelectors, p.Namespace, path.Child("resourceSelectors"))
	return append(errs, p.Spec.validate(path)...)
}

// Validate returns what is wrong with the policy, as OverridePolicy.Validate does.
func (p *ClusterOverridePolicy) Validate() field.ErrorList {
	return p.Spec.validate(field.NewPath("spec"))
}

func (s *OverrideSpec) validate(path *field.Path) field.ErrorList {
	errs := validateSelectors(s.ResourceSelectors, path.Child("resourceSelectors"))
	if len(s.OverrideRules) > 0 && s.TargetCluster != nil {
		errs = append(errs, field.Forbidden(path.Child("targetCluster"), "overrideRules have taken its place; move it into a rule"))
	}
	if len(s.OverrideRules) > 0 && !s.Overriders.isEmpty() {
		errs = append(errs, field.Forbidden(path.Child("overriders"), "overrideRules have taken its place; move them into a rule"))
	}
	errs = append(errs, validateRule(s.TargetCluster, &s.Overriders, path)...)
	for i := range s.OverrideRules {
		rule := &s.OverrideRules[i]
		errs = append(errs, validateRule(rule.TargetCluster, &rule.Overriders, path.Child("overrideRules").Index(i))...)
	}
	return errs
}

// validateRule looks at one set of changes; a nil target means all clusters.
func validateRule(target *ClusterAffinity, overriders *Overriders, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if target != nil {
		errs = append(errs, target.validate(path.Child("targetCluster"))...)
	}
	return append(errs, overriders.validate(path.Child("overriders"))...)
}
