// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidateWorkloadRebalancer(t *testing.T) {
	nginx := ObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "nginx", Namespace: "default"}
	cases := map[string]struct {
		reason string
		spec   WorkloadRebalancerSpec
		want   []string
	}{
		"Good": {
			reason: "of a namespace, of none, of the core group, with a colon in the name, and twice",
			spec: WorkloadRebalancerSpec{Workloads: []ObjectReference{
				nginx,
				{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "system:reader"},
				{APIVersion: "v1", Kind: "ConfigMap", Name: "c", Namespace: "default"},
				nginx,
			}, TTLSecondsAfterFinished: new(int32)},
		},
		"Empty": {
			reason: "a rebalancer without workloads does nothing",
			want:   []string{"FieldValueRequired spec.workloads"},
		},
		"Incomplete": {
			reason: "a reference names one object",
			spec:   WorkloadRebalancerSpec{Workloads: []ObjectReference{nginx, {}}},
			want: []string{
				"FieldValueRequired spec.workloads[1].apiVersion",
				"FieldValueRequired spec.workloads[1].kind",
				"FieldValueRequired spec.workloads[1].name",
			},
		},
		"Malformed": {
			reason: "names that no object can have",
			spec: WorkloadRebalancerSpec{
				Workloads: []ObjectReference{
					{APIVersion: "a/b/c", Kind: "K", Name: "x/y", Namespace: "No"},
					{APIVersion: "apps/", Kind: "K", Name: "x"},
				},
				TTLSecondsAfterFinished: func() *int32 { n := int32(-1); return &n }(),
			},
			want: []string{
				"FieldValueInvalid spec.workloads[0].apiVersion",
				"FieldValueInvalid spec.workloads[0].name",
				"FieldValueInvalid spec.workloads[0].namespace",
				"FieldValueInvalid spec.workloads[1].apiVersion",
				"FieldValueInvalid spec.ttlSecondsAfterFinished",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &WorkloadRebalancer{Spec: tc.spec}
			var got []string
			for _, err := range r.Validate() {
				got = append(got, string(err.Type)+" "+err.Field)
				if err.Detail == "" {
					t.Errorf("%s: the error does not say what to do: %v", tc.reason, err)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
