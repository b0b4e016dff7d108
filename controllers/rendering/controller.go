// SPDX-License-Identifier: Apache-2.0

// Package rendering renders bindings into Works, one for each target cluster.
//
// Reads bindings, templates, override policies, clusters and Works. Writes Works, the
// finalizer of bindings, and their condition Rendered; takes a target away from a binding
// that it cannot have, or that has recovered where it was. Asks the engine to prune the
// template, to set replicas and to restore state, and what the template needs. Wakes up on
// bindings whose spec changed, on Works that appeared, were deleted or edited, on override
// policies, on clusters that other rules of these match, on execution namespaces, when
// rules change, and on answers of members: where a copy is to replace one that goes first,
// its cluster is asked by a dry run whether it would take it.
package rendering

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/memory"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles one kind of binding.
type Controller[B workv1alpha2.Binding] struct {
	base.Deps

	// backlog spreads the bindings that an edited policy has rendered again.
	backlog *requeue.Spread[reconcile.Request]
	holds   requeue.Holds
	// blocks remembers since when new copies wait for old ones.
	blocks requeue.Holds
	// unreadSince remembers since when old copies stay since their bindings do not have what
	// they report.
	unreadSince memory.Of[types.NamespacedName, time.Time]
	// trials are what clusters answered that are to replace others.
	trials trials
	// written are the Works that the next reconcile of their binding has to see.
	written written
}

// New returns the controller of the bindings of type B.
func New[B workv1alpha2.Binding](d base.Deps) *Controller[B] {
	return &Controller[B]{Deps: d, backlog: &requeue.Spread[reconcile.Request]{Clock: d.Clock}}
}

// Name is the controller's name in logs and metrics.
func (c *Controller[B]) Name() string { return scope.BindingController[B]("rendering") }

// Register adds the controller to the manager.
func (c *Controller[B]) Register(_ context.Context, mgr ctrl.Manager) error {
	changed := predicate.Or(base.GenerationChanged{}, concerned, claimed,
		predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }))
	// A new Work counts too: its event may come only after it was no longer wanted.
	edited := predicate.Or(base.GenerationChanged{}, predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{})
	b := ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(scope.NewBinding[B](), builder.WithPredicates(changed)).
		Watches(&workv1alpha1.Work{}, handler.EnqueueRequestsFromMapFunc(index.BindingOfWork[B]), builder.WithPredicates(edited)).
		Watches(&policyv1alpha1.ClusterOverridePolicy{}, c.onOverride()).
		Watches(&clusterv1alpha1.Cluster{}, c.onCluster()).
		Watches(&corev1.Namespace{}, c.onNamespace()).
		Watches(&workv1alpha1.Work{}, c.onNamespaceApplied()).
		WatchesRawSource(source.Func(c.listen)).
		WatchesRawSource(rulechange.Source(c.Changes, c.Clock, rulechange.Bindings[B](c.Client), engine.PruneTemplate, engine.ReviseReplica, engine.RestoreState)).
		WithOptions(c.Following(c.Options(mgr, c.Name(), "binding"), requeue.AboutBinding))
	if !scope.IsWideBinding[B]() {
		b = b.Watches(&policyv1alpha1.OverridePolicy{}, c.onOverride())
	}
	return b.Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[B](c)))
}

