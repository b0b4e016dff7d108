// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"slices"
	"testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// TestWithdraw follows a binding from the withdrawal to the end of its task: which Works go, how long the task
// is there, what is reported, and whether its cluster may be chosen again.
func TestWithdraw(t *testing.T) {
	failed := leaving("c", policyv1alpha1.PurgeModeDirectly)
	required := []workv1alpha2.BindingSnapshot{{Name: "parent", Clusters: fixture.Targets("b")}}
	for name, tc := range map[string]struct {
		reason   string
		from     []string
		targets  []string
		tasks    []task
		required []workv1alpha2.BindingSnapshot
		works    string // as in TestPlanWorks
		goes     []string
		released []string // the clusters of which tasks let copies go, while their Works are there
	}{
		"Other":    {"while there is another target, the copy goes without a task", []string{"a"}, []string{"a", "b"}, nil, nil, "a b", []string{"a"}, nil},
		"Last":     {"the last copy goes too", []string{"a"}, []string{"a"}, nil, nil, "a", []string{"a"}, []string{"a"}},
		"Both":     {"so do several that are the last", []string{"a", "b"}, []string{"a", "b"}, nil, nil, "a b", []string{"a", "b"}, []string{"a", "b"}},
		"Going":    {"the task stays while the Work goes", []string{"a"}, []string{"a"}, nil, nil, "a-", nil, []string{"a"}},
		"Gone":     {"and ends when there is none", []string{"a"}, []string{"a"}, nil, nil, "", nil, nil},
		"Evicted":  {"a copy that was evicted from another cluster stays", []string{"a"}, []string{"a"}, []task{failed}, nil, "a c", []string{"a"}, []string{"a"}},
		"Required": {"where another binding needs a copy elsewhere, it goes without a task", []string{"a"}, []string{"a"}, nil, required, "a b", []string{"a"}, nil},
		"No":       {"a cluster that is no target is none", []string{"x"}, []string{"a"}, nil, nil, "a", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
			b.Spec.Placement = &policyv1alpha1.Placement{}
			b.Spec.Clusters, b.Spec.GracefulEvictionTasks, b.Spec.RequiredBy = fixture.Targets(tc.targets...), slices.Clone(tc.tasks), tc.required
			Withdraw(b, tc.from)
			works := worksIn(tc.works)
			var goes []string
			for _, w := range PlanWorks(b, works, func(string) bool { return false }).Remove {
				goes = append(goes, ClusterOf(w))
			}
			slices.Sort(goes)
			if !slices.Equal(goes, tc.goes) {
				t.Errorf("%s: the Works in %v go, want %v", tc.reason, goes, tc.goes)
			}
			if len(tc.tasks) == 0 && WaitsFor(b, timeout) != (Wait{}) {
				t.Errorf("waits for %+v", WaitsFor(b, timeout))
			}
			if excluded := Excluded(b, now).Clusters; excluded["a"] {
				t.Error("it is not chosen again")
			}
			v := Assess(b, timeout, now)
			v.Hold(&b.Spec, works)
			if _, err := v.Apply(b); err != nil {
				t.Fatal(err)
			}
			var released []string
			for i := range b.Spec.GracefulEvictionTasks {
				if task := &b.Spec.GracefulEvictionTasks[i]; isReleased(task) {
					released = append(released, task.FromCluster)
				}
			}
			if !slices.Equal(released, tc.released) || len(b.Spec.GracefulEvictionTasks) != len(tc.released)+len(tc.tasks) {
				t.Errorf("%s: has the tasks %+v, want released %v", tc.reason, b.Spec.GracefulEvictionTasks, tc.released)
			}
		})
	}
}

// TestWithdrawBesideAReport: a report that the copy is still there keeps the task, and a binding that is
// placed there again has none.
func TestWithdrawBesideAReport(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
	b.Spec.Placement = &policyv1alpha1.Placement{}
	b.Spec.Clusters = fixture.Targets("a")
	b.Status.AggregatedStatus = reports(map[string]workv1alpha2.ResourceHealth{"a": healthy})
	Withdraw(b, []string{"a"})
	for _, step := range []struct {
		targets []string
		tasks   int
	}{{nil, 1}, {[]string{"a"}, 0}} {
		b.Spec.Clusters = fixture.Targets(step.targets...)
		v := Assess(b, timeout, now)
		v.Hold(&b.Spec, []workv1alpha1.Work{})
		if _, err := v.Apply(b); err != nil {
			t.Fatal(err)
		}
		if len(b.Spec.GracefulEvictionTasks) != step.tasks || len(b.Spec.Clusters) != len(step.targets) {
			t.Errorf("with the targets %v it has the tasks %+v and the targets %v", step.targets, b.Spec.GracefulEvictionTasks, b.Spec.Clusters)
		}
	}
}
