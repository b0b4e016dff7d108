// SPDX-License-Identifier: Apache-2.0

package binding_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// parent returns a parent that is in some clusters, and has Works in others.
func parent(name string, clusters []string, works ...string) binding.Parent {
	b := fixture.Binding(fixture.Gadget("space", name, nil))
	b.GetSpec().PropagateDeps, b.GetSpec().Clusters = true, fixture.Targets(clusters...)
	p := binding.Parent{Binding: b, PermanentID: "id of " + name}
	for _, cluster := range works {
		p.Works = append(p.Works, workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(cluster)}})
	}
	return p
}

// evicted adds the tasks of clusters that a parent leaves.
func evicted(p binding.Parent, mode policyv1alpha1.PurgeMode, clusters ...string) binding.Parent {
	spec := p.Binding.GetSpec()
	for _, cluster := range clusters {
		spec.GracefulEvictionTasks = append(spec.GracefulEvictionTasks, workv1alpha2.GracefulEvictionTask{FromCluster: cluster, PurgeMode: mode})
	}
	return p
}

// required adds clusters that another binding needs the parent in.
func required(p binding.Parent, clusters ...string) binding.Parent {
	p.Binding.GetSpec().RequiredBy = []workv1alpha2.BindingSnapshot{{Namespace: "space", Name: "grandparent", Clusters: fixture.Targets(clusters...)}}
	return p
}

// attachedTo returns an attached binding.
func attachedTo() workv1alpha2.Binding {
	b := fixture.Binding(fixture.Object(configMap, "space", "c", nil))
	b.GetSpec().Placement = nil
	return b
}

// written lists what requiredBy has, as "name: clusters".
func written(b workv1alpha2.Binding) []string {
	var all []string
	for _, s := range b.GetSpec().RequiredBy {
		var clusters []string
		for _, t := range s.Clusters {
			clusters = append(clusters, t.Name)
		}
		all = append(all, strings.TrimSuffix(s.Name, "-gadget")+": "+strings.Join(clusters, " "))
	}
	return all
}

func TestAttach(t *testing.T) {
	const gracefully, directly, never = policyv1alpha1.PurgeModeGracefully, policyv1alpha1.PurgeModeDirectly, policyv1alpha1.PurgeModeNever
	on := func(clusters ...string) []string { return clusters }
	cases := map[string]struct {
		reason     string
		parents    []binding.Parent
		propagates bool
		want       []string
	}{
		"One":           {reason: "it follows its parent", parents: []binding.Parent{parent("p", on("b", "a"), "a", "b")}, want: []string{"p: b a"}},
		"Two":           {reason: "parents are sorted", parents: []binding.Parent{parent("q", on("b")), parent("p", on("a"))}, want: []string{"p: a", "q: b"}},
		"Nowhere":       {reason: "a parent without a cluster is left out", parents: []binding.Parent{parent("p", nil), parent("q", on("a"))}, want: []string{"q: a"}},
		"Nobody":        {reason: "nothing depends on it"},
		"Gracefully":    {reason: "it stays where the parent is evicted from", parents: []binding.Parent{evicted(parent("p", on("b")), gracefully, "a")}, want: []string{"p: b a"}},
		"Never":         {reason: "also where a user ends that", parents: []binding.Parent{evicted(parent("p", on("b")), never, "a")}, want: []string{"p: b a"}},
		"Directly":      {reason: "and until the old copy is gone", parents: []binding.Parent{evicted(parent("p", on("b")), directly, "a")}, want: []string{"p: b a"}},
		"Moved":         {reason: "and where the parent has a Work without an eviction", parents: []binding.Parent{parent("p", on("c"), "b", "c", "a")}, want: []string{"p: c a b"}},
		"Stranded":      {reason: "and where a parent that fits nowhere keeps its copies", parents: []binding.Parent{parent("p", nil, "a")}, want: []string{"p: a"}},
		"EvictedTwice":  {reason: "each cluster is there once", parents: []binding.Parent{evicted(parent("p", on("a"), "a", "b"), gracefully, "b", "a")}, want: []string{"p: a b"}},
		"Required":      {reason: "what needs its parent elsewhere needs it there too", parents: []binding.Parent{required(parent("p", on("a")), "b")}, want: []string{"p: a b"}},
		"CycleRequired": {reason: "two that need each other would never leave", parents: []binding.Parent{required(parent("p", on("a")), "b")}, propagates: true, want: []string{"p: a"}},
		"CycleWork":     {reason: "nor by their Works", parents: []binding.Parent{parent("p", on("a"), "b")}, propagates: true, want: []string{"p: a"}},
		"CycleDirectly": {reason: "nor by evictions that wait for them", parents: []binding.Parent{evicted(parent("p", on("a")), directly, "b")}, propagates: true, want: []string{"p: a"}},
		"CycleGraceful": {reason: "an eviction with a time limit ends", parents: []binding.Parent{evicted(parent("p", on("a")), gracefully, "b")}, propagates: true, want: []string{"p: a b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := attachedTo()
			b.GetSpec().PropagateDeps = tc.propagates
			n, _ := binding.Attach(b, tc.parents, false)
			if diff := cmp.Diff(tc.want, written(b)); diff != "" || n != len(tc.want) {
				t.Errorf("%s: %d parents (-want +got):\n%s", tc.reason, n, diff)
			}
			once := b.DeepCopyObject()
			binding.Attach(b, tc.parents, false)
			if diff := cmp.Diff(once, b.DeepCopyObject()); diff != "" {
				t.Errorf("the second time changes something (-before +after):\n%s", diff)
			}
			if attached := binding.IsAttached(b); attached != (len(tc.want) > 0) {
				t.Errorf("it counts as attached: %t", attached)
			}
		})
	}
}