// Reconcile brings the Works of one binding up to date: it deletes those that are not
// wanted any more, and renders the others.
func (c *Controller[B]) Reconcile(ctx context.Context, b B) (reconcile.Result, error) {
	works, err := c.works(ctx, client.ObjectKeyFromObject(b))
	if err != nil {
		return reconcile.Result{}, err
	}
	if b.GetDeletionTimestamp() != nil {
		c.holds.Release(client.ObjectKeyFromObject(b))
		c.blocks.Release(client.ObjectKeyFromObject(b))
		c.unreadSince.Forget(client.ObjectKeyFromObject(b))
		c.trials.forget(client.ObjectKeyFromObject(b))
		c.Failovers.Forget(b)
		return requeue.OnConflict(reconcile.Result{}, c.finalize(ctx, b, works))
	}
	if refused := refusal(reference.Check(b, c.Skipped)); refused != nil {
		return c.disown(ctx, b, works, refused)
	}
	before := b
	if binding.MayRevert(b) {
		before = b.DeepCopyObject().(B)
	}
	p, err := rendering.Decide(b, rendering.View{Works: works, Cluster: c.clusterOf(ctx)})
	if err != nil {
		return reconcile.Result{}, err
	}
	if len(p.Reverted) > 0 {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(c.revert(ctx, b, before, p.Reverted)))
	}
	if len(p.Replace) == 0 {
		c.trials.forget(client.ObjectKeyFromObject(b))
		c.unreadSince.Forget(client.ObjectKeyFromObject(b))
	}
	c.Failovers.Gone(b, p.Gone(b.GetSpec()), c.Clock.Now())
	if len(p.Render) == 0 && len(p.Waiting) == 0 && (len(p.Remove) == 0 || b.GetSpec().Placement == nil) {
		if err := c.remove(ctx, p); err != nil {
			return reconcile.Result{}, err
		}
		return requeue.OnConflict(reconcile.Result{}, c.report(ctx, b, nil, nil))
	}
	return c.renderTemplate(ctx, b, works, p)
}

// renderTemplate reads the template of a binding, and renders it by a plan.
func (c *Controller[B]) renderTemplate(ctx context.Context, b B, works []workv1alpha1.Work, p rendering.Plan) (reconcile.Result, error) {
	object, err := c.TemplateOf(ctx, b)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, c.remove(ctx, p) // the binding is deleted with its owner
	}
	if refused := refusal(err); refused != nil {
		return c.disown(ctx, b, works, refused)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := c.hold(ctx, b); err != nil {
		return requeue.OnConflict(reconcile.Result{}, err)
	}
	return c.renderIfAdmitted(ctx, b, object, p)
}

