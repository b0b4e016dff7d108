// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the quota beyond what the schema refuses.
// The list is empty for a good quota.
func (q *FederatedResourceQuota) Validate() field.ErrorList {
	var errs field.ErrorList
	if len(q.Name) > validation.LabelValueMaxLength {
		errs = append(errs, field.TooLong(field.NewPath("metadata", "name"), q.Name, validation.LabelValueMaxLength))
	}
	path := field.NewPath("spec")
	errs = append(errs, validateQuota(q.Spec.Overall, path.Child("overall"))...)
	assignments := path.Child("staticAssignments")
	seen := map[string]bool{}
	for i := range q.Spec.StaticAssignments {
		item, at := &q.Spec.StaticAssignments[i], assignments.Index(i)
		errs = append(errs, validateAssignedCluster(item.ClusterName, seen, at.Child("clusterName"))...)
		errs = append(errs, validateQuota(item.Hard, at.Child("hard"))...)
		errs = append(errs, validateSubset(item.Hard, q.Spec.Overall, at.Child("hard"))...)
	}
	return append(errs, q.Spec.validateSum(assignments)...)
}

func validateAssignedCluster(name string, seen map[string]bool, path *field.Path) field.ErrorList {
	if seen[name] {
		return field.ErrorList{field.Duplicate(path, name)}
	}
	seen[name] = true
	var errs field.ErrorList
	for _, message := range validation.IsDNS1123Label(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	return errs
}

func validateSubset(hard, overall corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedNames(hard) {
		if _, ok := overall[name]; !ok {
			errs = append(errs, field.Forbidden(path.Key(string(name)), "spec.overall does not limit this resource; add it there, or remove it here"))
		}
	}
	return errs
}

// validateSum compares what is assigned to all clusters together with the
// limit.
func (s *FederatedResourceQuotaSpec) validateSum(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedNames(s.Overall) {
		limit, sum := s.Overall[name], resource.Quantity{}
		for _, item := range s.StaticAssignments {
			sum.Add(item.Hard[name])
		}
		if sum.Sign() > 0 && sum.Cmp(limit) > 0 {
			errs = append(errs, field.Invalid(path, sum.String(),
				fmt.Sprintf("the assignments of %s add up to more than spec.overall, which is %s; raise that or lower these", name, limit.String())))
		}
	}
	return errs
}

// validateQuota follows the rules for the resources of a ResourceQuota.
func validateQuota(list corev1.ResourceList, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range sortedNames(list) {
		at, quantity := path.Key(string(name)), list[name]
		errs = append(errs, validateQuotaName(string(name), at)...)
		if quantity.Sign() < 0 {
			errs = append(errs, field.Invalid(at, quantity.String(), "must not be negative"))
		}
		if isCounted(string(name)) && quantity.MilliValue()%1000 != 0 {
			errs = append(errs, field.Invalid(at, quantity.String(), "this resource is counted; give a whole number"))
		}
	}
	return errs
}

func validateQuotaName(name string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, message := range validation.IsQualifiedName(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	if len(errs) > 0 || strings.Contains(name, "/") {
		return errs
	}
	if measured.Has(name) || counted.Has(name) || isHugePages(name) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, name, "no resource that a ResourceQuota knows; an extended resource has a domain, for example nvidia.com/gpu")}
}

// measured and counted are the names without a domain that a ResourceQuota may
// hold, by whether parts of one make sense.
var (
	measured = sets.New("cpu", "memory", "ephemeral-storage",
		"requests.cpu", "requests.memory", "requests.storage", "requests.ephemeral-storage",
		"limits.cpu", "limits.memory", "limits.ephemeral-storage")
	counted = sets.New("pods", "services", "replicationcontrollers", "resourcequotas",
		"secrets", "configmaps", "persistentvolumeclaims",
		"services.nodeports", "services.loadbalancers")
)

func isHugePages(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "requests."), corev1.ResourceHugePagesPrefix)
}

// isCounted reports whether a quantity of the resource is a whole number: counts of
// objects, and extended resources outside the domain kubernetes.io.
func isCounted(name string) bool {
	extended := strings.Contains(name, "/") && !strings.Contains(name, "kubernetes.io/") && !strings.HasPrefix(name, "requests.")
	return counted.Has(name) || extended
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	return slices.Sorted(maps.Keys(list))
}
