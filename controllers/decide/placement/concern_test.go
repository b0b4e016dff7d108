// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// inStatus returns the status of a binding that is scheduled, or is not.
func inStatus(scheduled bool, group string) *workv1alpha2.ResourceBindingStatus {
	s := observed(group)
	condition := metav1.Condition{Type: workv1alpha2.Scheduled, Status: metav1.ConditionFalse}
	if scheduled {
		condition.Status = metav1.ConditionTrue
	}
	s.Conditions = []metav1.Condition{condition}
	return s
}

// evictedBy sets that a binding is being evicted from a cluster for a reason.
func evictedBy(reason, from string) func(*workv1alpha2.ResourceBindingSpec) {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		s.GracefulEvictionTasks = append(s.GracefulEvictionTasks, workv1alpha2.GracefulEvictionTask{FromCluster: from, Reason: reason})
	}
}

func TestConcerns(t *testing.T) {
	yes, no := inStatus(true, ""), inStatus(false, "")
	byEnv := affinity(policyv1alpha1.ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}}})
	var none *clusterv1alpha1.Cluster
	heartbeat := cluster("c", has("cpu=4"))
	heartbeat.Status.Conditions = []metav1.Condition{{Type: "Ready"}}
	cases := map[string]struct {
		reason        string
		spec          *workv1alpha2.ResourceBindingSpec
		status        *workv1alpha2.ResourceBindingStatus
		before, after *clusterv1alpha1.Cluster
		want          bool
	}{
		"CopyJoin":            {"a copy goes to a cluster that joins", configMap(), yes, none, cluster("c"), true},
		"CopyJoinWithout":     {"not before it serves the kind", configMap(), yes, none, cluster("c", withoutAPIs), false},
		"CopyServes":          {"when it does", configMap(), yes, cluster("c", withoutAPIs), cluster("c"), true},
		"CopyElsewhere":       {"not to a cluster that it does not match", configMap(affinity(named("d"))), yes, none, cluster("c"), false},
		"CopyTainted":         {"a taint keeps newcomers away", configMap(), yes, cluster("c"), cluster("c", taint("k=v:NoSchedule")), true},
		"CopyTaintedTarget":   {"and nobody who is there", configMap(on(to("c", 0))), yes, cluster("c"), cluster("c", taint("k=v:NoSchedule")), false},
		"CopyConflict":        {"nor does a conflict of ids", configMap(on(to("c", 0))), yes, cluster("c"), cluster("c", inConflict), false},
		"WaitingOwner":        {"nor is one that another control plane writes to for ever", configMap(), no, cluster("c", ofOthers), cluster("c"), true},
		"WaitingConflict":     {"one that waits may go there when it ends", configMap(), no, cluster("c", inConflict), cluster("c"), true},
		"CopyLabelLost":       {"a copy leaves a cluster that ceases to match", configMap(byEnv, on(to("c", 0))), yes, cluster("c", label("env", "prod")), cluster("c"), true},
		"WaitingLabelLost":    {"so it is for one that waits", configMap(byEnv, on(to("c", 0))), no, cluster("c", label("env", "prod")), cluster("c"), true},
		"WaitingLastLabel":    {"it may have been the last that matched", configMap(byEnv, on(to("d", 0))), no, cluster("c", label("env", "prod")), cluster("c"), true},
		"WaitingWithdrawn":    {"it comes back with its label, though its copy is still to go", configMap(byEnv, evictedBy(workv1alpha2.EvictionReasonUnmatched, "c")), no, cluster("c"), cluster("c", label("env", "prod")), true},
		"WaitingEvicted":      {"but not where it is evicted from", configMap(byEnv, evictedBy("TaintUntolerated", "c")), no, cluster("c"), cluster("c", label("env", "prod")), false},
		"WaitingNowhere":      {"which is nothing to what is nowhere", configMap(byEnv), no, cluster("c", label("env", "prod")), cluster("c"), false},
		"CopyOtherGroup":      {"a group that is not in force does not matter", configMap(groups("first: c", "second: d")), inStatus(true, "second"), none, cluster("c"), false},
		"CopyHeartbeat":       {"nothing that placement reads changed", configMap(), yes, cluster("c", has("cpu=4")), heartbeat, false},
		"CopyRoom":            {"copies ask for no room", configMap(), yes, cluster("c", has("cpu=4")), cluster("c", has("cpu=8")), false},
		"DividedJoin":         {"divided replicas stay", deployment(2, equally, on(to("a", 2))), yes, none, cluster("c"), false},
		"DividedLoss":         {"unless their cluster goes", deployment(2, equally, on(to("c", 2))), yes, cluster("c"), cluster("c", deleting), true},
		"DividedGone":         {"or is gone", deployment(2, equally, on(to("c", 2))), yes, cluster("c"), none, true},
		"DividedGoneTwice":    {"once", deployment(2, equally, on(to("c", 2))), yes, cluster("c", deleting), none, false},
		"DividedLossOfOther":  {"not when another goes", deployment(2, equally, on(to("a", 2))), yes, cluster("c"), none, false},
		"WaitingJoin":         {"one that waits may go there", deployment(2, equally), no, none, cluster("c"), true},
		"WaitingNever":        {"one that was never looked at waits", deployment(2, equally), nil, none, cluster("c"), true},
		"WaitingAnyGroup":     {"by any group", configMap(groups("first: c", "second: d")), inStatus(false, "second"), none, cluster("c"), true},
		"WaitingElsewhere":    {"not where it does not match", deployment(2, equally, affinity(named("d"))), no, none, cluster("c"), false},
		"WaitingRoom":         {"more room may do", deployment(2, onFew), no, cluster("c", has("cpu=1")), cluster("c", has("cpu=2")), true},
		"WaitingFirstRoom":    {"so may room that becomes known", deployment(2, onFew), no, cluster("c"), cluster("c", has("cpu=2")), true},
		"WaitingLessRoom":     {"less will not", deployment(2, onFew), no, cluster("c", has("cpu=2")), cluster("c", has("cpu=1")), false},
		"WaitingNeedsNoRoom":  {"one that needs no room waits for something else", configMap(), no, cluster("c", has("cpu=1")), cluster("c", has("cpu=2")), false},
		"CopyRegion":          {"another region is another group", configMap(once, spread("region", 1, 1)), yes, cluster("c", located("", "a")), cluster("c", located("", "b")), true},
		"CopyRegionOfNoGroup": {"unless regions are not counted", configMap(once), yes, cluster("c", located("", "a")), cluster("c", located("", "b")), false},
		"WaitingRegion":       {"so it is for one that waits", configMap(once, spread("region", 2, 2)), no, cluster("c", located("", "a")), cluster("c", located("", "b")), true},
		"DividedRegion":       {"divided replicas stay", deployment(2, onFew, once, spread("region", 1, 1), on(to("c", 2))), yes, cluster("c", located("", "a")), cluster("c", located("", "b")), false},
		"WaitingDrained":      {"a taint that was tolerated for a time may have kept it away", configMap(minuteOfDrain), no, cluster("c", taint("drain=x:NoExecute")), cluster("c"), true},
		"CopyDrained":         {"from a copy too", configMap(minuteOfDrain), yes, cluster("c", taint("drain=x:NoExecute")), cluster("c"), true},
		"WaitingWritten":      {"a taint that only the status has keeps it away too, until it has it no more", configMap(), no, cluster("c", recorded("down")), cluster("c"), true},
		"CopyWritten":         {"from a copy too", configMap(), yes, cluster("c", recorded("down")), cluster("c"), true},
		"CopyDrainedWritten":  {"also where it was tolerated for a time", configMap(minuteOfDrain), yes, cluster("c", recorded("drain")), cluster("c"), true},
		"CopyStillWritten":    {"nobody returns while the status has it", configMap(), yes, cluster("c", taint("down:NoExecute"), recorded("down")), cluster("c", recorded("down")), false},
		"WaitingNotDrained":   {"another taint that goes leaves it", configMap(minuteOfDrain), no, cluster("c", taint("drain=x:NoExecute"), taint("k=v:PreferNoSchedule")), cluster("c", taint("drain=x:NoExecute")), false},
		"NoPlacement":         {"what is not placed is not concerned", &workv1alpha2.ResourceBindingSpec{}, no, none, cluster("c"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			change := Change{Before: tc.before, After: tc.after}
			if got := change.Concerns(tc.spec, tc.status); got != tc.want {
				t.Errorf("Concerns() = %t, want %t: %s", got, tc.want, tc.reason)
			}
			if tc.want && !finds(change, tc.spec, tc.status) {
				t.Errorf("the keys %q of the change do not find the binding, which has %q", change.Keys(), Keys(tc.spec, tc.status))
			}
		})
	}
}

