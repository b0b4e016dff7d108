// SPDX-License-Identifier: Apache-2.0

// Package namespaces creates namespaces in clusters, by Works: what these hold, and that they
// exist before the Works of what is in them.
package namespaces

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/content"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// Works writes the Works of namespaces.
type Works struct{ base.Deps }

// Key returns the name of the Work of a namespace for a cluster: that of a policy that
// selects the namespace has it too, so that there are never two.
func Key(cluster, namespace string) types.NamespacedName {
	return types.NamespacedName{Namespace: names.ExecutionSpace(cluster), Name: names.Work(skip.Namespace.Kind, "", namespace)}
}

// EnsureFor creates the Work of the namespace that the object of a Work is in, if there is
// none: before that Work is created, so that no cluster gets the object first.
func (s Works) EnsureFor(ctx context.Context, w *workv1alpha1.Work) error {
	namespace, ok := index.ContentOf(w)
	cluster, member := names.Cluster(w.Namespace)
	if !ok || !member {
		return nil
	}
	return s.Ensure(ctx, cluster, namespace)
}

// Ensure creates the Work of a namespace for a cluster, if there is none and the namespace
// is one that Follows and that no policy propagates.
func (s Works) Ensure(ctx context.Context, cluster, namespace string) error {
	err := s.Client.Get(ctx, Key(cluster, namespace), &workv1alpha1.Work{}, client.UnsafeDisableDeepCopy)
	if !apierrors.IsNotFound(err) {
		return err
	}
	n := &corev1.Namespace{}
	if err := s.Client.Get(ctx, types.NamespacedName{Name: namespace}, n); err != nil {
		return client.IgnoreNotFound(err)
	}
	if n.DeletionTimestamp != nil {
		return nil
	}
	if follows, err := s.Follows(ctx, n); err != nil || !follows {
		return err
	}
	return s.write(ctx, n, cluster, nil)
}

// Follows reports whether a namespace goes where what is in it goes: it does not if a
// policy propagates it.
func (s Works) Follows(ctx context.Context, n *corev1.Namespace) (bool, error) {
	if !skip.NamespaceFollows(n, s.Skipped) {
		return false, nil
	}
	_, bound, err := s.Binding(ctx, n)
	return !bound, err
}

// Binding returns the binding of a namespace that a policy propagates; false if there is
// none.
func (s Works) Binding(ctx context.Context, n *corev1.Namespace) (workv1alpha2.Binding, bool, error) {
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(skip.Namespace)
	template.SetName(n.Name)
	return index.BindingFor(ctx, s.Client, template)
}

// Update writes a Work of a namespace if it differs from what is rendered.
func (s Works) Update(ctx context.Context, n *corev1.Namespace, w *workv1alpha1.Work) error {
	cluster, ok := names.Cluster(w.Namespace)
	if !ok || w.DeletionTimestamp != nil {
		return nil // the event of its end enqueues the namespace
	}
	return s.write(ctx, n, cluster, w)
}

// write creates the Work of a namespace for a cluster, or updates the existing one.
func (s Works) write(ctx context.Context, n *corev1.Namespace, name string, existing *workv1alpha1.Work) error {
	of := &unstructured.Unstructured{}
	of.SetGroupVersionKind(skip.Namespace)
	of.SetName(n.Name)
	policies, err := index.OverridesFor(ctx, s.Client, of)
	if err != nil {
		return err
	}
	cluster := &clusterv1alpha1.Cluster{}
	if err := s.Client.Get(ctx, types.NamespacedName{Name: name}, cluster, client.UnsafeDisableDeepCopy); err != nil {
		return client.IgnoreNotFound(err)
	}
	if cluster.DeletionTimestamp != nil {
		return nil // its Works end
	}
	w := &workv1alpha1.Work{}
	w.Namespace, w.Name = Key(name, n.Name).Namespace, Key(name, n.Name).Name
	if existing != nil {
		w = existing.DeepCopy()
	}
	if err := render(w, n, cluster, policies, s.NewID); err != nil {
		return fmt.Errorf("render namespace %s for cluster %s: %w", n.Name, name, err)
	}
	if existing == nil {
		// The event of a cluster's execution namespace enqueues what goes there.
		err = client.IgnoreNotFound(client.IgnoreAlreadyExists(s.Client.Create(ctx, w)))
	} else if !same(existing, w) {
		err = client.IgnoreNotFound(s.Patch(ctx, w, existing))
	} else {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write the work of namespace %s for cluster %s: %w", n.Name, name, err)
	}
	ctrl.LoggerFrom(ctx).Info("wrote the work of a namespace", "work", client.ObjectKeyFromObject(w))
	return nil
}

// Release deletes a Work of a namespace and leaves the namespace in its cluster.
func (s Works) Release(ctx context.Context, w *workv1alpha1.Work) error {
	return s.delete(ctx, w, true)
}

// End deletes a Work of a namespace, and with it the namespace in its cluster, unless
// something of others is in it.
func (s Works) End(ctx context.Context, w *workv1alpha1.Work) error { return s.delete(ctx, w, false) }

func (s Works) delete(ctx context.Context, w *workv1alpha1.Work, preserve bool) error {
	if w.DeletionTimestamp != nil {
		return nil
	}
	if kept := w.Spec.PreserveResourcesOnDeletion; kept == nil || *kept != preserve {
		before := w
		w = w.DeepCopy()
		w.Spec.PreserveResourcesOnDeletion = &preserve
		if err := s.Patch(ctx, w, before); err != nil {
			return client.IgnoreNotFound(err)
		}
	}
	if err := s.Client.Delete(ctx, w); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete work %s/%s: %w", w.Namespace, w.Name, err)
	}
	ctrl.LoggerFrom(ctx).Info("deleted the work of a namespace", "work", client.ObjectKeyFromObject(w), "preserve", preserve)
	return nil
}

// same reports whether two Works have the same content.
func same(a, b *workv1alpha1.Work) bool {
	return equality.Semantic.DeepEqual(a.Labels, b.Labels) && equality.Semantic.DeepEqual(a.Annotations, b.Annotations) &&
		equality.Semantic.DeepEqual(a.Finalizers, b.Finalizers) && equality.Semantic.DeepEqual(a.OwnerReferences, b.OwnerReferences) &&
		equality.Semantic.DeepEqual(a.Spec.SuspendDispatching, b.Spec.SuspendDispatching) &&
		equality.Semantic.DeepEqual(a.Spec.PreserveResourcesOnDeletion, b.Spec.PreserveResourcesOnDeletion) &&
		len(a.Spec.Workload.Manifests) == len(b.Spec.Workload.Manifests) &&
		content.SameJSON(a.Spec.Workload.Manifests[0].Raw, b.Spec.Workload.Manifests[0].Raw)
}
