// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

const (
	timeout    = 3 * time.Minute
	generation = 10

	healthy   = workv1alpha2.ResourceHealthy
	unhealthy = workv1alpha2.ResourceUnhealthy
	unknown   = workv1alpha2.ResourceUnknown
	// cut is what reports takes for a cluster that cannot be reached.
	cut workv1alpha2.ResourceHealth = "cut"
)

// now is the time of all verdicts.
var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

type task = workv1alpha2.GracefulEvictionTask

// from makes a task that is that many seconds old; less than 0 is one without a creation
// time.
func from(cluster string, age int, with ...func(*task)) task {
	t := task{FromCluster: cluster, PurgeMode: policyv1alpha1.PurgeModeGracefully, Reason: workv1alpha2.EvictionReasonApplicationFailure, Producer: "tester"}
	if age >= 0 {
		t.CreationTimestamp = ptr.To(metav1.NewTime(now.Add(-time.Duration(age) * time.Second)))
	}
	for _, w := range with {
		w(&t)
	}
	return t
}

func directly(t *task) { t.PurgeMode = policyv1alpha1.PurgeModeDirectly }
func legacy(t *task)   { t.PurgeMode = "" }
func kept(t *task)     { t.PurgeMode, t.SuppressDeletion = policyv1alpha1.PurgeModeNever, ptr.To(true) }

func confirmed(t *task) {
	t.PurgeMode, t.SuppressDeletion = policyv1alpha1.PurgeModeNever, ptr.To(false)
}
func released(t *task)    { t.SuppressDeletion = ptr.To(false) }
func untolerated(t *task) { t.Reason = workv1alpha2.EvictionReasonTaintUntolerated }
func replicas(t *task)    { t.Replicas = ptr.To[int32](2) }
func grace(s int32) func(*task) {
	return func(t *task) { t.GracePeriodSeconds = &s }
}

// reports returns an item for each cluster; the applied ones have a health, and the
// health "" stands for one that is not applied, and cut for one in a cluster that cannot be
// reached.
func reports(of map[string]workv1alpha2.ResourceHealth) []workv1alpha2.AggregatedStatusItem {
	var items []workv1alpha2.AggregatedStatusItem
	for name, health := range of {
		item := workv1alpha2.AggregatedStatusItem{ClusterName: name, Applied: health != "", Health: health}
		switch health {
		case "":
			item.Health = unknown
		case cut:
			item.Health, item.AppliedMessage = unknown, unreachableMessage
		}
		items = append(items, item)
	}
	return items
}

// bindingWith returns a binding of the generation of this test.
func bindingWith(spec *workv1alpha2.ResourceBindingSpec, status *workv1alpha2.ResourceBindingStatus) workv1alpha2.Binding {
	return &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Generation: generation}, Spec: *spec, Status: *status}
}

