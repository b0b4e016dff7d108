// SPDX-License-Identifier: Apache-2.0

package rendering_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// moving is a binding that was evicted Directly from a, whose state must survive, and is placed on b. The
// scheduler has decided, and the copy in a has reported nothing since.
func moving(change ...func(*workv1alpha2.ResourceBinding)) *workv1alpha2.ResourceBinding {
	b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
	b.Generation, b.Status.SchedulerObservedGeneration = 3, 3
	b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeDirectly}}
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "a"}}
	if err := binding.Evict(b, binding.Eviction{
		Cluster: "a", Producer: "test", Reason: workv1alpha2.EvictionReasonApplicationFailure,
		PurgeMode: policyv1alpha1.PurgeModeDirectly, Before: []string{"a"}, Time: now,
	}); err != nil {
		panic(err)
	}
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "b"}}
	b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "a", Copy: "a", Applied: true, Health: workv1alpha2.ResourceUnhealthy}}
	for _, c := range change {
		c(b)
	}
	return b
}

// old is the Work of the copy in a.
func old(change ...func(*workv1alpha1.Work)) workv1alpha1.Work {
	w := fixture.Work("a", "one", fixture.Gadget("space", "one", nil))
	w.UID = types.UID("a")
	w.Annotations = map[string]string{workv1alpha2.FailoverAnnotation: workv1alpha2.FailoverState}
	fixture.SetApplied(w, metav1.ConditionTrue)
	w.Status.ManifestStatuses = []workv1alpha1.ManifestStatus{{Health: workv1alpha2.ResourceUnhealthy}}
	for _, c := range change {
		c(w)
	}
	return *w
}

