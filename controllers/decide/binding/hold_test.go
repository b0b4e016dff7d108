// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestHold(t *testing.T) {
	const directly, gracefully = policyv1alpha1.PurgeModeDirectly, policyv1alpha1.PurgeModeGracefully
	confirmed := leaving("a", directly)
	confirmed.SuppressDeletion = new(bool)
	cases := map[string]struct {
		reason string
		tasks  []task
		works  string // as in TestPlanWorks
		want   []string
	}{
		"Remains":    {"the task stays while the old copy is there, although the other copy is well", []task{leaving("a", directly)}, "a b", []string{"a"}},
		"Going":      {"also while it is being deleted", []task{leaving("a", directly)}, "a- b", []string{"a"}},
		"Gone":       {"and ends when it is gone", []task{leaving("a", directly)}, "b", nil},
		"Confirmed":  {"or when the user confirmed it", []task{confirmed}, "a- b", nil},
		"Gracefully": {"a copy that leaves Gracefully goes when the task ends", []task{leaving("a", gracefully)}, "a b", nil},
		"Order":      {"tasks keep their order", []task{leaving("c", directly), leaving("d", gracefully), leaving("a", directly)}, "a b c", []string{"c", "a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
			b.Spec.Clusters, b.Spec.GracefulEvictionTasks = fixture.Targets("b"), tc.tasks
			b.Status.AggregatedStatus = reports(map[string]workv1alpha2.ResourceHealth{"b": healthy})
			v := Assess(b, timeout, now)
			if len(v.Done) != len(tc.tasks) {
				t.Fatalf("the verdict ends %v of %v", v.Done, tc.tasks)
			}
			v.Hold(&b.Spec, worksIn(tc.works))
			var got []string
			for _, kept := range v.Keep {
				got = append(got, kept.FromCluster)
				if slices.Contains(v.Done, kept.FromCluster) {
					t.Errorf("the task of %s is kept and done", kept.FromCluster)
				}
			}
			if !slices.Equal(got, tc.want) || len(v.Done)+len(v.Keep) != len(tc.tasks) {
				t.Errorf("%s: keeps %v, want %v; done are %v", tc.reason, got, tc.want, v.Done)
			}
		})
	}
}

// TestHoldOfTakenOverState: a task that is held although its state was taken over has none
// any more, or the new copy would be made with it again.
func TestHoldOfTakenOverState(t *testing.T) {
	b := &workv1alpha2.ResourceBinding{}
	held := leaving("a", policyv1alpha1.PurgeModeDirectly)
	held.PreservedLabelState = map[string]string{"job": "1"}
	b.Spec.Clusters, b.Spec.GracefulEvictionTasks = fixture.Targets("b"), []workv1alpha2.GracefulEvictionTask{held}
	b.Status.AggregatedStatus = reports(map[string]workv1alpha2.ResourceHealth{"b": healthy})
	v := Assess(b, timeout, now)
	v.Hold(&b.Spec, worksIn("a b"))
	if _, err := v.Apply(b); err != nil {
		t.Fatal(err)
	}
	if s, pending := PendingState(b, "b"); len(b.Spec.GracefulEvictionTasks) != 1 || pending || !StateFor(b, "b", "").IsEmpty() {
		t.Errorf("the task stays without its state, got %+v, pending %v", b.Spec.GracefulEvictionTasks, s)
	}
}

// TestTasksOfTakenOverState: a copy that was evicted before it took over a state has that of
// the cluster before it in its task. Once a third copy has it, the second task, which waits
// for a member that is away, must not have the copy made with it again.
func TestTasksOfTakenOverState(t *testing.T) {
	b := &workv1alpha2.ResourceBinding{}
	state := State{Labels: map[string]string{"job": "1"}}
	for _, cluster := range []string{"a", "b"} {
		b.Spec.Clusters = fixture.Targets(cluster)
		err := Evict(b, Eviction{Cluster: cluster, Reason: workv1alpha2.EvictionReasonApplicationFailure, PurgeMode: policyv1alpha1.PurgeModeDirectly, State: state, Before: []string{cluster}, Time: now})
		if err != nil {
			t.Fatal(err)
		}
		b.Spec.Clusters = fixture.Targets(string(cluster[0] + 1))
		if got := StateFor(b, b.Spec.Clusters[0].Name, ""); got.Labels["job"] != "1" {
			t.Fatalf("the copy in %s gets the state %v", b.Spec.Clusters[0].Name, got)
		}
		if err := SetCarriedStates(b, CarriedStates(b)); err != nil {
			t.Fatal(err)
		}
	}
	b.Generation, b.Status.SchedulerObservedGeneration = 2, 1
	b.Status.AggregatedStatus = reports(map[string]workv1alpha2.ResourceHealth{"c": healthy})
	if _, err := Assess(b, timeout, now).Apply(b); err != nil {
		t.Fatal(err)
	}
	if got := StateFor(b, "c", ""); !got.IsEmpty() || len(b.Spec.GracefulEvictionTasks) != 2 {
		t.Errorf("the copy that has taken over its state gets %v again, by %d tasks", got, len(b.Spec.GracefulEvictionTasks))
	}
}
