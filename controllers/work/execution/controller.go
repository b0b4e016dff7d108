// SPDX-License-Identifier: Apache-2.0

// Package execution carries out Works: it is the only writer to member clusters.
//
// Reads Works, Clusters and the managed objects of the members. Writes those
// objects, the Applied and Dispatching conditions of Works, which of their manifests
// finished and how their objects differ from them, and their finalizer. Asks the engine
// what of a member's object to retain, and whether it has finished. Wakes up on Works, for
// that of a namespace on the end of those of what is in it, on changes of managed objects that are not ours, on new connections, on clusters that
// become ready, answer again or serve another kind, on namespaces and kinds that were
// missing, and when rules change.
package execution

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/content"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/partition"
	"github.com/dragoman-io/dragoman/controllers/internal/preservation"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// clustersAtOnce is of how many clusters all workers may be busy before those of another
// wait. An idle worker takes a few kilobytes.
const clustersAtOnce = 100

// Controller reconciles Works.
type Controller struct {
	base.Deps
	finished finished
	leaving  leaving
	fights   fights
	waiting  waiting
	unused   unused
	written  written
	released released
	present  present
	slow     slow
	reports  preservation.Reports
	backlogs *backlogs
}

// New returns the controller.
func New(d base.Deps) *Controller {
	if d.Clock == nil {
		d.Clock = clock.RealClock{}
	}
	return &Controller{Deps: d, backlogs: newBacklogs()}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "work.execution" }

// Register adds the controller to the manager.
func (c *Controller) Register(ctx context.Context, mgr ctrl.Manager) error {
	tenant, err := base.TenantsOfWorks(ctx, mgr.GetCache())
	if err != nil {
		return err
	}
	metrics, err := partition.NewMetrics(c.Name(), c.Registry)
	if err != nil {
		return err
	}
	if c.Registry != nil {
		if err := c.Registry.Register(c.backlogs); err != nil {
			return fmt.Errorf("register the metrics of the queue to members: %w", err)
		}
	}
	changed := predicate.Or(base.GenerationChanged{}, predicate.NewPredicateFuncs(
		func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }))
	err = ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&workv1alpha1.Work{}, builder.WithPredicates(changed)).
		Watches(&workv1alpha1.Work{}, c.onEnd()).
		Watches(&clusterv1alpha1.Cluster{}, c.wakeByCluster(), builder.WithPredicates(clusterRecovered())).
		WatchesRawSource(source.Func(c.listen)).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Works(c.Client), engine.Retain, engine.InterpretFinished)).
		WithOptions(c.queues(c.Options(mgr, c.Name(), "work"), tenant, metrics)).
		Complete(reconcile.AsReconciler(mgr.GetClient(), c))
	if err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(c.unwatchUnused))
}

// queues has as many workers for each cluster as the options have for all, and as many more for
// what is slow in it. Among the Works of a cluster the tenants take turns.
func (c *Controller) queues(o controller.Options, tenant func(reconcile.Request) string, metrics *partition.Metrics) controller.Options {
	each := o.MaxConcurrentReconciles
	priorities := o.UsePriorityQueue != nil && *o.UsePriorityQueue
	o.MaxConcurrentReconciles = each * clustersAtOnce
	o.NewQueue = func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
		q := partition.New(partition.Options[reconcile.Request]{Limiter: limiter, Limit: each, Priorities: priorities, Of: c.slow.group, Metrics: metrics})
		c.slow.move = q.Move
		c.backlogs.queue.Store(q)
		return requeue.Observe(requeue.Turns(q, tenant), requeue.Observation{Name: name, Tracker: c.Progress})
	}
	return c.Following(o, requeue.AboutWork)
}

// listen enqueues Works on what happens in members.
func (c *Controller) listen(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	c.Members.Listen(func(e member.Event) {
		ended, ours := c.observeFinished(e), c.written.shows(e)
		c.observePresent(e)
		switch request := (reconcile.Request{NamespacedName: e.Work}); {
		case e.Initial:
			requeue.Backlog(queue, 0, request)
		case ours && !ended:
		case ended, e.New == nil, e.Old == nil, !content.Same(e.Old, e.New):
			queue.Add(request)
		}
	})
	c.Members.ListenConnected(func(cluster string) {
		c.waiting.wake(cluster)
		c.written.forget(cluster)
		c.present.forgetAll(names.ExecutionSpace(cluster))
		requeue.Backlog(queue, 0, c.worksOfCluster(ctx, cluster)...)
	})
	c.Members.ListenRecovered(func(cluster string) {
		requeue.Backlog(queue, 0, requeue.Requests(c.waiting.wake(cluster))...)
	})
	c.Members.ListenArrived(func(work types.NamespacedName) {
		c.waiting.arrived(work)
		queue.Add(reconcile.Request{NamespacedName: work})
	})
	return nil
}

