// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var (
	kind    = fixture.GadgetKind
	byName  = fixture.Named(kind, "one")
	byLabel = fixture.Labelled(kind, "app", "one")
	byAll   = fixture.All(kind)
)

// inNamespace limits a selector to a namespace.
func inNamespace(s policyv1alpha1.ResourceSelector, namespace string) policyv1alpha1.ResourceSelector {
	s.Namespace = namespace
	return s
}

func TestMatch(t *testing.T) {
	broken := byAll
	broken.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Like"}}}
	any := byAll
	any.LabelSelector = &metav1.LabelSelector{}
	other := kind
	other.Version = "v2"
	nameAndLabel := byLabel
	nameAndLabel.Name = "one"
	nameAndLabel.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "two"}}

	cases := map[string]struct {
		reason   string
		selector policyv1alpha1.ResourceSelector
		want     Specificity
		fails    bool
	}{
		"Name":           {reason: "the name is the closest", selector: byName, want: MatchName},
		"OtherName":      {reason: "another name is no match", selector: fixture.Named(kind, "two")},
		"Label":          {reason: "labels are less close than the name", selector: byLabel, want: MatchLabels},
		"OtherLabel":     {reason: "another value is no match", selector: fixture.Labelled(kind, "app", "two")},
		"NameBeforeText": {reason: "with a name the labels are not looked at", selector: nameAndLabel, want: MatchName},
		"All":            {reason: "no name and no labels select all", selector: byAll, want: MatchAll},
		"EmptySelector":  {reason: "an empty selector matches all, as labels do", selector: any, want: MatchLabels},
		"BrokenSelector": {reason: "a selector that cannot be read is an error", selector: broken, fails: true},
		"Namespace":      {reason: "the namespace of the selector is the object's", selector: inNamespace(byAll, "space"), want: MatchAll},
		"OtherNamespace": {reason: "another namespace is no match", selector: inNamespace(byName, "elsewhere")},
		"OtherVersion":   {reason: "apiVersion is compared to the letter", selector: fixture.Named(other, "one")},
		"OtherKind":      {reason: "so is kind", selector: fixture.Named(fixture.WideGadgetKind, "one")},
	}
	object := fixture.Gadget("space", "one", nil)
	object.SetLabels(map[string]string{"app": "one"})
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Match(&tc.selector, object)
			if (err != nil) != tc.fails {
				t.Fatalf("%s: Match(%+v): error %v, want one: %t", tc.reason, tc.selector, err, tc.fails)
			}
			if got != tc.want {
				t.Errorf("%s: Match(%+v) = %d, want %d", tc.reason, tc.selector, got, tc.want)
			}
		})
	}
}

func TestRequired(t *testing.T) {
	expression := func(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: values}
	}
	for _, tc := range []struct {
		reason   string
		selector *metav1.LabelSelector
		key      string
		values   []string
		ok       bool
	}{
		{"nil selects all", nil, "", nil, false},
		{"so does the empty selector", &metav1.LabelSelector{}, "", nil, false},
		{"the first of its labels", &metav1.LabelSelector{MatchLabels: map[string]string{"b": "2", "a": "1"}}, "a", []string{"1"}, true},
		{"one of several values", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{expression("a", "In", "1", "2")}}, "a", []string{"1", "2"}, true},
		{"any value", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{expression("a", "Exists")}}, "a", nil, true},
		{"values before any value", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{expression("a", "Exists"), expression("b", "In", "1")}}, "b", []string{"1"}, true},
		{"what must be absent is no label", &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{expression("a", "NotIn", "1"), expression("b", "DoesNotExist")}}, "", nil, false},
	} {
		key, values, ok := Required(tc.selector)
		if key != tc.key || ok != tc.ok || !slices.Equal(values, tc.values) {
			t.Errorf("%s: Required = %q, %q, %t; want %q, %q, %t", tc.reason, key, values, ok, tc.key, tc.values, tc.ok)
		}
	}
}