func TestAttachLabels(t *testing.T) {
	b := attachedTo()
	b.SetLabels(map[string]string{"app": "x", names.DependedByLabel("space", "gone"): "id of gone"})
	binding.Attach(b, []binding.Parent{parent("p", []string{"a"}), parent("unplaced", nil)}, false)
	want := map[string]string{"app": "x", names.DependedByLabel("space", "p-gadget"): "id of p"}
	if diff := cmp.Diff(want, b.GetLabels()); diff != "" {
		t.Errorf("a label for each parent (-want +got):\n%s", diff)
	}
	binding.Attach(b, nil, false)
	if diff := cmp.Diff(map[string]string{"app": "x"}, b.GetLabels()); diff != "" || binding.IsAttached(b) {
		t.Errorf("none without a parent (-want +got):\n%s", diff)
	}
}

// What says the same in another way is not written again: an order of the published
// control plane, and the replicas of a parent that scales.
func TestAttachKeepsWhatSaysTheSame(t *testing.T) {
	p, q := parent("p", []string{"a", "b"}), parent("q", []string{"c"})
	b := attachedTo()
	before := []workv1alpha2.BindingSnapshot{
		{Namespace: "space", Name: "q-gadget", Clusters: fixture.Targets("c")},
		{Namespace: "space", Name: "p-gadget", Clusters: []workv1alpha2.TargetCluster{{Name: "b", Replicas: 2}, {Name: "a", Replicas: 1}}},
	}
	b.GetSpec().RequiredBy = before
	p.Binding.GetSpec().Clusters[0].Replicas = 5
	binding.Attach(b, []binding.Parent{p, q}, false)
	if diff := cmp.Diff(before, b.GetSpec().RequiredBy); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}

	b.GetSpec().Replicas = 1
	binding.Attach(b, []binding.Parent{p, q}, true)
	want := []workv1alpha2.BindingSnapshot{
		{Namespace: "space", Name: "p-gadget", Clusters: []workv1alpha2.TargetCluster{{Name: "a", Replicas: 5}, {Name: "b"}}},
		{Namespace: "space", Name: "q-gadget", Clusters: fixture.Targets("c")},
	}
	if diff := cmp.Diff(want, b.GetSpec().RequiredBy); diff != "" {
		t.Errorf("the replicas matter to a workload (-want +got):\n%s", diff)
	}
}

func TestAttachUnitesPolicies(t *testing.T) {
	const overwrite, abort = policyv1alpha1.ConflictOverwrite, policyv1alpha1.ConflictAbort
	says := func(p binding.Parent, how policyv1alpha1.ConflictResolution, preserve *bool) binding.Parent {
		b := p.Binding.DeepCopyObject().(workv1alpha2.Binding)
		b.GetSpec().ConflictResolution, b.GetSpec().PreserveResourcesOnDeletion = how, preserve
		return binding.Parent{Binding: b}
	}
	p, q := parent("p", []string{"a"}), parent("q", []string{"b"})
	yes, no := new(true), new(false)
	cases := map[string]struct {
		reason       string
		parents      []binding.Parent
		own          bool
		how          policyv1alpha1.ConflictResolution
		was          *bool
		preserve     *bool
		disagreement string
	}{
		"Abort":     {reason: "nothing is overwritten unless asked for", parents: []binding.Parent{says(p, "", nil), says(q, abort, no)}, how: abort, preserve: no},
		"Overwrite": {reason: "all agree", parents: []binding.Parent{says(p, overwrite, yes), says(q, overwrite, yes)}, how: overwrite, preserve: yes},
		"Resolution": {
			reason: "Overwrite wins", parents: []binding.Parent{says(p, abort, nil), says(q, overwrite, nil)}, how: overwrite,
			disagreement: "ConflictResolution conflicted (Overwrite vs Abort): Overwrite for space/q-gadget and Abort for space/p-gadget, so Overwrite applies",
		},
		"Preserve": {
			reason: "true wins", parents: []binding.Parent{says(p, abort, yes), says(q, abort, no)}, how: abort, preserve: yes,
			disagreement: "PreserveResourcesOnDeletion conflicted (true vs false): true for space/p-gadget and false for space/q-gadget, so true applies",
		},
		"Silent":    {reason: "no policy says anything", parents: []binding.Parent{says(p, abort, nil), says(q, abort, nil)}, how: abort},
		"Still":     {reason: "and nothing is written where it means the same", parents: []binding.Parent{says(p, abort, nil)}, was: no, how: abort, preserve: no},
		"Ends":      {reason: "the policy that wanted it is gone", parents: []binding.Parent{says(p, abort, nil)}, was: yes, how: abort, preserve: no},
		"OwnPolicy": {reason: "a policy of its own decides", parents: []binding.Parent{says(p, overwrite, yes)}, own: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := attachedTo()
			b.GetSpec().PreserveResourcesOnDeletion = tc.was
			_, disagreement := binding.Attach(b, tc.parents, tc.own)
			spec := b.GetSpec()
			if spec.ConflictResolution != tc.how || disagreement != tc.disagreement {
				t.Errorf("%s: got %q, %q", tc.reason, spec.ConflictResolution, disagreement)
			}
			if diff := cmp.Diff(tc.preserve, spec.PreserveResourcesOnDeletion); diff != "" {
				t.Errorf("%s: preserveResourcesOnDeletion (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