func TestAssess(t *testing.T) {
	type is = map[string]workv1alpha2.ResourceHealth
	type tasks = []task
	stamped := from("a", 0)
	cases := map[string]struct {
		reason string
		tasks  tasks
		// targets are b where it is not said.
		targets []string
		reports is
		// unobserved: the scheduler has not placed this generation.
		unobserved bool
		want       Verdict
	}{
		// One task.
		"Stamp": {
			reason: "the time of a task begins when the new copy is first seen", tasks: tasks{from("a", -1)}, reports: is{"b": unknown},
			want: Verdict{Keep: tasks{stamped}, Wait: timeout},
		},
		"StampNotYet": {
			reason: "not before: published, it begins with the task", tasks: tasks{from("a", -1)},
			want: Verdict{Keep: tasks{from("a", -1)}},
		},
		"StampKept": {
			reason: "also that of one that waits for the user", tasks: tasks{from("a", -1, kept)},
			want: Verdict{Keep: tasks{from("a", 0, kept)}},
		},
		"Within": {
			reason: "within its time a task stays as long as the new copy is not healthy", tasks: tasks{from("a", 60)}, reports: is{"b": unknown},
			want: Verdict{Keep: tasks{from("a", 60)}, Wait: 2 * time.Minute},
		},
		"TimeUp": {
			reason: "when its time is up it ends, healthy or not", tasks: tasks{from("a", 180)}, reports: is{"b": unhealthy},
			want: Verdict{Done: []string{"a"}},
		},
		"TimeUpUnreported": {
			reason: "not where there is no new copy, so that the old one is the last; published, it ends", tasks: tasks{from("a", 240)},
			want: Verdict{Keep: tasks{from("a", -1)}},
		},
		"TimeUpNotApplied": {
			reason: "or where it could not be created", tasks: tasks{from("a", 240, grace(20))}, reports: is{"b": ""},
			want: Verdict{Keep: tasks{from("a", -1, grace(20))}},
		},
		"TimeUpOldHealthy": {
			reason: "a copy that recovered does not go for one that is not healthy", tasks: tasks{from("a", 240)}, reports: is{"a": healthy, "b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 240)}},
		},
		"TimeUpOldTainted": {
			reason: "whatever it is evicted for", tasks: tasks{from("a", 240, untolerated)}, reports: is{"a": healthy, "b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 240, untolerated)}},
		},
		"TimeUpOldUnreachable": {
			reason: "nor does one that may be healthy, for all that anybody knows", tasks: tasks{from("a", 240)}, reports: is{"a": cut, "b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 240)}},
		},
		"TimeUpOldUnhealthy": {
			reason: "one that is not healthy either goes", tasks: tasks{from("a", 240)}, reports: is{"a": unhealthy, "b": unhealthy},
			want: Verdict{Done: []string{"a"}},
		},
		"Healthy": {
			reason: "it ends when the new copy is healthy", tasks: tasks{from("a", 60)}, reports: is{"b": healthy},
			want: Verdict{Done: []string{"a"}},
		},
		"Unhealthy": {
			reason: "an unhealthy one is not enough", tasks: tasks{from("a", 60)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 60)}, Wait: 2 * time.Minute},
		},
		"OneOfTwoHealthy": {
			reason: "all new copies must be healthy", tasks: tasks{from("a", 60)}, targets: []string{"b", "c"}, reports: is{"b": healthy, "c": unknown},
			want: Verdict{Keep: tasks{from("a", 60)}, Wait: 2 * time.Minute},
		},
		"OneOfTwoReported": {
			reason: "and have reported", tasks: tasks{from("a", 60)}, targets: []string{"b", "c"}, reports: is{"b": healthy},
			want: Verdict{Keep: tasks{from("a", -1)}},
		},
		"NotScheduled": {
			reason: "health counts only for what the scheduler has placed", tasks: tasks{from("a", 60)}, reports: is{"b": healthy}, unobserved: true,
			want: Verdict{Keep: tasks{from("a", 60)}, Wait: 2 * time.Minute},
		},
		"OwnGrace": {
			reason: "a grace period of its own goes before the timeout", tasks: tasks{from("a", 60, grace(20))}, reports: is{"b": unhealthy},
			want: Verdict{Done: []string{"a"}},
		},
		"LongGrace": {
			reason: "also where it is longer", tasks: tasks{from("a", 240, grace(300))}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 240, grace(300))}, Wait: time.Minute},
		},
		"Legacy": {
			reason: "a task without purge mode is as a graceful one", tasks: tasks{from("a", 240, legacy)}, reports: is{"b": unhealthy},
			want: Verdict{Done: []string{"a"}},
		},
		"Kept": {
			reason: "a task that suppresses the deletion stays, whatever the health and the time", tasks: tasks{from("a", 9999, kept)}, reports: is{"b": healthy},
			want: Verdict{Keep: tasks{from("a", 9999, kept)}},
		},
		"Confirmed": {
			reason: "it ends when the user confirms, whatever the health", tasks: tasks{from("a", 1, confirmed)}, reports: is{"b": unhealthy},
			want: Verdict{Done: []string{"a"}},
		},
		"Directly": {
			reason: "a Directly task carries the state until the new copy is healthy", tasks: tasks{from("a", 60, directly)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 60, directly)}, Wait: 2 * time.Minute},
		},
		"DirectlyHealthy": {
			reason: "and ends then", tasks: tasks{from("a", 60, directly)}, reports: is{"b": healthy},
			want: Verdict{Done: []string{"a"}},
		},
		"DirectlyTimeUp": {
			reason: "when its time is up it ends, healthy or not", tasks: tasks{from("a", 240, directly)}, reports: is{"b": unhealthy},
			want: Verdict{Done: []string{"a"}},
		},
		"DirectlyNotApplied": {
			reason: "until then its time does not run, so that no copy begins without state", tasks: tasks{from("a", 240, directly)}, reports: is{"b": ""},
			want: Verdict{Keep: tasks{from("a", -1, directly)}},
		},
		"DirectlyUnreported": {
			reason: "also where nothing has been heard of it", tasks: tasks{from("a", 240, directly)},
			want: Verdict{Keep: tasks{from("a", -1, directly)}},
		},
		"DirectlyAppliedNow": {
			reason: "from then on it does", tasks: tasks{from("a", -1, directly)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 0, directly)}, Wait: timeout},
		},
		"DirectlyOneOfTwoApplied": {
			reason: "each of the new copies", tasks: tasks{from("a", 240, directly)}, targets: []string{"b", "c"}, reports: is{"b": unhealthy, "c": ""},
			want: Verdict{Keep: tasks{from("a", -1, directly)}},
		},

		// No target.
		"NoTarget": {
			reason: "without any target the task stays, and its time does not run", tasks: tasks{from("a", 240)}, targets: []string{}, reports: is{"a": unhealthy},
			want: Verdict{Keep: tasks{from("a", -1)}},
		},
		"NoTargetNew": {
			reason: "nor does it begin", tasks: tasks{from("a", -1)}, targets: []string{}, reports: is{"a": unhealthy},
			want: Verdict{Keep: tasks{from("a", -1)}},
		},
		"NoTargetObserved": {
			reason: "no target at all is not: all targets are healthy", tasks: tasks{from("a", 60)}, targets: []string{},
			want: Verdict{Keep: tasks{from("a", -1)}},
		},
		"NoTargetDirectly": {
			reason: "the same for Directly: its copy is still there", tasks: tasks{from("a", 240, directly)}, targets: []string{}, reports: is{"a": unknown},
			want: Verdict{Keep: tasks{from("a", -1, directly)}},
		},
		"NoTargetConfirmed": {
			reason: "the user may let it go, and the task has it go", tasks: tasks{from("a", 60, confirmed)}, targets: []string{}, reports: is{"a": unhealthy},
			want: Verdict{Keep: tasks{from("a", 60, confirmed)}},
		},
		"NoTargetConfirmedGone": {
			reason: "and ends then", tasks: tasks{from("a", 60, confirmed)}, targets: []string{},
			want: Verdict{Done: []string{"a"}},
		},
		"NoTargetOlder": {
			reason: "one copy stays: the one before it goes when its time is up", tasks: tasks{from("a", 240, grace(100)), from("c", 60)}, targets: []string{},
			reports: is{"a": unhealthy, "c": unhealthy},
			want:    Verdict{Keep: tasks{from("a", 240, released), from("c", -1)}},
		},
		"NoTargetOlderWithin": {
			reason: "not earlier", tasks: tasks{from("a", 60), from("c", 60)}, targets: []string{}, reports: is{"a": unhealthy, "c": unhealthy},
			want: Verdict{Keep: tasks{from("a", 60), from("c", -1)}, Wait: 2 * time.Minute},
		},
		"NoTargetOlderHealthy": {
			reason: "not if it is better", tasks: tasks{from("a", 240, untolerated), from("c", 60)}, targets: []string{}, reports: is{"a": healthy, "c": unhealthy},
			want: Verdict{Keep: tasks{from("a", 240, untolerated), from("c", -1)}},
		},
		"NoTargetOlderAlone": {
			reason: "and not if the later one is not there", tasks: tasks{from("a", 240), from("c", 60)}, targets: []string{}, reports: is{"a": unhealthy, "c": ""},
			want: Verdict{Keep: tasks{from("a", -1), from("c", -1)}},
		},
		"Recovered": {
			reason: "the old copy is taken back when it recovers", tasks: tasks{from("a", 240, replicas)}, targets: []string{}, reports: is{"a": healthy},
			want: Verdict{Restore: []workv1alpha2.TargetCluster{{Name: "a", Replicas: 2}}},
		},
		"RecoveredDirectly": {
			reason: "also of Directly", tasks: tasks{from("a", 240, directly)}, targets: []string{}, reports: is{"a": healthy},
			want: Verdict{Restore: fixture.Targets("a")},
		},
		"RecoveredNever": {
			reason: "nobody has to confirm that a copy stays", tasks: tasks{from("a", 60, kept)}, targets: []string{}, reports: is{"a": healthy},
			want: Verdict{Restore: fixture.Targets("a")},
		},
		"RecoveredNeverBoth": {
			reason: "the other stays for its user", tasks: tasks{from("a", 60, kept), from("b", 60, kept)}, targets: []string{}, reports: is{"a": healthy, "b": healthy},
			want: Verdict{Keep: tasks{from("b", 60, kept)}, Restore: fixture.Targets("a")},
		},
		"RecoveredWithTarget": {
			reason: "with another place for it, it is not", tasks: tasks{from("a", 60)}, reports: is{"a": healthy, "b": unknown},
			want: Verdict{Keep: tasks{from("a", 60)}, Wait: 2 * time.Minute},
		},
		"RecoveredOneOfTwo": {
			reason: "only the one that recovered comes back", tasks: tasks{from("a", 240), from("b", 60)}, targets: []string{}, reports: is{"a": unhealthy, "b": healthy},
			want: Verdict{Keep: tasks{from("a", 240, released)}, Restore: fixture.Targets("b")},
		},
		"TaintedAndHealthy": {
			reason: "health does not matter in a cluster that was left for its taints", tasks: tasks{from("a", 60, untolerated)}, targets: []string{}, reports: is{"a": healthy},
			want: Verdict{Keep: tasks{from("a", -1, untolerated)}},
		},

		// Several tasks.
		"NoTasks": {reason: "without tasks there is nothing to do"},
		"AllStamped": {
			reason: "all are stamped", tasks: tasks{from("a", -1), from("c", -1)}, reports: is{"b": unknown},
			want: Verdict{Keep: tasks{from("a", 0), from("c", 0)}, Wait: timeout},
		},
		"AllHealthy": {
			reason: "all end together when the new copies are healthy", tasks: tasks{from("a", 60), from("c", 10)}, reports: is{"b": healthy},
			want: Verdict{Done: []string{"a", "c"}},
		},
		"OneTimeUp": {
			reason: "each has a time of its own", tasks: tasks{from("a", 240), from("c", 60)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("c", 60)}, Done: []string{"a"}, Wait: 2 * time.Minute},
		},
		"AllTimeUp": {
			reason: "and all may be over", tasks: tasks{from("a", 240), from("c", 200)}, reports: is{"b": unhealthy},
			want: Verdict{Done: []string{"a", "c"}},
		},
		"GraceIsNotShared": {
			reason: "the grace period of one is not that of the next", tasks: tasks{from("a", 60, grace(20)), from("c", 60)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("c", 60)}, Done: []string{"a"}, Wait: 2 * time.Minute},
		},
		"KeptAmongOthers": {
			reason: "one that is kept does not keep the others", tasks: tasks{from("a", 60, kept), from("c", 60)}, reports: is{"b": healthy},
			want: Verdict{Keep: tasks{from("a", 60, kept)}, Done: []string{"c"}},
		},
		"ConfirmedAmongOthers": {
			reason: "one that is confirmed does not end the others", tasks: tasks{from("a", 60, confirmed), from("c", 60)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("c", 60)}, Done: []string{"a"}, Wait: 2 * time.Minute},
		},
		"OrderStays": {
			reason: "the order stays, because the last task counts", tasks: tasks{from("a", 60), from("c", 240), from("d", 30)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 60), from("d", 30)}, Done: []string{"c"}, Wait: 2 * time.Minute},
		},

		// When to look again.
		"WaitsForTheFirst": {
			reason: "the first task to end is waited for", tasks: tasks{from("a", 60), from("c", 120), from("d", 30)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 60), from("c", 120), from("d", 30)}, Wait: time.Minute},
		},
		"WaitsForGrace": {
			reason: "with its own grace period", tasks: tasks{from("a", 60), from("c", 60, grace(70))}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 60), from("c", 60, grace(70))}, Wait: 10 * time.Second},
		},
		"WaitsNotForKept": {
			reason: "one that is kept is not waited for", tasks: tasks{from("a", 170, kept), from("c", 60)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 170, kept), from("c", 60)}, Wait: 2 * time.Minute},
		},
		"WaitsForNothing": {
			reason: "with only such ones nothing is waited for", tasks: tasks{from("a", 60, kept), from("c", 60, kept)}, reports: is{"b": unhealthy},
			want: Verdict{Keep: tasks{from("a", 60, kept), from("c", 60, kept)}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.targets == nil {
				tc.targets = []string{"b"}
			}
			spec := &workv1alpha2.ResourceBindingSpec{Clusters: fixture.Targets(tc.targets...), GracefulEvictionTasks: tc.tasks}
			status := &workv1alpha2.ResourceBindingStatus{AggregatedStatus: reports(tc.reports), SchedulerObservedGeneration: generation}
			if tc.unobserved {
				status.SchedulerObservedGeneration--
			}
			got := Assess(bindingWith(spec, status), timeout, now)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAssessLeavesItsInput(t *testing.T) {
	spec := &workv1alpha2.ResourceBindingSpec{Clusters: fixture.Targets("b"), GracefulEvictionTasks: []task{from("a", -1)}}
	Assess(bindingWith(spec, &workv1alpha2.ResourceBindingStatus{}), timeout, now)
	if stamp := spec.GracefulEvictionTasks[0].CreationTimestamp; stamp != nil {
		t.Errorf("the binding itself was stamped: %v", stamp)
	}
}
