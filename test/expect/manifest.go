// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Work returns the Work of this name that puts an object into a cluster, as the work
// controller would make it. The object is not changed.
func Work(cluster, name string, object *unstructured.Unstructured) *workv1alpha1.Work {
	w := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{
		Namespace: names.ExecutionSpace(cluster), Name: name, Finalizers: []string{workv1alpha2.ExecutionFinalizer},
	}}
	SetManifest(w, object)
	return w
}

// SetManifest has a Work put an object into its cluster, with the labels and
// annotations that tie the two. The object is not changed.
func SetManifest(w *workv1alpha1.Work, object *unstructured.Unstructured) {
	m := object.DeepCopy()
	labels, annotations := m.GetLabels(), m.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	labels[workv1alpha2.ManagedLabel] = workv1alpha2.ManagedLabelValue
	annotations[workv1alpha2.WorkNamespaceAnnotation], annotations[workv1alpha2.WorkNameAnnotation] = w.Namespace, w.Name
	annotations[workv1alpha2.ManagedLabelsAnnotation] = sortedKeys(labels)
	annotations[workv1alpha2.ManagedAnnotationsAnnotation] = ""
	annotations[workv1alpha2.ManagedAnnotationsAnnotation] = sortedKeys(annotations)
	m.SetLabels(labels)
	m.SetAnnotations(annotations)
	raw, err := json.Marshal(m.Object)
	if err != nil {
		panic(err) // objects are JSON
	}
	w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: raw}}}
}

func sortedKeys(m map[string]string) string { return strings.Join(slices.Sorted(maps.Keys(m)), ",") }