// wakeByCluster enqueues the Works that wait for an event of their cluster.
func (c *Controller) wakeByCluster() handler.EventHandler {
	wake := func(cluster client.Object, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		requeue.Backlog(queue, 0, requeue.Requests(c.waiting.wake(cluster.GetName()))...)
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			wake(e.Object, queue)
		},
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			wake(e.ObjectNew, queue)
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			wake(e.Object, queue)
		},
	}
}

// clusterRecovered passes clusters whose Works can be continued now: one that became
// ready, one that serves other kinds than before, and one that is lost while it leaves.
func clusterRecovered() predicate.Predicate {
	return predicate.Funcs{
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

// isLost reports whether a cluster is being deleted and cannot be reached, another one is in its
// place, or what is there is kept by another control plane.
func isLost(c *clusterv1alpha1.Cluster) bool {
	return c.DeletionTimestamp != nil && (!isReady(c) || c.IDConflict() == clusterv1alpha1.ReasonOtherCluster || c.OwnerConflict())
}

func (c *Controller) worksOfCluster(ctx context.Context, cluster string) []reconcile.Request {
	keys, err := index.WorksInCluster(ctx, c.Client, cluster)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the works of a cluster")
	}
	return requeue.Requests(keys)
}

// waitForEnd is how long a Work waits at most for the event of the end of its object, before it
// looks again; and for a watch that shows an object that is gone, before it goes all the same.
const waitForEnd = 30 * time.Second

var (
	// errClusterNotReady is the error of a cluster that cannot be written to now.
	errClusterNotReady = errors.New("cluster not ready")
	// errClusterGone is the error of a cluster that does not exist, or that is being
	// deleted and cannot be reached.
	errClusterGone = errors.New("cluster gone")
	// errOfAgent is the error of a cluster whose Works an agent carries out.
	errOfAgent = errors.New("an agent carries out the works of the cluster")
	// errBadManifest is the error of a manifest that is not an object.
	errBadManifest = errors.New("manifest is not an object")
)

// Reconcile applies one Work, or cleans up what it applied.
func (c *Controller) Reconcile(ctx context.Context, w *workv1alpha1.Work) (reconcile.Result, error) {
	cluster, ok := names.Cluster(w.Namespace)
	if !ok {
		return reconcile.Result{}, nil // not in an execution namespace
	}
	if c.isBehind(cluster, w) {
		return reconcile.Result{RequeueAfter: time.Millisecond, Priority: new(handler.LowPriority)}, nil
	}
	defer c.slow.begins(cluster, w)()
	events := c.waiting.events(cluster)
	err := c.reconcile(ctx, w, cluster)
	return c.resultFor(ctx, w, cluster, events, err)
}

func (c *Controller) reconcile(ctx context.Context, w *workv1alpha1.Work, cluster string) error {
	if w.DeletionTimestamp != nil {
		if released, err := c.isReleased(ctx, w); released || err != nil {
			return err
		}
		return c.cleanup(ctx, w, cluster)
	}
	m, err := c.ready(ctx, cluster)
	if errors.Is(err, errOfAgent) {
		return err
	}
	before := withoutSpec(w)
	suspended := w.Spec.SuspendDispatching != nil && *w.Spec.SuspendDispatching
	meta.SetStatusCondition(&w.Status.Conditions, dispatching(suspended, w.Generation))
	if suspended {
		return c.writeStatus(ctx, before, w)
	}
	if err == nil {
		err = c.applyAll(ctx, m, w)
	}
	if c.shouldReport(err, w) {
		meta.SetStatusCondition(&w.Status.Conditions, appliedCondition(err, len(w.Spec.Workload.Manifests), w.Generation))
	}
	failed := c.keepUnread(ctx, before, w)
	if failed == nil {
		failed = c.writeStatus(ctx, before, w)
	}
	return cmp.Or(failed, err)
}

// keepUnread leaves the report in the status of a Work that its binding does not have yet: package
// status reflects the object once it has it. The error is how long to wait where the conditions
// alone would have the binding lose it.
func (c *Controller) keepUnread(ctx context.Context, before, w *workv1alpha1.Work) error {
	wait, err := c.reports.Wait(ctx, c.Deps, before, w)
	if err != nil || wait == 0 {
		return err
	}
	w.Status.ManifestStatuses = before.Status.ManifestStatuses
	if wait, err = c.reports.Wait(ctx, c.Deps, before, w); err == nil && wait > 0 {
		err = pausedError(wait)
	}
	return err
}

// shouldReport reports whether the outcome belongs in the Applied condition: a conflict
// is retried at once, while the cluster is unreachable what was applied stays applied, and
// so it does while someone undoes it.
func (c *Controller) shouldReport(err error, w *workv1alpha1.Work) bool {
	switch {
	case apierrors.IsConflict(err), errors.Is(err, errNamespaceFirst), errors.Is(err, errUnshown):
		return false
	case awaitsCluster(err), errors.As(err, new(pausedError)):
		return meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied) == nil
	}
	return true
}

