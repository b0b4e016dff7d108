// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// render writes a namespace into a Work, as override policies change it for a cluster. The
// cluster may be nil if there are no policies.
func render(w *workv1alpha1.Work, n *corev1.Namespace, cluster *clusterv1alpha1.Cluster, policies override.Policies, newID func() types.UID) error {
	rendered := override.Result{Object: manifest(n)}
	if len(policies.ClusterWide) > 0 {
		var err error
		if rendered, err = override.Apply(rendered.Object, cluster, policies); err != nil {
			return err
		}
	}
	id := w.Labels[workv1alpha2.WorkPermanentIDLabel]
	if id == "" {
		id = string(newID())
	}
	Mark(rendered.Object, w, id)
	raw, err := json.Marshal(rendered.Object.Object)
	if err != nil {
		return fmt.Errorf("write namespace %s as JSON: %w", n.Name, err)
	}
	base.SetLabel(w, workv1alpha2.WorkPermanentIDLabel, id)
	base.SetAnnotation(w, workv1alpha2.NamespaceAnnotation, n.Name)
	if err := setApplied(w, rendered.ClusterWide); err != nil {
		return err
	}
	controllerutil.AddFinalizer(w, workv1alpha2.ExecutionFinalizer)
	w.OwnerReferences = nil // the peer's: with it the Work ends before what is in the namespace
	// What ends a Work is not what ends a namespace: see Works.end.
	w.Spec.SuspendDispatching, w.Spec.PreserveResourcesOnDeletion = new(false), new(true)
	w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: raw}}}
	return nil
}

// manifest returns a namespace as a user writes it.
func manifest(n *corev1.Namespace) *unstructured.Unstructured {
	labels := maps.Clone(n.Labels)
	delete(labels, corev1.LabelMetadataName) // each API server sets it
	m := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"finalizers": []any{string(corev1.FinalizerKubernetes)}}, // as each API server does
	}}
	m.SetGroupVersionKind(skip.Namespace)
	m.SetName(n.Name)
	m.SetLabels(labels)
	m.SetAnnotations(maps.Clone(n.Annotations))
	return m
}

// Mark marks a manifest as that of a Work that is not rendered from a binding, with the list of labels and annotations that
// are ours to remove.
func Mark(m *unstructured.Unstructured, w *workv1alpha1.Work, id string) {
	labels, annotations := entries(m.GetLabels()), entries(m.GetAnnotations())
	labels[workv1alpha2.WorkPermanentIDLabel] = id
	labels[workv1alpha2.ManagedLabel] = workv1alpha2.ManagedLabelValue
	annotations[workv1alpha2.WorkNamespaceAnnotation] = w.Namespace
	annotations[workv1alpha2.WorkNameAnnotation] = w.Name
	annotations[workv1alpha2.ConflictResolutionAnnotation] = workv1alpha2.ConflictResolutionAbort
	annotations[workv1alpha2.ManagedLabelsAnnotation] = keys(labels)
	annotations[workv1alpha2.ManagedAnnotationsAnnotation] = ""
	annotations[workv1alpha2.ManagedAnnotationsAnnotation] = keys(annotations)
	m.SetLabels(labels)
	m.SetAnnotations(annotations)
}

// setApplied notes on a Work what override policies changed.
func setApplied(w *workv1alpha1.Work, applied []override.Applied) error {
	w.Annotations = maps.Clone(w.Annotations)
	if len(applied) == 0 {
		delete(w.Annotations, policyv1alpha1.AppliedClusterOverridesAnnotation)
		return nil
	}
	raw, err := json.Marshal(applied)
	if err != nil {
		return fmt.Errorf("write what was overridden as JSON: %w", err)
	}
	w.Annotations[policyv1alpha1.AppliedClusterOverridesAnnotation] = string(raw)
	return nil
}

func entries(m map[string]string) map[string]string {
	all := maps.Clone(m)
	if all == nil {
		all = map[string]string{}
	}
	return all
}

// keys lists the keys of a map in order, separated by commas.
func keys(m map[string]string) string { return strings.Join(slices.Sorted(maps.Keys(m)), ",") }
