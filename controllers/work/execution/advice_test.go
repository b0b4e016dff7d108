// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAdvise(t *testing.T) {
	const (
		label   = `et the label resourcetemplate.karmada.io/retain-replicas: "true" on the template, with which each member keeps its replicas`
		drop    = "rop the labels and annotations from the template, or from the override policy that sets them, and those of the member stay"
		script  = "ave a Retain script of the kind keep the "
		instead = "; or stop the other writer"
	)
	type m = map[string]any
	spec := func(fields m) m { return m{"spec": fields} }
	cases := map[string]struct {
		reason     string
		want, have m
		// byLabel are the fields that the kind keeps by the label.
		byLabel []string
		advice  string
	}{
		"Replicas":   {reason: "the label has them kept", want: spec(m{"replicas": int64(2)}), have: spec(m{"replicas": int64(5)}), byLabel: []string{"spec.replicas"}, advice: "S" + label + instead},
		"ByAScript":  {reason: "where the scripts of the kind do not know the label it would be of no use", want: spec(m{"replicas": int64(2)}), have: spec(m{"replicas": int64(5)}), advice: "H" + script + "fields" + instead},
		"Elsewhere":  {reason: "the replicas of a kind may be another field", want: spec(m{"groups": int64(2)}), have: spec(m{"groups": int64(5)}), byLabel: []string{"spec.groups"}, advice: "S" + label + instead},
		"Default":    {reason: "what is dropped from a spec gets the default of the API server", want: spec(m{"strategy": "a"}), have: spec(m{"strategy": "b"}), advice: "H" + script + "fields" + instead},
		"Added":      {reason: "there is nothing to drop", want: spec(m{}), have: spec(m{"injected": "b"}), advice: "H" + script + "fields" + instead},
		"Label":      {reason: "the member's stays if the template has none", want: m{"metadata": m{"labels": m{"a": "1", "b": "1"}}}, have: m{"metadata": m{"labels": m{"a": "2", "b": "1"}}}, advice: "D" + drop + instead},
		"Annotation": {reason: "as a label", want: m{"metadata": m{"annotations": m{"x.io/a": "1"}}}, have: m{"metadata": m{}}, advice: "D" + drop + instead},
		"OfPods":     {reason: "the labels of a pod template are a field of the spec", want: spec(m{"template": m{"metadata": m{"labels": m{"a": "1"}}}}), have: spec(m{"template": m{"metadata": m{"labels": m{"a": "2"}}}}), advice: "H" + script + "fields" + instead},
		"LabelAdded": {reason: "the template does not have it", want: m{"metadata": m{"labels": m{"b": "1"}}}, have: m{"metadata": m{"labels": m{"a": "2", "b": "1"}}}, advice: "H" + script + "fields" + instead},
		"All": {
			reason:  "each has its own",
			want:    m{"metadata": m{"labels": m{"a": "1"}}, "spec": m{"replicas": int64(2), "paused": true}},
			have:    m{"metadata": m{"labels": m{"a": "2"}}, "spec": m{"replicas": int64(5), "paused": false}},
			byLabel: []string{"spec.replicas"}, advice: "S" + label + "; d" + drop + "; h" + script + "other fields" + instead,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			lost := compare(&unstructured.Unstructured{Object: tc.want}, &unstructured.Unstructured{Object: tc.have}, nil)
			got := advise(lost, func(path string) bool { return slices.Contains(tc.byLabel, path) })
			if diff := cmp.Diff(tc.advice, got); diff != "" {
				t.Errorf("%s: about %v (-want +got):\n%s", tc.reason, paths(lost), diff)
			}
		})
	}
}

func TestListed(t *testing.T) {
	long := strings.Repeat("x", 20)
	for _, tc := range []struct {
		names []string
		most  int
		want  string
	}{
		{[]string{"a"}, 10, "a"},
		{[]string{"a", "b", "c"}, 7, "a, b, c"},
		{[]string{"a", "b", "c"}, 6, "a, b and 1 more"},
		{[]string{long, "b", "c"}, 6, long + " and 2 more"},
	} {
		if got := listed(tc.names, tc.most); got != tc.want {
			t.Errorf("listed(%q, %d) = %q, want %q", tc.names, tc.most, got, tc.want)
		}
	}
}
