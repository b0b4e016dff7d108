// SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

func manifestOf(manifests ...string) *workv1alpha1.Work {
	w := &workv1alpha1.Work{}
	for _, m := range manifests {
		w.Spec.Workload.Manifests = append(w.Spec.Workload.Manifests, workv1alpha1.Manifest{RawExtension: runtime.RawExtension{Raw: []byte(m)}})
	}
	return w
}

func TestKindsOf(t *testing.T) {
	const deployment = "apps/v1, Kind=Deployment"
	for _, tc := range []struct {
		reason    string
		manifests []string
		want      []string
	}{
		{"a manifest has a kind", []string{`{"apiVersion":"apps/v1","kind":"Deployment","spec":{}}`}, []string{deployment}},
		{"in any order", []string{`{"spec":{"kind":"Other","list":[{"apiVersion":"x"}]},"kind":"Deployment","data":null,"apiVersion":"apps/v1"}`}, []string{deployment}},
		{"escapes are read", []string{`{"apiVersion":"apps\u002fv1","kind":"Deployment"}`, `{"apiVersion":"apps/v1","kind":"Deploy\u006dent"}`}, []string{deployment}},
		{"each kind once", []string{`{"apiVersion":"apps/v1","kind":"Deployment"}`, `{"apiVersion":"v1","kind":"Secret"}`, `{"apiVersion":"apps/v1","kind":"Deployment"}`}, []string{deployment, "/v1, Kind=Secret"}},
		{"what cannot be read has none", []string{``, `[]`, `"x"`, `{`, `{"kind":1}`, `{"spec":`}, nil},
	} {
		if got := kindsOf(manifestOf(tc.manifests...)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: kindsOf(%q) = %q, want %q", tc.reason, tc.manifests, got, tc.want)
		}
	}
}

// BenchmarkKindsOf is what each version of a Work costs, twice.
func BenchmarkKindsOf(b *testing.B) {
	w := manifestOf(`{"apiVersion":"apps/v1","kind":"Deployment","spec":{"containers":[` + strings.Repeat(`{"name":"c","image":"registry.example/c:1"},`, 60) + `{}]}}`)
	b.ReportAllocs()
	for b.Loop() {
		kindsOf(w)
	}
}
