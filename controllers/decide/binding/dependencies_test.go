// SPDX-License-Identifier: Apache-2.0

package binding_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var configMap = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}

// named is a reference to a ConfigMap by name.
func named(namespace, name string) binding.Reference {
	return binding.Reference{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: name}
}

// labelled is a reference to ConfigMaps by their labels.
func labelled(namespace string, s metav1.LabelSelector) binding.Reference {
	return binding.Reference{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, LabelSelector: &s}
}

// depending returns a binding in a namespace that propagates dependencies.
func depending(namespace string, on ...binding.Reference) workv1alpha2.Binding {
	b := fixture.Binding(fixture.Gadget(namespace, "parent", nil))
	b.GetSpec().PropagateDeps = true
	if err := binding.SetDependencies(b, on); err != nil {
		panic(err)
	}
	return b
}

func TestSetDependencies(t *testing.T) {
	a, b := named("space", "a"), named("space", "b")
	sorted := `[{"apiVersion":"v1","kind":"ConfigMap","namespace":"space","name":"a"},{"apiVersion":"v1","kind":"ConfigMap","namespace":"space","name":"b"}]`
	turned := `[{"apiVersion":"v1","kind":"ConfigMap","namespace":"space","name":"b"},{"apiVersion":"v1","kind":"ConfigMap","namespace":"space","name":"a"}]`
	one := `[{"apiVersion":"v1","kind":"ConfigMap","namespace":"space","name":"a"}]`
	cases := map[string]struct {
		reason string
		before string
		set    []binding.Reference
		want   string
	}{
		"New":        {reason: "the note is sorted", set: []binding.Reference{b, a}, want: sorted},
		"OtherOrder": {reason: "a note of the published control plane stays", before: turned, set: []binding.Reference{a, b}, want: turned},
		"Changed":    {reason: "another set is another note", before: turned, set: []binding.Reference{a}, want: one},
		"Nothing":    {reason: "there is no note of nothing"},
		"Null":       {reason: "and one of the published control plane stays", before: "null", want: "null"},
		"Gone":       {reason: "what has no dependencies any more loses its note", before: sorted},
		"Broken":     {reason: "what cannot be read is written again", before: "{", set: []binding.Reference{a, b}, want: sorted},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bound := fixture.Binding(fixture.Gadget("space", "parent", nil))
			if tc.before != "" {
				bound.SetAnnotations(map[string]string{workv1alpha2.DependenciesAnnotation: tc.before})
			}
			if err := binding.SetDependencies(bound, tc.set); err != nil {
				t.Fatal(err)
			}
			if got := bound.GetAnnotations()[workv1alpha2.DependenciesAnnotation]; got != tc.want {
				t.Errorf("%s: got %s, want %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestDependsOn(t *testing.T) {
	object := fixture.Object(configMap, "space", "c", nil)
	object.SetLabels(map[string]string{"app": "x", "tier": "back"})
	cases := map[string]struct {
		reason    string
		namespace string
		on        []binding.Reference
		object    *unstructured.Unstructured
		want      bool
	}{
		"Name":             {reason: "it is named", namespace: "space", on: []binding.Reference{named("space", "c")}, want: true},
		"OtherName":        {reason: "another is named", namespace: "space", on: []binding.Reference{named("space", "d")}},
		"OtherNamespace":   {reason: "one of another namespace is named", namespace: "space", on: []binding.Reference{named("other", "c")}},
		"NoNamespace":      {reason: "without a namespace it is the one beside the parent", namespace: "space", on: []binding.Reference{named("", "c")}, want: true},
		"Wide":             {reason: "a parent without a namespace names that of the object", on: []binding.Reference{named("space", "c")}, want: true},
		"WideNoNamespace":  {reason: "and has none of its own", on: []binding.Reference{named("", "c")}},
		"Labels":           {reason: "a label is selected", namespace: "space", on: []binding.Reference{labelled("space", metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}})}, want: true},
		"OtherLabels":      {reason: "another value is selected", namespace: "space", on: []binding.Reference{labelled("space", metav1.LabelSelector{MatchLabels: map[string]string{"app": "y"}})}},
		"SomeLabels":       {reason: "one of two labels is not enough", namespace: "space", on: []binding.Reference{labelled("space", metav1.LabelSelector{MatchLabels: map[string]string{"app": "x", "tier": "front"}})}},
		"In":               {reason: "one of some values is enough", namespace: "space", on: []binding.Reference{labelled("space", metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"mid", "back"}}}})}, want: true},
		"Exists":           {reason: "the label is there", namespace: "space", on: []binding.Reference{labelled("space", metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpExists}}})}, want: true},
		"NotIn":            {reason: "no label is required", namespace: "space", on: []binding.Reference{labelled("space", metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"mid"}}}})}, want: true},
		"All":              {reason: "an empty selector selects all of the kind", namespace: "space", on: []binding.Reference{labelled("space", metav1.LabelSelector{})}, want: true},
		"Itself":           {reason: "nothing depends on itself", namespace: "space", on: []binding.Reference{{APIVersion: "spec.dragoman.io/v1", Kind: "Gadget", Namespace: "space", Name: "parent"}}, object: fixture.Gadget("space", "parent", nil)},
		"AnotherVersion":   {reason: "the version does not matter", namespace: "space", on: []binding.Reference{{APIVersion: "spec.dragoman.io/v2", Kind: "Gadget", Namespace: "space", Name: "c"}}, object: fixture.Gadget("space", "c", nil), want: true},
		"AnotherGroupKind": {reason: "the kind does", namespace: "space", on: []binding.Reference{{APIVersion: "v1", Kind: "Secret", Namespace: "space", Name: "c"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b, o := depending(tc.namespace, tc.on...), tc.object
			if o == nil {
				o = object
			}
			if got := binding.DependsOn(b, o); got != tc.want {
				t.Errorf("%s: depends on it: %t, want %t", tc.reason, got, tc.want)
			}
			found := slices.ContainsFunc(binding.LookupKeys(o), func(k string) bool { return slices.Contains(binding.DependencyKeys(b), k) })
			if tc.want && !found {
				t.Errorf("%s: the index does not find it: keys %v, looked up %v", tc.reason, binding.DependencyKeys(b), binding.LookupKeys(o))
			}
			byName := slices.ContainsFunc(binding.NameKeys(o.GroupVersionKind().GroupKind(), o.GetNamespace(), o.GetName()), func(k string) bool {
				return slices.Contains(binding.DependencyKeys(b), k)
			})
			if tc.want && !byName {
				t.Errorf("%s: the index does not find it without its labels: keys %v", tc.reason, binding.DependencyKeys(b))
			}
			b.GetSpec().PropagateDeps = false
			if binding.DependsOn(b, o) || len(binding.DependencyKeys(b)) > 0 {
				t.Error("a binding that does not propagate dependencies has some")
			}
		})
	}
}

// A parent that is being deleted needs nothing any more.
func TestDependenciesOfADeletedParent(t *testing.T) {
	b := depending("space", named("space", "c"))
	b.SetDeletionTimestamp(&metav1.Time{})
	if got := binding.DependencyKeys(b); len(got) > 0 {
		t.Errorf("got %v, want none", got)
	}
}

func TestDependencyKinds(t *testing.T) {
	secret := binding.Reference{APIVersion: "v1", Kind: "Secret", Name: "s"}
	got := binding.DependencyKinds([]binding.Reference{named("space", "a"), secret, named("space", "b")})
	if diff := cmp.Diff([]schema.GroupVersionKind{configMap, {Version: "v1", Kind: "Secret"}}, got); diff != "" {
		t.Errorf("each kind once (-want +got):\n%s", diff)
	}
}
