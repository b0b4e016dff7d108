// SPDX-License-Identifier: Apache-2.0

package binding_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

func TestReady(t *testing.T) {
	condition := func(kind string, status metav1.ConditionStatus, reason string, generation int64) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: kind + " " + reason, ObservedGeneration: generation}
	}
	scheduled, applied := condition(workv1alpha2.Scheduled, "True", "Success", 3), condition(workv1alpha2.FullyApplied, "True", "FullyAppliedSuccess", 3)
	yes := true
	cases := map[string]struct {
		conditions []metav1.Condition
		observed   int64
		change     func(*workv1alpha2.ResourceBindingSpec)
		want       string
	}{
		"nothing is known":                       {want: "Unknown Pending: Not scheduled yet"},
		"scheduled and applied":                  {conditions: []metav1.Condition{scheduled, applied}, observed: 3, want: "True FullyAppliedSuccess: FullyApplied FullyAppliedSuccess"},
		"not applied yet":                        {conditions: []metav1.Condition{scheduled}, observed: 3, want: "Unknown Pending: Not applied yet"},
		"scheduled before a change":              {conditions: []metav1.Condition{scheduled, applied}, observed: 2, want: "Unknown Pending: Not scheduled yet"},
		"applied before a change":                {conditions: []metav1.Condition{scheduled, condition(workv1alpha2.FullyApplied, "True", "FullyAppliedSuccess", 2)}, observed: 3, want: "Unknown Pending: Not applied yet"},
		"not applied before a change":            {conditions: []metav1.Condition{scheduled, condition(workv1alpha2.FullyApplied, "False", "FullyAppliedFailed", 2)}, observed: 3, want: "Unknown Pending: Not applied yet"},
		"no cluster fitted before a change":      {conditions: []metav1.Condition{condition(workv1alpha2.Scheduled, "False", "NoClusterFit", 2), applied}, observed: 2, want: "Unknown Pending: Not scheduled yet"},
		"another scheduler writes no generation": {conditions: []metav1.Condition{condition(workv1alpha2.Scheduled, "False", "NoClusterFit", 0)}, observed: 2, want: "False NoClusterFit: Scheduled NoClusterFit"},
		"no cluster fits, and the copies stay":   {conditions: []metav1.Condition{condition(workv1alpha2.Scheduled, "False", "NoClusterFit", 3), applied}, observed: 2, want: "False NoClusterFit: Scheduled NoClusterFit"},
		"applied in some":                        {conditions: []metav1.Condition{scheduled, condition(workv1alpha2.FullyApplied, "False", "FullyAppliedFailed", 3)}, observed: 3, want: "False FullyAppliedFailed: FullyApplied FullyAppliedFailed"},
		"a Work cannot be rendered":              {conditions: []metav1.Condition{scheduled, condition(workv1alpha2.FullyApplied, "False", "FullyAppliedFailed", 3), condition(workv1alpha2.Rendered, "False", "OverrideFailed", 2)}, observed: 3, want: "False OverrideFailed: Rendered OverrideFailed"},
		"refused by a quota":                     {conditions: []metav1.Condition{scheduled, applied, condition(workv1alpha2.WithinQuota, "False", "QuotaExceeded", 1)}, observed: 3, want: "False QuotaExceeded: WithinQuota QuotaExceeded"},
		"is evicted":                             {conditions: []metav1.Condition{scheduled, applied, condition(workv1alpha2.FailedOver, "False", "NewCopyNotHealthy", 1)}, observed: 3, want: "False NewCopyNotHealthy: FailedOver NewCopyNotHealthy"},
		"state would be lost":                    {conditions: []metav1.Condition{scheduled, applied, condition(workv1alpha2.StatePreserved, "False", "PathNotFound", 3)}, observed: 3, want: "True FullyAppliedSuccess: FullyApplied FullyAppliedSuccess"},
		"scheduling is suspended": {conditions: []metav1.Condition{applied}, change: func(s *workv1alpha2.ResourceBindingSpec) {
			s.Suspension = &workv1alpha2.Suspension{Scheduling: &yes}
		}, want: "Unknown Pending: Scheduling is suspended"},
		"goes where others are": {conditions: []metav1.Condition{applied}, change: func(s *workv1alpha2.ResourceBindingSpec) {
			s.Placement, s.RequiredBy = nil, []workv1alpha2.BindingSnapshot{{Namespace: "shop", Name: "web", Clusters: s.Clusters}}
		}, want: "True FullyAppliedSuccess: FullyApplied FullyAppliedSuccess"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
			b.Spec.Placement = &policyv1alpha1.Placement{}
			b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "member1"}, {Name: "member2"}}
			b.Status.Conditions, b.Status.SchedulerObservedGeneration = tc.conditions, tc.observed
			if tc.change != nil {
				tc.change(&b.Spec)
			}
			binding.SetReady(b)
			ready := meta.FindStatusCondition(b.Status.Conditions, workv1alpha2.Ready)
			if got := string(ready.Status) + " " + ready.Reason + ": " + ready.Message; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if ready.ObservedGeneration != 3 || b.Status.ObservedGeneration != 3 || len(b.Status.Conditions) != len(tc.conditions)+1 {
				t.Errorf("got generation %d, of the condition %d, and %d conditions", b.Status.ObservedGeneration, ready.ObservedGeneration, len(b.Status.Conditions))
			}
		})
	}
}

func TestIsReadyOutdated(t *testing.T) {
	ready := func(generation int64) func(*workv1alpha2.ResourceBinding) {
		return func(b *workv1alpha2.ResourceBinding) {
			b.Generation = generation
			binding.SetReady(b)
			b.Generation = 3
		}
	}
	cases := map[string]struct {
		reason string
		change func(*workv1alpha2.ResourceBinding)
		want   bool
	}{
		"Fresh":     {"nothing is reported yet, and what comes first brings it", func(b *workv1alpha2.ResourceBinding) { b.Status.Conditions = nil }, false},
		"Without":   {"another version reports the rest", func(*workv1alpha2.ResourceBinding) {}, true},
		"Same":      {"it says what the others say", ready(3), false},
		"Earlier":   {"the others are about to be written, and it with them", func(b *workv1alpha2.ResourceBinding) { b.Status.Conditions[0].ObservedGeneration = 2; ready(2)(b) }, false},
		"Overtaken": {"another version wrote the others about a later generation", ready(2), true},
		"Scheduled": {"another version placed a later generation", func(b *workv1alpha2.ResourceBinding) {
			b.Status.Conditions[0].ObservedGeneration, b.Status.SchedulerObservedGeneration = 2, 3
			ready(2)(b)
		}, true},
		"LeftAlone": {"another version changed the others", func(b *workv1alpha2.ResourceBinding) { ready(3)(b); b.Status.Conditions[0].Status = "False" }, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
			b.Status.Conditions = []metav1.Condition{{Type: workv1alpha2.FullyApplied, Status: "True", Reason: "FullyAppliedSuccess", ObservedGeneration: 3}}
			tc.change(b)
			if got := binding.IsReadyOutdated(b); got != tc.want {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
}
