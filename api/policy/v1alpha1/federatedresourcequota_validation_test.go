// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// resources returns a list from pairs of name and quantity.
func resources(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func TestValidateFederatedResourceQuota(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   FederatedResourceQuotaSpec
		want   []string
	}{
		"Good": {
			reason: "measured, counted, extended and huge resources may be limited",
			spec: FederatedResourceQuotaSpec{
				Overall: resources("cpu", "1500m", "requests.memory", "1Gi", "pods", "10", "nvidia.com/gpu", "4",
					"requests.nvidia.com/gpu", "4", "count/jobs.batch", "3", "hugepages-2Mi", "10Mi",
					"gold.storageclass.storage.k8s.io/requests.storage", "1Ti"),
				StaticAssignments: []StaticClusterAssignment{
					{ClusterName: "m1", Hard: resources("cpu", "1")},
					{ClusterName: "m2", Hard: resources("cpu", "500m")},
				},
			},
		},
		"Names": {
			reason: "a name without domain is one that a ResourceQuota knows",
			spec:   FederatedResourceQuotaSpec{Overall: resources("gpus", "1", "a b", "1")},
			want:   []string{"FieldValueInvalid spec.overall[a b]", "FieldValueInvalid spec.overall[gpus]"},
		},
		"Quantities": {
			reason: "limits are not negative, and counts are whole",
			spec:   FederatedResourceQuotaSpec{Overall: resources("cpu", "-1", "pods", "1500m", "nvidia.com/gpu", "0.5")},
			want: []string{
				"FieldValueInvalid spec.overall[cpu]",
				"FieldValueInvalid spec.overall[nvidia.com/gpu]",
				"FieldValueInvalid spec.overall[pods]",
			},
		},
		"Sum": {
			reason: "more is not assigned than there is",
			spec: FederatedResourceQuotaSpec{
				Overall: resources("cpu", "1"),
				StaticAssignments: []StaticClusterAssignment{
					{ClusterName: "m1", Hard: resources("cpu", "600m")},
					{ClusterName: "m2", Hard: resources("cpu", "600m")},
				},
			},
			want: []string{"FieldValueInvalid spec.staticAssignments"},
		},
		"Assignments": {
			reason: "each cluster has one assignment, of resources that are limited",
			spec: FederatedResourceQuotaSpec{
				Overall: resources("cpu", "1"),
				StaticAssignments: []StaticClusterAssignment{
					{ClusterName: "m1", Hard: resources("memory", "1Gi")},
					{ClusterName: "m1", Hard: resources("cpu", "-1")},
					{ClusterName: "M 2"},
				},
			},
			want: []string{
				"FieldValueForbidden spec.staticAssignments[0].hard[memory]",
				"FieldValueDuplicate spec.staticAssignments[1].clusterName",
				"FieldValueInvalid spec.staticAssignments[1].hard[cpu]",
				"FieldValueInvalid spec.staticAssignments[2].clusterName",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			quota := &FederatedResourceQuota{Spec: tc.spec}
			wantErrors(t, tc.reason, quota.Validate(), tc.want...)
		})
	}

	long := &FederatedResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: strings.Repeat("a", 64)}}
	wantErrors(t, "the name must fit into a label value", long.Validate(), "FieldValueTooLong metadata.name")
}
