// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// A binding in a and b leaves a Directly, and is of generation 3.
func TestAwaitsTarget(t *testing.T) {
	cases := map[string]struct {
		reason string
		// targets are those that are left, refused those that refused the template: of an older
		// one with a minus.
		targets, refused string
		// observed is the generation that the scheduler has a place for, failed the one that it
		// has none for.
		observed, failed int64
		orphan, released bool
		suspended        bool
		// before are the clusters before the eviction, replicas those that are divided, of which each target has 4.
		before               string
		replicas             int32
		remove, held, render string
		replace, waits       string
	}{
		"Undecided":    {reason: "the scheduler may find another cluster", targets: "b", observed: 2, held: "a", render: "b"},
		"Changed":      {reason: "what it decided about another generation does not count", targets: "b", observed: 1, failed: 2, refused: "c", held: "a", render: "b"},
		"Content":      {reason: "nothing replaces the copy", targets: "b", observed: 3, remove: "a", render: "b"},
		"ContentOther": {reason: "also where the targets that are left are enough beside one that refused", targets: "b", observed: 3, refused: "c", remove: "a", render: "b"},
		"None":         {reason: "no cluster fits, as before the eviction", targets: "b", observed: 2, failed: 3, remove: "a", render: "b"},
		"Refused":      {reason: "the copy stays until another cluster takes it", targets: "b", observed: 2, failed: 3, refused: "c", held: "a", render: "b a", waits: workv1alpha2.NoClusterReason},
		"Older":        {reason: "another template was refused", targets: "b", observed: 2, failed: 3, refused: "c-", remove: "a", render: "b"},
		"IsTarget":     {reason: "the one that refused is tried again and waits", targets: "b c", observed: 3, refused: "c", replace: "a", render: "b"},
		"Released":     {reason: "the user let it go", targets: "b", observed: 2, failed: 3, refused: "c", released: true, remove: "a", render: "b"},
		"Suspended":    {reason: "no other cluster is chosen while scheduling is suspended", targets: "b", observed: 2, suspended: true, held: "a", render: "b a", waits: workv1alpha2.NewCopyReason},
		"SuspendedNow": {reason: "it was decided right before", targets: "b", observed: 3, suspended: true, remove: "a", render: "b"},
		"Replaced":     {reason: "as many clusters as before", targets: "b c", before: "a b", observed: 2, suspended: true, replace: "a", render: "b"},
		"PlacedInFull": {reason: "all replicas have a place", targets: "b", replicas: 4, observed: 2, suspended: true, remove: "a", render: "b"},
		"PlacedInPart": {reason: "only some have", targets: "b", replicas: 5, observed: 2, suspended: true, held: "a", render: "b a", waits: workv1alpha2.NewCopyReason},
		"Orphan":       {reason: "its policy is gone before the scheduler decided", targets: "b", observed: 2, orphan: true, held: "a", render: "b a", waits: workv1alpha2.NewCopyReason},
		"OrphanLater":  {reason: "its policy is gone after a cluster refused", targets: "b", observed: 2, failed: 3, refused: "c", orphan: true, held: "a", render: "b a", waits: workv1alpha2.NewCopyReason},
		"OrphanDone":   {reason: "the scheduler was content with the targets that are left", targets: "b", observed: 3, orphan: true, remove: "a", render: "b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
			b.Generation, b.Spec.Resource.ResourceVersion = 3, "7"
			b.Spec.Clusters = fixture.Targets(strings.Fields(tc.targets)...)
			b.Spec.GracefulEvictionTasks = []task{leaving("a", policyv1alpha1.PurgeModeDirectly)}
			if tc.released {
				b.Spec.GracefulEvictionTasks[0].SuppressDeletion = new(bool)
			}
			b.Spec.GracefulEvictionTasks[0].ClustersBeforeFailover = strings.Fields(tc.before)
			if tc.replicas > 0 {
				b.Spec.Replicas, b.Spec.Clusters[0].Replicas = tc.replicas, 4
				b.Spec.Placement.ReplicaScheduling = &policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: policyv1alpha1.ReplicaSchedulingTypeDivided}
			}
			if tc.suspended {
				b.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: new(true)}
			}
			if tc.orphan {
				b.Labels = nil
			}
			b.Status.SchedulerObservedGeneration = tc.observed
			if tc.failed > 0 {
				b.Status.Conditions = []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: metav1.ConditionFalse, ObservedGeneration: tc.failed}}
			}
			if tc.refused != "" {
				cluster, older := strings.CutSuffix(tc.refused, "-")
				f := Failure{Time: metav1.NewTime(now), Tries: 1, Template: "7", Refused: "no"}
				if older {
					f.Template = "6"
				}
				if err := SetFailures(b, map[string]Failure{cluster: f}); err != nil {
					t.Fatal(err)
				}
			}
			p := PlanWorks(b, worksIn("a b"), func(string) bool { return false })
			var got []string
			for _, works := range [][]string{namesOf(p.Remove), namesOf(p.Replace), namesOf(p.Held)} {
				got = append(got, strings.Join(works, " "))
			}
			var render []string
			for _, target := range p.Render {
				render = append(render, target.Name)
			}
			got = append(got, strings.Join(render, " "))
			if want := []string{tc.remove, tc.replace, tc.held, tc.render}; strings.Join(got, "; ") != strings.Join(want, "; ") {
				t.Errorf("%s: removed, replaced, held, rendered are %q, want %q", tc.reason, got, want)
			}
			if w := WaitsFor(b, timeout); len(p.Held) > 0 && w.Reason != tc.waits {
				t.Errorf("%s: it waits for %q (%s), want %q", tc.reason, w.Reason, w.Message, tc.waits)
			}
		})
	}
}

