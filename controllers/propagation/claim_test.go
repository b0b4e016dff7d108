// SPDX-License-Identifier: Apache-2.0

package propagation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestClaim(t *testing.T) {
	near, wide := fixture.Policy("space", "near"), fixture.Policy("", "wide")
	near.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "id1"})
	wide.SetLabels(map[string]string{policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: "id2"})
	byNear := metav1.ObjectMeta{
		Labels: map[string]string{"app": "x", policyv1alpha1.PropagationPolicyPermanentIDLabel: "id1"},
		Annotations: map[string]string{
			"note": "y", policyv1alpha1.PropagationPolicyNamespaceAnnotation: "space", policyv1alpha1.PropagationPolicyNameAnnotation: "near",
		},
	}
	byWide := metav1.ObjectMeta{
		Labels:      map[string]string{"app": "x", policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: "id2"},
		Annotations: map[string]string{"note": "y", policyv1alpha1.ClusterPropagationPolicyNameAnnotation: "wide"},
	}
	free := metav1.ObjectMeta{Labels: map[string]string{"app": "x"}, Annotations: map[string]string{"note": "y"}}

	cases := map[string]struct {
		reason  string
		claim   claim
		on      metav1.ObjectMeta
		want    metav1.ObjectMeta
		changed bool
	}{
		"Namespaced":  {"a policy marks what it claims and leaves other keys", claimOf(near), free, byNear, true},
		"ClusterWide": {"a cluster-wide policy has keys of its own", claimOf(wide), free, byWide, true},
		"Replaces":    {"a claim takes the place of one of the other kind", claimOf(near), byWide, byNear, true},
		"Again":       {"the same claim changes nothing", claimOf(near), byNear, byNear, false},
		"Empty":       {"the empty claim takes every claim away", claim{}, byNear, free, true},
		"EmptyOnFree": {"and changes nothing where there is none", claim{}, free, free, false},
		"Bare":        {"an object without labels stays without", claim{}, metav1.ObjectMeta{}, metav1.ObjectMeta{Labels: map[string]string{}, Annotations: map[string]string{}}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.on.DeepCopy()
			if changed := tc.claim.set(got); changed != tc.changed {
				t.Errorf("%s: set says changed %t, want %t", tc.reason, changed, tc.changed)
			}
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestClaimID(t *testing.T) {
	cases := map[string]struct {
		labels map[string]string
		want   string
	}{
		"Namespaced":  {map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "id1"}, "id1"},
		"ClusterWide": {map[string]string{policyv1alpha1.ClusterPropagationPolicyPermanentIDLabel: "id2"}, "id2"},
		"None":        {map[string]string{"app": "x"}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := claimID(&metav1.ObjectMeta{Labels: tc.labels}); got != tc.want {
				t.Errorf("claimID of labels %v = %q, want %q", tc.labels, got, tc.want)
			}
		})
	}
}
