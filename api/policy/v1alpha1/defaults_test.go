// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

func TestPropagationPolicySetDefaults(t *testing.T) {
	cases := map[string]struct {
		reason       string
		policy, want *PropagationPolicy
	}{
		"SelectorNamespace": {
			reason: "a selector without namespace is for the policy's own",
			policy: policy(func(p *PropagationPolicy) { p.Spec.ResourceSelectors[0].Namespace = "" }),
			want:   policy(func(*PropagationPolicy) {}),
		},
		"Spread": {
			reason: "spreading by nothing is by cluster, over one at least",
			policy: spread(SpreadConstraint{}, SpreadConstraint{SpreadByLabel: "rack", MinGroups: 2}),
			want:   spread(SpreadConstraint{SpreadByField: SpreadByFieldCluster, MinGroups: 1}, SpreadConstraint{SpreadByLabel: "rack", MinGroups: 2}),
		},
		"Divided": {
			reason: "divided replicas are weighted unless said otherwise",
			policy: placement(func(p *Placement) { p.ReplicaScheduling = &ReplicaSchedulingStrategy{} }),
			want: placement(func(p *Placement) {
				p.ReplicaScheduling = &ReplicaSchedulingStrategy{ReplicaDivisionPreference: ReplicaDivisionPreferenceWeighted}
			}),
		},
		"Duplicated": {
			reason: "duplicated replicas are not divided",
			policy: placement(func(p *Placement) {
				p.ReplicaScheduling = &ReplicaSchedulingStrategy{ReplicaSchedulingType: ReplicaSchedulingTypeDuplicated}
			}),
			want: placement(func(p *Placement) {
				p.ReplicaScheduling = &ReplicaSchedulingStrategy{ReplicaSchedulingType: ReplicaSchedulingTypeDuplicated}
			}),
		},
		"Graciously": {
			reason: "the old name of Gracefully has its grace period",
			policy: application(ApplicationFailoverBehavior{PurgeMode: Graciously}),
			want:   application(ApplicationFailoverBehavior{PurgeMode: Graciously, GracePeriodSeconds: ptr.To[int32](600)}),
		},
		"Never": {
			reason: "other modes have none",
			policy: application(ApplicationFailoverBehavior{PurgeMode: PurgeModeNever}),
			want:   application(ApplicationFailoverBehavior{PurgeMode: PurgeModeNever}),
		},
		"ServiceImport": {
			reason: "an imported service is of no use without what it stands for",
			policy: policy(func(p *PropagationPolicy) {
				p.Spec.ResourceSelectors = []ResourceSelector{{APIVersion: "multicluster.x-k8s.io/v1alpha1", Kind: "ServiceImport", Namespace: "default"}}
			}),
			want: policy(func(p *PropagationPolicy) {
				p.Spec.ResourceSelectors = []ResourceSelector{{APIVersion: "multicluster.x-k8s.io/v1alpha1", Kind: "ServiceImport", Namespace: "default"}}
				p.Spec.PropagateDeps = true
			}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.policy.SetDefaults()
			if diff := cmp.Diff(tc.want, tc.policy); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			wantErrors(t, "a policy with defaults is a good one", tc.policy.Validate())
		})
	}
}

func TestClusterPropagationPolicySetDefaults(t *testing.T) {
	p := &ClusterPropagationPolicy{Spec: PropagationSpec{ResourceSelectors: []ResourceSelector{{APIVersion: "v1", Kind: "Secret"}}}}
	p.SetDefaults()
	if got := p.Spec.ResourceSelectors[0].Namespace; got != "" {
		t.Errorf("a cluster-wide policy selects in all namespaces, but got the namespace %q", got)
	}
}

func TestOverridePolicySetDefaults(t *testing.T) {
	p := &OverridePolicy{Spec: OverrideSpec{ResourceSelectors: []ResourceSelector{{APIVersion: "v1", Kind: "Secret"}}}}
	p.Namespace = "default"
	p.SetDefaults()
	if got := p.Spec.ResourceSelectors[0].Namespace; got != "default" {
		t.Errorf("a selector got the namespace %q, want the policy's own, default", got)
	}
}

func TestPurgeModeCanonical(t *testing.T) {
	cases := map[PurgeMode]PurgeMode{
		Immediately: PurgeModeDirectly, PurgeModeDirectly: PurgeModeDirectly,
		Graciously: PurgeModeGracefully, PurgeModeGracefully: PurgeModeGracefully,
		PurgeModeNever: PurgeModeNever, "": "",
	}
	for mode, want := range cases {
		if got := mode.Canonical(); got != want {
			t.Errorf("PurgeMode(%q).Canonical() = %q, want %q", mode, got, want)
		}
	}
}
