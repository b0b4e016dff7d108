// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/names"
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
	changed := work("one", metav1.ConditionTrue, healthy)
	changed.Generation, changed.Status.Conditions[0].ObservedGeneration = 2, 1
	refused := work("one", metav1.ConditionFalse, healthy)
	refused.UID, refused.Annotations = "work", map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
	foreign := work("one", metav1.ConditionTrue, healthy)
	foreign.Generation = 2
	cases := map[string]struct {
		reason string
		works  []workv1alpha1.Work
		// unreachable names a cluster that cannot be reached.
		unreachable string
		want        []workv1alpha2.AggregatedStatusItem
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
		"Refused": {
			reason: "its cluster refuses the newest manifest, and what runs on has the state that must survive",
			works:  []workv1alpha1.Work{refused},
			want: []workv1alpha2.AggregatedStatusItem{{
				ClusterName: "one", Copy: "work", AppliedMessage: "said by one", Status: raw(`{"replicas":1}`), Health: workv1alpha2.ResourceUnknown,
			}},
		},
		"New": {
			reason: "nobody has tried yet",
			works:  []workv1alpha1.Work{work("one", "")},
			want:   []workv1alpha2.AggregatedStatusItem{{ClusterName: "one", Health: workv1alpha2.ResourceUnknown}},
		},
		"Changed": {
			reason: "its current generation never arrived: what runs is another, and how that one is nobody knows",
			works:  []workv1alpha1.Work{changed},
			want: []workv1alpha2.AggregatedStatusItem{{
				ClusterName: "one", AppliedMessage: "The current generation of the Work has not been applied yet", Status: raw(`{"replicas":1}`), Health: workv1alpha2.ResourceUnknown,
			}},
		},
		"Foreign": {
			reason: "the published control plane writes no generation",
			works:  []workv1alpha1.Work{foreign},
			want:   []workv1alpha2.AggregatedStatusItem{{ClusterName: "one", Applied: true, Status: raw(`{"replicas":1}`), Health: workv1alpha2.ResourceHealthy}},
		},
		"Unreachable": {
			reason: "nobody knows how it is, and its last status may hold the state to carry over",
			works:  []workv1alpha1.Work{work("one", metav1.ConditionTrue, healthy), work("two", metav1.ConditionTrue, healthy)}, unreachable: "one",
			want: []workv1alpha2.AggregatedStatusItem{
				{ClusterName: "one", Applied: true, AppliedMessage: "ClusterUnreachable: what is reported is from before", Status: raw(`{"replicas":1}`), Health: workv1alpha2.ResourceUnknown},
				{ClusterName: "two", Applied: true, Status: raw(`{"replicas":1}`), Health: workv1alpha2.ResourceHealthy},
			},
		},
		"UnreachableFailed": {
			reason: "why it was not applied is still true",
			works:  []workv1alpha1.Work{work("one", metav1.ConditionFalse)}, unreachable: "one",
			want: []workv1alpha2.AggregatedStatusItem{{ClusterName: "one", AppliedMessage: "ClusterUnreachable: what is reported is from before; said by one", Health: workv1alpha2.ResourceUnknown}},
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
			if diff := cmp.Diff(tc.want, Aggregate(tc.works, func(cluster string) bool { return cluster == tc.unreachable })); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAggregateHasTheReportedState(t *testing.T) {
	state := map[string]string{"path": "s3://one"}
	w := work("one", metav1.ConditionTrue, workv1alpha1.ManifestStatus{State: state, Health: workv1alpha2.ResourceUnhealthy})
	items := Aggregate([]workv1alpha1.Work{w}, func(string) bool { return true })
	if diff := cmp.Diff(state, items[0].State); diff != "" {
		t.Errorf("of a cluster that cannot be reached too (-want +got):\n%s", diff)
	}
	items[0].State["path"] = "changed"
	if state["path"] != "s3://one" {
		t.Error("the item shares its state with the Work")
	}
}

func TestAggregateSharesNothing(t *testing.T) {
	w := work("one", metav1.ConditionTrue, workv1alpha1.ManifestStatus{Status: raw(`{"a":1}`)})
	Aggregate([]workv1alpha1.Work{w}, nil)[0].Status.Raw[2] = 'b'
	if got := string(w.Status.ManifestStatuses[0].Status.Raw); got != `{"a":1}` {
		t.Errorf("the Work of the cache became %s", got)
	}
}

func TestExpected(t *testing.T) {
	changed := work("one", metav1.ConditionTrue)
	changed.Generation, changed.Status.Conditions[0].ObservedGeneration = 2, 1
	cases := map[string]struct {
		work        workv1alpha1.Work
		unreachable bool
		want        [2]bool // expected, unreachable
	}{
		"Failed":      {work: work("one", metav1.ConditionFalse)},
		"Changed":     {work: changed, want: [2]bool{true, false}},
		"Unreachable": {work: work("one", metav1.ConditionFalse), unreachable: true, want: [2]bool{true, true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			item := Aggregate([]workv1alpha1.Work{tc.work}, func(string) bool { return tc.unreachable })[0]
			if got := [2]bool{Expected(&item), Unreachable(&item)}; got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestSettled(t *testing.T) {
	changed := work("one", metav1.ConditionTrue)
	changed.Generation, changed.Status.Conditions[0].ObservedGeneration = 2, 1
	suspended, leaving := work("one", ""), work("two", metav1.ConditionTrue)
	suspended.Spec.SuspendDispatching = new(true)
	leaving.DeletionTimestamp = &metav1.Time{}
	cases := map[string]struct {
		reason string
		works  []workv1alpha1.Work
		want   bool
	}{
		"Missing":   {reason: "its Work is rendered in a moment", want: false},
		"New":       {reason: "it is applied in a moment", works: []workv1alpha1.Work{work("one", "")}, want: false},
		"Changed":   {reason: "it is applied again in a moment", works: []workv1alpha1.Work{changed}, want: false},
		"Leaving":   {reason: "it is gone in a moment", works: []workv1alpha1.Work{work("one", metav1.ConditionTrue), leaving}, want: false},
		"Applied":   {reason: "there is nothing else to come", works: []workv1alpha1.Work{work("one", metav1.ConditionTrue)}, want: true},
		"Failed":    {reason: "that is to be reported at once", works: []workv1alpha1.Work{work("one", metav1.ConditionFalse)}, want: true},
		"Suspended": {reason: "nobody applies it", works: []workv1alpha1.Work{suspended}, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{Clusters: []workv1alpha2.TargetCluster{{Name: "one"}}}}
			if got := Settled(b, tc.works); got != tc.want {
				t.Errorf("%s: got %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestWithoutRefused(t *testing.T) {
	all := []workv1alpha2.AggregatedStatusItem{
		{ClusterName: "applied", Applied: true, Status: raw(`{"replicas":1}`), State: map[string]string{"job": "1"}},
		{ClusterName: "refused", AppliedMessage: "denied", Status: raw(`{"replicas":2}`), State: map[string]string{"job": "2"}},
		{ClusterName: "changed", AppliedMessage: outdatedMessage, Status: raw(`{"replicas":3}`)},
		{ClusterName: "unreachable", AppliedMessage: unreachableMessage + "for a minute", Status: raw(`{"replicas":4}`)},
	}
	before := (&workv1alpha2.ResourceBindingStatus{AggregatedStatus: all}).DeepCopy().AggregatedStatus
	want := (&workv1alpha2.ResourceBindingStatus{AggregatedStatus: all}).DeepCopy().AggregatedStatus
	want[1].Status, want[1].State = nil, nil
	if diff := cmp.Diff(want, WithoutRefused(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, all); diff != "" {
		t.Errorf("the items were changed (-before +after):\n%s", diff)
	}
}
