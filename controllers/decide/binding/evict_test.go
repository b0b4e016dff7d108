// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestEvict(t *testing.T) {
	task := func(mode policyv1alpha1.PurgeMode, with ...func(*workv1alpha2.GracefulEvictionTask)) workv1alpha2.GracefulEvictionTask {
		k := workv1alpha2.GracefulEvictionTask{
			FromCluster: "a", PurgeMode: mode, Replicas: ptr.To[int32](2), Reason: "ApplicationFailure", Producer: "tester",
		}
		for _, w := range with {
			w(&k)
		}
		return k
	}
	withState := func(k *workv1alpha2.GracefulEvictionTask) {
		k.PreservedLabelState = map[string]string{"job": "1"}
		k.ClustersBeforeFailover = []string{"a", "b"}
	}
	cases := map[string]struct {
		reason   string
		behavior policyv1alpha1.ApplicationFailoverBehavior
		state    State
		cluster  string // a where it is not said
		want     []workv1alpha2.GracefulEvictionTask
		clusters []workv1alpha2.TargetCluster
	}{
		"Directly": {
			reason:   "there is nothing to wait for",
			behavior: policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeDirectly},
			want:     []workv1alpha2.GracefulEvictionTask{task("Directly")},
		},
		"Immediately": {
			reason:   "the old name of Directly is written as the new one",
			behavior: policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.Immediately},
			want:     []workv1alpha2.GracefulEvictionTask{task("Directly")},
		},
		"Gracefully": {
			reason:   "the grace period goes along",
			behavior: policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeGracefully, GracePeriodSeconds: ptr.To[int32](30)},
			want: []workv1alpha2.GracefulEvictionTask{task("Gracefully", func(k *workv1alpha2.GracefulEvictionTask) {
				k.GracePeriodSeconds = ptr.To[int32](30)
			})},
		},
		"Graciously": {
			reason:   "the old name of Gracefully is written as the new one",
			behavior: policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.Graciously, GracePeriodSeconds: ptr.To[int32](30)},
			want: []workv1alpha2.GracefulEvictionTask{task("Gracefully", func(k *workv1alpha2.GracefulEvictionTask) {
				k.GracePeriodSeconds = ptr.To[int32](30)
			})},
		},
		"Never": {
			reason:   "the copy stays until the user confirms",
			behavior: policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeNever},
			want: []workv1alpha2.GracefulEvictionTask{task("Never", func(k *workv1alpha2.GracefulEvictionTask) {
				k.SuppressDeletion = ptr.To(true)
			})},
		},
		"GraceOnlyForGracefully": {
			reason:   "another mode has no grace period",
			behavior: policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeDirectly, GracePeriodSeconds: ptr.To[int32](30)},
			want:     []workv1alpha2.GracefulEvictionTask{task("Directly")},
		},
		"State": {
			reason:   "with state the task names the clusters before",
			behavior: policyv1alpha1.ApplicationFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeDirectly},
			state:    State{Labels: map[string]string{"job": "1"}},
			want:     []workv1alpha2.GracefulEvictionTask{task("Directly", withState)},
		},
		"NotATarget": {
			reason: "a cluster that is no target is not evicted", cluster: "x",
			clusters: []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}, {Name: "b", Replicas: 1}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.cluster == "" {
				tc.cluster = "a"
			}
			if tc.clusters == nil {
				tc.clusters = []workv1alpha2.TargetCluster{{Name: "b", Replicas: 1}}
			}
			b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{
				Clusters: []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}, {Name: "b", Replicas: 1}},
			}}
			spec := &b.Spec
			evict(t, b, Eviction{
				Cluster: tc.cluster, Producer: "tester", Reason: workv1alpha2.EvictionReasonApplicationFailure, PurgeMode: tc.behavior.PurgeMode,
				GracePeriodSeconds: tc.behavior.GracePeriodSeconds, State: tc.state, Before: []string{"a", "b"},
			})
			if diff := cmp.Diff(tc.want, spec.GracefulEvictionTasks, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: tasks (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.clusters, spec.Clusters); diff != "" {
				t.Errorf("%s: clusters (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func evict(t *testing.T, b workv1alpha2.Binding, e Eviction) {
	t.Helper()
	if err := Evict(b, e); err != nil {
		t.Fatal(err)
	}
}

func TestEvictTwice(t *testing.T) {
	first := workv1alpha2.GracefulEvictionTask{FromCluster: "a", Reason: "TaintUntolerated", Producer: "TaintManager"}
	b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{
		Clusters:              []workv1alpha2.TargetCluster{{Name: "a"}},
		GracefulEvictionTasks: []workv1alpha2.GracefulEvictionTask{first},
	}}
	spec := &b.Spec
	evict(t, b, Eviction{Cluster: "a", Producer: "tester", Before: []string{"a"}})
	if diff := cmp.Diff([]workv1alpha2.GracefulEvictionTask{first}, spec.GracefulEvictionTasks); diff != "" {
		t.Errorf("a cluster that has a task keeps it (-want +got):\n%s", diff)
	}
	if len(spec.Clusters) != 0 {
		t.Errorf("it is no target any more; clusters are %v", spec.Clusters)
	}
}

func TestEvictWithoutReplicas(t *testing.T) {
	b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{
		Clusters: []workv1alpha2.TargetCluster{{Name: "a"}},
	}}
	spec := &b.Spec
	evict(t, b, Eviction{Cluster: "a", Producer: "tester", Before: []string{"a"}})
	if got := spec.GracefulEvictionTasks[0].Replicas; got != nil {
		t.Errorf("a copy without replicas has a task without: got %d", *got)
	}
}

