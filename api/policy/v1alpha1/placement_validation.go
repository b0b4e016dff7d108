// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (p *Placement) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if p.ClusterAffinity != nil {
		errs = append(errs, p.ClusterAffinity.validate(path.Child("clusterAffinity"))...)
	}
	errs = append(errs, p.validateTerms(path.Child("clusterAffinities"))...)
	errs = append(errs, validateTolerations(p.ClusterTolerations, path.Child("clusterTolerations"))...)
	errs = append(errs, validateSpreadConstraints(p.SpreadConstraints, path.Child("spreadConstraints"))...)
	if p.ReplicaScheduling != nil && p.ReplicaScheduling.WeightPreference != nil {
		errs = append(errs, p.ReplicaScheduling.WeightPreference.validate(path.Child("replicaScheduling", "weightPreference"))...)
	}
	if p.WorkloadAffinity != nil {
		errs = append(errs, p.WorkloadAffinity.validate(path.Child("workloadAffinity"))...)
	}
	return errs
}

// validateTerms looks at the ordered groups: alone, well named, and with
// overflow only where replicas can overflow.
func (p *Placement) validateTerms(path *field.Path) field.ErrorList {
	if len(p.ClusterAffinities) == 0 {
		return nil
	}
	var errs field.ErrorList
	if p.ClusterAffinity != nil {
		errs = append(errs, field.Forbidden(path, "clusterAffinity and clusterAffinities exclude each other; keep one"))
	}
	seen := map[string]bool{}
	for i := range p.ClusterAffinities {
		term, at := &p.ClusterAffinities[i], path.Index(i)
		errs = append(errs, validateAffinityName(term.AffinityName, seen, at.Child("affinityName"))...)
		errs = append(errs, term.ClusterAffinity.validate(at)...)
		errs = append(errs, p.validateOverflow(term.OverflowAffinities, seen, at.Child("overflowAffinities"))...)
	}
	return errs
}

func (p *Placement) validateOverflow(groups []OverflowClusterAffinity, seen map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(groups) > 0 && !p.canOverflow() {
		errs = append(errs, field.Forbidden(path,
			"only divided replicas that fill clusters by their room can overflow; set replicaScheduling to Divided with Aggregated, or with Weighted and dynamicWeight"))
	}
	for i := range groups {
		group, at := &groups[i], path.Index(i)
		errs = append(errs, validateAffinityName(group.AffinityName, seen, at.Child("affinityName"))...)
		if group.ClusterAffinity.isEmpty() {
			errs = append(errs, field.Required(at, "an overflow group must choose clusters: give clusterNames, labelSelector, fieldSelector or exclude"))
		}
		errs = append(errs, group.ClusterAffinity.validate(at)...)
	}
	return errs
}

func (p *Placement) canOverflow() bool {
	r := p.ReplicaScheduling
	if r == nil || !r.divided() {
		return false
	}
	if r.ReplicaDivisionPreference == ReplicaDivisionPreferenceAggregated {
		return true
	}
	return r.WeightPreference != nil && r.WeightPreference.DynamicWeight != ""
}

// validateAffinityName looks at the name of a group and notes it in seen.
func validateAffinityName(name string, seen map[string]bool, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "name the group; the name is reported when the group is in use")}
	}
	if seen[name] {
		return field.ErrorList{field.Duplicate(path, name)}
	}
	seen[name] = true
	var errs field.ErrorList
	for _, message := range validation.IsQualifiedName(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	return errs
}

// validate returns what is wrong with the affinity, with paths below path.
func (a *ClusterAffinity) validate(path *field.Path) field.ErrorList {
	errs := validateLabelSelector(a.LabelSelector, path.Child("labelSelector"))
	if a.FieldSelector == nil {
		return errs
	}
	path = path.Child("fieldSelector", "matchExpressions")
	for i, requirement := range a.FieldSelector.MatchExpressions {
		errs = append(errs, validateFieldRequirement(requirement, path.Index(i))...)
	}
	return errs
}

func (a *ClusterAffinity) isEmpty() bool {
	return a.LabelSelector == nil && a.FieldSelector == nil && len(a.ClusterNames) == 0 && len(a.ExcludeClusters) == 0
}

func validateFieldRequirement(r corev1.NodeSelectorRequirement, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch r.Key {
	case "provider", "region", "zone":
	default:
		errs = append(errs, field.NotSupported(path.Child("key"), r.Key, []string{"provider", "region", "zone"}))
	}
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
	default:
		errs = append(errs, field.NotSupported(path.Child("operator"), r.Operator,
			[]corev1.NodeSelectorOperator{corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn}))
	}
	if len(r.Values) == 0 {
		errs = append(errs, field.Required(path.Child("values"), "give at least one value to compare with"))
	}
	return errs
}

