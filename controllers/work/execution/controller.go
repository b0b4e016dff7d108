// SPDX-License-Identifier: Apache-2.0

// Package execution carries out Works: it is the only writer to member clusters.
//
// Reads Works, Clusters and the managed objects of the members. Writes those
// objects, the Applied and Dispatching conditions of Works, which of their manifests
// finished, and their finalizer. Asks the engine what of a member's object to retain, and
// whether it has finished. Wakes up on Works, on changes
// of managed objects that are not ours, on new connections, on clusters that become
// ready or serve another kind, and when rules change.
package execution

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/objects"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles Works.
type Controller struct {
	base.Deps
	applied  applied
	finished finished
}

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "work.execution" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	changed := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.NewPredicateFuncs(
		func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }))
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&workv1alpha1.Work{}, builder.WithPredicates(changed)).
		Watches(&clusterv1alpha1.Cluster{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
			return c.worksOfCluster(ctx, o.GetName())
		}), builder.WithPredicates(clusterRecovered())).
		WatchesRawSource(source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			c.Members.Listen(func(e member.Event) {
				ended := c.observeFinished(e)
				if ended || e.New == nil || e.Old == nil || !objects.Same(e.Old, e.New) {
					queue.Add(reconcile.Request{NamespacedName: e.Work})
				}
			})
			c.Members.ListenConnected(func(cluster string) {
				for _, request := range c.worksOfCluster(ctx, cluster) {
					queue.Add(request)
				}
			})
			return nil
		})).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, func(ctx context.Context, kind schema.GroupVersionKind) ([]reconcile.Request, error) {
			c.applied.outdate(kind)
			return rulechange.Works(c.Client)(ctx, kind)
		}, engine.Retain, engine.InterpretFinished)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 5,
			// No event follows when a member accepts what it refused, so it is tried often.
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, time.Minute),
		}).
		WithLogConstructor(base.LogConstructor(mgr, c.Name(), "work")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
}

// clusterRecovered passes clusters whose Works can be continued now: one that became
// ready, one that serves other kinds than before, and one that is lost while it leaves.
func clusterRecovered() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		DeleteFunc: func(event.DeleteEvent) bool { return true },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, after := e.ObjectOld.(*clusterv1alpha1.Cluster), e.ObjectNew.(*clusterv1alpha1.Cluster)
			switch {
			case isLost(after):
				return !isLost(before)
			case !isReady(after):
				return false
			}
			return !isReady(before) || !equality.Semantic.DeepEqual(before.Status.APIEnablements, after.Status.APIEnablements)
		},
	}
}

func isReady(c *clusterv1alpha1.Cluster) bool {
	return meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1alpha1.ClusterConditionReady)
}

// isLost reports whether a cluster is being deleted and cannot be reached.
func isLost(c *clusterv1alpha1.Cluster) bool { return c.DeletionTimestamp != nil && !isReady(c) }

func (c *Controller) worksOfCluster(ctx context.Context, cluster string) []reconcile.Request {
	keys, err := index.WorksInCluster(ctx, c.Client, cluster)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the works of a cluster")
	}
	return requeue.Requests(keys)
}

// waitForEvent is how long a Work waits at most for an event that may have been missed.
const waitForEvent = 30 * time.Second

var (
	// errClusterNotReady is the error of a cluster that cannot be written to now.
	errClusterNotReady = errors.New("cluster not ready")
	// errClusterGone is the error of a cluster that does not exist, or that is being
	// deleted and cannot be reached.
	errClusterGone = errors.New("cluster gone")
	// errBadManifest is the error of a manifest that is not an object.
	errBadManifest = errors.New("manifest is not an object")
)

// Reconcile applies one Work, or cleans up what it applied.
func (c *Controller) Reconcile(ctx context.Context, w *workv1alpha1.Work) (reconcile.Result, error) {
	cluster, ok := names.Cluster(w.Namespace)
	if !ok {
		return reconcile.Result{}, nil // not in an execution namespace
	}
	if w.DeletionTimestamp != nil {
		return c.resultFor(ctx, c.cleanup(ctx, w, cluster))
	}
	before := w.DeepCopy()
	suspended := w.Spec.SuspendDispatching != nil && *w.Spec.SuspendDispatching
	meta.SetStatusCondition(&w.Status.Conditions, dispatching(suspended, w.Generation))
	if suspended {
		return c.resultFor(ctx, c.writeStatus(ctx, before, w))
	}
	m, err := c.ready(ctx, cluster)
	if err == nil {
		err = c.applyAll(ctx, m, w)
	}
	if c.shouldReport(err, w) {
		meta.SetStatusCondition(&w.Status.Conditions, appliedCondition(err, len(w.Spec.Workload.Manifests), w.Generation))
	}
	if failed := c.writeStatus(ctx, before, w); failed != nil {
		return c.resultFor(ctx, failed)
	}
	return c.resultFor(ctx, err)
}

// shouldReport reports whether the outcome belongs in the Applied condition: a conflict
// is retried at once, and while the cluster is unreachable what was applied stays
// applied.
func (c *Controller) shouldReport(err error, w *workv1alpha1.Work) bool {
	switch {
	case apierrors.IsConflict(err):
		return false
	case errors.Is(err, errClusterNotReady), errors.Is(err, errClusterGone):
		return meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied) == nil
	}
	return true
}

