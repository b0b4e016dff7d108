// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

const (
	// DefaultWorkers is how many objects a controller reconciles at once if nothing else
	// is set for it.
	DefaultWorkers = 5
	// firstRetry and lastRetry bound the time after which an object whose reconcile failed
	// is reconciled again. It doubles from try to try. What no event reports, such as an
	// admission webhook that accepts what it refused, is noticed within the last.
	firstRetry, lastRetry = 5 * time.Millisecond, time.Minute
	// reconcileTimeout is when the context of a reconcile ends. What it waits for then,
	// such as a cache that never gets what was written, ends with an error, and the
	// reconcile is retried. It is longer than a request to a member may take.
	reconcileTimeout = 2 * time.Minute
	// StuckAfter is after how long a reconcile that did not even end then counts as stuck.
	StuckAfter = 3 * reconcileTimeout
)

// Options returns the options of a controller that reconciles objects by their name:
// workers, queue, retries and logger. The log has the object under the key.
func (d Deps) Options(mgr ctrl.Manager, name, key string) controller.Options {
	return optionsOf(d, name, controller.Options{LogConstructor: LogConstructor(mgr, name, key)}, namespaceOf)
}

// OptionsForWorks is Deps.Options for a controller that reconciles Works, whose tenants take turns.
func (d Deps) OptionsForWorks(ctx context.Context, mgr ctrl.Manager, name string) (controller.Options, error) {
	tenant, err := TenantsOfWorks(ctx, mgr.GetCache())
	return optionsOf(d, name, controller.Options{LogConstructor: LogConstructor(mgr, name, "work")}, tenant), err
}

func namespaceOf(r reconcile.Request) string { return r.Namespace }

// OptionsOf is Deps.Options for requests of another type, each with a name for the log, and with
// the tenant whose turn it takes.
func OptionsOf[R comparable](d Deps, mgr ctrl.Manager, name, key string, subject, tenant func(R) string) controller.TypedOptions[R] {
	return optionsOf(d, name, controller.TypedOptions[R]{LogConstructor: LogConstructorOf(mgr, name, key, subject)}, tenant)
}

// Following returns options whose queue has what the backlog caused behind what users changed, see
// requeue.Follow, and that keeps what a start lists until the templates were listed: they would be read
// one by one, and their lists take longer beside all that is reconciled.
func (d Deps) Following(o controller.Options, about func(types.NamespacedName) requeue.Subject) controller.Options {
	followed := requeue.Follow(o.NewQueue, d.Trail, func(r reconcile.Request) requeue.Subject { return about(r.NamespacedName) })
	o.NewQueue = requeue.Hold(followed, d.Templates.Started)
	return o
}

func optionsOf[R comparable](d Deps, name string, o controller.TypedOptions[R], tenant func(R) string) controller.TypedOptions[R] {
	o.MaxConcurrentReconciles = DefaultWorkers
	if n := d.Workers[name]; n > 0 {
		o.MaxConcurrentReconciles = n
	}
	o.UsePriorityQueue = new(d.Gates == nil || d.Gates.Enabled(features.ControllerPriorityQueue))
	o.RateLimiter = workqueue.NewTypedItemExponentialFailureRateLimiter[R](firstRetry, lastRetry)
	o.NewQueue = newQueue(d, *o.UsePriorityQueue, tenant)
	o.ReconciliationTimeout = reconcileTimeout
	return o
}

// newQueue returns the constructor of a controller's queue.
func newQueue[R comparable](d Deps, priorities bool, tenant func(R) string) func(string, workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R] {
	clk := d.Clock
	if clk == nil {
		clk = clock.RealClock{}
	}
	return func(name string, limiter workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R] {
		by := requeue.Observation{Name: name, Tracker: d.Progress}
		if !priorities {
			return requeue.Observe(workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[R]{Name: name}), by)
		}
		inner := priorityqueue.New(name, func(o *priorityqueue.Opts[R]) { o.RateLimiter = limiter })
		return requeue.Observe[R](requeue.NewQueue(requeue.Turns(inner, tenant), limiter, clk), by)
	}
}