// A binding whose scheduling was suspended after it left its only cluster says so.
func TestWaitsForSchedulingWithoutTargets(t *testing.T) {
	for suspended, want := range map[bool]Wait{
		true: {Reason: workv1alpha2.SchedulingSuspendedReason, Stuck: true, Message: "scheduling is suspended, so that no other cluster is chosen: the copy in cluster a stays; " +
			"it goes on when spec.suspension.scheduling of the binding is not true any more"},
		false: {Pending: true},
	} {
		b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
		b.Spec.GracefulEvictionTasks = []task{leaving("a", policyv1alpha1.PurgeModeDirectly)}
		b.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: &suspended}
		if got := WaitsFor(b, timeout); got != want {
			t.Errorf("suspended %t: got %+v, want %+v", suspended, got, want)
		}
	}
}

// What stays for a suspension says so once nothing else is missing, and only while it is there.
func TestWaitsForScheduling(t *testing.T) {
	for name, tc := range map[string]struct {
		mode             policyv1alpha1.PurgeMode
		reported, before string
		orphan           bool
		want             string
	}{
		"Direct":     {mode: policyv1alpha1.PurgeModeDirectly, reported: "a b", before: "a b", want: workv1alpha2.SchedulingSuspendedReason},
		"NoPolicy":   {mode: policyv1alpha1.PurgeModeDirectly, reported: "a b", before: "a b", orphan: true, want: workv1alpha2.NoPolicyReason},
		"Gracefully": {mode: policyv1alpha1.PurgeModeGracefully, reported: "a b", before: "a b", want: workv1alpha2.SchedulingSuspendedReason},
		"Gone":       {mode: policyv1alpha1.PurgeModeDirectly, reported: "b", before: "a b", want: ""},
		"New":        {mode: policyv1alpha1.PurgeModeDirectly, reported: "a", before: "a b", want: workv1alpha2.NewCopyReason},
	} {
		b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
		b.Generation, b.Status.SchedulerObservedGeneration, b.Spec.Clusters = 3, 2, fixture.Targets("b")
		b.Spec.GracefulEvictionTasks = []task{leaving("a", tc.mode)}
		b.Spec.GracefulEvictionTasks[0].ClustersBeforeFailover = strings.Fields(tc.before)
		for _, cluster := range strings.Fields(tc.reported) {
			b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Applied: true, Health: workv1alpha2.ResourceHealthy})
		}
		if b.Spec.Suspension = (&workv1alpha2.Suspension{Scheduling: new(true)}); tc.orphan {
			b.Labels, b.Spec.Suspension = nil, nil
		}
		if got := WaitsFor(b, timeout); got.Reason != tc.want {
			t.Errorf("%s: it waits for %q (%s), want %q", name, got.Reason, got.Message, tc.want)
		}
	}
}

