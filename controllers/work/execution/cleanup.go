// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// errDeleting is the error of an object that is being deleted and still there.
var errDeleting = errors.New("object is being deleted")

// cleanup removes what a deleted Work applied, then the finalizer of the Work, but not
// before the object is gone: whoever waits for the Work waits for that. In a cluster that
// is gone nothing is removed.
func (c *Controller) cleanup(ctx context.Context, w *workv1alpha1.Work, cluster string) error {
	m, err := c.ready(ctx, cluster)
	if errors.Is(err, errClusterGone) {
		return c.finish(ctx, w)
	}
	if err != nil {
		return err
	}
	cleanup := c.remove
	if w.Spec.PreserveResourcesOnDeletion != nil && *w.Spec.PreserveResourcesOnDeletion {
		cleanup = c.orphan
	}
	var left []error
	for i := range w.Spec.Workload.Manifests {
		object, err := decode(w, i)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "skipped a manifest that cannot be read")
			continue
		}
		left = append(left, cleanup(ctx, m, w, object))
	}
	if err := errors.Join(left...); err != nil {
		return err
	}
	return c.finish(ctx, w)
}

// remove deletes the object, if it is the one that this Work applied.
func (c *Controller) remove(ctx context.Context, m *member.Member, w *workv1alpha1.Work, object *unstructured.Unstructured) error {
	if err := m.Watch(ctx, object.GroupVersionKind()); meta.IsNoMatchError(err) {
		return nil // the kind is not served any more, so there is no object of it
	} else if err != nil {
		return err
	}
	observed, err := getLive(ctx, m, object)
	if err != nil || observed == nil || !owns(w, observed) {
		return err
	}
	if observed.GetDeletionTimestamp() == nil {
		uid := observed.GetUID()
		err := m.Client.Delete(ctx, observed, client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &uid})
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %s in cluster %s: %w", describe(object), m.Name, err)
		}
		ctrl.LoggerFrom(ctx).Info("deleted object in member", "cluster", m.Name, "kind", object.GetKind(), "object", client.ObjectKeyFromObject(object))
	}
	if observed, err = getLive(ctx, m, object); err != nil || observed == nil || !owns(w, observed) {
		return err
	}
	return fmt.Errorf("%w: %s in cluster %s", errDeleting, describe(object), m.Name)
}

// orphan leaves the object in the cluster and removes our labels and annotations from it.
// A missing object is not an error.
func (c *Controller) orphan(ctx context.Context, m *member.Member, w *workv1alpha1.Work, object *unstructured.Unstructured) error {
	observed, err := getLive(ctx, m, object)
	if err != nil || observed == nil || !owns(w, observed) {
		return err
	}
	before := observed.DeepCopy()
	observed.SetLabels(withoutMarks(observed.GetLabels()))
	observed.SetAnnotations(withoutMarks(observed.GetAnnotations()))
	if err := m.Client.Patch(ctx, observed, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("orphan %s in cluster %s: %w", describe(object), m.Name, err)
	}
	ctrl.LoggerFrom(ctx).Info("left object in member", "cluster", m.Name, "kind", object.GetKind(), "object", client.ObjectKeyFromObject(object))
	return nil
}

// owns reports whether a managed object was applied by this Work.
func owns(w *workv1alpha1.Work, observed *unstructured.Unstructured) bool {
	a := observed.GetAnnotations()
	return observed.GetLabels()[workv1alpha2.ManagedLabel] == workv1alpha2.ManagedLabelValue &&
		a[workv1alpha2.WorkNamespaceAnnotation] == w.Namespace && a[workv1alpha2.WorkNameAnnotation] == w.Name
}

// markPrefixes are the groups of the labels and annotations that tie an object to the
// control plane.
var markPrefixes = []string{
	"work.karmada.io/", "resourcebinding.karmada.io/", "clusterresourcebinding.karmada.io/",
	"propagationpolicy.karmada.io/", "clusterpropagationpolicy.karmada.io/",
}

// marks are the other keys that do.
var marks = []string{
	workv1alpha2.ManagedLabel, workv1alpha2.TemplateUIDAnnotation, workv1alpha2.TemplateGenerationAnnotation,
	workv1alpha2.ManagedLabelsAnnotation, workv1alpha2.ManagedAnnotationsAnnotation, policyv1alpha1.ClaimedByLabel,
}

func withoutMarks(m map[string]string) map[string]string {
	kept := map[string]string{}
next:
	for k, v := range m {
		for _, prefix := range markPrefixes {
			if strings.HasPrefix(k, prefix) {
				continue next
			}
		}
		for _, mark := range marks {
			if k == mark {
				continue next
			}
		}
		kept[k] = v
	}
	return kept
}
