// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
)

// errNamespaceFirst is the error of an object whose namespace is created by a Work that
// was not tried yet.
var errNamespaceFirst = errors.New("its namespace is created first")

// namespaceFirst returns an error if the namespace of an object that is to be created is
// created by a Work that was not tried yet; its end announces the Work of the object. A
// Work that was tried and failed is not waited for.
func (a *application) namespaceFirst(ctx context.Context) error {
	namespace := a.desired.GetNamespace()
	if namespace == "" {
		return nil
	}
	w := &workv1alpha1.Work{}
	err := a.Client.Get(ctx, namespaces.Key(a.member.Name, namespace), w, client.UnsafeDisableDeepCopy)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("read the work of namespace %s: %w", namespace, err)
	case w.DeletionTimestamp != nil, meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied) != nil:
		return nil
	}
	a.member.AwaitNamespace(a.key(), namespace)
	return fmt.Errorf("%s: %w (%w)", describe(a.desired), errNamespaceFirst, errMissing)
}

// usesForeign reports whether the object is a namespace that is there already and not
// ours, where the Work only sees to it that there is one: it is used as it is.
func (a *application) usesForeign(observed *unstructured.Unstructured) bool {
	_, ok := index.NamespaceOf(a.work)
	return ok && judge(marksOf(a.desired), marksOf(observed)) != mine
}

// keepsContent leaves a namespace in its cluster if something is in it that does not end
// with it by intent, and reports whether it did: nobody asked to delete that.
func (a *application) keepsContent(ctx context.Context, observed *unstructured.Unstructured) (bool, error) {
	if observed.GroupVersionKind().GroupKind() != skip.Namespace.GroupKind() || observed.GetDeletionTimestamp() != nil {
		return false, nil
	}
	if err := a.contentFirst(ctx, observed.GetName()); err != nil {
		return false, err
	}
	content, err := a.member.Content(ctx, observed.GetName())
	if err != nil || content == "" {
		return false, err
	}
	a.Warn(a.work, "NamespaceKept", "Delete", fmt.Errorf("namespace %s stays in cluster %s, where %s is in it; delete it there if nobody needs that",
		observed.GetName(), a.member.Name, content))
	return true, a.orphan(ctx)
}

// contentFirst returns an error while Works of what is in a namespace end in the same
// cluster: their objects are no reason to keep the namespace. The end of each enqueues its
// Work: see onEnd.
func (a *application) contentFirst(ctx context.Context, namespace string) error {
	content, err := index.Contents(ctx, a.Client, a.member.Name, namespace)
	if err != nil {
		return err
	}
	for _, w := range content {
		if w.DeletionTimestamp != nil {
			return fmt.Errorf("%w: work %s of what is in namespace %s", errDeleting, w.Name, namespace)
		}
	}
	return nil
}

// onEnd enqueues the Work of the namespace of what a Work that is gone applied, if it ends and
// waits for that, and forgets that the finalizer was removed.
func (c *Controller) onEnd() handler.EventHandler {
	return handler.Funcs{DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		c.released.forget(e.Object)
		namespace, ok := index.ContentOf(e.Object)
		cluster, member := names.Cluster(e.Object.GetNamespace())
		if !ok || !member {
			return
		}
		key, w := namespaces.Key(cluster, namespace), &workv1alpha1.Work{}
		if err := c.Client.Get(ctx, key, w, client.UnsafeDisableDeepCopy); err == nil && w.DeletionTimestamp != nil {
			queue.Add(reconcile.Request{NamespacedName: key})
		}
	}}
}
