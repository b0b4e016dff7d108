// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// within limits a selector to a namespace.
func within(namespace string, s policyv1alpha1.ResourceSelector) policyv1alpha1.ResourceSelector {
	s.Namespace = namespace
	return s
}

// where selects by one expression on labels.
func where(key string, operator metav1.LabelSelectorOperator, values ...string) policyv1alpha1.ResourceSelector {
	s := fixture.All(fixture.GadgetKind)
	s.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	return s
}

func names(found []Candidate) string {
	all := make([]string, len(found))
	for i, c := range found {
		all[i] = c.Policy.GetName()
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func labelled(o *unstructured.Unstructured, labels map[string]string) *unstructured.Unstructured {
	o.SetLabels(labels)
	return o
}

func TestCandidates(t *testing.T) {
	kind := fixture.GadgetKind
	var index Index
	for _, p := range []policyv1alpha1.Policy{
		fixture.Policy("space", "name", fixture.Named(kind, "one")),
		fixture.Policy("space", "two", fixture.Named(kind, "two"), fixture.Named(kind, "one"), fixture.All(kind)),
		fixture.Policy("space", "in-space", within("space", fixture.Named(kind, "one"))),
		fixture.Policy("space", "label", fixture.Labelled(kind, "app", "one")),
		fixture.Policy("space", "values", where("app", "In", "one", "two")),
		fixture.Policy("space", "any", where("app", "Exists")),
		fixture.Policy("space", "not", where("app", "NotIn", "one")),
		fixture.Policy("other", "elsewhere", fixture.Named(kind, "one")),
		fixture.Policy("", "wide", fixture.All(kind)),
		fixture.Policy("", "wide-space", within("space", fixture.All(kind))),
		fixture.Policy("", "wide-other", within("other", fixture.All(kind))),
		fixture.Policy("", "wide-kind", fixture.All(fixture.WideGadgetKind)),
	} {
		index.Set(p, "")
	}
	for _, tc := range []struct {
		reason string
		object *unstructured.Unstructured
		want   string
	}{
		{"by its name, and all that name nothing", fixture.Gadget("space", "one", nil), "in-space name not two wide wide-space"},
		{"not by the name of another", fixture.Gadget("space", "three", nil), "not two wide wide-space"},
		{"by a label", labelled(fixture.Gadget("space", "three", nil), map[string]string{"app": "one", "x": "y"}), "any label not two values wide wide-space"},
		{"by another value", labelled(fixture.Gadget("space", "three", nil), map[string]string{"app": "two"}), "any not two values wide wide-space"},
		{"by no other label", labelled(fixture.Gadget("space", "three", nil), map[string]string{"x": "one"}), "not two wide wide-space"},
		{"by those of another namespace", fixture.Gadget("other", "one", nil), "elsewhere wide wide-other"},
		{"of another kind", fixture.Gadget("", "one", nil), "wide-kind"},
	} {
		if got := names(index.Candidates(tc.object)); got != tc.want {
			t.Errorf("%s: Candidates = %s, want %s", tc.reason, got, tc.want)
		}
	}
}

func TestSetAndRemove(t *testing.T) {
	kind, object := fixture.GadgetKind, fixture.Gadget("space", "one", nil)
	var index Index
	index.Set(fixture.Policy("space", "p", fixture.Named(kind, "one")), "7")
	changed := fixture.Policy("space", "p", fixture.All(kind))
	index.Set(changed, "9")
	if diff := cmp.Diff([]Candidate{{changed, "7"}}, index.Candidates(object)); diff != "" {
		t.Errorf("a changed policy takes the place of the one before, and was created when that was (-want +got):\n%s", diff)
	}
	again := changed.DeepCopyObject().(policyv1alpha1.Policy)
	again.SetUID("another")
	index.Set(again, "11")
	if got := index.Candidates(object); len(got) != 1 || got[0].Since != "11" {
		t.Errorf("a namesake was created by itself: got %v", got)
	}
	index.Set(fixture.Policy("space", "p", fixture.Named(kind, "two")), "")
	if got := names(index.Candidates(object)); got != "" {
		t.Errorf("it is found as %s by what it selects no longer", got)
	}
	key := types.NamespacedName{Namespace: "space", Name: "p"}
	if index.Get(key) == nil {
		t.Error("the policy cannot be read")
	}
	if got := index.Size("space"); got != 1 {
		t.Errorf("the namespace has %d policies, want 1", got)
	}
	index.Remove(key)
	index.Remove(key)
	if len(index.policies)+len(index.postings)+len(index.sizes) > 0 || index.Get(key) != nil {
		t.Errorf("%v and %v are left of a removed policy", index.policies, index.postings)
	}
}

func TestWaitingPolicies(t *testing.T) {
	var index Index
	for _, name := range []string{"b", "a"} {
		p := fixture.Policy("space", name)
		p.GetSpec().DependentOverrides = []string{"o"}
		index.Set(p, "")
	}
	wide := fixture.Policy("", "wide")
	wide.GetSpec().DependentOverrides = []string{"o"}
	wide.GetSpec().SchedulePriority = &policyv1alpha1.SchedulePriority{PriorityClassName: "high"}
	index.Set(wide, "")
	key := func(namespace, name string) types.NamespacedName {
		return types.NamespacedName{Namespace: namespace, Name: name}
	}
	for _, tc := range []struct {
		reason    string
		got, want []types.NamespacedName
	}{
		{"an OverridePolicy has policies of its namespace", index.DependentOn(key("space", "o")), []types.NamespacedName{key("space", "a"), key("space", "b")}},
		{"a ClusterOverridePolicy has cluster-wide ones", index.DependentOn(key("", "o")), []types.NamespacedName{key("", "wide")}},
		{"another has none", index.DependentOn(key("other", "o")), nil},
		{"a class has those that name it", index.WithPriorityClass("high"), []types.NamespacedName{key("", "wide")}},
		{"another class has none", index.WithPriorityClass("low"), nil},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
	}
}
