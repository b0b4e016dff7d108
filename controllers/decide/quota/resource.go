// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// requests is the prefix of the names of requests in a quota: requests.cpu is cpu; ofLimits is that
// of limits.
const requests, ofLimits = "requests.", "limits."

// otherDomains are the ends of the domains of what a quota counts by a class of storage or devices,
// in claims instead of pods.
var otherDomains = []string{"storageclass.storage.k8s.io", "deviceclass.resource.k8s.io"}

// Counted returns the resource of pods that a resource of a quota counts, such as cpu for
// requests.cpu; false if bindings do not say how much of it there is: they have requests and
// replicas, and neither limits nor objects.
func Counted(name corev1.ResourceName) (corev1.ResourceName, bool) {
	plain := corev1.ResourceName(strings.TrimPrefix(string(name), requests))
	if strings.HasPrefix(string(name), ofLimits) {
		return plain, false
	}
	switch plain {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return plain, true
	case corev1.ResourcePods:
		return plain, name == plain
	}
	if strings.HasPrefix(string(plain), corev1.ResourceHugePagesPrefix) {
		return plain, true
	}
	domain, _, extended := strings.Cut(string(plain), "/")
	return plain, extended && domain != "count" && !slices.ContainsFunc(otherDomains, func(end string) bool { return strings.HasSuffix(domain, end) })
}

// Of returns what a usage, under the names of pods, is of the resources that a quota limits,
// under its names. A resource that nothing uses is left out, as published, and so is one that cannot
// be counted.
func Of(used, hard corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name := range hard {
		plain, counted := Counted(name)
		if q, is := used[plain]; counted && is {
			out[name] = q.DeepCopy()
		}
	}
	return out
}

// Add adds amounts to a sum.
func Add(sum, amounts corev1.ResourceList) {
	for name, q := range amounts {
		total := sum[name].DeepCopy() // big quantities are pointers inside
		total.Add(q)
		sum[name] = total
	}
}

// Most returns the larger amount of each resource in two lists.
func Most(a, b corev1.ResourceList) corev1.ResourceList {
	out := maps.Clone(a)
	if out == nil {
		out = corev1.ResourceList{}
	}
	for name, q := range b {
		if had, is := out[name]; !is || had.Cmp(q) < 0 {
			out[name] = q
		}
	}
	return out
}

// Growth returns what is more of each resource in after than in before, only what is above
// zero.
func Growth(before, after corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, q := range after {
		q = q.DeepCopy()
		q.Sub(before[name])
		if q.Sign() > 0 {
			out[name] = q
		}
	}
	return out
}

func sorted(list corev1.ResourceList) []corev1.ResourceName { return slices.Sorted(maps.Keys(list)) }

// WhyUncounted is why a resource that Uncounted returns is not counted.
const WhyUncounted = "not counted over all clusters, since bindings have the requests and the number of pods, and neither limits nor other objects; " +
	"name it in spec.staticAssignments, so that each cluster counts it by itself, or remove it"

// Uncounted returns the resources of a quota that nothing counts: neither bindings, nor a cluster
// with an assignment of it. It is sorted.
func Uncounted(spec *policyv1alpha1.FederatedResourceQuotaSpec) []corev1.ResourceName {
	return slices.DeleteFunc(sorted(spec.Overall), func(name corev1.ResourceName) bool {
		_, counted := Counted(name)
		return counted || slices.ContainsFunc(spec.StaticAssignments, func(a policyv1alpha1.StaticClusterAssignment) bool {
			_, assigned := a.Hard[name]
			return assigned
		})
	})
}

// Assignments returns the static assignments of a quota, one for each cluster, and the clusters that
// have more of them, each once. The first item of a cluster counts: the webhook refuses those behind
// it as duplicates, and the schema alone does not.
func Assignments(spec *policyv1alpha1.FederatedResourceQuotaSpec) (counted []policyv1alpha1.StaticClusterAssignment, again []string) {
	seen := map[string]bool{}
	for _, a := range spec.StaticAssignments {
		switch {
		case !seen[a.ClusterName]:
			counted = append(counted, a)
		case !slices.Contains(again, a.ClusterName):
			again = append(again, a.ClusterName)
		}
		seen[a.ClusterName] = true
	}
	return counted, again
}