// awaitsCluster reports whether an error ends with an event of the cluster.
func awaitsCluster(err error) bool {
	return errors.Is(err, errClusterNotReady) || errors.Is(err, errClusterGone) || errors.Is(err, member.ErrUnavailable)
}

// resultFor returns when a Work is reconciled again without an event of its own. events is
// how many its cluster had before.
func (c *Controller) resultFor(ctx context.Context, w *workv1alpha1.Work, cluster string, events int, err error) (reconcile.Result, error) {
	var paused pausedError
	switch {
	case err == nil, errors.Is(err, errOfAgent):
		c.waiting.drop(cluster, client.ObjectKeyFromObject(w))
		return reconcile.Result{}, nil
	case awaitsCluster(err), errors.Is(err, errDeleting), errors.Is(err, errUnshown), errors.Is(err, errMissing):
		ctrl.LoggerFrom(ctx).V(1).Info("waited", "reason", err.Error())
		if !c.waiting.add(cluster, client.ObjectKeyFromObject(w), events) {
			return reconcile.Result{RequeueAfter: requeue.Lag}, nil
		}
		return reconcile.Result{RequeueAfter: c.waitFor(w, err)}, nil
	case errors.As(err, &paused):
		return reconcile.Result{RequeueAfter: time.Duration(paused)}, nil
	case apierrors.IsConflict(err):
		return requeue.OnConflict(reconcile.Result{}, err)
	case errors.Is(err, errBadManifest):
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	return reconcile.Result{}, err
}

// waitFor returns how long a Work waits at most for an event; 0 is for as long as it takes.
func (c *Controller) waitFor(w *workv1alpha1.Work, err error) time.Duration {
	switch {
	case awaitsCluster(err):
		return 0
	case errors.Is(err, errMissing):
		return c.waiting.try(client.ObjectKeyFromObject(w))
	}
	return waitForEnd
}

// ready returns the connection to a cluster that can be written to. The error is
// errClusterGone, errClusterNotReady, ErrUnavailable or errOfAgent where it cannot.
func (c *Controller) ready(ctx context.Context, cluster string) (*member.Member, error) {
	object := &clusterv1alpha1.Cluster{}
	err := c.Client.Get(ctx, types.NamespacedName{Name: cluster}, object, client.UnsafeDisableDeepCopy)
	if apierrors.IsNotFound(err) || (err == nil && isLost(object)) {
		return nil, fmt.Errorf("%w: %s", errClusterGone, cluster)
	}
	if err != nil {
		return nil, fmt.Errorf("read cluster %s: %w", cluster, err)
	}
	m, ok := c.Members.Get(cluster)
	if !ok && object.Spec.SyncMode == clusterv1alpha1.Pull {
		return nil, errOfAgent
	}
	if !ok || !isReady(object) {
		return nil, fmt.Errorf("%w: %s", errClusterNotReady, cluster)
	}
	if cause := m.Unavailable(); cause != nil {
		return nil, fmt.Errorf("%w: %s: %s", member.ErrUnavailable, cluster, member.Cause(cause))
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
		err = withoutPorts(unanswered(err, "write", object, m.Name))
		if worthEvent(err) {
			c.Warn(w, "SyncWorkFailed", "Apply", err)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// unanswered returns an error of a write that the member did not answer as one that names the
// member, and any other as it is.
func unanswered(err error, write string, object *unstructured.Unstructured, cluster string) error {
	if !member.Unanswered(err) || errors.Is(err, member.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%s %s: cluster %s does not answer: %s", write, describe(object), cluster, member.Cause(err))
}

// worthEvent reports whether an error is reported in an event: one that no other event
// ends soon.
func worthEvent(err error) bool {
	return err != nil && !apierrors.IsConflict(err) && !errors.Is(err, errDeleting) && !errors.Is(err, errUnshown) && !errors.Is(err, errNamespaceFirst) && !awaitsCluster(err) && !errors.As(err, new(pausedError))
}

// applyOne applies the object of manifest i, but does not create again one that reached a
// terminal state and was removed since: that would run a job a second time.
func (c *Controller) applyOne(ctx context.Context, m *member.Member, w *workv1alpha1.Work, i int, object *unstructured.Unstructured) error {
	a := c.application(m, w, i, object)
	if hasFinished(&w.Status, i, object) {
		if err := m.Watch(ctx, object.GroupVersionKind()); err != nil {
			return a.missing(err)
		}
		observed, err := a.observe(ctx)
		if err != nil || observed == nil {
			return err
		}
	}
	return a.apply(ctx)
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
