// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestNeeded(t *testing.T) {
	asked := deployment(6, equally, on(to("a", 3), to("b", 3)))
	asked.RescheduleTriggeredAt = &metav1.Time{Time: time.Unix(20, 0)}
	scheduledAt := func(seconds int64) *workv1alpha2.ResourceBindingStatus {
		return &workv1alpha2.ResourceBindingStatus{LastScheduledTime: &metav1.Time{Time: time.Unix(seconds, 0)}}
	}
	two := groups("first: a", "second: b,c")
	cases := map[string]struct {
		reason string
		in     Input
		// applied is what the placement is written over to get the applied one.
		applied func(*workv1alpha2.ResourceBindingSpec)
		want    Cause
	}{
		"SteadyByWeight": {
			reason: "a cluster that joins moves nothing",
			in:     Input{Spec: deployment(6, equally, on(to("a", 3), to("b", 3))), Clusters: members("a", "b", "c")},
		},
		"SteadyOnFew": {
			reason: "nor does more room elsewhere",
			in:     Input{Spec: deployment(6, onFew, on(to("a", 6))), Clusters: clusters(cluster("a", has("cpu=0")), cluster("b", has("cpu=99")))},
		},
		"SteadyByRoom": {
			reason: "nor does less room here",
			in:     Input{Spec: deployment(6, byFreeRoom, on(to("a", 6))), Clusters: clusters(cluster("a", has("cpu=0")))},
		},
		"SickClusterAfterItsEviction": {
			reason: "a cluster that was evicted gets nothing back when its task has ended",
			in:     Input{Spec: deployment(6, equally, on(to("b", 3), to("c", 3))), Clusters: members("a", "b", "c")},
		},
		"TaintedTarget": {
			reason: "an eviction decides about taints",
			in:     Input{Spec: deployment(2, equally, on(to("a", 2))), Clusters: clusters(cluster("a", taint("k=v:NoExecute")), cluster("b"))},
		},
		"DividedOutsideItsAffinity": {
			reason: "divided replicas do not follow labels, as published",
			in:     Input{Spec: deployment(2, equally, on(to("a", 2)), affinity(named("b"))), Clusters: members("a", "b")},
		},
		"ScaledToZero": {
			reason: "none wanted, none there",
			in:     Input{Spec: deployment(0, equally, on(to("a", 0))), Clusters: members("a", "b")},
		},
		"ComponentsTakenOver": {
			reason: "what another control plane placed stays, though it recorded no components",
			in:     Input{Spec: flink(2, onFew, on(to("a", 0), to("b", 0))), Clusters: members("a", "b", "c")},
		},
		"WorkloadAffinity": {
			reason: "workload affinity is not looked at, as published",
			in:     Input{Spec: deployment(2, equally, on(to("a", 2))), Clusters: members("a")},
			applied: func(s *workv1alpha2.ResourceBindingSpec) {
				s.Placement.WorkloadAffinity = &policyv1alpha1.WorkloadAffinity{}
			},
		},
		"EmptyIsNil": {
			reason: "an empty list is no list",
			in:     Input{Spec: deployment(2, equally, on(to("a", 2))), Clusters: members("a")},
			applied: func(s *workv1alpha2.ResourceBindingSpec) {
				s.Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{}
			},
		},
		"OtherGroupChanged": {
			reason:  "only the group in force counts",
			in:      Input{Spec: deployment(2, equally, two, on(to("a", 2))), Status: observed("first"), Clusters: members("a", "b")},
			applied: groups("first: a", "second: b"),
		},
		"PlacementChanged": {
			reason:  "another strategy",
			in:      Input{Spec: deployment(2, equally, on(to("a", 2))), Clusters: members("a")},
			applied: onFew,
			want:    PlacementChanged,
		},
		"GroupInForceChanged": {
			reason:  "the group in force has other clusters",
			in:      Input{Spec: deployment(2, equally, two, on(to("a", 2))), Status: observed("first"), Clusters: members("a")},
			applied: groups("first: a,d", "second: b,c"),
			want:    PlacementChanged,
		},
		"GroupInForceRemoved": {
			reason:  "the group in force is gone",
			in:      Input{Spec: deployment(2, equally, two, on(to("a", 2))), Status: observed("zeroth"), Clusters: members("a")},
			applied: groups("zeroth: a", "first: a"),
			want:    PlacementChanged,
		},
		"GroupUnknown": {
			reason: "the status was not written",
			in:     Input{Spec: deployment(2, equally, two, on(to("a", 2))), Clusters: members("a")},
			want:   GroupUnknown,
		},
		"NoTargets": {
			reason: "it is placed nowhere",
			in:     Input{Spec: deployment(0, equally), Clusters: members("a")},
			want:   NoTargets,
		},
		"ScaledUp": {
			reason: "one more is wanted",
			in:     Input{Spec: deployment(7, equally, on(to("a", 3), to("b", 3))), Clusters: members("a", "b")},
			want:   ReplicasChanged,
		},
		"Evicted": {
			reason: "the replicas of an evicted cluster are missing",
			in:     Input{Spec: deployment(6, equally, on(to("b", 3)), leaving("a")), Clusters: members("a", "b")},
			want:   ReplicasChanged,
		},
		"ComponentsScaled": {
			reason: "the record follows",
			in:     Input{Spec: flink(3, once, onFew, on(toFlink("a", 2))), Clusters: members("a")},
			want:   ComponentsChanged,
		},
		"Requested": {
			reason: "somebody asks for it",
			in:     Input{Spec: asked, Status: scheduledAt(10), Clusters: members("a", "b")},
			want:   Requested,
		},
		"RequestFulfilled": {
			reason: "it was done",
			in:     Input{Spec: asked, Status: scheduledAt(20), Clusters: members("a", "b")},
		},
		"ConfigMap": {
			reason: "an object without replicas follows the clusters",
			in:     Input{Spec: configMap(on(to("a", 0))), Clusters: members("a")},
			want:   Copied,
		},
		"Duplicated": {
			reason: "so do copies",
			in:     Input{Spec: deployment(2, copiedAll, on(to("a", 2))), Clusters: members("a")},
			want:   Copied,
		},
		"TerminatingTarget": {
			reason: "the target is being deleted",
			in:     Input{Spec: deployment(2, equally, on(to("a", 2))), Clusters: clusters(cluster("a", deleting), cluster("b"))},
			want:   TargetGone,
		},
		"UnjoinedTarget": {
			reason: "the target does not exist",
			in:     Input{Spec: deployment(2, equally, on(to("a", 2))), Clusters: members("b")},
			want:   TargetGone,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := tc.in.Spec.DeepCopy()
			if tc.applied != nil {
				tc.applied(before)
			}
			if got := Needed(tc.in, before.Placement); got != tc.want {
				t.Errorf("Needed() = %q, want %q: %s", got, tc.want, tc.reason)
			}
		})
	}
}

