// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// leaving makes a task.
func leaving(cluster string, mode policyv1alpha1.PurgeMode) workv1alpha2.GracefulEvictionTask {
	return workv1alpha2.GracefulEvictionTask{FromCluster: cluster, PurgeMode: mode}
}

// requiredBy makes what a binding that depends on this one notes.
func requiredBy(clusters ...string) []workv1alpha2.BindingSnapshot {
	return []workv1alpha2.BindingSnapshot{{Namespace: "space", Name: "other", Clusters: fixture.Targets(clusters...)}}
}

// While there is no target the copies stay, and what was never dispatched is none.
func TestNeverDispatched(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
	b.Spec.Clusters = nil
	b.Spec.GracefulEvictionTasks = []task{leaving("a", policyv1alpha1.PurgeModeDirectly), leaving("b", policyv1alpha1.PurgeModeDirectly), leaving("c", policyv1alpha1.PurgeModeDirectly)}
	works := worksIn("a b c")
	works[1].Spec.SuspendDispatching, works[2].Spec.SuspendDispatching = new(true), new(true)
	works[2].Status.Conditions = []metav1.Condition{{Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue}}
	var got []string
	for _, target := range PlanWorks(b, works, func(string) bool { return false }).Render {
		got = append(got, target.Name)
	}
	if diff := cmp.Diff([]string{"a", "c"}, got); diff != "" {
		t.Errorf("rendered (-want +got):\n%s", diff)
	}
}