// validateTolerations follows the rules for tolerations of pods, without the
// operators that compare numbers.
func validateTolerations(tolerations []corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range tolerations {
		errs = append(errs, validateToleration(&tolerations[i], path.Index(i))...)
	}
	return errs
}

func validateToleration(t *corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if t.Key != "" {
		errs = append(errs, validateLabelKey(t.Key, path.Child("key"))...)
	} else if t.Operator != corev1.TolerationOpExists {
		errs = append(errs, field.Invalid(path.Child("operator"), t.Operator, "a toleration without key is for every taint: set the operator to Exists, or give the key"))
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		errs = append(errs, field.Forbidden(path.Child("tolerationSeconds"), "only a taint with the effect NoExecute is tolerated for a time; set effect to NoExecute, or remove tolerationSeconds"))
	}
	switch t.Operator {
	case corev1.TolerationOpEqual, "":
		for _, message := range validation.IsValidLabelValue(t.Value) {
			errs = append(errs, field.Invalid(path.Child("value"), t.Value, message))
		}
	case corev1.TolerationOpExists:
		if t.Value != "" {
			errs = append(errs, field.Invalid(path.Child("value"), t.Value, "the operator Exists takes any value; remove the value, or use Equal"))
		}
	default:
		errs = append(errs, field.NotSupported(path.Child("operator"), t.Operator,
			[]corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
	}
	if t.Effect != "" {
		errs = append(errs, validateTaintEffect(t.Effect, path.Child("effect"))...)
	}
	return errs
}

func validateSpreadConstraints(constraints []SpreadConstraint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	fields := map[SpreadFieldValue]bool{}
	for i := range constraints {
		c, at := &constraints[i], path.Index(i)
		errs = append(errs, c.validate(at)...)
		by := c.field()
		if by == "" {
			continue
		}
		if fields[by] {
			errs = append(errs, field.Duplicate(at.Child("spreadByField"), by))
		}
		fields[by] = true
	}
	if len(fields) > 0 && !fields[SpreadByFieldCluster] {
		errs = append(errs, field.Required(path,
			"spreading by region, zone or provider also needs a constraint with spreadByField: cluster, which limits the clusters inside; add one"))
	}
	return errs
}

// field returns the field that makes the groups, cluster by default; empty when a
// label makes them.
func (c *SpreadConstraint) field() SpreadFieldValue {
	if c.SpreadByField == "" && c.SpreadByLabel == "" {
		return SpreadByFieldCluster
	}
	return c.SpreadByField
}

func (c *SpreadConstraint) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.SpreadByField != "" && c.SpreadByLabel != "" {
		errs = append(errs, field.Forbidden(path.Child("spreadByLabel"), "spreadByField and spreadByLabel exclude each other; keep one"))
	}
	if c.SpreadByLabel != "" {
		errs = append(errs, validateLabelKey(c.SpreadByLabel, path.Child("spreadByLabel"))...)
	}
	if c.MinGroups < 0 {
		errs = append(errs, field.Invalid(path.Child("minGroups"), c.MinGroups, "must not be negative; remove it for 1"))
	}
	if c.MaxGroups < 0 {
		errs = append(errs, field.Invalid(path.Child("maxGroups"), c.MaxGroups, "must not be negative; remove it for no limit"))
	}
	if c.MaxGroups > 0 && c.MaxGroups < c.MinGroups {
		errs = append(errs, field.Invalid(path.Child("maxGroups"), c.MaxGroups, fmt.Sprintf("must not be less than minGroups, which is %d", c.MinGroups)))
	}
	return errs
}

func (p *ClusterPreferences) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range p.StaticWeightList {
		item, at := &p.StaticWeightList[i], path.Child("staticWeightList").Index(i)
		errs = append(errs, item.TargetCluster.validate(at.Child("targetCluster"))...)
		if item.Weight < 1 {
			errs = append(errs, field.Invalid(at.Child("weight"), item.Weight, "must be 1 or more; leave a cluster out to give it nothing"))
		}
	}
	return errs
}

func (a *WorkloadAffinity) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if a.Affinity != nil {
		errs = append(errs, validateLabelKey(a.Affinity.GroupByLabelKey, path.Child("affinity", "groupByLabelKey"))...)
	}
	if a.AntiAffinity != nil {
		errs = append(errs, validateLabelKey(a.AntiAffinity.GroupByLabelKey, path.Child("antiAffinity", "groupByLabelKey"))...)
	}
	if a.Affinity != nil && a.AntiAffinity != nil && a.Affinity.GroupByLabelKey == a.AntiAffinity.GroupByLabelKey {
		errs = append(errs, field.Invalid(path.Child("antiAffinity", "groupByLabelKey"), a.AntiAffinity.GroupByLabelKey,
			"one group cannot be kept together and apart; use another label than affinity does"))
	}
	return errs
}