// remove deletes the Works that a plan removes.
func (c *Controller[B]) remove(ctx context.Context, p rendering.Plan) error {
	for _, w := range p.Remove {
		if err := c.delete(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// delete deletes a Work.
func (c *Controller[B]) delete(ctx context.Context, w *workv1alpha1.Work, as ...client.DeleteOption) error {
	c.wrote(w)
	if err := c.Client.Delete(ctx, w, as...); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete work %s/%s: %w", w.Namespace, w.Name, err)
	}
	ctrl.LoggerFrom(ctx).Info("deleted work", "work", client.ObjectKeyFromObject(w))
	return nil
}

// renderIfAdmitted renders the Works of a plan, unless the binding was not written for
// what the template needs now: then the manifests stay as they are until it has been, and
// new copies are like those that are there. They do for good where nothing has the copies
// follow the template.
func (c *Controller[B]) renderIfAdmitted(ctx context.Context, b B, template *unstructured.Unstructured, p rendering.Plan) (reconcile.Result, error) {
	rules, key := c.Interpreter.Snapshot(), client.ObjectKeyFromObject(b)
	stays, again, err := c.frozen(ctx, b)
	if err != nil {
		return reconcile.Result{}, err
	}
	if stays {
		c.holds.Release(key)
		return c.renderFrozen(ctx, b, template, rules, p, again)
	}
	admitted, err := c.admitted(b, template, rules)
	admitted = admitted && placedFor(b, template.GroupVersionKind(), rules)
	if c.Quotas != nil {
		admitted = admitted && isPlaced(b.GetSpec(), template.GroupVersionKind(), rules)
	}
	if err == nil && admitted {
		c.holds.Release(key)
		if err := c.remove(ctx, p); err != nil {
			return reconcile.Result{}, err
		}
		return c.renderAll(ctx, b, template, rules, p)
	}
	ctrl.LoggerFrom(ctx).V(1).Info("did not render: the template is not admitted", "error", err)
	failures, failed := c.renderHeld(ctx, b, rules, p, nil)
	if again, failed := requeue.OnConflict(reconcile.Result{}, failed); again.RequeueAfter > 0 || failed != nil {
		return again, failed
	}
	if wait := c.holds.Hold(key, patience, c.Clock.Now()); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	return c.reportHeld(ctx, b, template, failures, failureOf(whyNotAdmitted(b, err)))
}

// renderFrozen keeps the copies of a binding as they are. One that is not there any more is
// made from the template where no other shows what it was like, but not while the policy waits:
// what it waits for is not in it. again is when to look again, 0 is for a policy that is gone.
func (c *Controller[B]) renderFrozen(ctx context.Context, b B, template *unstructured.Unstructured, rules engine.Snapshot, p rendering.Plan, again time.Duration) (reconcile.Result, error) {
	otherwise := template
	if again > 0 {
		otherwise = nil
	}
	failures, failed := c.renderHeld(ctx, b, rules, p, otherwise)
	if soon, failed := requeue.OnConflict(reconcile.Result{}, failed); soon.RequeueAfter > 0 || failed != nil {
		return soon, failed
	}
	result, err := c.reportHeld(ctx, b, template, failures)
	if result.RequeueAfter == 0 && err == nil {
		result.RequeueAfter = again
	}
	return result, err
}

// reportHeld reports what failed while the manifests stay as they are, and why they do.
func (c *Controller[B]) reportHeld(ctx context.Context, b B, template *unstructured.Unstructured, failures []failure, why ...failure) (reconcile.Result, error) {
	again, err := requeue.OnConflict(reconcile.Result{}, c.report(ctx, b, template, slices.Concat(failures, why)))
	if again.RequeueAfter > 0 || err != nil {
		return again, err
	}
	return reconcile.Result{}, joined(failures)
}

// renderAll writes the Works of a plan. A failure for one cluster does not affect the
// others.
func (c *Controller[B]) renderAll(ctx context.Context, b B, template *unstructured.Unstructured, rules engine.Snapshot, p rendering.Plan) (reconcile.Result, error) {
	in, err := c.input(ctx, b, template, rules)
	if err != nil {
		return reconcile.Result{}, err
	}
	in.fixed = fixedShares(in.shares, p.Existing)
	failures, err := c.renderTargets(ctx, b, in, p)
	if again, err := requeue.OnConflict(reconcile.Result{}, err); again.RequeueAfter > 0 || err != nil {
		return again, err
	}
	o, unrendered, err := c.replace(ctx, b, in, &p)
	if again, err := requeue.OnConflict(reconcile.Result{}, err); again.RequeueAfter > 0 || err != nil || len(o.Refused) > 0 {
		return again, err
	}
	failures = append(failures, unrendered...)
	blocked, wait := c.blocked(ctx, b, p, o)
	if again, err := requeue.OnConflict(reconcile.Result{}, c.report(ctx, b, template, append(blocked, failures...))); again.RequeueAfter > 0 || err != nil {
		return again, err
	}
	return reconcile.Result{RequeueAfter: earliest(wait, o.Wait)}, joined(failures)
}

// earliest returns the shorter of two times to wait, of which 0 is none.
func earliest(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}

func (c *Controller[B]) input(ctx context.Context, b B, template *unstructured.Unstructured, rules engine.Snapshot) (*renderInput, error) {
	policies, err := index.OverridesFor(ctx, c.Client, template)
	return &renderInput{
		template: template, policies: policies, binding: b, rules: rules, shares: sharesOf(b.GetSpec()),
		injectState: c.Gates.Enabled(features.StatefulFailoverInjection),
	}, err
}

// renderTargets writes the Works of the targets of a plan, and returns what failed for some
// of them. The error is one of a conflict.
func (c *Controller[B]) renderTargets(ctx context.Context, b B, in *renderInput, p rendering.Plan) ([]failure, error) {
	var failures []failure
	for _, target := range p.Render {
		err := c.ensure(ctx, b, in, target, p.Existing[target.Name])
		switch {
		case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
			return nil, err
		case base.Pending(err):
			// The event of the rules enqueues the binding.
			ctrl.LoggerFrom(ctx).V(1).Info("did not render: a customization is not compiled yet", "cluster", target.Name)
		case err != nil:
			failures = append(failures, failureOf(fmt.Errorf("render the work for cluster %s: %w", target.Name, err)))
		}
	}
	return failures, nil
}
