// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// Selected lists the bindings that an event of an override policy enqueues.
func (c *Controller[B]) Selected(ctx context.Context, p client.Object) ([]reconcile.Request, error) {
	found, err := c.selected(ctx, p.(policyv1alpha1.Override))
	return requestsFor(found), err
}

// OverriddenOtherwise lists the bindings that a changed cluster enqueues.
func (c *Controller[B]) OverriddenOtherwise(ctx context.Context, before, after *clusterv1alpha1.Cluster) ([]reconcile.Request, error) {
	found, err := c.overriddenOtherwise(ctx, before, after)
	return requestsFor(found), err
}

// Works lists the Works of a binding as its next reconcile does.
func (c *Controller[B]) Works(ctx context.Context, binding client.ObjectKey) ([]workv1alpha1.Work, error) {
	return c.works(ctx, binding)
}
