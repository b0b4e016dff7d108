// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

func TestAggregateFinished(t *testing.T) {
	const made = `{"metadata":{"annotations":{"resourcetemplate.karmada.io/uid":"u","resourcetemplate.karmada.io/generation":"2"}}}`
	ended := func(ordinal int, uid, generation string) []workv1alpha1.FinishedManifest {
		return []workv1alpha1.FinishedManifest{{Ordinal: ordinal, TemplateUID: uid, TemplateGeneration: generation}}
	}
	for _, tc := range []struct {
		reason, manifest string
		finished         []workv1alpha1.FinishedManifest
		want             bool
	}{
		{"it runs", made, nil, false},
		{"it has ended", made, ended(0, "u", "2"), true},
		{"another manifest has ended", made, ended(1, "u", "2"), false},
		{"an earlier version of the template has ended", made, ended(0, "u", "1"), false},
		{"the template of before had its name", made, ended(0, "v", "2"), false},
		{"made by a version that marks nothing", `{"metadata":{}}`, ended(0, "", ""), true},
		{"what cannot be read is not known", `[]`, ended(0, "", ""), false},
		{"there is no manifest", "", ended(0, "", ""), false},
	} {
		w := workv1alpha1.Work{}
		w.Namespace = "karmada-es-a"
		if tc.manifest != "" {
			w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: []byte(tc.manifest)}}}
		}
		w.Status.Finished = tc.finished
		if got := Aggregate([]workv1alpha1.Work{w}, nil)[0].Finished; got != tc.want {
			t.Errorf("%s: Finished is %t, want %t", tc.reason, got, tc.want)
		}
		unreachable := func(string) bool { return true }
		if got := Aggregate([]workv1alpha1.Work{w}, unreachable)[0].Finished; got != tc.want {
			t.Errorf("%s, and its cluster cannot be reached: Finished is %t, want %t", tc.reason, got, tc.want)
		}
	}
}
