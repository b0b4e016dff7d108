// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
)

func TestRender(t *testing.T) {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: "team", UID: "uid", ResourceVersion: "7", Finalizers: []string{"f"}, OwnerReferences: []metav1.OwnerReference{{Name: "owner"}},
		Labels: map[string]string{"kubernetes.io/metadata.name": "team", "app": "one"}, Annotations: map[string]string{"note": "mine"},
	}}
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "karmada-es-one", Name: "team-x", OwnerReferences: []metav1.OwnerReference{{Name: "team"}}}}
	if err := render(w, n, nil, override.Policies{}, func() types.UID { return "id" }); err != nil {
		t.Fatal(err)
	}
	if len(w.OwnerReferences) != 0 || w.Spec.PreserveResourcesOnDeletion == nil || !*w.Spec.PreserveResourcesOnDeletion {
		t.Errorf("the Work must have no owner and leave the namespace: owners %v, preserve %v", w.OwnerReferences, w.Spec.PreserveResourcesOnDeletion)
	}
	got := &unstructured.Unstructured{}
	if err := got.UnmarshalJSON(w.Spec.Workload.Manifests[0].Raw); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "spec": map[string]any{"finalizers": []any{"kubernetes"}},
		"metadata": map[string]any{
			"name":   "team",
			"labels": map[string]any{"app": "one", "karmada.io/managed": "true", "work.karmada.io/permanent-id": "id"},
			"annotations": map[string]any{
				"note": "mine", "work.karmada.io/namespace": "karmada-es-one", "work.karmada.io/name": "team-x", "work.karmada.io/conflict-resolution": "abort",
				"resourcetemplate.karmada.io/managed-labels":      "app,karmada.io/managed,work.karmada.io/permanent-id",
				"resourcetemplate.karmada.io/managed-annotations": "note,resourcetemplate.karmada.io/managed-annotations,resourcetemplate.karmada.io/managed-labels,work.karmada.io/conflict-resolution,work.karmada.io/name,work.karmada.io/namespace",
			},
		},
	}
	if diff := cmp.Diff(want, got.Object); diff != "" {
		t.Errorf("the manifest (-want +got):\n%s", diff)
	}
	if n.Labels["kubernetes.io/metadata.name"] == "" || n.Labels["karmada.io/managed"] != "" {
		t.Errorf("the namespace itself must not change: labels %v", n.Labels)
	}
}
