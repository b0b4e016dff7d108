// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
	"github.com/dragoman-io/dragoman/controllers/decide/selector"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// queue is where a controller of bindings takes its work from.
type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// concerned accepts bindings whose Works may become others although their spec is the same.
var concerned = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	DeleteFunc: func(event.DeleteEvent) bool { return false },
	UpdateFunc: func(e event.UpdateEvent) bool {
		return rendering.Concerns(e.ObjectOld.(workv1alpha2.Binding), e.ObjectNew.(workv1alpha2.Binding))
	},
	GenericFunc: func(event.GenericEvent) bool { return false },
}

// claimed accepts bindings that another policy has follow their template than before, or one
// that is not the object that it was.
var claimed = predicate.Funcs{
	CreateFunc:  func(event.CreateEvent) bool { return false },
	DeleteFunc:  func(event.DeleteEvent) bool { return false },
	UpdateFunc:  func(e event.UpdateEvent) bool { return claim.ID(e.ObjectOld) != claim.ID(e.ObjectNew) },
	GenericFunc: func(event.GenericEvent) bool { return false },
}

// bothGone is how long a binding waits that is looked at since an override policy was deleted:
// who deletes it may delete the policy that it belongs to as well, which another watch shows.
const bothGone = time.Second

// onOverride enqueues the bindings that an override policy selects, and those that it
// selected before it was changed. A start renders all bindings anyway.
func (c *Controller[B]) onOverride() handler.EventHandler {
	enqueue := func(ctx context.Context, q queue, wait time.Duration, policies ...client.Object) {
		for _, p := range policies {
			found, err := c.selected(ctx, p.(policyv1alpha1.Override))
			if err != nil {
				ctrl.LoggerFrom(ctx).Error(err, "could not list the bindings of an override policy", "policy", client.ObjectKeyFromObject(p))
			}
			c.backlog.AddAfter(q, wait, requestsFor(found))
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList {
				enqueue(ctx, q, 0, e.Object)
			}
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			if e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
				enqueue(ctx, q, 0, e.ObjectOld, e.ObjectNew)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { enqueue(ctx, q, bothGone, e.Object) },
	}
}

// selected lists the bindings whose templates an override policy selects.
func (c *Controller[B]) selected(ctx context.Context, p policyv1alpha1.Override) ([]B, error) {
	selectors := p.GetSpec().ResourceSelectors
	if len(selectors) == 0 {
		return index.BindingsIn[B](ctx, c.Client, p.GetNamespace())
	}
	var all []B
	for i := range selectors {
		found, err := index.BindingsOfSelector[B](ctx, c.Client, &selectors[i], p.GetNamespace())
		if err != nil {
			return all, err
		}
		all = append(all, slices.DeleteFunc(found, func(b B) bool { return !c.labelsMatch(ctx, &selectors[i], b) })...)
	}
	return all, nil
}

// labelsMatch reports whether the labels of a binding's template match a selector that
// matches its kind and namespace. It is true if the template cannot be read: rendering
// finds out.
func (c *Controller[B]) labelsMatch(ctx context.Context, s *policyv1alpha1.ResourceSelector, b B) bool {
	if s.Name != "" || s.LabelSelector == nil {
		return true
	}
	object, err := c.TemplateOf(ctx, b)
	if err != nil {
		return true
	}
	found, err := selector.Match(s, object)
	return err != nil || found != selector.NoMatch
}

// onCluster enqueues the bindings of a cluster that an override policy applies to since
// the cluster was changed, or no longer applies to, and those that wait for their copies
// in a cluster that is fenced now, or for the answer of one whose readiness changed. Where it
// can be reached no more, or again, what those report that have waited for long is another
// thing.
func (c *Controller[B]) onCluster() handler.EventHandler {
	return handler.Funcs{UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
		before, after := e.ObjectOld.(*clusterv1alpha1.Cluster), e.ObjectNew.(*clusterv1alpha1.Cluster)
		if binding.IsFenced(after) && !binding.IsFenced(before) {
			c.backlog.Add(q, c.leaving(ctx, after.Name))
		}
		if isReady(before) != isReady(after) {
			c.trials.wake(after.Name)
			c.backlog.Add(q, c.blocks.Among(c.leaving(ctx, after.Name)))
		}
		if equality.Semantic.DeepEqual(before.Labels, after.Labels) && before.Generation == after.Generation {
			return
		}
		found, err := c.overriddenOtherwise(ctx, before, after)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "could not list the bindings that are overridden for a cluster", "cluster", after.Name)
		}
		c.backlog.Add(q, requestsFor(found))
	}}
}

// leaving returns the bindings that have, or are leaving, a copy in a cluster.
func (c *Controller[B]) leaving(ctx context.Context, cluster string) []reconcile.Request {
	keys, err := index.BindingsInCluster(ctx, c.Client, cluster)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "could not list the bindings that leave a cluster", "cluster", cluster)
	}
	return index.BindingRequests[B](keys...)
}

// overriddenOtherwise lists the bindings that target a cluster and are selected by a policy
// of which other rules match the cluster now.
func (c *Controller[B]) overriddenOtherwise(ctx context.Context, before, after *clusterv1alpha1.Cluster) ([]B, error) {
	all, err := index.List[policyv1alpha1.Override](ctx, c.Client, &policyv1alpha1.ClusterOverridePolicyList{})
	if err != nil {
		return nil, err
	}
	spaced, err := index.List[policyv1alpha1.Override](ctx, c.Client, &policyv1alpha1.OverridePolicyList{})
	if err != nil {
		return nil, err
	}
	var found []B
	for _, p := range append(all, spaced...) {
		if sameRules(p.GetSpec(), before, after) {
			continue
		}
		some, err := c.selected(ctx, p)
		if err != nil {
			return found, err
		}
		for _, b := range some {
			if slices.Contains(binding.TargetNames(b.GetSpec()), after.Name) {
				found = append(found, b)
			}
		}
	}
	return found, nil
}

// sameRules reports whether the same rules of an override policy match two versions of a
// cluster. A rule that cannot be read matches neither.
func sameRules(spec *policyv1alpha1.OverrideSpec, before, after *clusterv1alpha1.Cluster) bool {
	affinities := []*policyv1alpha1.ClusterAffinity{spec.TargetCluster}
	if len(spec.OverrideRules) > 0 {
		affinities = nil
	}
	for i := range spec.OverrideRules {
		affinities = append(affinities, spec.OverrideRules[i].TargetCluster)
	}
	for _, a := range affinities {
		affinity, err := selector.NewAffinity(a)
		if err == nil && affinity.Matches(before) != affinity.Matches(after) {
			return false
		}
	}
	return true
}

// onNamespace enqueues the bindings that target a cluster whose execution namespace was
// created: until then no Work of it can be.
func (c *Controller[B]) onNamespace() handler.EventHandler {
	return handler.Funcs{CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
		cluster, is := names.Cluster(e.Object.GetName())
		if !is || e.IsInInitialList {
			return
		}
		found, err := index.BindingsTargeting[B](ctx, c.Client, cluster)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "could not list the bindings of a cluster", "cluster", cluster)
		}
		requeue.Backlog(q, 0, requestsFor(found)...)
	}}
}

// requestsFor returns one request for each binding.
func requestsFor[B workv1alpha2.Binding](all []B) []reconcile.Request {
	requests := make([]reconcile.Request, len(all))
	for i := range all {
		requests[i].NamespacedName = client.ObjectKeyFromObject(all[i])
	}
	return requests
}
