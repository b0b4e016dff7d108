// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestMarked(t *testing.T) {
	const label, other = policyv1alpha1.RetainReplicasLabel, "app"
	type m = map[string]string
	for name, tc := range map[string]struct {
		reason                          string
		labels, annotations             m
		scaled                          bool
		wantedLabels, wantedAnnotations m
	}{
		"Scaled":     {"an autoscaler came", m{other: "x"}, nil, true, m{other: "x", label: "true"}, m{Annotation: name}},
		"Nothing":    {"none is there", m{other: "x"}, nil, false, m{other: "x"}, nil},
		"Stays":      {"it is marked", m{label: "true"}, m{Annotation: name}, true, m{label: "true"}, m{Annotation: name}},
		"Gone":       {"the autoscaler went", m{other: "x", label: "true"}, m{Annotation: name}, false, m{other: "x"}, nil},
		"Git":        {"the file in Git has the label, which stays without a mark of ours", m{label: "true"}, nil, true, m{label: "true"}, nil},
		"GitGone":    {"and stays when the autoscaler goes", m{label: "true"}, nil, false, m{label: "true"}, nil},
		"Refused":    {"somebody does not want it", m{label: "false"}, nil, true, m{label: "false"}, nil},
		"Removed":    {"a person took the label away, and not the annotation", m{other: "x"}, m{Annotation: name}, true, m{other: "x"}, m{Annotation: name}},
		"RemovedEnd": {"then only the annotation goes", m{other: "x"}, m{Annotation: name, other: "y"}, false, m{other: "x"}, m{other: "y"}},
		"Changed":    {"a person gave the label another value, which is theirs", m{label: "false"}, m{Annotation: name}, false, m{label: "false"}, nil},
		"Replaced":   {"the whole object was replaced by its file", m{other: "x"}, nil, true, m{other: "x", label: "true"}, m{Annotation: name}},
	} {
		t.Run(name, func(t *testing.T) {
			before := fixture.Deployment("ns", "d")
			before.SetLabels(tc.labels)
			before.SetAnnotations(tc.annotations)
			want := before.DeepCopy()
			got, changed := Marked(before, tc.scaled)
			if diff := cmp.Diff([]m{tc.wantedLabels, tc.wantedAnnotations}, []m{got.GetLabels(), got.GetAnnotations()}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(want, before); diff != "" {
				t.Errorf("the template of the cache changed:\n%s", diff)
			}
			if differs := !cmp.Equal(want, got); changed != differs {
				t.Errorf("it is reported as changed: %t, and is: %t", changed, differs)
			}
		})
	}
}

func TestScaled(t *testing.T) {
	of := func(version, name string) templates.Key {
		return templates.Key{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: version, Kind: "Deployment"}, NamespacedName: types.NamespacedName{Namespace: "ns", Name: name}}
	}
	var s scaled
	a, b, none := types.NamespacedName{Name: "a"}, types.NamespacedName{Name: "b"}, templates.Key{}
	for i, step := range []struct {
		autoscaler          types.NamespacedName
		next, before        templates.Key
		firstHas, secondHas bool
	}{
		{a, of("v1", "first"), none, true, false},
		{b, of("v1beta1", "first"), none, true, false},
		{a, of("v1", "second"), of("v1", "first"), true, true},
		{b, none, of("v1beta1", "first"), false, true},
		{b, none, none, false, true},
		{a, none, of("v1", "second"), false, false},
	} {
		if got := s.set(step.autoscaler, step.next); got != step.before {
			t.Errorf("step %d: it scaled %s before, want %s", i, got, step.before)
		}
		if got := [2]bool{s.has(targetOf(of("v2", "first"))), s.has(targetOf(of("v1", "second")))}; got != [2]bool{step.firstHas, step.secondHas} {
			t.Errorf("step %d: scaled are %v", i, got)
		}
	}
	if len(s.targets) != 0 || len(s.by) != 0 {
		t.Errorf("%d and %d are kept of what is gone", len(s.targets), len(s.by))
	}
}