func TestExchange(t *testing.T) {
	refused, cut := errors.New("denied"), errors.New("no route to host")
	unread := func(w *workv1alpha1.Work) { w.Status.ManifestStatuses[0].State = map[string]string{"job": "9"} }
	dependent := func(b *workv1alpha2.ResourceBinding) {
		b.Spec.Clusters = nil
		b.Spec.RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: "space", Name: "other", Clusters: []workv1alpha2.TargetCluster{{Name: "b"}}}}
	}
	for name, tc := range map[string]struct {
		reason   string
		binding  *workv1alpha2.ResourceBinding
		work     workv1alpha1.Work
		answer   rendering.Answer
		notReady bool
		since    time.Time
		want     rendering.Outcome
		// deleted is that the old copy goes, blocked the reason of the condition, targets what is left.
		deleted bool
		blocked string
		targets []string
	}{
		"Takes": {
			reason: "its cluster takes the new copy", binding: moving(), work: old(),
			want: rendering.Outcome{Exact: true}, deleted: true, blocked: workv1alpha2.OldCopyReason, targets: []string{"b"},
		},
		"Refused": {
			reason: "its cluster does not", binding: moving(), work: old(), answer: rendering.Answer{Refused: refused},
			want: rendering.Outcome{Refused: map[string]error{"b": refused}}, targets: []string{},
		},
		"RefusedDependent": {
			reason: "a binding that depends on it chose the cluster", binding: moving(dependent), work: old(), answer: rendering.Answer{Refused: refused},
			want: rendering.Outcome{Waiting: []string{"denied"}, Ask: []string{"b"}}, blocked: workv1alpha2.TargetNotTriedReason, targets: []string{},
		},
		"NotAnswered": {
			reason: "nobody knows yet", binding: moving(), work: old(), answer: rendering.Answer{Waits: "b has not answered yet"},
			want: rendering.Outcome{Waiting: []string{"b has not answered yet"}}, blocked: workv1alpha2.TargetNotTriedReason, targets: []string{"b"},
		},
		"Unreached": {
			reason: "it is said to be ready, and is asked again", binding: moving(), work: old(), answer: rendering.Answer{Unreached: cut},
			want:    rendering.Outcome{Waiting: []string{"cluster b could not be asked: no route to host"}, Ask: []string{"b"}},
			blocked: workv1alpha2.TargetNotTriedReason, targets: []string{"b"},
		},
		"UnreachedAgain": {
			reason: "when was decided before", binding: moving(), work: old(), answer: rendering.Answer{Unreached: cut, Again: time.Second},
			want:    rendering.Outcome{Waiting: []string{"cluster b could not be asked: no route to host"}, Wait: time.Second},
			blocked: workv1alpha2.TargetNotTriedReason, targets: []string{"b"},
		},
		"NotReady": {
			reason: "it is known that it cannot be reached", binding: moving(), work: old(), answer: rendering.Answer{Unreached: cut}, notReady: true,
			want: rendering.Outcome{Refused: map[string]error{"b": errors.New("cluster b is not ready; it is tried again later")}}, targets: []string{},
		},
		"Failed": {
			reason: "there is no copy to ask about", binding: moving(), work: old(), answer: rendering.Answer{Failed: true},
			targets: []string{"b"},
		},
		"Unread": {
			reason: "the binding does not have what the old copy reports", binding: moving(), work: old(unread),
			want: rendering.Outcome{UnreadSince: now, Wait: rendering.ReadAgain}, targets: []string{"b"},
		},
		"StillUnread": {
			reason: "for a while", binding: moving(), work: old(unread), since: now.Add(-rendering.Patience + time.Millisecond),
			want: rendering.Outcome{UnreadSince: now.Add(-rendering.Patience + time.Millisecond), Wait: time.Millisecond}, targets: []string{"b"},
		},
		"Late": {
			reason: "it reports more often than the binding is written", binding: moving(), work: old(unread), since: now.Add(-rendering.Patience),
			want: rendering.Outcome{UnreadSince: now.Add(-rendering.Patience), Late: true}, deleted: true, blocked: workv1alpha2.OldCopyReason, targets: []string{"b"},
		},
		"Read": {
			reason: "the binding has it now", binding: moving(), work: old(), since: now.Add(-time.Second),
			want: rendering.Outcome{Exact: true}, deleted: true, blocked: workv1alpha2.OldCopyReason, targets: []string{"b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := &clusterv1alpha1.Cluster{}
			cluster.Spec.SyncMode = clusterv1alpha1.Push
			if !tc.notReady {
				meta.SetStatusCondition(&cluster.Status.Conditions, metav1.Condition{Type: clusterv1alpha1.ClusterConditionReady, Status: metav1.ConditionTrue, Reason: "Test"})
			}
			b := tc.binding
			p, err := rendering.Decide(b, rendering.View{
				Works: []workv1alpha1.Work{tc.work}, Cluster: func(string) *clusterv1alpha1.Cluster { return cluster },
			})
			if err != nil || len(p.Replace) != 1 {
				t.Fatalf("%d copies are to go for another, want 1; error %v", len(p.Replace), err)
			}
			got, err := p.Exchange(b, rendering.Trial{
				Answers: map[string]rendering.Answer{"b": tc.answer}, UnreadSince: tc.since, Carries: true,
				Clip: func(why string) string { return why }, NamesState: func() bool { return false },
			}, now)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(rendering.Outcome{}, "Delete"), cmp.Comparer(func(a, b error) bool { return a.Error() == b.Error() })); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if deleted := len(got.Delete) == 1; deleted != tc.deleted || deleted == (len(p.Replace) == 1) {
				t.Errorf("%s: the old copy goes: %t, and %d are left to replace", tc.reason, deleted, len(p.Replace))
			}
			if blocked := p.Blocked(got); blocked != tc.blocked {
				t.Errorf("%s: the condition has %q, want %q", tc.reason, blocked, tc.blocked)
			}
			targets := []string{}
			for _, c := range b.Spec.Clusters {
				targets = append(targets, c.Name)
			}
			if diff := cmp.Diff(tc.targets, targets); diff != "" {
				t.Errorf("%s: targets (-want +got):\n%s", tc.reason, diff)
			}
			if _, excluded := binding.Failures(b)["b"]; excluded != (len(tc.want.Refused) > 0) {
				t.Errorf("%s: b is excluded for a time: %t", tc.reason, excluded)
			}
		})
	}
}