func TestRelease(t *testing.T) {
	b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{
		Clusters:              []workv1alpha2.TargetCluster{{Name: "a"}, {Name: "b", Replicas: 1}},
		GracefulEvictionTasks: []workv1alpha2.GracefulEvictionTask{{FromCluster: "a"}, {FromCluster: "c"}},
	}}
	if err := Release(b, "a"); err != nil {
		t.Fatal(err)
	}
	want := workv1alpha2.ResourceBindingSpec{
		Clusters:              []workv1alpha2.TargetCluster{{Name: "b", Replicas: 1}},
		GracefulEvictionTasks: []workv1alpha2.GracefulEvictionTask{{FromCluster: "c"}},
	}
	if diff := cmp.Diff(want, b.Spec); diff != "" {
		t.Errorf("the cluster is in neither list any more (-want +got):\n%s", diff)
	}
}

func TestReleaseGone(t *testing.T) {
	a := &clusterv1alpha1.Cluster{}
	a.Name = "a"
	b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{Clusters: []workv1alpha2.TargetCluster{{Name: "a"}, {Name: "b"}}}}
	for _, want := range []bool{true, false} {
		if got, err := ReleaseGone(b, []*clusterv1alpha1.Cluster{a}); err != nil || got != want {
			t.Errorf("got %t, %v, want %t", got, err, want)
		}
	}
	if got := TargetNames(&b.Spec); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the targets are %v, want a", got)
	}
}

func TestEvictBecauseOfATaint(t *testing.T) {
	b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{Clusters: []workv1alpha2.TargetCluster{{Name: "a"}, {Name: "b", Replicas: 2}}}}
	if err := Evict(b, Eviction{
		Cluster: "b", Producer: "TaintManager", Reason: "TaintUntolerated", PurgeMode: policyv1alpha1.Graciously, Before: []string{"a", "b"},
	}); err != nil {
		t.Fatal(err)
	}
	want := []workv1alpha2.GracefulEvictionTask{{
		FromCluster: "b", PurgeMode: "Gracefully", Replicas: ptr.To[int32](2), Reason: "TaintUntolerated", Producer: "TaintManager",
		ClustersBeforeFailover: []string{"a", "b"},
	}}
	if diff := cmp.Diff(want, b.Spec.GracefulEvictionTasks); diff != "" {
		t.Errorf("it has the clusters before also without state, by which new copies are known, and no grace period (-want +got):\n%s", diff)
	}
	if len(Failures(b)) > 0 {
		t.Error("the application did not fail")
	}
}

func TestCopiesBesideOneThatIsEvicted(t *testing.T) {
	directly := func(cluster string, before ...string) workv1alpha2.GracefulEvictionTask {
		return workv1alpha2.GracefulEvictionTask{FromCluster: cluster, PurgeMode: policyv1alpha1.PurgeModeDirectly, ClustersBeforeFailover: before}
	}
	cases := map[string]struct {
		tasks  []workv1alpha2.GracefulEvictionTask
		before []string
		there  []string
		want   int
	}{
		"Alone":                              {there: []string{"a"}, want: 1},
		"WithOneThatLeftInTheSameDecision":   {tasks: []workv1alpha2.GracefulEvictionTask{directly("b")}, before: []string{"a", "b"}, there: []string{"a"}, want: 2},
		"WithOneThatLeavesAndIsThere":        {tasks: []workv1alpha2.GracefulEvictionTask{directly("b")}, there: []string{"a", "b"}, want: 2},
		"WithOneThatWasBesideIt":             {tasks: []workv1alpha2.GracefulEvictionTask{directly("b", "a", "b")}, there: []string{"a", "b"}, want: 2},
		"InPlaceOfOneThatIsGone":             {tasks: []workv1alpha2.GracefulEvictionTask{directly("b")}, there: []string{"a"}, want: 1},
		"InPlaceOfOneThatWasThereAgainAlone": {tasks: []workv1alpha2.GracefulEvictionTask{directly("b", "b")}, there: []string{"a", "b"}, want: 1},
		"InPlaceOfOneThatIsKept":             {tasks: []workv1alpha2.GracefulEvictionTask{{FromCluster: "b", PurgeMode: policyv1alpha1.PurgeModeGracefully}}, there: []string{"a", "b"}, want: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := &workv1alpha2.ResourceBinding{Spec: workv1alpha2.ResourceBindingSpec{
				Clusters: []workv1alpha2.TargetCluster{{Name: "a"}}, GracefulEvictionTasks: tc.tasks,
			}}
			for _, cluster := range tc.there {
				b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Copy: types.UID("work-" + cluster)})
			}
			evict(t, b, Eviction{Cluster: "a", PurgeMode: policyv1alpha1.PurgeModeDirectly, Before: tc.before, State: State{Labels: map[string]string{"job": "7"}}})
			if got := CarriedStates(b); len(got) != 1 || got[0].Copies != tc.want {
				t.Errorf("carried %+v, want one with %d copies", got, tc.want)
			}
		})
	}
}
