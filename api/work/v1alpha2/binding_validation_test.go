// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

func TestValidateBinding(t *testing.T) {
	const dependencies = "metadata.annotations[resourcebinding.karmada.io/dependencies]"
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		spec        ResourceBindingSpec
		want        []string
	}{
		"Good": {
			reason:      "components have names, tasks have one end",
			annotations: map[string]string{DependenciesAnnotation: `[{"apiVersion":"v1","kind":"Secret","namespace":"a","name":"b"}]`},
			spec: ResourceBindingSpec{
				Components: []Component{{Name: "jobmanager"}, {Name: "taskmanager"}},
				GracefulEvictionTasks: []GracefulEvictionTask{
					{FromCluster: "m1", GracePeriodSeconds: ptr.To[int32](600)},
					{FromCluster: "m2", SuppressDeletion: ptr.To(true), PreservedState: map[string]string{"path": strings.Repeat("ä", PreservedStateMaxLength)}},
				},
			},
		},
		"Dependencies": {
			reason:      "what the annotation holds is read by others",
			annotations: map[string]string{DependenciesAnnotation: `{"kind":"Secret"}`},
			want:        []string{"FieldValueInvalid " + dependencies},
		},
		"Components": {
			reason: "components are found by name",
			spec:   ResourceBindingSpec{Components: []Component{{Name: "a"}, {Name: "a"}, {}}},
			want:   []string{"FieldValueDuplicate spec.components[1].name", "FieldValueRequired spec.components[2].name"},
		},
		"Tasks": {
			reason: "a cluster is left once, after a while or on confirmation",
			spec: ResourceBindingSpec{GracefulEvictionTasks: []GracefulEvictionTask{
				{FromCluster: "m1", GracePeriodSeconds: ptr.To[int32](0)},
				{FromCluster: "m1", GracePeriodSeconds: ptr.To[int32](1), SuppressDeletion: ptr.To(false)},
				{FromCluster: "m2", PreservedState: map[string]string{"path": strings.Repeat("a", PreservedStateMaxLength+1)}},
			}},
			want: []string{
				"FieldValueInvalid spec.gracefulEvictionTasks[0].gracePeriodSeconds",
				"FieldValueDuplicate spec.gracefulEvictionTasks[1].fromCluster",
				"FieldValueForbidden spec.gracefulEvictionTasks[1].suppressDeletion",
				"FieldValueTooLong spec.gracefulEvictionTasks[2].preservedState[path]",
			},
		},
		"Suspension": {
			reason: "the policy's rule holds for its copy too",
			spec: ResourceBindingSpec{Suspension: &Suspension{Suspension: policyv1alpha1.Suspension{
				Dispatching:           ptr.To(true),
				DispatchingOnClusters: &policyv1alpha1.SuspendClusters{ClusterNames: []string{"m1"}},
			}}},
			want: []string{"FieldValueForbidden spec.suspension.dispatchingOnClusters"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			meta := metav1.ObjectMeta{Annotations: tc.annotations}
			namespaced := &ResourceBinding{ObjectMeta: meta, Spec: tc.spec}
			clusterWide := &ClusterResourceBinding{ObjectMeta: meta, Spec: tc.spec}
			wantErrors(t, tc.reason, namespaced.Validate(), tc.want...)
			wantErrors(t, tc.reason, clusterWide.Validate(), tc.want...)
		})
	}
}

func TestIsWorkload(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   ResourceBindingSpec
		want   bool
	}{
		"Nothing":      {reason: "a ConfigMap runs no pods", want: false},
		"Replicas":     {reason: "replicas are pods", spec: ResourceBindingSpec{Replicas: 1}, want: true},
		"ScaledToZero": {reason: "a Deployment of 0 is a workload still", spec: ResourceBindingSpec{ReplicaRequirements: &ReplicaRequirements{}}, want: true},
		"Components":   {reason: "components are groups of pods", spec: ResourceBindingSpec{Components: []Component{{Name: "a"}}}, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.spec.IsWorkload(); got != tc.want {
				t.Errorf("%s: IsWorkload() = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