func TestPlanWorks(t *testing.T) {
	const directly, gracefully, never = policyv1alpha1.PurgeModeDirectly, policyv1alpha1.PurgeModeGracefully, policyv1alpha1.PurgeModeNever
	type tasks = []workv1alpha2.GracefulEvictionTask
	cases := map[string]struct {
		reason   string
		targets  []string
		tasks    tasks
		required []workv1alpha2.BindingSnapshot
		fenced   bool   // somebody confirmed that nothing runs in any cluster
		attached bool   // the binding has no placement of its own
		works    string // the clusters with a Work; one that is being deleted has a -
		remove   string
		replace  string
		render   string
	}{
		"New":     {reason: "each target gets a Work", targets: []string{"a", "b"}, render: "a b"},
		"Present": {reason: "and those that there are are rendered", targets: []string{"a", "b"}, works: "a b", render: "a b"},
		"Orphan":  {reason: "a Work in another cluster goes", targets: []string{"a"}, works: "a b", remove: "b", render: "a"},
		"Moved":   {reason: "without a task the new copy does not wait", targets: []string{"b"}, works: "a", remove: "a", render: "b"},
		"OrphanTerminating": {
			reason: "what is going is not deleted again", targets: []string{"a"}, works: "a b-", render: "a",
		},
		"TargetTerminating": {
			reason: "a target whose Work is going is looked at, to make it again at its end", targets: []string{"a"}, works: "a-", render: "a",
		},
		"NoTargets": {
			reason: "without any target nothing goes: it may be the last copy", works: "a b",
		},
		"NoTargetsTasks": {
			reason: "whatever the purge mode, and what stays is rendered, since a change of the template may mend it",
			tasks:  tasks{leaving("a", directly), leaving("b", gracefully), leaving("c", directly), leaving("d", directly)}, works: "a b c-", render: "a b",
		},
		"Fenced": {
			reason: "nothing runs in a fenced cluster, though its Work cannot go", targets: []string{"b"}, tasks: tasks{leaving("a", directly)},
			works: "a-", fenced: true, render: "b",
		},
		"Gracefully": {
			reason: "the old copy stays, and is not rendered any more", targets: []string{"b"}, tasks: tasks{leaving("a", gracefully)},
			works: "a b", render: "b",
		},
		"GracefullyNew":  {reason: "the new copy does not wait for it", targets: []string{"b"}, tasks: tasks{leaving("a", gracefully)}, works: "a", render: "b"},
		"Graciously":     {reason: "so under its old name", targets: []string{"b"}, tasks: tasks{leaving("a", policyv1alpha1.Graciously)}, works: "a", render: "b"},
		"Never":          {reason: "the same for Never", targets: []string{"b"}, tasks: tasks{leaving("a", never)}, works: "a b", render: "b"},
		"NoMode":         {reason: "and for a task without mode", targets: []string{"b"}, tasks: tasks{leaving("a", "")}, works: "a", render: "b"},
		"GracefullyDone": {reason: "when the task ends, the old copy goes", targets: []string{"b"}, works: "a b", remove: "a", render: "b"},
		"Directly": {
			reason: "the old copy goes, and the new one waits until it has gone", targets: []string{"b"}, tasks: tasks{leaving("a", directly)},
			works: "a", replace: "a",
		},
		"Immediately": {
			reason: "so under its old name", targets: []string{"b"}, tasks: tasks{leaving("a", policyv1alpha1.Immediately)}, works: "a", replace: "a",
		},
		"DirectlyGoing": {
			reason: "it waits while the old copy is going", targets: []string{"b"}, tasks: tasks{leaving("a", directly)}, works: "a-",
		},
		"DirectlyGone": {
			reason: "and comes once it has gone", targets: []string{"b"}, tasks: tasks{leaving("a", directly)}, render: "b",
		},
		"DirectlyOthers": {
			reason: "copies that there are do not wait", targets: []string{"b", "c"}, tasks: tasks{leaving("a", directly)},
			works: "a b", replace: "a", render: "b",
		},
		"DirectlyNoneWaits": {
			reason: "where no new copy waits, the old one goes at once", targets: []string{"b"}, tasks: tasks{leaving("a", directly)},
			works: "a b", remove: "a", render: "b",
		},
		"DirectlyTwo": {
			reason: "one that is going does not go again, the other one waits for the new copies", targets: []string{"c", "d"},
			tasks: tasks{leaving("a", directly), leaving("b", directly)}, works: "a- b", replace: "b",
		},
		"OrphanDoesNotBlock": {
			reason: "only a copy that leaves Directly is waited for", targets: []string{"b"}, tasks: tasks{leaving("x", directly)},
			works: "a", remove: "a", render: "b",
		},
		"Mixed": {
			reason: "a graceful task does not save the Directly one", targets: []string{"c"}, tasks: tasks{leaving("a", gracefully), leaving("b", directly)},
			works: "a b", replace: "b",
		},
		"RequiredBy": {
			reason: "a cluster that a dependent binding is in is a target", targets: []string{"a"}, required: requiredBy("a", "b"), render: "a b",
		},
		"RequiredByAlone": {
			reason: "also where the binding has none of its own", attached: true, required: requiredBy("b"), works: "a b", remove: "a", render: "b",
		},
		"RequiredInLeaving": {
			reason: "a copy that is required where it leaves stays", targets: []string{"b"}, tasks: tasks{leaving("a", directly)}, required: requiredBy("a"),
			works: "a", render: "b a",
		},
		"RequiredByNowhere": {
			reason: "what depends on it has no place: it may be the last copy", attached: true, required: requiredBy(), works: "a",
		},
		"NotRequired": {
			reason: "what nobody asks for any more goes", attached: true, works: "a b", remove: "a b",
		},
		"Foreign": {
			reason: "a Work in no execution namespace is an orphan", targets: []string{"a"}, works: "a /default", remove: "/default", render: "a",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil))
			spec := b.GetSpec()
			spec.Clusters, spec.GracefulEvictionTasks, spec.RequiredBy = fixture.Targets(tc.targets...), tc.tasks, tc.required
			if tc.attached {
				spec.Placement = nil
			}
			p := PlanWorks(b, worksIn(tc.works), func(string) bool { return tc.fenced })
			var remove, replace, render []string
			for _, w := range p.Remove {
				remove = append(remove, formatWork(w))
			}
			for _, w := range p.Replace {
				replace = append(replace, formatWork(w))
			}
			for _, target := range p.Render {
				render = append(render, target.Name)
			}
			if diff := cmp.Diff(strings.Fields(tc.remove), remove, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: removed (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(strings.Fields(tc.replace), replace, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: replaced (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(strings.Fields(tc.render), render, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: rendered (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// worksIn reads a list of clusters as TestPlanWorks has it; a namespace begins with /.
func worksIn(places string) []workv1alpha1.Work {
	var works []workv1alpha1.Work
	for _, p := range strings.Fields(places) {
		cluster, going := strings.CutSuffix(p, "-")
		w := workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(cluster), Name: "one"}}
		if namespace, foreign := strings.CutPrefix(cluster, "/"); foreign {
			w.Namespace = namespace
		}
		if going {
			w.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}
		works = append(works, w)
	}
	return works
}

// formatWork returns a Work in the form that worksIn reads.
func formatWork(w *workv1alpha1.Work) string {
	if cluster := ClusterOf(w); cluster != "" {
		return cluster
	}
	return "/" + w.Namespace
}

func TestTargets(t *testing.T) {
	spec := &workv1alpha2.ResourceBindingSpec{
		Clusters:   []workv1alpha2.TargetCluster{{Name: "a", Replicas: 3}},
		RequiredBy: append(requiredBy("b", "a"), requiredBy("c", "b")...),
	}
	var got []string
	for _, target := range Targets(spec) {
		got = append(got, target.Name)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("targets are the binding's own, then those required, each once: got %v, want %v", got, want)
	}
	if got := Targets(spec)[0].Replicas; got != 3 {
		t.Errorf("the own share of a cluster goes before a required one: got %d replicas", got)
	}
}
