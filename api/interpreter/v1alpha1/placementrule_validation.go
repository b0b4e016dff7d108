// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the rule beyond what the schema refuses. The list is
// empty for a good one. It does not compile the expressions.
func (r *PlacementRule) Validate() field.ErrorList {
	path := field.NewPath("spec")
	var errs field.ErrorList
	for i := range r.Spec.Kinds {
		k, at := &r.Spec.Kinds[i], path.Child("kinds").Index(i)
		if gv, err := schema.ParseGroupVersion(k.APIVersion); err != nil || gv.Version == "" {
			errs = append(errs, field.Invalid(at.Child("apiVersion"), k.APIVersion, "must be <group>/<version>, or v1 for the core group"))
		}
		if k.Kind == "" {
			errs = append(errs, field.Required(at.Child("kind"), "give the kind, for example Deployment"))
		}
	}
	blank := func(text string) bool { return strings.TrimSpace(text) == "" }
	switch s := &r.Spec; {
	case s.ClusterFilter == "" && s.ClusterScore == "":
		errs = append(errs, field.Required(path, "give a clusterFilter, a clusterScore, or both"))
	case s.ClusterFilter != "" && blank(s.ClusterFilter):
		errs = append(errs, field.Invalid(path.Child("clusterFilter"), s.ClusterFilter, "must be an expression in CEL; remove the field for none"))
	case s.ClusterScore != "" && blank(s.ClusterScore):
		errs = append(errs, field.Invalid(path.Child("clusterScore"), s.ClusterScore, "must be an expression in CEL; remove the field for none"))
	}
	return errs
}

// Selects reports whether the rule is for a workload: its apiVersion and kind, and its
// namespace, which is empty for one without.
func (s *PlacementRuleSpec) Selects(apiVersion, kind, namespace string) bool {
	return (len(s.Kinds) == 0 || slices.Contains(s.Kinds, WorkloadKind{apiVersion, kind})) &&
		(len(s.Namespaces) == 0 || slices.Contains(s.Namespaces, namespace))
}