// finds reports whether a change finds a binding: by a key of both, or as the loss of a
// target.
func finds(c Change, spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus) bool {
	own := Keys(spec, status)
	if slices.ContainsFunc(c.Keys(), func(k string) bool { return slices.Contains(own, k) }) {
		return true
	}
	return c.IsLoss() && slices.ContainsFunc(spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return t.Name == c.Before.Name })
}

func TestAHeartbeatHasNoKeys(t *testing.T) {
	after := cluster("c", label("a", "b"), has("cpu=4"))
	after.Status.Conditions = []metav1.Condition{{Type: "Ready"}}
	if keys := (Change{Before: cluster("c", label("a", "b"), has("cpu=4")), After: after}).Keys(); len(keys) > 0 {
		t.Errorf("a heartbeat is looked up by %q", keys)
	}
}

// TestChangesFindWhatTheyConcern makes random decisions, changes one cluster, and decides
// again: a binding that goes elsewhere is found by the change, and is concerned by it.
func TestChangesFindWhatTheyConcern(t *testing.T) {
	moved, spared := 0, 0
	for seed := range uint64(6000) {
		r := rand.New(rand.NewPCG(seed, 11))
		in := settled(randomInput(r))
		change := randomChange(r, in)
		after := in.copy()
		after.Clusters = slices.DeleteFunc(after.Clusters, func(c *clusterv1alpha1.Cluster) bool { return change.Before != nil && c.Name == change.Before.Name })
		if change.After != nil {
			after.Clusters = append(after.Clusters, change.After)
		}
		if next := settled(after); !slices.EqualFunc(in.Spec.Clusters, next.Spec.Clusters, sameTarget) || isScheduled(in.Status) && !isScheduled(next.Status) {
			moved++
			if !change.Concerns(in.Spec, in.Status) || !finds(change, in.Spec, in.Status) {
				t.Fatalf("seed %d: %v becomes %v, and the change of %v to %v does not find it", seed, in.Spec.Clusters, next.Spec.Clusters, change.Before, change.After)
			}
		} else if !change.Concerns(in.Spec, in.Status) {
			spared++
		}
	}
	if moved < 300 || spared < 300 {
		t.Errorf("%d decisions changed and %d bindings were spared: that proves too little", moved, spared)
	}
}