func TestNeededWithoutAppliedPlacement(t *testing.T) {
	in := Input{Spec: deployment(2, equally, on(to("a", 2))), Clusters: members("a")}
	if got := Needed(in, nil); got != PlacementChanged {
		t.Errorf("Needed() = %q, want %q: nobody knows what the targets were chosen by", got, PlacementChanged)
	}
}

func TestAwaitsReplicas(t *testing.T) {
	cases := map[string]struct {
		reason  string
		spec    *workv1alpha2.ResourceBindingSpec
		decided bool
		free    bool
		want    bool
	}{
		"Divided":   {reason: "the shares are all of the replicas", spec: deployment(6, equally, on(to("a", 3), to("b", 3)))},
		"More":      {reason: "there are more replicas than shares", spec: deployment(9, equally, on(to("a", 3), to("b", 3))), want: true},
		"Left":      {reason: "the scheduler left the shares as they are", spec: deployment(9, equally, on(to("a", 3), to("b", 3))), decided: true},
		"Free":      {reason: "nobody decides about them", spec: deployment(9, equally, on(to("a", 3), to("b", 3))), free: true},
		"Copied":    {reason: "each has a copy", spec: deployment(3, on(to("a", 3), to("b", 3)))},
		"CopyOlder": {reason: "a copy has the replicas of before", spec: deployment(3, on(to("a", 3), to("b", 2))), want: true},
		"Unknown":   {reason: "the clusters were chosen for what had no replicas, whoever decided", spec: deployment(3, on(to("a", 0), to("b", 0))), decided: true, want: true},
		"None":      {reason: "there are none to divide", spec: deployment(0, on(to("a", 0)))},
		"Nowhere":   {reason: "nothing is placed yet", spec: deployment(3, equally)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{Spec: *tc.spec}
			b.Generation = 2
			if !tc.free {
				b.Labels = map[string]string{policyv1alpha1.PropagationPolicyPermanentIDLabel: "policy"}
			}
			if tc.decided {
				b.Status.SchedulerObservedGeneration = 2
			}
			if got := AwaitsReplicas(b); got != tc.want {
				t.Errorf("AwaitsReplicas() = %t, want %t: %s", got, tc.want, tc.reason)
			}
		})
	}
}
