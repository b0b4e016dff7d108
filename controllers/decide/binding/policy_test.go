// SPDX-License-Identifier: Apache-2.0

package binding_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

func TestSuspension(t *testing.T) {
	dispatching := policyv1alpha1.Suspension{Dispatching: ptr.To(true)}
	cases := map[string]struct {
		reason string
		old    *workv1alpha2.Suspension
		policy *policyv1alpha1.Suspension
		want   *workv1alpha2.Suspension
	}{
		"Nothing": {reason: "nobody suspends anything"},
		"Policy": {
			reason: "the policy's part is taken",
			policy: &dispatching, want: &workv1alpha2.Suspension{Suspension: dispatching},
		},
		"Scheduling": {
			reason: "what others said about scheduling stays",
			old:    &workv1alpha2.Suspension{Scheduling: ptr.To(true)}, want: &workv1alpha2.Suspension{Scheduling: ptr.To(true)},
		},
		"SchedulingFalse": {
			reason: "also when they said that it is not suspended",
			old:    &workv1alpha2.Suspension{Scheduling: ptr.To(false)}, want: &workv1alpha2.Suspension{Scheduling: ptr.To(false)},
		},
		"Both": {
			reason: "the two parts stand side by side",
			old:    &workv1alpha2.Suspension{Scheduling: ptr.To(true)}, policy: &dispatching,
			want: &workv1alpha2.Suspension{Suspension: dispatching, Scheduling: ptr.To(true)},
		},
		"PolicyEnds": {
			reason: "the policy's part goes with the policy's word",
			old:    &workv1alpha2.Suspension{Suspension: dispatching},
		},
		"PolicyEndsSchedulingStays": {
			reason: "and leaves the other part",
			old:    &workv1alpha2.Suspension{Suspension: dispatching, Scheduling: ptr.To(true)},
			want:   &workv1alpha2.Suspension{Scheduling: ptr.To(true)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			made := workv1alpha2.ResourceBindingSpec{Suspension: tc.old}
			binding.SetPolicy(&made, &policyv1alpha1.PropagationSpec{Suspension: tc.policy}, nil)
			if diff := cmp.Diff(tc.want, made.Suspension); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFollows(t *testing.T) {
	policy := policyv1alpha1.PropagationSpec{Placement: policyv1alpha1.Placement{ClusterAffinity: &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"m1"}}}}
	for name, tc := range map[string]struct {
		reason string
		policy func(*policyv1alpha1.PropagationSpec)
		spec   func(*workv1alpha2.ResourceBindingSpec)
		want   bool
	}{
		"Same": {reason: "it was made from this", want: true},
		"Targets": {reason: "what others write is not the policy's", spec: func(s *workv1alpha2.ResourceBindingSpec) {
			s.Clusters, s.Replicas = []workv1alpha2.TargetCluster{{Name: "m1"}}, 2
		}, want: true},
		"Scheduling": {reason: "nor is the suspension of scheduling", spec: func(s *workv1alpha2.ResourceBindingSpec) {
			s.Suspension = &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
		}, want: true},
		"Priority": {reason: "the class of a priority is another object", spec: func(s *workv1alpha2.ResourceBindingSpec) {
			s.SchedulePriority = &workv1alpha2.SchedulePriority{Priority: 7}
		}, want: true},
		"Placement": {reason: "it goes elsewhere", policy: func(p *policyv1alpha1.PropagationSpec) { p.Placement.ClusterAffinity = nil }},
		"Dispatch": {reason: "it is to be held", policy: func(p *policyv1alpha1.PropagationSpec) {
			p.Suspension = &policyv1alpha1.Suspension{Dispatching: ptr.To(true)}
		}},
		"Conflict": {reason: "it is to be written over", policy: func(p *policyv1alpha1.PropagationSpec) { p.ConflictResolution = policyv1alpha1.ConflictOverwrite }},
		"Needs":    {reason: "what it depends on is to go along", policy: func(p *policyv1alpha1.PropagationSpec) { p.PropagateDeps = true }},
		"Failover": {reason: "it is to be moved", policy: func(p *policyv1alpha1.PropagationSpec) {
			p.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{}}
		}},
		"Scheduler": {reason: "another scheduler is to place it", policy: func(p *policyv1alpha1.PropagationSpec) { p.SchedulerName = "other" }},
		"Preserve":  {reason: "its copies are to stay", policy: func(p *policyv1alpha1.PropagationSpec) { p.PreserveResourcesOnDeletion = ptr.To(true) }},
	} {
		t.Run(name, func(t *testing.T) {
			var spec workv1alpha2.ResourceBindingSpec
			binding.SetPolicy(&spec, &policy, nil)
			now := *policy.DeepCopy()
			if tc.policy != nil {
				tc.policy(&now)
			}
			if tc.spec != nil {
				tc.spec(&spec)
			}
			before := spec.DeepCopy()
			if got := binding.Follows(&spec, &now); got != tc.want {
				t.Errorf("%s: got %v", tc.reason, got)
			}
			if diff := cmp.Diff(*before, spec); diff != "" {
				t.Errorf("the spec was changed (-before +after):\n%s", diff)
			}
		})
	}
}
