// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
)

// released holds the versions of Works right before execution removed their finalizer, until a
// watch shows their end: the event of the end of what they applied often comes first, and would
// have the finalizer of a Work that is gone removed again.
type released struct {
	versions memory.Of[types.UID, string]
}

// has reports whether the finalizer of a Work as it is here is removed already.
func (r *released) has(w *workv1alpha1.Work) bool {
	version, ok := r.versions.Get(w.UID)
	return ok && version == w.ResourceVersion
}

func (r *released) add(w *workv1alpha1.Work) { r.versions.Set(w.UID, w.ResourceVersion) }

func (r *released) forget(w client.Object) { r.versions.Forget(w.GetUID()) }

// isReleased reports whether the finalizer of a Work that was read is removed already. The memory is
// asked first: a watch that made it forget took the Work out of the cache before.
func (c *Controller) isReleased(ctx context.Context, w *workv1alpha1.Work) (bool, error) {
	if c.released.has(w) {
		return true, nil
	}
	now := &workv1alpha1.Work{}
	switch err := c.Client.Get(ctx, client.ObjectKeyFromObject(w), now, client.UnsafeDisableDeepCopy); {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("read the work again: %w", err)
	}
	return now.UID != w.UID, nil
}

// finish removes the finalizer of a Work.
func (c *Controller) finish(ctx context.Context, w *workv1alpha1.Work, cluster string) error {
	before := w.DeepCopy()
	c.finished.forget(client.ObjectKeyFromObject(w))
	c.present.forget(client.ObjectKeyFromObject(w))
	c.slow.forget(client.ObjectKeyFromObject(w))
	c.reports.Forget(w)
	c.fights.forget(client.ObjectKeyFromObject(w))
	c.unused.add(cluster, w)
	if !controllerutil.RemoveFinalizer(w, workv1alpha2.ExecutionFinalizer) {
		return nil
	}
	c.released.add(before) // before the watch can show the end
	err := c.Patch(ctx, w, before)
	if err != nil {
		c.released.forget(before)
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer of the work: %w", err)
	}
	return nil
}
