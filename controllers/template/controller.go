// SPDX-License-Identifier: Apache-2.0

// Package template propagates templates: it finds the policy of each, and keeps its
// binding.
//
// Reads templates, policies, and from the API server those and the customizations that no watch
// has shown before it claims a template, and the override policies and PriorityClasses that they name.
// Writes the claim on templates, and bindings with replicas or components. Asks the engine
// for replicas and components. Wakes up on templates of the kinds that a policy selects,
// on policies through their own controllers, on bindings that were deleted or whose claim
// changed, on room in a quota that they wait for, and when rules change. It watches no kind by itself: the controllers of
// policies, which must run in the same process, have the kinds watched.
package template

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/quotas"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/rulechange"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// Controller reconciles templates.
type Controller struct {
	base.Deps
	// edited are the templates that a user changed, until they are reconciled.
	edited edits
	// waiting enqueues what waited for a quota.
	waiting quotas.Notifier[templates.Key]
	// unseen finds the policies that no watch has shown yet, unseenRules the customizations.
	unseen, unseenRules unseen
}

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{Deps: d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "template" }

// queue is the queue of this controller.
type queue = workqueue.TypedRateLimitingInterface[templates.Key]

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	options := base.OptionsOf(c.Deps, mgr, c.Name(), "template", templates.Key.String, templates.Key.Tenant)
	options.Reconciler = c
	options.NewQueue = requeue.Lead(options.NewQueue, c.Trail, bindingAbout)
	watcher, err := controller.NewTyped(c.Name(), mgr, options)
	if err != nil {
		return err
	}
	return errors.Join(
		watcher.Watch(source.TypedFunc[templates.Key](func(ctx context.Context, q queue) error {
			c.Templates.Listen(func(k templates.Key, cause templates.Cause) { c.enqueue(ctx, q, k, cause) })
			return nil
		})),
		watcher.Watch(source.TypedFunc[templates.Key](c.waiting.Listen)),
		watcher.Watch(bindingChanges[*workv1alpha2.ResourceBinding](mgr)),
		watcher.Watch(bindingChanges[*workv1alpha2.ClusterResourceBinding](mgr)),
		watcher.Watch(rulechange.Source(c.Changes, c.Clock, c.claimed, engine.InterpretReplica, engine.InterpretComponent, engine.ReviseReplica)),
	)
}

// bindingAbout returns the subject of the binding of a template.
func bindingAbout(k templates.Key) requeue.Subject {
	return requeue.AboutBinding(types.NamespacedName{Namespace: k.Namespace, Name: names.Binding(k.Kind, k.Name)})
}

// enqueue adds a template to the queue: first what a user changed, then what changed
// because of that, and last what a start lists, but for what was changed before that.
func (c *Controller) enqueue(ctx context.Context, q queue, k templates.Key, cause templates.Cause) {
	switch {
	case cause == templates.Edited:
		c.edited.add(k)
		c.changed(ctx, k)
		q.Add(k)
	case cause == templates.Listed && !c.behind(ctx, k):
		requeue.Backlog(q, 0, k)
	default:
		requeue.Related(q, k)
	}
}

// changed has the time measured that a change takes to the members.
func (c *Controller) changed(ctx context.Context, k templates.Key) {
	if c.Deliveries == nil {
		return
	}
	if object, err := c.Templates.Get(ctx, k); err == nil {
		c.Deliveries.Changed(object.GetUID(), object.GetGeneration(), c.Clock.Now())
	}
}

// behind reports whether the binding of a template is missing or was made from another
// content, which is so if a user created or changed the template while no manager ran. It
// reads the caches alone: a start asks it about each template, and whoever enqueues must
// not wait for a write of the binding that is in progress.
func (c *Controller) behind(ctx context.Context, k templates.Key) bool {
	object, err := c.Templates.Get(ctx, k)
	if err != nil {
		return false
	}
	b, exists, err := index.BindingFor(ctx, base.Cached{Reader: c.Client}, object)
	if err != nil {
		return false
	}
	if !exists {
		return len(c.Policies.Candidates(object)) > 0
	}
	fingerprint, err := claim.Fingerprint(object)
	return err == nil && b.GetAnnotations()[workv1alpha2.TemplateFingerprintAnnotation] != fingerprint
}

// bindingChanges enqueues the templates whose bindings were deleted while a policy claims
// them, or whose claim changed: a write that was in progress when a policy was deleted
// may restore its claim.
func bindingChanges[B workv1alpha2.Binding](mgr ctrl.Manager) source.TypedSource[templates.Key] {
	return source.TypedKind(mgr.GetCache(), scope.NewBinding[B](), handler.TypedFuncs[B, templates.Key]{
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[B], q queue) {
			if claim.ID(e.Object) != "" {
				q.Add(templates.KeyOfReference(&e.Object.GetSpec().Resource))
			}
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[B], q queue) {
			if claim.ID(e.ObjectOld) != claim.ID(e.ObjectNew) {
				requeue.Related(q, templates.KeyOfReference(&e.ObjectNew.GetSpec().Resource))
			}
		},
	})
}

// claimed lists the templates of a kind that a policy claims; of a kind that is not
// watched there are none.
func (c *Controller) claimed(ctx context.Context, kind schema.GroupVersionKind) ([]templates.Key, error) {
	all, err := c.Templates.List(ctx, kind, "")
	var keys []templates.Key
	for i := range all {
		if claim.ID(&all[i]) != "" {
			keys = append(keys, templates.KeyOf(&all[i]))
		}
	}
	return keys, err
}

// lookAgain is the time between two looks at a template whose customization is not compiled yet.
// The event of the rules enqueues it too, unless its claim came to the cache after that.
const lookAgain = 5 * time.Second

// Reconcile finds the policy of one template and updates claim and binding.
func (c *Controller) Reconcile(ctx context.Context, key templates.Key) (reconcile.Result, error) {
	if c.Skipped.Object(key.GroupVersionKind, key.Namespace, key.Name) {
		return reconcile.Result{}, nil
	}
	object, err := c.Templates.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		c.edited.take(key)
		return reconcile.Result{}, c.leaveQuotaOf(ctx, key) // the binding is deleted with its owner
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	if object.GetDeletionTimestamp() != nil || object.GetLabels()[policyv1alpha1.ClaimedByLabel] != "" {
		return reconcile.Result{}, c.leaveQuotaOf(ctx, key)
	}
	if c.claimedInOtherVersion(object) {
		return reconcile.Result{}, nil // it waits for quotas there, under the same binding
	}
	edited := c.edited.take(key)
	done, err := c.propagate(ctx, object, edited)
	if edited && !done {
		c.edited.add(key)
	}
	switch {
	case errors.Is(err, errUnseen):
		ctrl.LoggerFrom(ctx).V(1).Info("did not claim the template yet", "reason", err.Error())
		return reconcile.Result{RequeueAfter: requeue.Lag}, nil
	case base.Pending(err):
		ctrl.LoggerFrom(ctx).V(1).Info("did not bind the template yet", "reason", err.Error())
		return reconcile.Result{RequeueAfter: lookAgain}, nil
	}
	return requeue.OnConflict(reconcile.Result{}, err)
}

// edits are templates. They are safe for many goroutines; the zero value is empty.
type edits struct {
	mu  sync.Mutex
	all map[templates.Key]bool
}

func (e *edits) add(k templates.Key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all == nil {
		e.all = map[templates.Key]bool{}
	}
	e.all[k] = true
}

// take removes a template and reports whether it was there.
func (e *edits) take(k templates.Key) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	had := e.all[k]
	delete(e.all, k)
	return had
}
