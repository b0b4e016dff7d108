// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// work makes a Work of a cluster whose Applied condition is True, False or absent.
func work(cluster string, applied metav1.ConditionStatus, statuses ...workv1alpha1.ManifestStatus) workv1alpha1.Work {
	w := workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(cluster)}}
	if applied != "" {
		w.Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: applied, Message: "said by " + cluster}}
	}
	w.Status.ManifestStatuses = statuses
	return w
}

func raw(json string) *runtime.RawExtension { return &runtime.RawExtension{Raw: []byte(json)} }

func TestAggregate(t *testing.T) {
	healthy := workv1alpha1.ManifestStatus{Status: raw(`{"replicas":1}`), Health: workv1alpha2.ResourceHealthy}
	leaving := work("one", metav1.ConditionTrue, healthy)
	leaving.DeletionTimestamp = &metav1.Time{}
	stray := work("one", metav1.ConditionTrue, healthy)
	stray.Namespace = "default"
	cases := map[string]struct {
		reason string
		works  []workv1alpha1.Work
		want   []workv1alpha2.AggregatedStatusItem
	}{
		"None": {reason: "no Work, no item"},
		"Applied": {
			reason: "what the member said of the object",
			works:  []workv1alpha1.Work{work("one", metav1.ConditionTrue, healthy)},
			want:   []workv1alpha2.AggregatedStatusItem{{ClusterName: "one", Applied: true, Status: raw(`{"replicas":1}`), Health: workv1alpha2.ResourceHealthy}},
		},
		"Silent": {
			reason: "applied, and nothing was said of it yet",
			works:  []workv1alpha1.Work{work("one", metav1.ConditionTrue)},
			want:   []workv1alpha2.AggregatedStatusItem{{ClusterName: "one", Applied: true, Health: workv1alpha2.ResourceUnknown}},
		},
		"Failed": {
			reason: "why it is not applied; what was said before counts no more",
			works:  []workv1alpha1.Work{work("one", metav1.ConditionFalse, healthy)},
			want:   []workv1alpha2.AggregatedStatusItem{{ClusterName: "one", AppliedMessage: "said by one", Health: workv1alpha2.ResourceUnknown}},
		},
		"New": {
			reason: "nobody has tried yet",
			works:  []workv1alpha1.Work{work("one", "")},
			want:   []workv1alpha2.AggregatedStatusItem{{ClusterName: "one", Health: workv1alpha2.ResourceUnknown}},
		},
		"Leaving": {reason: "a Work that is deleted, or for no cluster, does not count", works: []workv1alpha1.Work{leaving, stray}},
		"Sorted": {
			reason: "by cluster, whatever the order of the list",
			works:  []workv1alpha1.Work{work("two", ""), work("ten", ""), work("one", "")},
			want: []workv1alpha2.AggregatedStatusItem{
				{ClusterName: "one", Health: workv1alpha2.ResourceUnknown},
				{ClusterName: "ten", Health: workv1alpha2.ResourceUnknown},
				{ClusterName: "two", Health: workv1alpha2.ResourceUnknown},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Aggregate(tc.works)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAggregateSharesNothing(t *testing.T) {
	w := work("one", metav1.ConditionTrue, workv1alpha1.ManifestStatus{Status: raw(`{"a":1}`)})
	Aggregate([]workv1alpha1.Work{w})[0].Status.Raw[2] = 'b'
	if got := string(w.Status.ManifestStatuses[0].Status.Raw); got != `{"a":1}` {
		t.Errorf("the Work of the cache became %s", got)
	}
}

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
