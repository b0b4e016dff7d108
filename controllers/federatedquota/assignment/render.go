// SPDX-License-Identifier: Apache-2.0

package assignment

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/content"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
)

// kind is what an assignment is in a cluster.
var kind = corev1.SchemeGroupVersion.WithKind("ResourceQuota")

// render writes the ResourceQuota of an assignment into a Work.
func render(w *workv1alpha1.Work, q *policyv1alpha1.FederatedResourceQuota, hard corev1.ResourceList, newID func() types.UID) error {
	limits := make(map[string]any, len(hard))
	for name, quantity := range hard {
		limits[string(name)] = quantity.String()
	}
	m := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"hard": limits}}}
	m.SetGroupVersionKind(kind)
	m.SetNamespace(q.Namespace)
	m.SetName(q.Name)
	id := w.Labels[workv1alpha2.WorkPermanentIDLabel]
	if id == "" {
		id = string(newID())
	}
	namespaces.Mark(m, w, id)
	raw, err := json.Marshal(m.Object)
	if err != nil {
		return fmt.Errorf("write the ResourceQuota of %s/%s as JSON: %w", q.Namespace, q.Name, err)
	}
	base.SetLabel(w, workv1alpha2.WorkPermanentIDLabel, id)
	base.SetLabel(w, policyv1alpha1.FederatedResourceQuotaNamespaceLabel, q.Namespace)
	base.SetLabel(w, policyv1alpha1.FederatedResourceQuotaNameLabel, q.Name)
	controllerutil.AddFinalizer(w, workv1alpha2.ExecutionFinalizer)
	w.Spec.SuspendDispatching, w.Spec.PreserveResourcesOnDeletion = new(false), new(false)
	w.Spec.Workload.Manifests = []workv1alpha1.Manifest{{RawExtension: runtime.RawExtension{Raw: raw}}}
	return nil
}

// same reports whether two Works have the same content.
func same(a, b *workv1alpha1.Work) bool {
	return equality.Semantic.DeepEqual(a.Labels, b.Labels) && equality.Semantic.DeepEqual(a.Finalizers, b.Finalizers) &&
		equality.Semantic.DeepEqual(a.Spec.SuspendDispatching, b.Spec.SuspendDispatching) &&
		equality.Semantic.DeepEqual(a.Spec.PreserveResourcesOnDeletion, b.Spec.PreserveResourcesOnDeletion) &&
		len(a.Spec.Workload.Manifests) == len(b.Spec.Workload.Manifests) &&
		content.SameJSON(a.Spec.Workload.Manifests[0].Raw, b.Spec.Workload.Manifests[0].Raw)
}