// resultFor turns an error that the next event resolves into a later retry, and an error
// that a retry cannot resolve into a terminal one.
func (c *Controller) resultFor(ctx context.Context, err error) (reconcile.Result, error) {
	switch {
	case errors.Is(err, errClusterNotReady), errors.Is(err, errClusterGone), errors.Is(err, errDeleting):
		ctrl.LoggerFrom(ctx).V(1).Info("waited", "reason", err.Error())
		return reconcile.Result{RequeueAfter: waitForEvent}, nil
	case apierrors.IsConflict(err):
		return requeue.OnConflict(reconcile.Result{}, err)
	case errors.Is(err, errBadManifest):
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	return reconcile.Result{}, err
}

// ready returns the connection to a cluster that can be written to. The error is
// errClusterGone or errClusterNotReady where it cannot.
func (c *Controller) ready(ctx context.Context, cluster string) (*member.Member, error) {
	object := &clusterv1alpha1.Cluster{}
	err := c.Client.Get(ctx, types.NamespacedName{Name: cluster}, object)
	if apierrors.IsNotFound(err) || (err == nil && isLost(object)) {
		return nil, fmt.Errorf("%w: %s", errClusterGone, cluster)
	}
	if err != nil {
		return nil, fmt.Errorf("read cluster %s: %w", cluster, err)
	}
	m, ok := c.Members.Get(cluster)
	if !ok || !isReady(object) {
		return nil, fmt.Errorf("%w: %s", errClusterNotReady, cluster)
	}
	return m, nil
}

func (c *Controller) applyAll(ctx context.Context, m *member.Member, w *workv1alpha1.Work) error {
	var failed []error
	for i := range w.Spec.Workload.Manifests {
		object, err := decode(w, i)
		if err == nil {
			err = c.decideFinished(w, object)
		}
		if err == nil {
			c.recordFinished(w, i, object)
			err = c.applyOne(ctx, m, w, i, object)
			c.recordFinished(w, i, object)
		}
		if member.Unanswered(err) {
			err = fmt.Errorf("write %s: cluster %s does not answer: %s", describe(object), m.Name, member.Cause(err))
		}
		if err != nil && !apierrors.IsConflict(err) && !errors.Is(err, errDeleting) {
			c.Warn(w, "SyncWorkFailed", "Apply", err)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// applyOne applies the object of manifest i, but does not create again one that reached a
// terminal state and was removed since: that would run a job a second time.
func (c *Controller) applyOne(ctx context.Context, m *member.Member, w *workv1alpha1.Work, i int, object *unstructured.Unstructured) error {
	if hasFinished(&w.Status, i, object) {
		if err := m.Watch(ctx, object.GroupVersionKind()); err != nil {
			return err
		}
		observed, err := c.observe(ctx, m, object)
		if err != nil || observed == nil {
			return err
		}
	}
	return c.apply(ctx, m, w, object)
}

// recordFinished writes into the status of the Work what a watch, or apply, saw of the
// object of manifest i.
func (c *Controller) recordFinished(w *workv1alpha1.Work, i int, object *unstructured.Unstructured) {
	setFinished(&w.Status, i, object, c.finished.has(client.ObjectKeyFromObject(w), object))
}

// decode reads a manifest. The error is errBadManifest.
func decode(w *workv1alpha1.Work, i int) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(w.Spec.Workload.Manifests[i].Raw); err != nil {
		return nil, fmt.Errorf("read manifest %d: %w: %w", i, errBadManifest, err)
	}
	return object, nil
}

func dispatching(suspended bool, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha1.WorkDispatching, Status: metav1.ConditionTrue, Reason: workv1alpha1.DispatchingReason,
		Message: "Work is being dispatched to the member cluster.", ObservedGeneration: generation,
	}
	if suspended {
		condition.Status, condition.Reason = metav1.ConditionFalse, workv1alpha1.SuspendDispatchingReason
		condition.Message = "Work dispatching is in a suspended state."
	}
	return condition
}

func appliedCondition(err error, manifests int, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type: workv1alpha1.WorkApplied, Status: metav1.ConditionTrue, Reason: workv1alpha1.AppliedSuccessfulReason,
		Message: "Manifest has been successfully applied", ObservedGeneration: generation,
	}
	if err != nil {
		failed := manifests
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			failed = len(joined.Unwrap())
		}
		condition.Status, condition.Reason = metav1.ConditionFalse, workv1alpha1.AppliedFailedReason
		// A script may raise a text that is longer than what the API server takes.
		condition.Message = fmt.Sprintf("Failed to apply all manifests (%d/%d): %.4000s", manifests-failed, manifests, err)
	}
	return condition
}

// writeStatus writes the conditions if they changed.
func (c *Controller) writeStatus(ctx context.Context, before, w *workv1alpha1.Work) error {
	if equality.Semantic.DeepEqual(before.Status, w.Status) {
		return nil
	}
	if err := c.Client.Status().Patch(ctx, w, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of the work: %w", err)
	}
	return nil
}

// finish removes the finalizer of a Work.
func (c *Controller) finish(ctx context.Context, w *workv1alpha1.Work) error {
	before := w.DeepCopy()
	c.applied.forget(client.ObjectKeyFromObject(w))
	c.finished.forget(client.ObjectKeyFromObject(w))
	if !controllerutil.RemoveFinalizer(w, workv1alpha2.ExecutionFinalizer) {
		return nil
	}
	if err := c.Patch(ctx, w, before); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer of the work: %w", err)
	}
	return nil
}
