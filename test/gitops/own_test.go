// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// TestOwnKindsAreWaitedFor has kstatus judge each kind that reports Ready: before it was looked at, after a change, and
// by each status of the condition.
func TestOwnKindsAreWaitedFor(t *testing.T) {
	about := metav1.ObjectMeta{Name: "web", Generation: 2}
	kinds := map[string]func(observed int64, conditions []metav1.Condition) any{
		"PropagationPolicy": func(observed int64, conditions []metav1.Condition) any {
			return &policyv1alpha1.PropagationPolicy{ObjectMeta: about, Status: policyv1alpha1.PropagationStatus{ObservedGeneration: observed, Conditions: conditions}}
		},
		"ClusterPropagationPolicy": func(observed int64, conditions []metav1.Condition) any {
			return &policyv1alpha1.ClusterPropagationPolicy{ObjectMeta: about, Status: policyv1alpha1.PropagationStatus{ObservedGeneration: observed, Conditions: conditions}}
		},
		"FederatedResourceQuota": func(observed int64, conditions []metav1.Condition) any {
			return &policyv1alpha1.FederatedResourceQuota{ObjectMeta: about, Status: policyv1alpha1.FederatedResourceQuotaStatus{ObservedGeneration: observed, Conditions: conditions}}
		},
		"ResourceBinding": func(observed int64, conditions []metav1.Condition) any {
			return &workv1alpha2.ResourceBinding{ObjectMeta: about, Status: workv1alpha2.ResourceBindingStatus{ObservedGeneration: observed, Conditions: conditions}}
		},
		"ClusterResourceBinding": func(observed int64, conditions []metav1.Condition) any {
			return &workv1alpha2.ClusterResourceBinding{ObjectMeta: about, Status: workv1alpha2.ResourceBindingStatus{ObservedGeneration: observed, Conditions: conditions}}
		},
		"ScriptBundle": func(observed int64, conditions []metav1.Condition) any {
			return &interpreterv1alpha1.ScriptBundle{ObjectMeta: about, Status: interpreterv1alpha1.ScriptBundleStatus{ObservedGeneration: observed, Conditions: conditions}}
		},
		"PlacementRule": func(observed int64, conditions []metav1.Condition) any {
			return &interpreterv1alpha1.PlacementRule{ObjectMeta: about, Status: interpreterv1alpha1.PlacementRuleStatus{ObservedGeneration: observed, Conditions: conditions}}
		},
		"ResourceInterpreterCustomization": func(observed int64, conditions []metav1.Condition) any {
			return &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: about, Status: configv1alpha1.ResourceInterpreterCustomizationStatus{ObservedGeneration: observed, Conditions: conditions}}
		},
	}
	for kind, object := range kinds {
		for name, tc := range map[string]struct {
			observed int64
			ready    metav1.ConditionStatus
			want     status.Status
		}{
			"as it is made":           {-1, "", status.InProgressStatus}, // the default of the schema
			"changed since":           {1, metav1.ConditionTrue, status.InProgressStatus},
			"ready":                   {2, metav1.ConditionTrue, status.CurrentStatus},
			"failed":                  {2, metav1.ConditionFalse, status.InProgressStatus},
			"not decided":             {2, metav1.ConditionUnknown, status.InProgressStatus},
			"changed since it failed": {1, metav1.ConditionFalse, status.InProgressStatus},
		} {
			var conditions []metav1.Condition
			if tc.ready != "" {
				conditions = []metav1.Condition{{Type: policyv1alpha1.Ready, Status: tc.ready, Reason: "Some", Message: "some", ObservedGeneration: tc.observed}}
			}
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object(tc.observed, conditions))
			if err != nil {
				t.Fatal(err)
			}
			u := &unstructured.Unstructured{Object: content}
			u.SetAPIVersion("some.example/v1")
			u.SetKind(kind)
			got, err := status.Compute(u)
			if err != nil || got.Status != tc.want {
				t.Errorf("%s, %s: got %v, %v, want %s", kind, name, got, err, tc.want)
			}
		}
	}
}
