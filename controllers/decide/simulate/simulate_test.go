// SPDX-License-Identifier: Apache-2.0

package simulate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/simulate"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// member is a cluster that is ready and has room for that many pods of one CPU.
func member(name string, pods int64) *clusterv1alpha1.Cluster {
	c := fixture.Cluster(name, fixture.GadgetKind)
	c.Status.Conditions = []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionReady, Status: metav1.ConditionTrue}}
	c.Status.ResourceSummary = &clusterv1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{
		corev1.ResourceCPU: *resource.NewQuantity(pods, resource.DecimalSI), corev1.ResourcePods: *resource.NewQuantity(pods, resource.DecimalSI),
	}}
	return c
}

// job is a binding of one replica of one CPU, which goes to one cluster with room at a time,
// and leaves it Directly.
func job(name, on string, with ...func(*workv1alpha2.ResourceBinding)) *workv1alpha2.ResourceBinding {
	b := fixture.Binding(fixture.Gadget("space", name, nil)).(*workv1alpha2.ResourceBinding)
	b.Spec.Replicas = 1
	b.Spec.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}
	b.Spec.Placement = &policyv1alpha1.Placement{
		SpreadConstraints: []policyv1alpha1.SpreadConstraint{{SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: 1, MaxGroups: 1}},
		ReplicaScheduling: &policyv1alpha1.ReplicaSchedulingStrategy{
			ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided, ReplicaDivisionPreference: policyv1alpha1.ReplicaDivisionPreferenceAggregated,
		},
	}
	b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: on, Replicas: 1}}
	b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Cluster: &policyv1alpha1.ClusterFailoverBehavior{PurgeMode: policyv1alpha1.PurgeModeDirectly}}
	for _, w := range with {
		w(b)
	}
	return b
}

func drained(name string) simulate.Loss {
	return simulate.Loss{Clusters: []string{name}, Taints: []corev1.Taint{{Key: "drain", Effect: corev1.TaintEffectNoExecute}}}
}

func input(loss simulate.Loss, clusters []*clusterv1alpha1.Cluster, bindings ...workv1alpha2.Binding) simulate.Input {
	return simulate.Input{
		Clusters: clusters, Bindings: bindings, Loss: loss, PurgeMode: policyv1alpha1.PurgeModeGracefully, Rate: 1, UnhealthyShare: 0.55, Now: now,
	}
}

// outcomes returns one line for each move.
func outcomes(t *testing.T, in simulate.Input) []string {
	t.Helper()
	r, err := simulate.Simulate(in)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range r.Moves {
		line := fmt.Sprintf("%s: %s", m.Object, m.Outcome)
		for _, to := range m.To {
			line += " " + to.Cluster
		}
		if m.Seconds != nil {
			line += fmt.Sprintf(" after %vs", *m.Seconds)
		}
		if m.Message != "" {
			line += ": " + m.Message
		}
		lines = append(lines, line)
	}
	return lines
}

