// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestFullyApplied(t *testing.T) {
	item := func(cluster string, applied bool) workv1alpha2.AggregatedStatusItem {
		return workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Applied: applied}
	}
	targets := func(clusters ...string) []workv1alpha2.TargetCluster {
		var all []workv1alpha2.TargetCluster
		for _, c := range clusters {
			all = append(all, workv1alpha2.TargetCluster{Name: c})
		}
		return all
	}
	const done = "True FullyAppliedSuccess: All works have been successfully applied"
	evicted := func(mode policyv1alpha1.PurgeMode) workv1alpha2.ResourceBindingSpec {
		return workv1alpha2.ResourceBindingSpec{Clusters: targets("one"), GracefulEvictionTasks: []workv1alpha2.GracefulEvictionTask{{FromCluster: "two", PurgeMode: mode}}}
	}
	suspended := func(s policyv1alpha1.Suspension) workv1alpha2.ResourceBindingSpec {
		return workv1alpha2.ResourceBindingSpec{Clusters: targets("one", "two"), Suspension: &workv1alpha2.Suspension{Suspension: s}}
	}
	cases := map[string]struct {
		reason string
		spec   workv1alpha2.ResourceBindingSpec
		items  []workv1alpha2.AggregatedStatusItem
		want   string
	}{
		"Nowhere": {reason: "what is nowhere is not applied", want: "False FullyAppliedFailed: Applied in 0 of 0 clusters"},
		"All":     {reason: "wherever it should be", spec: workv1alpha2.ResourceBindingSpec{Clusters: targets("one", "two")}, items: []workv1alpha2.AggregatedStatusItem{item("one", true), item("two", true)}, want: done},
		"Some":    {reason: "one is missing", spec: workv1alpha2.ResourceBindingSpec{Clusters: targets("one", "two")}, items: []workv1alpha2.AggregatedStatusItem{item("one", true), item("two", false)}, want: "False FullyAppliedFailed: Applied in 1 of 2 clusters"},
		"Absent":  {reason: "there is no Work yet", spec: workv1alpha2.ResourceBindingSpec{Clusters: targets("one", "two")}, items: []workv1alpha2.AggregatedStatusItem{item("one", true)}, want: "False FullyAppliedFailed: Applied in 1 of 2 clusters"},
		"Left":    {reason: "a copy is where none should be", spec: workv1alpha2.ResourceBindingSpec{Clusters: targets("one")}, items: []workv1alpha2.AggregatedStatusItem{item("one", true), item("two", true)}, want: "False FullyAppliedFailed: Applied in 1 of 1 clusters; not gone yet from two"},
		"Required": {
			reason: "a binding that depends on it wants it there", items: []workv1alpha2.AggregatedStatusItem{item("one", true), item("two", true)}, want: done,
			spec: workv1alpha2.ResourceBindingSpec{Clusters: targets("one"), RequiredBy: []workv1alpha2.BindingSnapshot{{Clusters: targets("one", "two")}}},
		},
		"Gracefully": {reason: "the old copy stays until the new one is healthy", spec: evicted(policyv1alpha1.PurgeModeGracefully), items: []workv1alpha2.AggregatedStatusItem{item("one", true), item("two", true)}, want: done},
		"Stranded": {
			reason: "the last copy stays while there is no other place for it, so it is not on its way out",
			spec: workv1alpha2.ResourceBindingSpec{
				Placement:             &policyv1alpha1.Placement{},
				GracefulEvictionTasks: []workv1alpha2.GracefulEvictionTask{{FromCluster: "one", PurgeMode: policyv1alpha1.PurgeModeDirectly}},
			},
			items: []workv1alpha2.AggregatedStatusItem{item("one", true)},
			want:  "False FullyAppliedFailed: Applied in 0 of 0 clusters; no cluster is assigned, and the copies stay in one",
		},
		"Suspended": {
			reason: "that nothing is dispatched is no failure",
			spec:   suspended(policyv1alpha1.Suspension{Dispatching: new(true)}),
			want:   "False SuspendDispatching: Applied in 0 of 2 clusters; dispatching is suspended in one, two",
		},
		"SuspendedInOne": {
			reason: "the other has what it should",
			spec:   suspended(policyv1alpha1.Suspension{DispatchingOnClusters: &policyv1alpha1.SuspendClusters{ClusterNames: []string{"two"}}}),
			items:  []workv1alpha2.AggregatedStatusItem{item("one", true), item("two", false)},
			want:   "False SuspendDispatching: Applied in 1 of 2 clusters; dispatching is suspended in two",
		},
		"SuspendedAndFailed": {
			reason: "one is missing that is not suspended",
			spec:   suspended(policyv1alpha1.Suspension{DispatchingOnClusters: &policyv1alpha1.SuspendClusters{ClusterNames: []string{"two"}}}),
			items:  []workv1alpha2.AggregatedStatusItem{item("one", false), item("two", false)},
			want:   "False FullyAppliedFailed: Applied in 0 of 2 clusters; dispatching is suspended in two",
		},
		"SuspendedAfterwards": {
			reason: "all has arrived before", spec: suspended(policyv1alpha1.Suspension{Dispatching: new(true)}),
			items: []workv1alpha2.AggregatedStatusItem{item("one", true), item("two", true)}, want: done,
		},
		"Directly": {reason: "the old copy goes first", spec: evicted(policyv1alpha1.PurgeModeDirectly), items: []workv1alpha2.AggregatedStatusItem{item("one", true), item("two", true)}, want: "False FullyAppliedFailed: Applied in 1 of 1 clusters; not gone yet from two"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Generation: 7}, Spec: tc.spec}
			c := FullyApplied(b, tc.items)
			got := string(c.Status) + " " + c.Reason + ": " + c.Message
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if c.Type != "FullyApplied" || c.ObservedGeneration != 7 {
				t.Errorf("got type %q of generation %d, want FullyApplied of 7", c.Type, c.ObservedGeneration)
			}
		})
	}
}

func TestSuspended(t *testing.T) {
	some := &workv1alpha2.Suspension{}
	some.DispatchingOnClusters = &policyv1alpha1.SuspendClusters{ClusterNames: []string{"b"}}
	all := &workv1alpha2.Suspension{}
	all.Dispatching = ptr.To(true)
	none := &workv1alpha2.Suspension{Scheduling: ptr.To(true)}
	none.Dispatching = ptr.To(false)
	for _, tc := range []struct {
		reason     string
		suspension *workv1alpha2.Suspension
		cluster    string
		want       bool
	}{
		{"nothing is suspended", nil, "a", false},
		{"everything is", all, "a", true},
		{"only in this cluster", some, "b", true},
		{"in another cluster", some, "a", false},
		{"only scheduling", none, "a", false},
	} {
		if got := Suspended(&workv1alpha2.ResourceBindingSpec{Suspension: tc.suspension}, tc.cluster); got != tc.want {
			t.Errorf("%s: Suspended = %t, want %t", tc.reason, got, tc.want)
		}
	}
}