func sameTarget(a, b workv1alpha2.TargetCluster) bool {
	return a.Name == b.Name && a.Replicas == b.Replicas
}

// settled returns the input after its binding was reconciled once.
func settled(in Input) Input {
	out := in.copy()
	out.Fresh = false
	if isScheduled(out.Status) && Needed(out, out.Spec.Placement) == NotNeeded {
		return out
	}
	got, err := selectMeasured(out)
	if err != nil {
		out.Status = inStatus(false, out.Status.SchedulerObservedAffinityName)
		if _, unfit := errors.AsType[*FitError](err); unfit {
			unmatched := Unmatched(out)
			out.Spec.Clusters = slices.DeleteFunc(out.Spec.Clusters, func(t workv1alpha2.TargetCluster) bool { return slices.Contains(unmatched, t.Name) })
		}
		return out
	}
	out.Spec.Clusters, out.Status = got.copy().Clusters, inStatus(true, got.AffinityName)
	return out
}

// randomChange changes a cluster of the input, removes it, or adds one.
func randomChange(r *rand.Rand, in Input) Change {
	if r.IntN(6) == 0 {
		return Change{After: cluster("g", label("env", "prod"), has("cpu=20 memory=20G"))}
	}
	before := in.Clusters[r.IntN(len(in.Clusters))]
	after := before.DeepCopy()
	switch r.IntN(10) {
	case 9:
		inConflict(after)
	case 7:
		after.Labels = nil
	case 8:
		label("env", "prod")(after)
	case 0:
		return Change{Before: before}
	case 1:
		deleting(after)
	case 2:
		after.Spec.Taints = nil
	case 3:
		taint("m=v:NoSchedule")(after)
	case 4:
		after.Status.APIEnablements = cluster("").Status.APIEnablements
	case 5:
		withoutAPIs(after)
	default:
		has(fmt.Sprintf("cpu=%d memory=%dM", r.IntN(40), r.IntN(40_000)))(after)
	}
	return Change{Before: before, After: after}
}
