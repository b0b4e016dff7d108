// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestRecordedUsage(t *testing.T) {
	manager := component("jobmanager", 1, "cpu=1")
	for _, tc := range []struct {
		reason        string
		spec          *workv1alpha2.ResourceBindingSpec
		recorded      string
		used, without string
	}{
		{"two of five moved; those that leave are no further ones", spec(replicas(5, "cpu=1"), divided, to("two", 2), leaving("one", 2)), "2", "cpu=2 pods=2", "cpu=2 pods=2"},
		{"three of five were there, and two wait for a place", spec(replicas(5, "cpu=1"), divided, to("two", 3), leaving("one", 2)), "", "cpu=5 pods=5", "cpu=5 pods=5"},
		{"two of five move once more", spec(replicas(5, "cpu=1"), divided, leaving("one", 2), leaving("two", 2)), "2", "cpu=2 pods=2", "cpu=2 pods=2"},
		{"part of what moved moves once more", spec(replicas(9, "cpu=1"), divided, to("two", 3), leaving("one", 5), leaving("three", 2)), "5", "cpu=5 pods=5", "cpu=5 pods=5"},
		{"a cluster refused them", spec(replicas(5, "cpu=1"), divided, leaving("one", 2)), "2", "cpu=2 pods=2", "cpu=2 pods=2"},
		{"the record is of more than is left", spec(replicas(5, "cpu=1"), divided, to("two", 2)), "5", "cpu=2 pods=2", "cpu=2 pods=2"},
		{"less is wanted", spec(replicas(1, "cpu=1"), divided, leaving("one", 2), leaving("two", 2)), "2", "cpu=1 pods=1", "cpu=1 pods=1"},
		{"nothing was wanted when it was written", spec(replicas(5, "cpu=1"), divided, to("two", 0), leaving("one", 2)), "0", "", ""},
		{"what was replaced came back beside its new copy", spec(replicas(9, "cpu=1"), divided, to("one", 5), to("two", 3)), "5", "cpu=8 pods=8", "cpu=5 pods=5"},
		{"it came back in place of that", spec(replicas(5, "cpu=1"), divided, to("one", 2)), "2", "cpu=2 pods=2", "cpu=2 pods=2"},
		{"a copy moved", spec(replicas(2, "cpu=1"), to("b", 2), leaving("a", 2)), "2", "cpu=2 pods=2", "cpu=2 pods=2"},
		{"one of two copies moved, and then another", spec(replicas(2, "cpu=1"), to("c", 2), leaving("a", 2), leaving("b", 2)), "4", "cpu=4 pods=4", "cpu=4 pods=4"},
		{"components moved", spec(manager, to("b", 0), leaving("a", 0)), "1", "cpu=1 pods=1", "cpu=1 pods=1"},
		{"and once more", spec(manager, leaving("a", 0), leaving("b", 0)), "1", "cpu=1 pods=1", "cpu=1 pods=1"},
		{"a record that is no number is none", spec(replicas(5, "cpu=1"), divided, to("two", 2), leaving("one", 2)), "two", "cpu=4 pods=4", "cpu=4 pods=4"},
		{"nor is one below zero", spec(replicas(5, "cpu=1"), divided, to("two", 2), leaving("one", 2)), "-1", "cpu=4 pods=4", "cpu=4 pods=4"},
	} {
		b := bound(tc.spec, tc.recorded)
		if got := text(Usage(b)); got != tc.used {
			t.Errorf("%s: it uses %q, want %q", tc.reason, got, tc.used)
		}
		if got := text(Admitted(b)); got != tc.without {
			t.Errorf("%s: without asking it may use %q, want %q", tc.reason, got, tc.without)
		}
		if got, want := Overruns(b), tc.used != tc.without; got != want {
			t.Errorf("%s: Overruns returns %t, want %t", tc.reason, got, want)
		}
	}
}

func TestRecord(t *testing.T) {
	for _, tc := range []struct {
		reason string
		spec   *workv1alpha2.ResourceBindingSpec
		had    string
		want   string
	}{
		{"nothing leaves", spec(replicas(5, "cpu=1"), divided, to("one", 5)), "", ""},
		{"nothing leaves any more", spec(replicas(5, "cpu=1"), divided, to("one", 5)), "2", ""},
		{"replicas leave", spec(replicas(5, "cpu=1"), divided, to("two", 2), to("three", 1), leaving("one", 2)), "9", "3"},
		{"sets of components are counted by clusters", spec(component("a", 3, "cpu=1"), to("two", 0), to("three", 0), leaving("one", 0)), "", "2"},
		{"what has no pods is not counted", spec(to("two", 0), leaving("one", 0)), "", ""},
	} {
		b := bound(tc.spec, tc.had)
		b.SetAnnotations(merged(b.GetAnnotations(), "other", "stays"))
		read := b.GetAnnotations()
		before := merged(read, "other", "stays")
		Record(b)
		want := map[string]string{"other": "stays"}
		if tc.want != "" {
			want[AdmittedAnnotation] = tc.want
		}
		if diff := cmp.Diff(want, b.GetAnnotations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
		if diff := cmp.Diff(before, read); diff != "" {
			t.Errorf("%s: the map was changed, which may be the cache's (-before +after):\n%s", tc.reason, diff)
		}
	}
	wide := &workv1alpha2.ClusterResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: *spec(replicas(5, "cpu=1"), divided, to("two", 2), leaving("one", 2))}
	if Record(wide); len(wide.GetAnnotations()) > 0 {
		t.Errorf("no quota counts a ClusterResourceBinding, got the annotations %v", wide.GetAnnotations())
	}
}

func merged(all map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	for k, v := range all {
		out[k] = v
	}
	return out
}
