// SPDX-License-Identifier: Apache-2.0

// Package assignment puts the static assignments of FederatedResourceQuotas into clusters, each
// as a ResourceQuota.
//
// Reads FederatedResourceQuotas and Clusters. Writes a Work for each assignment, after that of
// the namespace. Asks the engine nothing. Wakes up on quotas whose spec changed or that are gone,
// on their Works, on clusters that come and go, and on execution namespaces.
package assignment

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/namespaces"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// lookAgain is the time between two looks at a quota with a Work whose name is taken: the end of that
// Work does not say which quota waits for the name.
const lookAgain = time.Minute

// Controller reconciles FederatedResourceQuotas.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "federatedquota.assignment" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		Watches(&policyv1alpha1.FederatedResourceQuota{}, onQuota()).
		Watches(&workv1alpha1.Work{}, onWork()).
		Watches(&clusterv1alpha1.Cluster{}, c.onCluster()).
		Watches(&corev1.Namespace{}, c.onNamespace()).
		WithOptions(c.Options(mgr, c.Name(), "quota")).
		Complete(c)
}

// Reconcile brings the Works of one quota up to date: it deletes those that are not assigned any
// more, all of them if the quota is gone, and writes the others.
func (c *Controller) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	works, err := index.WorksOfQuota(ctx, c.Client, r.NamespacedName)
	if err != nil {
		return reconcile.Result{}, err
	}
	q := &policyv1alpha1.FederatedResourceQuota{}
	switch err := c.Client.Get(ctx, r.NamespacedName, q); {
	case apierrors.IsNotFound(err):
		q.Spec.StaticAssignments = nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("read quota %s: %w", r, err)
	case q.DeletionTimestamp != nil:
		q.Spec.StaticAssignments = nil
	}
	assigned := map[string]*policyv1alpha1.StaticClusterAssignment{}
	assignments, _ := quota.Assignments(&q.Spec)
	for i := range assignments {
		assigned[assignments[i].ClusterName] = &assignments[i]
	}
	var failed []error
	existing := map[string]*workv1alpha1.Work{}
	for _, w := range works {
		existing[binding.ClusterOf(w)] = w
		if assigned[binding.ClusterOf(w)] == nil {
			failed = append(failed, c.remove(ctx, w))
		}
	}
	result := reconcile.Result{}
	for i := range assignments {
		taken, err := c.ensure(ctx, q, &assignments[i], existing[assignments[i].ClusterName])
		if taken {
			result.RequeueAfter = lookAgain
		}
		failed = append(failed, err)
	}
	return requeue.OnConflict(result, combined(failed))
}

// combined returns a conflict as it is, so that it is retried silently, or all errors.
func combined(failed []error) error {
	for _, err := range failed {
		if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return errors.Join(failed...)
}

// remove deletes a Work, and with it the ResourceQuota in its cluster.
func (c *Controller) remove(ctx context.Context, w *workv1alpha1.Work) error {
	if w.DeletionTimestamp != nil {
		return nil
	}
	if err := c.Client.Delete(ctx, w); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete work %s/%s: %w", w.Namespace, w.Name, err)
	}
	ctrl.LoggerFrom(ctx).Info("deleted the work of a quota", "work", client.ObjectKeyFromObject(w))
	return nil
}

// ensure writes the Work of an assignment if it differs. A cluster that does not exist, or is
// leaving, gets none until it joins. It reports whether the name of the Work is taken.
func (c *Controller) ensure(ctx context.Context, q *policyv1alpha1.FederatedResourceQuota, a *policyv1alpha1.StaticClusterAssignment, existing *workv1alpha1.Work) (taken bool, _ error) {
	cluster := &clusterv1alpha1.Cluster{}
	if err := c.Client.Get(ctx, types.NamespacedName{Name: a.ClusterName}, cluster, client.UnsafeDisableDeepCopy); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if cluster.DeletionTimestamp != nil || existing != nil && existing.DeletionTimestamp != nil {
		return false, nil // the event of the end enqueues the quota
	}
	w := &workv1alpha1.Work{}
	w.Namespace, w.Name = names.ExecutionSpace(a.ClusterName), names.Work(kind.Kind, q.Namespace, q.Name)
	if existing != nil {
		w = existing.DeepCopy()
	} else if taken, err := c.taken(ctx, q, w); taken || err != nil {
		return taken, err
	}
	if err := render(w, q, a.Hard, c.NewID); err != nil {
		return false, err
	}
	written, err := c.write(ctx, w, existing)
	if written && err == nil {
		c.Succeeded(q, base.Success{Reason: "SyncFederatedResourceQuotaSucceed", Action: "Assign", Note: "Assigned to clusters, such as %s.", Args: []any{a.ClusterName}})
	}
	return false, err
}

// taken reports whether a Work of the name is that of something else, such as a ResourceQuota
// that a policy propagates: then it stays, and the quota has an event.
func (c *Controller) taken(ctx context.Context, q *policyv1alpha1.FederatedResourceQuota, w *workv1alpha1.Work) (bool, error) {
	other := &workv1alpha1.Work{}
	err := c.Client.Get(ctx, client.ObjectKeyFromObject(w), other, client.UnsafeDisableDeepCopy)
	if err != nil {
		return false, client.IgnoreNotFound(err)
	}
	c.Warn(q, "AssignmentConflict", "Assign", fmt.Errorf("the ResourceQuota %s of cluster %s is propagated already by work %s/%s; rename the one or the other",
		q.Name, binding.ClusterOf(w), w.Namespace, w.Name))
	return true, nil
}

// write creates a Work, after that of its namespace, or updates the existing one, and reports whether it
// did.
func (c *Controller) write(ctx context.Context, w, existing *workv1alpha1.Work) (written bool, _ error) {
	log := ctrl.LoggerFrom(ctx).WithValues("work", client.ObjectKeyFromObject(w))
	if existing != nil {
		if same(existing, w) {
			return false, nil
		}
		if err := c.Patch(ctx, w, existing); err != nil {
			return false, client.IgnoreNotFound(err) // the event of its deletion enqueues the quota
		}
		log.Info("updated the work of a quota")
		return true, nil
	}
	if err := (namespaces.Works{Deps: c.Deps}).EnsureFor(ctx, w); err != nil {
		return false, err
	}
	switch err := c.Client.Create(ctx, w); {
	case apierrors.IsNotFound(err), apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return false, nil // the event of the execution namespace enqueues the quota
	case err != nil:
		return false, fmt.Errorf("create work %s/%s: %w", w.Namespace, w.Name, err)
	}
	log.Info("created the work of a quota")
	return true, nil
}
