// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestMadeOf(t *testing.T) {
	work := func(generation string) workv1alpha1.Work {
		w := workv1alpha1.Work{}
		if generation != "" {
			w.Annotations = map[string]string{workv1alpha2.BindingGenerationAnnotation: generation}
		}
		return w
	}
	leaving := work("3")
	leaving.DeletionTimestamp = &metav1.Time{Time: now}
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	b.SetGeneration(3)
	for _, tc := range []struct {
		reason string
		works  []workv1alpha1.Work
		want   bool
	}{
		{"no Work", nil, false},
		{"of a version before", []workv1alpha1.Work{work("")}, false},
		{"of a generation before", []workv1alpha1.Work{work("2")}, false},
		{"of this one", []workv1alpha1.Work{work("3")}, true},
		{"one of them, since the others did not change", []workv1alpha1.Work{work("2"), work("3")}, true},
		{"one that is deleted", []workv1alpha1.Work{work("2"), leaving}, false},
	} {
		if got := MadeOf(b, tc.works); got != tc.want {
			t.Errorf("%s: got %t", tc.reason, got)
		}
	}
}
