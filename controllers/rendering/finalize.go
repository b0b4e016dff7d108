// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"fmt"

	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// finalize deletes all Works of a binding that is being deleted, and removes its
// finalizer. It does not wait for the end of the Works, as published. No controller looks
// for Works after that.
func (c *Controller[B]) finalize(ctx context.Context, b B, works []workv1alpha1.Work) error {
	unseen, err := c.unseenWorks(ctx, b, works)
	if err != nil {
		return err
	}
	for _, all := range [][]workv1alpha1.Work{works, unseen} {
		for i := range all {
			if err := c.end(ctx, b, all[i].DeepCopy()); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
	}
	before := b.DeepCopyObject().(B)
	if !controllerutil.RemoveFinalizer(b, scope.BindingFinalizer(b)) {
		return nil
	}
	// The conflict keeps the finalizers that others add meanwhile.
	if err := c.Patch(ctx, b, before); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer of binding %s: %w", b.GetName(), err)
	}
	c.reportDropped(ctx, before)
	return nil
}

// unseenWorks reads the Works of targets that the cache has none of from the API server:
// one that another process created just before it ended, or one that lost what it is found
// by. It costs a request only for a target that was never rendered.
func (c *Controller[B]) unseenWorks(ctx context.Context, b B, works []workv1alpha1.Work) ([]workv1alpha1.Work, error) {
	known := make(map[string]bool, len(works))
	for i := range works {
		known[binding.ClusterOf(&works[i])] = true
	}
	var unseen []workv1alpha1.Work
	for _, t := range binding.Targets(b.GetSpec()) {
		if known[t.Name] {
			continue
		}
		w := workv1alpha1.Work{}
		key := client.ObjectKey{Namespace: names.ExecutionSpace(t.Name), Name: reference.WorkName(b)}
		if err := c.Reader.Get(ctx, key, &w); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read the work for cluster %s: %w", t.Name, err)
		} else if err == nil && !belongsToOther(&w, b) {
			unseen = append(unseen, w)
		}
	}
	return unseen, nil
}

// end deletes a Work of a binding that is being deleted. Whether its objects are kept is
// what the binding says, even if it said so after the Work was written for the last time.
func (c *Controller[B]) end(ctx context.Context, b B, w *workv1alpha1.Work) error {
	if preserve := preserves(b.GetSpec()); preserve != ptr.Deref(w.Spec.PreserveResourcesOnDeletion, false) {
		before := w.DeepCopy()
		w.Spec.PreserveResourcesOnDeletion = &preserve
		if err := c.Patch(ctx, w, before); err != nil {
			return fmt.Errorf("update work %s/%s before its deletion: %w", w.Namespace, w.Name, err)
		}
	}
	if w.DeletionTimestamp != nil {
		return nil
	}
	if err := c.Client.Delete(ctx, w); err != nil {
		return fmt.Errorf("delete work %s/%s: %w", w.Namespace, w.Name, err)
	}
	ctrl.LoggerFrom(ctx).Info("deleted work", "work", client.ObjectKeyFromObject(w))
	return nil
}

// belongsToOther reports whether a Work names another binding than b, or a quota. One that
// names none has lost its annotations.
func belongsToOther(w *workv1alpha1.Work, b workv1alpha2.Binding) bool {
	if _, isQuota := index.QuotaOf(w); isQuota {
		return true
	}
	owner, named := index.BindingOf(w)
	return named && owner != client.ObjectKeyFromObject(b)
}