// The time of a graceful eviction does not run out while nothing replaces its copy: the one in b was there before.
func TestAssessWithoutAScheduler(t *testing.T) {
	for name, tc := range map[string]struct {
		targets, before string
		suspended       bool
		done            string
	}{
		"Short":    {targets: "b", before: "a b", suspended: true},
		"Replaced": {targets: "b c", before: "a b", suspended: true, done: "a"},
		"Movable":  {targets: "b", before: "a b", done: "a"},
		"Unknown":  {targets: "b", suspended: true, done: "a"},
	} {
		b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
		b.Generation, b.Status.SchedulerObservedGeneration, b.Spec.Clusters = 3, 2, fixture.Targets(strings.Fields(tc.targets)...)
		b.Spec.Suspension = &workv1alpha2.Suspension{Scheduling: &tc.suspended}
		b.Spec.GracefulEvictionTasks = []task{leaving("a", policyv1alpha1.PurgeModeGracefully)}
		b.Spec.GracefulEvictionTasks[0].ClustersBeforeFailover = strings.Fields(tc.before)
		b.Spec.GracefulEvictionTasks[0].CreationTimestamp = new(metav1.NewTime(now))
		b.Status.AggregatedStatus = []workv1alpha2.AggregatedStatusItem{
			{ClusterName: "a", Applied: true, Health: workv1alpha2.ResourceUnhealthy},
			{ClusterName: "b", Applied: true, Health: workv1alpha2.ResourceHealthy},
			{ClusterName: "c", Applied: true, Health: workv1alpha2.ResourceHealthy},
		}
		if got := strings.Join(Assess(b, timeout, now.Add(2*timeout)).Done, " "); got != tc.done {
			t.Errorf("%s: the evictions from %q end, want %q", name, got, tc.done)
		}
	}
}

// A binding in a and b left both Directly, and d refused: only c takes a new copy.
func TestSeveralLeaveAndSomeFindAPlace(t *testing.T) {
	const undecided, refused, content = "undecided", "refused", "content"
	for reason, tc := range map[string]struct {
		scheduler, works, state               string
		replace, held, blocked, waits, render string
	}{
		"one goes for the new copy, and nothing comes before the scheduler has decided": {
			scheduler: undecided, works: "a b", replace: "a", held: "b", blocked: "a b", waits: "c",
		},
		"the other one stays where it found no other cluster, and is not waited for": {
			scheduler: refused, works: "a b", replace: "a", held: "b", blocked: "a", waits: "c", render: "b",
		},
		"the one goes whose state the new copy gets": {
			scheduler: refused, works: "a b", state: "b", replace: "b", held: "a", blocked: "b", waits: "c", render: "a",
		},
		"the other one does not go after it": {
			scheduler: refused, works: "a- b", held: "b", blocked: "a", waits: "c", render: "b",
		},
		"the new one comes when the old one is gone":          {scheduler: refused, works: "b", held: "b", render: "c b"},
		"the other one stays beside it":                       {scheduler: refused, works: "b c", held: "b", blocked: "b", render: "c b"},
		"all go where the scheduler needs no more than there": {scheduler: content, works: "a b", replace: "a b", blocked: "a b", waits: "c"},
	} {
		t.Run(reason, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
			b.Generation, b.Spec.Resource.ResourceVersion = 3, "7"
			b.Spec.Clusters = fixture.Targets("c")
			b.Spec.GracefulEvictionTasks = []task{leaving("a", policyv1alpha1.PurgeModeDirectly), leaving("b", policyv1alpha1.PurgeModeDirectly)}
			b.Spec.GracefulEvictionTasks[0].ClustersBeforeFailover = []string{"a", "b"}
			if err := SetFailures(b, map[string]Failure{"d": {Time: metav1.NewTime(now), Tries: 1, Template: "7", Refused: "no"}}); err != nil {
				t.Fatal(err)
			}
			if tc.state != "" {
				if err := SetCarriedStates(b, []Carried{{From: tc.state, Gone: true, Labels: map[string]string{"job": "1"}}}); err != nil {
					t.Fatal(err)
				}
			}
			switch tc.scheduler {
			case content:
				b.Status.SchedulerObservedGeneration = 3
			case refused:
				b.Status.Conditions = []metav1.Condition{{Type: workv1alpha2.Scheduled, Status: metav1.ConditionFalse, ObservedGeneration: 3}}
			}
			p := PlanWorks(b, worksIn(tc.works), func(string) bool { return false })
			var render []string
			for _, target := range p.Render {
				render = append(render, target.Name)
			}
			got := [][]string{namesOf(p.Remove), namesOf(p.Replace), namesOf(p.Held), p.BlockedBy, p.Waiting, render}
			var want [][]string
			for _, names := range []string{"", tc.replace, tc.held, tc.blocked, tc.waits, tc.render} {
				want = append(want, strings.Fields(names))
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("removed, replaced, held, waited for, waiting, rendered (-want +got):\n%s", diff)
			}
		})
	}
}

func namesOf(works []*workv1alpha1.Work) []string {
	var all []string
	for _, w := range works {
		all = append(all, formatWork(w))
	}
	return all
}
