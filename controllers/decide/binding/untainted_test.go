// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// before sets the clusters before a task.
func before(clusters ...string) func(*task) {
	return func(t *task) { t.ClustersBeforeFailover = clusters }
}

func TestRevertTainted(t *testing.T) {
	type health = map[string]workv1alpha2.ResourceHealth
	tainted := func(cluster string, with ...func(*task)) task {
		return from(cluster, 5, append([]func(*task){untolerated}, with...)...)
	}
	cases := map[string]struct {
		reason   string
		targets  []string
		tasks    []task
		usable   []string
		health   health
		want     []string // the targets then; nil where nothing is reverted
		reverted []string
	}{
		"Back": {
			reason: "the new copy has not begun", targets: []string{"b"}, tasks: []task{tainted("a", before("a"))}, usable: []string{"a"},
			health: health{"a": healthy}, want: []string{"a"}, reverted: []string{"a"},
		},
		"Begun": {
			reason: "the new copy is not healthy, and the old one is", targets: []string{"b"}, tasks: []task{tainted("a", before("a"))}, usable: []string{"a"},
			health: health{"a": healthy, "b": unhealthy}, want: []string{"a"}, reverted: []string{"a"},
		},
		"Replaced": {
			reason: "the new copy is healthy, so the move ends", targets: []string{"b"}, tasks: []task{tainted("a", before("a"))}, usable: []string{"a"},
			health: health{"a": healthy, "b": healthy},
		},
		"StillTainted": {
			reason: "the taint is still there", targets: []string{"b"}, tasks: []task{tainted("a", before("a"))},
			health: health{"a": healthy},
		},
		"NotReported": {
			reason: "the cluster is back, but nobody knows whether the copy is", targets: []string{"b"}, tasks: []task{tainted("a", before("a"))}, usable: []string{"a"},
			health: health{"a": unknown},
		},
		"Unhealthy": {
			reason: "the old copy is not worth to be kept", targets: []string{"b"}, tasks: []task{tainted("a", before("a"))}, usable: []string{"a"},
			health: health{"a": unhealthy},
		},
		"Directly": {
			reason: "the old copy is being removed", targets: []string{"b"}, tasks: []task{tainted("a", before("a"), directly)}, usable: []string{"a"},
			health: health{"a": healthy},
		},
		"Stranded": {
			reason: "no copy was removed while there was no target, in any mode and health", tasks: []task{tainted("a", before("a"), directly)}, usable: []string{"a"},
			health: health{"a": unhealthy}, want: []string{"a"}, reverted: []string{"a"},
		},
		"Kept": {
			reason: "a person decides about it", tasks: []task{tainted("a", before("a"), kept)}, usable: []string{"a"},
		},
		"Application": {
			reason: "the application failed there, which no taint is about", tasks: []task{from("a", 5, before("a"))}, usable: []string{"a"},
		},
		"ByThePeer": {
			reason:  "which clusters there were before is not known, so nobody knows the new copy",
			targets: []string{"b"}, tasks: []task{tainted("a")}, usable: []string{"a"}, health: health{"a": healthy},
		},
		"NoReplacement": {
			reason: "a copied object has no other cluster", targets: []string{"b", "c"}, tasks: []task{tainted("a", before("a", "b", "c"))}, usable: []string{"a"},
			health: health{"a": healthy, "b": unhealthy, "c": healthy}, want: []string{"a", "b", "c"}, reverted: []string{"a"},
		},
		"OneOfSeveral": {
			reason: "b left with a, and nobody knows in whose place c is", targets: []string{"c"}, usable: []string{"a"},
			tasks: []task{tainted("a", before("a", "b")), tainted("b", before("a", "b"))}, health: health{"a": healthy, "b": healthy},
		},
		"OneOfSeveralWithoutNewCopies": {
			reason: "b left with a, and nothing is in their place", targets: []string{"c"}, usable: []string{"a"},
			tasks:  []task{tainted("a", before("a", "b", "c")), tainted("b", before("a", "b", "c"))},
			health: health{"a": healthy, "b": healthy, "c": unknown}, want: []string{"a", "c"}, reverted: []string{"a"},
		},
		"AllOfSeveral": {
			reason: "both return, and the new copies go", targets: []string{"c", "d"}, usable: []string{"a", "b"},
			tasks: []task{tainted("a", before("a", "b")), tainted("b", before("a", "b"))}, health: health{"a": healthy, "b": healthy},
			want: []string{"a", "b"}, reverted: []string{"a", "b"},
		},
		"Chain": {
			reason: "b was in the place of a, so a alone returns", usable: []string{"a", "b"},
			tasks: []task{tainted("a", before("a")), tainted("b", before("b"))}, want: []string{"a"}, reverted: []string{"a"},
		},
		"ChainGoesOn": {
			reason: "c is in the place of b, which was in the place of a", targets: []string{"c"}, usable: []string{"a"},
			tasks: []task{tainted("a", before("a")), tainted("b", before("b"))}, health: health{"a": healthy, "b": unknown},
			want: []string{"a"}, reverted: []string{"a"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil))
			b.GetSpec().Clusters, b.GetSpec().GracefulEvictionTasks = fixture.Targets(tc.targets...), tc.tasks
			b.GetStatus().AggregatedStatus = reports(tc.health)
			got, err := RevertTainted(b, func(cluster string) bool { return slices.Contains(tc.usable, cluster) })
			if err != nil {
				t.Fatal(err)
			}
			want := tc.targets
			if tc.want != nil {
				want = tc.want
			}
			if diff := cmp.Diff(tc.reverted, got); diff != "" {
				t.Errorf("%s: reverted (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(fixture.Targets(want...), b.GetSpec().Clusters); diff != "" {
				t.Errorf("%s: targets (-want +got):\n%s", tc.reason, diff)
			}
			for _, k := range b.GetSpec().GracefulEvictionTasks {
				if slices.Contains(tc.reverted, k.FromCluster) {
					t.Errorf("%s: the task of %s is still there", tc.reason, k.FromCluster)
				}
			}
			if left := len(b.GetSpec().GracefulEvictionTasks); left != len(tc.tasks)-len(tc.reverted) {
				t.Errorf("%s: %d tasks are left of %d", tc.reason, left, len(tc.tasks))
			}
		})
	}
}

func TestRevertTaintedKeepsReplicasAndDropsState(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	b.GetSpec().Clusters = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 3}}
	if err := Evict(b, Eviction{
		Cluster: "a", Producer: workv1alpha2.EvictionProducerTaintManager, Reason: workv1alpha2.EvictionReasonTaintUntolerated, PurgeMode: "Directly",
		State: State{Labels: map[string]string{"job": "1"}}, Before: []string{"a"}, Time: now,
	}); err != nil {
		t.Fatal(err)
	}
	if len(CarriedStates(b)) != 1 {
		t.Fatal("the state must be carried")
	}
	if _, err := RevertTainted(b, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]workv1alpha2.TargetCluster{{Name: "a", Replicas: 3}}, b.GetSpec().Clusters); diff != "" {
		t.Errorf("the copy has its replicas (-want +got):\n%s", diff)
	}
	if text, left := b.GetAnnotations()[CarriedStateAnnotation]; left {
		t.Errorf("the copy runs on with its state, but it is still carried: %s", text)
	}
}
