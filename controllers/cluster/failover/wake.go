// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

type queue = workqueue.TypedRateLimitingInterface[request]

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	if err := errors.Join(c.options.Validate(), c.metrics.register(c.Registry)); err != nil {
		return err
	}
	options := base.OptionsOf(c.Deps, mgr, c.Name(), "about", request.String, request.tenant)
	options.Reconciler, options.MaxConcurrentReconciles = c, 1
	watcher, err := controller.NewTyped(c.Name(), mgr, options)
	if err != nil {
		return err
	}
	cache, onBinding := mgr.GetCache(), c.onBinding()
	return errors.Join(
		watcher.Watch(source.TypedFunc[request](func(_ context.Context, q queue) error {
			c.enqueue = func(r request) { q.Add(r) }
			c.enqueue(request{})
			return nil
		})),
		watcher.Watch(source.TypedKind(cache, &clusterv1alpha1.Cluster{}, c.onCluster())),
		watcher.Watch(source.TypedKind(cache, &policyv1alpha1.ClusterTaintPolicy{}, onPolicy())),
		watcher.Watch(source.TypedKind[workv1alpha2.Binding](cache, &workv1alpha2.ResourceBinding{}, onBinding)),
		watcher.Watch(source.TypedKind[workv1alpha2.Binding](cache, &workv1alpha2.ClusterResourceBinding{}, onBinding)),
	)
}

// onCluster enqueues a cluster whose taints changed, and the next eviction where another
// cluster looks healthy or does not any more. Those of a start are looked at by load.
func (c *Controller) onCluster() handler.TypedEventHandler[*clusterv1alpha1.Cluster, request] {
	about := func(o *clusterv1alpha1.Cluster) request {
		return request{subject: aboutCluster, NamespacedName: types.NamespacedName{Name: o.Name}}
	}
	return handler.TypedFuncs[*clusterv1alpha1.Cluster, request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*clusterv1alpha1.Cluster], q queue) {
			if !e.IsInInitialList {
				q.Add(about(e.Object))
			}
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*clusterv1alpha1.Cluster], q queue) {
			before, after := e.ObjectOld, e.ObjectNew
			leaves := (before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil)
			if leaves || !equality.Semantic.DeepEqual(binding.StandingTaints(before), binding.StandingTaints(after)) {
				q.Add(about(after))
			}
			if readiness(before) != readiness(after) {
				q.Add(request{})
			}
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*clusterv1alpha1.Cluster], q queue) {
			q.Add(about(e.Object))
		},
	}
}

// readiness returns the status of the Ready condition, "" where there is none.
func readiness(cluster *clusterv1alpha1.Cluster) metav1.ConditionStatus {
	if ready := meta.FindStatusCondition(cluster.Status.Conditions, clusterv1alpha1.ClusterConditionReady); ready != nil {
		return ready.Status
	}
	return ""
}

// onPolicy enqueues the next eviction: other taints may be those of policies.
func onPolicy() handler.TypedEventHandler[*policyv1alpha1.ClusterTaintPolicy, request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(context.Context, *policyv1alpha1.ClusterTaintPolicy) []request { return []request{{}} })
}

// onBinding enqueues bindings that are in a cluster with a NoExecute taint, or were, and
// those that leave one. Of those of a start only the latter: load looks at the others.
func (c *Controller) onBinding() handler.TypedEventHandler[workv1alpha2.Binding, request] {
	enqueue := func(q queue, b workv1alpha2.Binding) {
		q.Add(request{subject: aboutBinding, NamespacedName: client.ObjectKeyFromObject(b)})
	}
	return handler.TypedFuncs[workv1alpha2.Binding, request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[workv1alpha2.Binding], q queue) {
			if binding.LeavesTainted(e.Object.GetSpec()) || !e.IsInInitialList && c.concerned(e.Object) {
				enqueue(q, e.Object)
			}
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[workv1alpha2.Binding], q queue) {
			if c.concerned(e.ObjectNew) || c.concerned(e.ObjectOld) {
				enqueue(q, e.ObjectNew)
			}
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[workv1alpha2.Binding], q queue) {
			if c.concerned(e.Object) {
				enqueue(q, e.Object)
			}
		},
	}
}

// concerned reports whether a binding is in a cluster with a NoExecute taint or leaves one.
func (c *Controller) concerned(b workv1alpha2.Binding) bool {
	if binding.LeavesTainted(b.GetSpec()) {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.tainted) == 0 {
		return false
	}
	for _, name := range binding.Clusters(b.GetSpec()) {
		if c.tainted[name] {
			return true
		}
	}
	return false
}

// mark notes whether a cluster has a NoExecute taint.
func (c *Controller) mark(name string, tainted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tainted, name)
	if tainted {
		c.tainted[name] = true
	}
}
