// SPDX-License-Identifier: Apache-2.0

// Package status reports what is used of FederatedResourceQuotas.
//
// Reads FederatedResourceQuotas, the bindings of their namespaces and the Works of their static
// assignments. Writes their status. Asks the engine nothing: package quota counts. Wakes up on
// quotas whose spec changed, on bindings of the namespace that use more or less, and on the
// Works.
package status

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/quota"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// coalesce is how long changes of bindings and Works are collected before they are counted, so
// that many of them are one write.
const coalesce = 250 * time.Millisecond

// Controller reconciles FederatedResourceQuotas.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "federatedquota.status" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&policyv1alpha1.FederatedResourceQuota{}, builder.WithPredicates(base.GenerationChanged{})).
		Watches(&workv1alpha2.ResourceBinding{}, c.onBinding()).
		Watches(&workv1alpha1.Work{}, onWork()).
		WithOptions(c.Options(mgr, c.Name(), "quota")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// Reconcile counts what is used of one quota and writes its status if that changed.
func (c *Controller) Reconcile(ctx context.Context, q *policyv1alpha1.FederatedResourceQuota) (reconcile.Result, error) {
	if q.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	used, err := c.used(ctx, q.Namespace)
	if err != nil {
		return reconcile.Result{}, err
	}
	works, err := index.WorksOfQuota(ctx, c.Client, client.ObjectKeyFromObject(q))
	if err != nil {
		return reconcile.Result{}, err
	}
	before := q.DeepCopy()
	q.Status = policyv1alpha1.FederatedResourceQuotaStatus{
		Overall: q.Spec.Overall, OverallUsed: quota.Of(used, q.Spec.Overall), AggregatedStatus: aggregate(works),
		ObservedGeneration: q.Generation, Conditions: before.DeepCopy().Status.Conditions,
	}
	meta.SetStatusCondition(&q.Status.Conditions, ready(q, works, c.Quotas != nil))
	if equality.Semantic.DeepEqual(before.Status, q.Status) {
		return reconcile.Result{}, nil
	}
	if err := c.PatchStatus(ctx, q, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("write the status of quota %s: %w", q.Name, err)))
	}
	if !equality.Semantic.DeepEqual(before.Status.Overall, q.Spec.Overall) {
		c.warn(q)
	}
	c.Succeeded(q, base.Success{Reason: "CollectFederatedResourceQuotaStatusSucceed", Action: "Count", Note: "Counted what is used."})
	return reconcile.Result{}, nil
}

// used counts what the bindings of a namespace use.
func (c *Controller) used(ctx context.Context, namespace string) (corev1.ResourceList, error) {
	// Each write in progress has an event of its own.
	all, err := index.List[*workv1alpha2.ResourceBinding](ctx, base.Cached{Reader: c.Client}, &workv1alpha2.ResourceBindingList{}, client.InNamespace(namespace))
	if err != nil {
		return nil, fmt.Errorf("list the bindings of namespace %s: %w", namespace, err)
	}
	sum := corev1.ResourceList{}
	for _, b := range all {
		quota.Add(sum, quota.Usage(b))
	}
	return sum, nil
}

// warn reports the resources of a new limit that nothing counts.
func (c *Controller) warn(q *policyv1alpha1.FederatedResourceQuota) {
	names := quota.Uncounted(&q.Spec)
	if len(names) == 0 {
		return
	}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	c.Warn(q, "ResourceNotCounted", "Count", errors.New(strings.Join(texts, ", ")+": "+quota.WhyUncounted))
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// onBinding enqueues the quotas of the namespace of a binding that uses more or less.
func (c *Controller) onBinding() handler.EventHandler {
	enqueue := func(ctx context.Context, q queue, namespace string) {
		keys, err := index.QuotasIn(ctx, c.Client, namespace)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "could not enqueue the quotas of a binding")
		}
		for _, r := range requeue.Requests(keys) {
			q.AddAfter(r, coalesce)
		}
	}
	uses := func(o client.Object) corev1.ResourceList { return quota.Usage(o.(workv1alpha2.Binding)) }
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList && len(uses(e.Object)) > 0 {
				enqueue(ctx, q, e.Object.GetNamespace())
			}
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			before, after := e.ObjectOld.(workv1alpha2.Binding), e.ObjectNew.(workv1alpha2.Binding)
			changed := before.GetGeneration() != after.GetGeneration() || !slices.Equal(binding.Ended(before), binding.Ended(after))
			if changed && !equality.Semantic.DeepEqual(uses(e.ObjectOld), uses(e.ObjectNew)) {
				enqueue(ctx, q, e.ObjectNew.GetNamespace())
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			if len(uses(e.Object)) > 0 {
				enqueue(ctx, q, e.Object.GetNamespace())
			}
		},
	}
}

// onWork enqueues the quota of a Work.
func onWork() handler.EventHandler {
	enqueue := func(q queue, o client.Object) {
		if key, ok := index.QuotaOf(o); ok {
			q.AddAfter(reconcile.Request{NamespacedName: key}, coalesce)
		}
	}
	return handler.Funcs{
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) { enqueue(q, e.ObjectNew) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { enqueue(q, e.Object) },
	}
}
