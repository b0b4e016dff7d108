// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
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
	for _, kind := range []any{
		&policyv1alpha1.PropagationPolicy{}, &policyv1alpha1.ClusterPropagationPolicy{}, &policyv1alpha1.FederatedResourceQuota{},
		&workv1alpha2.ResourceBinding{}, &workv1alpha2.ClusterResourceBinding{},
		&interpreterv1alpha1.ScriptBundle{}, &interpreterv1alpha1.PlacementRule{}, &configv1alpha1.ResourceInterpreterCustomization{},
	} {
		for name, tc := range map[string]struct {
			observed int64
			ready    string
			want     status.Status
		}{
			"as it is made":           {-1, "", status.InProgressStatus}, // the default of the schema
			"changed since":           {1, "True", status.InProgressStatus},
			"ready":                   {2, "True", status.CurrentStatus},
			"failed":                  {2, "False", status.InProgressStatus},
			"not decided":             {2, "Unknown", status.InProgressStatus},
			"changed since it failed": {1, "False", status.InProgressStatus},
		} {
			is := map[string]any{"observedGeneration": tc.observed}
			if tc.ready != "" {
				is["conditions"] = []any{map[string]any{"type": policyv1alpha1.Ready, "status": tc.ready, "reason": "Some", "message": "some", "observedGeneration": tc.observed}}
			}
			o := map[string]any{
				"apiVersion": "some.example/v1", "kind": "Some",
				"metadata": map[string]any{"name": "web", "generation": int64(2)}, "status": is,
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o, kind, true); err != nil {
				t.Errorf("%T has no such status: %v", kind, err)
			}
			got, err := status.Compute(&unstructured.Unstructured{Object: o})
			if err != nil || got.Status != tc.want {
				t.Errorf("%T, %s: got %v, %v, want %s", kind, name, got, err, tc.want)
			}
		}
	}
}
