// SPDX-License-Identifier: Apache-2.0

package namespace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// content returns the Work of an object in a namespace.
func content(cluster, namespace, name string) *workv1alpha1.Work {
	return &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-" + cluster, Name: name, Annotations: map[string]string{
		"resourcebinding.karmada.io/namespace": namespace, "resourcebinding.karmada.io/name": name,
	}}}
}

func TestPlaces(t *testing.T) {
	var p places
	for _, step := range []struct {
		reason string
		do     func(*workv1alpha1.Work) (string, bool)
		work   *workv1alpha1.Work
		want   bool
		of     []string
	}{
		{"the first in a cluster", p.add, content("one", "team", "a"), true, []string{"one"}},
		{"the same again", p.add, content("one", "team", "a"), false, []string{"one"}},
		{"a second", p.add, content("one", "team", "b"), false, []string{"one"}},
		{"the first in another cluster", p.add, content("two", "team", "a"), true, []string{"one", "two"}},
		{"not the last", p.remove, content("one", "team", "a"), false, []string{"one", "two"}},
		{"the last", p.remove, content("one", "team", "b"), true, []string{"two"}},
		{"the last of all", p.remove, content("two", "team", "a"), true, nil},
		{"without namespace", p.add, content("two", "", "a"), false, nil},
	} {
		if _, got := step.do(step.work); got != step.want {
			t.Errorf("%s: %t, want %t", step.reason, got, step.want)
		}
		if diff := cmp.Diff(step.of, p.of("team")); diff != "" {
			t.Errorf("%s: the clusters (-want +got):\n%s", step.reason, diff)
		}
	}
	if len(p.works) != 0 {
		t.Errorf("nothing is left of what ended: %v", p.works)
	}
}