func TestSimulate(t *testing.T) {
	gadget := func(name string) string { return "Gadget space/" + name }
	three := func() []*clusterv1alpha1.Cluster {
		return []*clusterv1alpha1.Cluster{member("a", 10), member("b", 1), member("c", 1), member("d", 0), member("e", 0)}
	}
	fenced := three()
	fenced[0].Spec.Taints = []corev1.Taint{{Key: binding.FencedTaint, Effect: corev1.TaintEffectNoSchedule}}
	lost := []*policyv1alpha1.ClusterTaintPolicy{{
		ObjectMeta: metav1.ObjectMeta{Name: "lost"},
		Spec: policyv1alpha1.ClusterTaintPolicySpec{
			AddOnConditions: []policyv1alpha1.MatchCondition{{ConditionType: "Ready", Operator: policyv1alpha1.MatchConditionOpIn, StatusValues: []metav1.ConditionStatus{"False", "Unknown"}}},
			Taints:          []policyv1alpha1.Taint{{Key: "lost", Effect: corev1.TaintEffectNoExecute}},
		},
	}}
	down := simulate.Loss{Clusters: []string{"a"}, Down: true}
	with := func(in simulate.Input, policies []*policyv1alpha1.ClusterTaintPolicy) simulate.Input {
		in.TaintPolicies = policies
		return in
	}
	keeps := func(path string) func(*workv1alpha2.ResourceBinding) {
		return func(b *workv1alpha2.ResourceBinding) {
			b.Spec.Failover.Cluster.StatePreservation = &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: path}}}
			b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{{ClusterName: "a", Status: &runtime.RawExtension{Raw: []byte(`{"jobId":"17"}`)}}}
		}
	}
	urgent := func(b *workv1alpha2.ResourceBinding) {
		b.Spec.SchedulePriority = &workv1alpha2.SchedulePriority{Priority: 5}
	}
	// tolerated gives cluster b a taint that is tolerated for a while.
	tolerated := func(clusters []*clusterv1alpha1.Cluster) []*clusterv1alpha1.Cluster {
		clusters[1].Spec.Taints = []corev1.Taint{{Key: "slow", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: now}}}
		return clusters
	}
	cases := map[string]struct {
		reason string
		in     simulate.Input
		want   []string
	}{
		"Room": {
			reason: "each decision sees what those before it took: two have room, the third has not, and the urgent one is first",
			in:     input(drained("a"), three(), job("x", "a"), job("y", "a"), job("z", "a", urgent), job("other", "b")),
			want: []string{
				gadget("z") + ": Moves b after 0s", gadget("x") + ": Moves c after 1s",
				gadget("y") + ": Nowhere after 2s: the spread constraint allows 1 of 4 feasible clusters, which have room for 0 of 1 replicas",
			},
		},
		"Down": {
			reason: "nobody knows what runs in a cluster that is down",
			in:     with(input(down, three(), job("x", "a")), lost),
			want:   []string{gadget("x") + ": WaitsForFence b after 0s: nobody knows whether the copy in a runs on"},
		},
		"Fenced": {
			reason: "unless somebody confirmed that nothing does",
			in:     with(input(down, fenced, job("x", "a")), lost),
			want:   []string{gadget("x") + ": Moves b after 0s"},
		},
		"NoTaintPolicy": {
			reason: "a cluster that is down has nothing leave by itself",
			in:     input(down, three(), job("x", "a")),
			want:   []string{gadget("x") + ": Stays: cluster a has no NoExecute taint, and no other has anything leave"},
		},
		"StateMissing": {
			reason: "what must be preserved and is not there keeps it where it is",
			in:     input(drained("a"), three(), job("x", "a", keeps("{ .none }"))),
			want:   []string{gadget("x") + ": Stays after 0s: it cannot be evicted: keep the state of cluster a: statePreservation.rules[0] (job, { .none }): none is not found"},
		},
		"Written": {
			reason: "somebody wrote the taints without that of the policy, which is about to come back: the status of the cluster has it",
			in: func() simulate.Input {
				clusters := three()
				clusters[1].Status.TaintedSince = []clusterv1alpha1.TaintSince{{Key: "lost", Since: metav1.NewTime(now.Add(-time.Minute))}}
				return input(simulate.Loss{Clusters: []string{"b"}}, clusters, job("x", "b"))
			}(),
			want: []string{gadget("x") + ": Moves a after 0s"},
		},
		"Turns": {
			reason: "what tolerates the taint of one cluster for a minute leaves the other first, and has a second turn",
			in: input(drained("a"), tolerated(three()), job("x", "a", func(b *workv1alpha2.ResourceBinding) {
				b.Spec.Replicas = 2
				b.Spec.Clusters = []workv1alpha2.TargetCluster{{Name: "a", Replicas: 1}, {Name: "b", Replicas: 1}}
				b.Spec.Placement.SpreadConstraints[0].MaxGroups = 2
				b.Spec.Placement.ClusterTolerations = []corev1.Toleration{{Key: "slow", Operator: corev1.TolerationOpExists, TolerationSeconds: new(int64(60))}}
			})),
			want: []string{
				gadget("x") + ": Moves b after 0s",
				gadget("x") + ": Nowhere after 60s: the spread constraint allows 2 of 3 feasible clusters, which have room for 1 of 2 replicas",
			},
		},
		"Suspended": {
			reason: "no scheduler would give it another cluster",
			in: input(drained("a"), three(), job("x", "a", func(b *workv1alpha2.ResourceBinding) {
				b.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: new(true)}
			})),
			want: []string{gadget("x") + ": Stays: its scheduling is suspended, by spec.suspension.scheduling of the binding"},
		},
		"OtherScheduler": {
			reason: "another program decides where it goes",
			in:     input(drained("a"), three(), job("x", "a", func(b *workv1alpha2.ResourceBinding) { b.Spec.SchedulerName = "mine" })),
			want:   []string{gadget("x") + ": Nowhere after 0s: the scheduler mine decides where it goes, which is not simulated"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, outcomes(t, tc.in)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSimulateChangesNothing(t *testing.T) {
	b := job("x", "a")
	clusters := []*clusterv1alpha1.Cluster{member("a", 5), member("b", 5)}
	wasBinding, wasCluster := b.DeepCopy(), clusters[0].DeepCopy()
	in := input(drained("a"), clusters, b)
	first := outcomes(t, in)
	if diff := cmp.Diff(wasBinding, b) + cmp.Diff(wasCluster, clusters[0]); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(first, outcomes(t, in)); diff != "" {
		t.Errorf("the same input has another result (-first +second):\n%s", diff)
	}
}

func TestSimulateUnknownCluster(t *testing.T) {
	_, err := simulate.Simulate(input(drained("nowhere"), []*clusterv1alpha1.Cluster{member("a", 1)}))
	if err == nil || !strings.Contains(err.Error(), "there is no cluster nowhere; there are a") {
		t.Errorf("got %v", err)
	}
}

// BenchmarkSimulate loses one of 100 clusters, in which all of 5,000 bindings are.
func BenchmarkSimulate(b *testing.B) {
	var clusters []*clusterv1alpha1.Cluster
	for i := range 100 {
		clusters = append(clusters, member(fmt.Sprintf("member%02d", i), 100))
	}
	var all []workv1alpha2.Binding
	for i := range 5000 {
		all = append(all, job(fmt.Sprintf("job-%04d", i), "member00"))
	}
	in := input(drained("member00"), clusters, all...)
	b.ReportAllocs()
	for b.Loop() {
		r, err := simulate.Simulate(in)
		if err != nil {
			b.Fatal(err)
		}
		if moved := r.Count(simulate.Moves); moved != 5000 {
			b.Fatalf("%d move", moved)
		}
	}
}
