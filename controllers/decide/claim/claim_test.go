// SPDX-License-Identifier: Apache-2.0

package claim

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
		claim   Claim
		on      metav1.ObjectMeta
		want    metav1.ObjectMeta
		changed bool
	}{
		"Namespaced":  {"a policy marks what it claims and leaves other keys", Of(near), free, byNear, true},
		"ClusterWide": {"a cluster-wide policy has keys of its own", Of(wide), free, byWide, true},
		"Replaces":    {"a claim takes the place of one of the other kind", Of(near), byWide, byNear, true},
		"Again":       {"the same claim changes nothing", Of(near), byNear, byNear, false},
		"Empty":       {"the empty claim takes every claim away", Claim{}, byNear, free, true},
		"EmptyOnFree": {"and changes nothing where there is none", Claim{}, free, free, false},
		"Bare":        {"an object without labels stays without", Claim{}, metav1.ObjectMeta{}, metav1.ObjectMeta{Labels: map[string]string{}, Annotations: map[string]string{}}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.on.DeepCopy()
			if changed := tc.claim.Set(got); changed != tc.changed {
				t.Errorf("%s: Set reports changed %t, want %t", tc.reason, changed, tc.changed)
			}
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestID(t *testing.T) {
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
			if got := ID(&metav1.ObjectMeta{Labels: tc.labels}); got != tc.want {
				t.Errorf("ID of labels %v = %q, want %q", tc.labels, got, tc.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	p := fixture.Policy("space", "p")
	p.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "id"})
	o := &metav1.ObjectMeta{}
	if Names(o, p) {
		t.Error("an unclaimed object names no policy")
	}
	Of(p).Deferred("print").Set(o)
	if !Names(o, p) || o.Annotations[DeferredAnnotation] != "print" {
		t.Errorf("the claim is %v", o.Annotations)
	}
	for _, other := range []policyv1alpha1.Policy{fixture.Policy("space", "q"), fixture.Policy("other", "p"), fixture.Policy("", "p")} {
		other.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "id"})
		if Names(o, other) {
			t.Errorf("the claim names %s/%s too, which has the same id", other.GetNamespace(), other.GetName())
		}
	}
	if Of(p).Set(o); o.Annotations[DeferredAnnotation] != "" {
		t.Error("a claim that is not deferred keeps what was")
	}
}

func TestContent(t *testing.T) {
	o := fixture.Gadget("space", "one", map[string]any{"replicas": int64(1)})
	bare := Content(o)
	p := fixture.Policy("space", "p")
	p.SetLabels(map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "id"})
	Of(p).Deferred("print").Set(o)
	o.SetResourceVersion("7")
	if diff := cmp.Diff(bare, Content(o)); diff != "" {
		t.Errorf("a claim is no content (-want +got):\n%s", diff)
	}
	if ID(o) != "id" {
		t.Error("the object lost its claim")
	}
}
