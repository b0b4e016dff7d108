// SPDX-License-Identifier: Apache-2.0

// Package metrics counts for the operators of a control plane which clusters are ready, which bindings
// wait for a place or are not applied everywhere, and which Works their members did not take.
//
// Reads Clusters, both kinds of binding and Works. Writes nothing. Asks the engine nothing. It has no
// queue: each event adds what the object is now and takes away what it was, so that a scrape costs what
// there are series, and an event costs nothing that grows.
package metrics

import (
	"context"
	"fmt"

	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// Controller counts. It does so in the manager that leads.
type Controller struct {
	base.Deps
	counts *counts
}

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{Deps: d, counts: newCounts()} }

// Name is the controller's name.
func (c *Controller) Name() string { return "metrics" }

// Register adds the controller to the manager. Without a registry it does nothing.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	if c.Registry == nil {
		return nil
	}
	if err := c.Registry.Register(c.counts); err != nil {
		return fmt.Errorf("register the metrics of clusters, bindings and works: %w", err)
	}
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { return c.watch(ctx, mgr.GetCache()) }))
}

// watch counts until the context ends.
func (c *Controller) watch(ctx context.Context, informers cache.Informers) error {
	for _, object := range []client.Object{
		&clusterv1alpha1.Cluster{}, &workv1alpha2.ResourceBinding{}, &workv1alpha2.ClusterResourceBinding{}, &workv1alpha1.Work{},
	} {
		informer, err := informers.GetInformer(ctx, object)
		if err != nil {
			return fmt.Errorf("watch %T: %w", object, err)
		}
		if _, err := informer.AddEventHandler(c.handler()); err != nil {
			return fmt.Errorf("watch %T: %w", object, err)
		}
	}
	c.counts.start()
	<-ctx.Done()
	return nil
}

// handler counts what the events of an informer are about.
func (c *Controller) handler() toolscache.ResourceEventHandlerFuncs {
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { c.counts.add(statesOf(o), 1) },
		UpdateFunc: func(before, after any) { c.counts.add(statesOf(before), -1); c.counts.add(statesOf(after), 1) },
		DeleteFunc: func(o any) {
			if missed, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
				o = missed.Obj
			}
			c.counts.add(statesOf(o), -1)
		},
	}
}
