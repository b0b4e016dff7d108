// SPDX-License-Identifier: Apache-2.0

package index

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestBindingOf(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        types.NamespacedName
		ok          bool
	}{
		"None":   {reason: "it was made from no binding"},
		"Spaced": {reason: "a ResourceBinding", annotations: map[string]string{workv1alpha2.ResourceBindingNamespaceAnnotation: "ns", workv1alpha2.ResourceBindingNameAnnotation: "b"}, want: types.NamespacedName{Namespace: "ns", Name: "b"}, ok: true},
		"Wide":   {reason: "a ClusterResourceBinding", annotations: map[string]string{workv1alpha2.ClusterResourceBindingNameAnnotation: "b"}, want: types.NamespacedName{Name: "b"}, ok: true},
		"Half":   {reason: "a namespace alone names nothing", annotations: map[string]string{workv1alpha2.ResourceBindingNamespaceAnnotation: "ns"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := BindingOf(&workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Annotations: tc.annotations}})
			if ok != tc.ok {
				t.Errorf("%s: BindingOf() = %t, want %t", tc.reason, ok, tc.ok)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestClustersOf(t *testing.T) {
	spec := workv1alpha2.ResourceBindingSpec{
		Clusters:              []workv1alpha2.TargetCluster{{Name: "one"}, {Name: "two"}},
		GracefulEvictionTasks: []workv1alpha2.GracefulEvictionTask{{FromCluster: "three"}},
	}
	want := []string{"one", "two", "three"}
	if diff := cmp.Diff(want, clustersOf(&workv1alpha2.ResourceBinding{Spec: spec})); diff != "" {
		t.Errorf("where it is, and what it leaves (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, clustersOf(&workv1alpha2.ClusterResourceBinding{Spec: spec})); diff != "" {
		t.Errorf("both kinds of binding alike (-want +got):\n%s", diff)
	}
}
