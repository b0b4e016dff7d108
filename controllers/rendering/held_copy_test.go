// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// workFor renders a Work for a cluster.
func workFor(t *testing.T, in renderInput, cluster string) *workv1alpha1.Work {
	t.Helper()
	w := &workv1alpha1.Work{}
	w.Namespace, w.Name = names.ExecutionSpace(cluster), "one"
	if err := setWork(w, &in, workv1alpha2.TargetCluster{Name: cluster, Replicas: 2}, nil, func() types.UID { return "id" }); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestHeldVersionRendersAlike has a copy made from the Work of another cluster equal one that
// was made from the template itself.
func TestHeldVersionRendersAlike(t *testing.T) {
	template := stored("space")
	b := bound(template)
	in := renderInput{template: template, binding: b, rules: snapshot(t), injectState: true}
	want := workFor(t, in, "b")
	in.template = heldVersion(b, map[string]*workv1alpha1.Work{"a": workFor(t, in, "a")})
	if diff := cmp.Diff(want, workFor(t, in, "b")); diff != "" {
		t.Errorf("from the template -, from the Work of another cluster +:\n%s", diff)
	}
}

func TestHeldVersion(t *testing.T) {
	template := stored("space")
	moved := bound(template, movedWithState)
	in := renderInput{template: template, binding: bound(template), rules: snapshot(t)}
	of := func(generation int64, with ...func(*workv1alpha1.Work)) *workv1alpha1.Work {
		other := in
		other.template = template.DeepCopy()
		other.template.SetGeneration(generation)
		w := workFor(t, other, "a")
		for _, f := range with {
			f(w)
		}
		return w
	}
	overridden := func(w *workv1alpha1.Work) { w.Annotations[policyv1alpha1.AppliedOverridesAnnotation] = "[]" }
	unreadable := func(w *workv1alpha1.Work) { w.Spec.Workload.Manifests[0].Raw = []byte("{") }
	type works = map[string]*workv1alpha1.Work
	cases := map[string]struct {
		reason  string
		binding *workv1alpha2.ResourceBinding
		works   works
		want    int64 // the generation; 0 is none
	}{
		"None":       {reason: "there is no Work"},
		"Latest":     {reason: "the latest version counts", works: works{"a": of(3), "b": of(5), "c": of(4)}, want: 5},
		"Overridden": {reason: "what a policy changed is for one cluster", works: works{"a": of(3), "b": of(5, overridden)}, want: 3},
		"State":      {reason: "the state of a failover is for one cluster", binding: moved, works: works{"b": of(5)}},
		"Old":        {reason: "the cluster that it left has no state of it", binding: moved, works: works{"a": of(5)}, want: 5},
		"Unreadable": {reason: "what is no object is left out", works: works{"a": of(5, unreadable)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := tc.binding
			if b == nil {
				b = bound(template)
			}
			got := heldVersion(b, tc.works)
			if (got == nil) != (tc.want == 0) || got != nil && got.GetGeneration() != tc.want {
				t.Errorf("%s: got %v, want generation %d", tc.reason, got, tc.want)
			}
		})
	}
}
