// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// disown reports that a binding is not that of the object that it refers to, and renders
// nothing of it. The Works of an object of another namespace end; others stay.
func (c *Controller[B]) disown(ctx context.Context, b B, works []workv1alpha1.Work, err *reference.Error) (reconcile.Result, error) {
	ctrl.LoggerFrom(ctx).V(1).Info("did not render: the binding is not that of the object", "reason", err.Error())
	if err := c.hold(ctx, b); err != nil {
		return requeue.OnConflict(reconcile.Result{}, err)
	}
	for i := range works {
		if err.Foreign && works[i].DeletionTimestamp == nil {
			if err := c.delete(ctx, works[i].DeepCopy()); err != nil {
				return reconcile.Result{}, err
			}
		}
	}
	failures := []failure{{workv1alpha2.InvalidReferenceReason, err, false}}
	return requeue.OnConflict(reconcile.Result{}, c.report(ctx, b, nil, failures))
}

// hold adds the finalizer to a binding that lacks it, so that its Works end with it. The
// controllers write it when they create a binding.
func (c *Controller[B]) hold(ctx context.Context, b B) error {
	before := b.DeepCopyObject().(B)
	if !controllerutil.AddFinalizer(b, scope.BindingFinalizer(b)) {
		return nil
	}
	if err := c.Patch(ctx, b, before); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("add the finalizer to binding %s: %w", b.GetName(), err)
	}
	return nil
}

// refusal returns the *reference.Error in an error, or nil.
func refusal(err error) *reference.Error {
	var refused *reference.Error
	if errors.As(err, &refused) {
		return refused
	}
	return nil
}
