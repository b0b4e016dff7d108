// SPDX-License-Identifier: Apache-2.0

// Package namespace keeps namespaces in clusters in line with those of the control plane.
//
// Reads Namespaces, Works, Clusters, cluster-wide bindings and ClusterOverridePolicies.
// Writes the Works of namespaces; the first one of a cluster is written before the Work
// that needs it, by whoever renders that. Asks the engine nothing. Wakes up on Namespaces,
// on the first and the last Work of a namespace in a cluster, on Works of namespaces that
// were edited or are gone, on bindings of Namespaces, and on override policies and labels
// of clusters that apply to them.
package namespace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/skip"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Options are how namespaces are propagated.
type Options struct {
	// EveryCluster has every namespace go to every cluster, as published, also where
	// nothing in it goes.
	EveryCluster bool
}

// Controller reconciles Namespaces.
type Controller struct {
	base.Deps
	options Options
	works   namespaces.Works
	places  places
	backlog *requeue.Spread[reconcile.Request]
}

// New returns the controller.
func New(d base.Deps, o Options) *Controller {
	return &Controller{Deps: d, options: o, works: namespaces.Works{Deps: d}, backlog: &requeue.Spread[reconcile.Request]{Clock: d.Clock}}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "namespace" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		Watches(&corev1.Namespace{}, c.onNamespace()).
		Watches(&workv1alpha1.Work{}, c.onWork()).
		Watches(&workv1alpha2.ClusterResourceBinding{}, handler.EnqueueRequestsFromMapFunc(onBinding)).
		Watches(&policyv1alpha1.ClusterOverridePolicy{}, c.onOverride()).
		Watches(&clusterv1alpha1.Cluster{}, c.onCluster()).
		WithOptions(c.Options(mgr, c.Name(), "namespace")).
		Complete(c)
}

// Reconcile brings the Works of one namespace up to date.
func (c *Controller) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	works, err := index.WorksOfNamespace(ctx, c.Client, r.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	n := &corev1.Namespace{}
	switch err := c.Client.Get(ctx, r.NamespacedName, n); {
	case apierrors.IsNotFound(err):
		return requeue.OnConflict(reconcile.Result{}, c.end(ctx, r.Name, works))
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("read namespace %s: %w", r.Name, err)
	case n.DeletionTimestamp != nil:
		return reconcile.Result{}, nil // the event of its end enqueues it
	}
	if !skip.NamespaceFollows(n, c.Skipped) {
		return requeue.OnConflict(reconcile.Result{}, c.release(ctx, works))
	}
	if b, bound, err := c.works.Binding(ctx, n); err != nil || bound {
		return requeue.OnConflict(reconcile.Result{}, errors.Join(err, c.release(ctx, leftBy(b, works))))
	}
	clusters, err := c.clusters(ctx, r.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	return requeue.OnConflict(reconcile.Result{}, c.keep(ctx, n, works, clusters))
}

// clusters returns the clusters that a namespace goes to.
func (c *Controller) clusters(ctx context.Context, namespace string) ([]string, error) {
	if !c.options.EveryCluster {
		return c.places.of(namespace), nil
	}
	all, err := index.List[*clusterv1alpha1.Cluster](ctx, c.Client, &clusterv1alpha1.ClusterList{})
	if err != nil {
		return nil, fmt.Errorf("list the clusters: %w", err)
	}
	var clusters []string
	for _, cluster := range all {
		if cluster.DeletionTimestamp == nil {
			clusters = append(clusters, cluster.Name)
		}
	}
	return clusters, nil
}

// leftBy returns the Works of a namespace in clusters that its policy does not choose. The
// others stay until rendering takes them over for the binding: deleted first, they would
// leave a namespace that is not ours, and the binding would be refused. A binding that has
// no cluster yet leaves all as they are.
func leftBy(b workv1alpha2.Binding, works []*workv1alpha1.Work) []*workv1alpha1.Work {
	if b == nil {
		return nil
	}
	targets := binding.TargetNames(b.GetSpec())
	if len(targets) == 0 {
		return nil
	}
	return slices.DeleteFunc(works, func(w *workv1alpha1.Work) bool { return slices.Contains(targets, binding.ClusterOf(w)) })
}

// release deletes Works and leaves the namespace in their clusters.
func (c *Controller) release(ctx context.Context, works []*workv1alpha1.Work) error {
	return each(works, func(w *workv1alpha1.Work) error { return c.works.Release(ctx, w) })
}

// keep updates the Works of a namespace, and creates those that clusters lack. A cluster
// that nothing in the namespace goes to any more keeps its Work.
func (c *Controller) keep(ctx context.Context, n *corev1.Namespace, works []*workv1alpha1.Work, clusters []string) error {
	failed := []error{each(works, func(w *workv1alpha1.Work) error { return c.works.Update(ctx, n, w) })}
	for _, cluster := range clusters {
		has := slices.ContainsFunc(works, func(w *workv1alpha1.Work) bool { return binding.ClusterOf(w) == cluster })
		if !has {
			failed = append(failed, c.works.Ensure(ctx, cluster, n.Name))
		}
	}
	return join(failed)
}

// end deletes the Works of a namespace that is gone from the control plane, each once what
// was in the namespace has ended in its cluster.
func (c *Controller) end(ctx context.Context, namespace string, works []*workv1alpha1.Work) error {
	return each(works, func(w *workv1alpha1.Work) error {
		cluster := binding.ClusterOf(w)
		left, err := index.Contents(ctx, c.Client, cluster, namespace)
		if err != nil {
			return err
		}
		if len(left) == 0 || w.DeletionTimestamp != nil {
			return c.works.End(ctx, w)
		}
		// The event of the last one's end enqueues the namespace.
		c.Events.Eventf(w, nil, corev1.EventTypeNormal, "NamespaceWaits", "Delete",
			"namespace %s is gone from the control plane; it is deleted from cluster %s once %d works of what is in it have ended, such as %s",
			namespace, cluster, len(left), left[0].Name)
		return nil
	})
}

// each calls f for all Works, and returns the errors.
func each(works []*workv1alpha1.Work, f func(*workv1alpha1.Work) error) error {
	failed := make([]error, len(works))
	for i, w := range works {
		failed[i] = f(w)
	}
	return join(failed)
}

// join returns a conflict as it is, so that it is retried silently, or all errors.
func join(failed []error) error {
	for _, err := range failed {
		if apierrors.IsConflict(err) {
			return err
		}
	}
	return errors.Join(failed...)
}
