// SPDX-License-Identifier: Apache-2.0

// Package scriptbundle activates ScriptBundles.
//
// Reads ScriptBundles, and what is kept of them. Writes the rules of the engine, and where it leads
// the status of ScriptBundles: status.active, the history, and the conditions from Compiled on. Runs
// the cases of a bundle before it activates it. Wakes up on ScriptBundles, and when another bundle
// made way for one. It runs in each process that has an engine. What a source has is read by package
// source, and what a revision would change by package shadow.
package scriptbundle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	crsource "sigs.k8s.io/controller-runtime/pkg/source"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/kept"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/source"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
)

// Store is the part of a store of bundles that the controller uses.
type Store interface {
	Begin(fetched []bundle.Content, gone []string) (more bool)
	Resume() (more bool)
	Listen(prefix string, f func(bundle.Status))
}

// Controller reconciles ScriptBundles. It runs whether or not the process leads, since the rules are
// those of the process.
type Controller struct {
	base.Deps
	kept  kept.Store
	store Store

	mu      sync.Mutex
	entries map[string]*entry
	// loaded is closed when what was active at the start is active again.
	loaded chan struct{}
	// wake enqueues a ScriptBundle; nil before the manager has started.
	wake atomic.Pointer[func(name string)]
	// leads is nil where only one process is.
	leads <-chan struct{}
}

// entry is what this process knows of one ScriptBundle.
type entry struct {
	uid types.UID
	// status is that of the store.
	status bundle.Status
	// applied is what the store has, or had refused.
	applied applied
}

// applied names a content.
type applied struct {
	revision   string
	parameters map[string]string
}

func (a applied) equal(other applied) bool {
	return a.revision == other.revision && maps.Equal(a.parameters, other.parameters)
}

// New returns the controller, whose bundles are in a store.
func New(d base.Deps, s Store) *Controller {
	c := &Controller{Deps: d, store: s, entries: map[string]*entry{}, kept: kept.Store{Client: d.Client, Reader: d.Reader}, loaded: make(chan struct{})}
	s.Listen(source.FolderPrefix, c.observe)
	return c
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "scriptbundle" }

// Begin begins to activate what was active, as the control plane keeps it: no source is read. It is
// called before any controller runs.
func (c *Controller) Begin(ctx context.Context) error {
	log := ctrl.LoggerFrom(ctx).WithName(c.Name())
	var list interpreterv1alpha1.ScriptBundleList
	if err := c.Reader.List(ctx, &list); err != nil {
		return fmt.Errorf("read the ScriptBundles: %w", err)
	}
	var all []bundle.Content
	for i := range list.Items {
		b := &list.Items[i]
		if b.Status.Active == nil || b.DeletionTimestamp != nil {
			continue
		}
		content, err := c.content(ctx, b, b.Status.Active)
		if err != nil {
			log.Error(err, "could not read what was active of a bundle", "scriptBundle", b.Name)
			continue
		}
		c.ensure(b).applied = appliedOf(b.Status.Active)
		all = append(all, content)
	}
	go func() {
		defer close(c.loaded)
		if err := c.restore(ctx, all); err != nil {
			log.Error(err, "could not activate what was active", base.Stack(err)...)
		}
	}()
	return nil
}

// restore is apply at the start. The error is that of a panic: no worker is there to recover it.
func (c *Controller) restore(ctx context.Context, all []bundle.Content) (err error) {
	defer script.Recover(&err, script.Position{}, "activating what was active")
	c.apply(ctx, all, nil)
	return nil
}

// Wait returns when what was active is active again, or ctx has ended.
func (c *Controller) Wait(ctx context.Context) error {
	select {
	case <-c.loaded:
	case <-ctx.Done():
		ctrl.LoggerFrom(ctx).WithName(c.Name()).Info("started before all ScriptBundles were active")
	}
	return nil
}

// apply has the store try contents until each is active, refused or waiting.
func (c *Controller) apply(ctx context.Context, fetched []bundle.Content, gone []string) {
	for more := c.store.Begin(fetched, gone); more && ctx.Err() == nil; {
		more = c.store.Resume()
	}
}

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	c.leads = mgr.Elected()
	options := c.Options(mgr, c.Name(), "scriptBundle")
	options.NeedLeaderElection, options.MaxConcurrentReconciles = new(false), 1
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&interpreterv1alpha1.ScriptBundle{}).
		WatchesRawSource(crsource.Func(c.listen)).
		WithOptions(controller.Options(options)).
		Complete(c)
}

// listen enqueues ScriptBundles whose state in the store changed, and all of them once the process
// leads and has to report them.
func (c *Controller) listen(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	wake := func(name string) { queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}) }
	c.wake.Store(&wake)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-c.leads:
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for name := range c.entries {
			wake(name)
		}
	}()
	return nil
}

// observe records a state of the store.
func (c *Controller) observe(s bundle.Status) {
	name := s.Dir[len(source.FolderPrefix):]
	c.mu.Lock()
	if e := c.entries[name]; e != nil {
		e.status = s
	}
	c.mu.Unlock()
	if wake := c.wake.Load(); wake != nil {
		(*wake)(name)
	}
}

// Reconcile activates the wanted revision of one ScriptBundle, and reports what became of it.
func (c *Controller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	b := &interpreterv1alpha1.ScriptBundle{}
	err := c.Client.Get(ctx, request.NamespacedName, b)
	if apierrors.IsNotFound(err) || err == nil && b.DeletionTimestamp != nil {
		c.remove(ctx, request.Name)
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	c.removeNamesake(ctx, b)
	if !isRead(b) {
		return reconcile.Result{}, nil // package source writes its status first
	}
	failed := c.activate(ctx, b)
	if !c.isLeader() {
		return reconcile.Result{}, failed
	}
	before := b.DeepCopy()
	report(b, c.statusOf(b.Name), c.now())
	if failed != nil {
		reportUnread(b, failed)
	}
	base.SetReady(b) // a version without it may have written the other conditions
	if equality.Semantic.DeepEqual(before.Status, b.Status) {
		return reconcile.Result{}, failed
	}
	if err := c.PatchStatus(ctx, b, before); err != nil {
		return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("write the status of ScriptBundle %s: %w", b.Name, err)))
	}
	c.announce(ctx, before, b)
	return reconcile.Result{}, failed
}

// announce logs what was reported, and writes an event where that is another outcome than before.
func (c *Controller) announce(ctx context.Context, before, b *interpreterv1alpha1.ScriptBundle) {
	was, active := activeCondition(before), activeCondition(b)
	ctrl.LoggerFrom(ctx).Info("reported a bundle", "active", active.Status, "reason", active.Reason, "message", active.Message)
	if was.Status == active.Status && was.Reason == active.Reason && was.Message == active.Message {
		return
	}
	kind := corev1.EventTypeNormal
	switch {
	case active.Status == metav1.ConditionUnknown:
		return // which is no outcome
	case active.Status == metav1.ConditionFalse && active.Reason != ReasonShadow:
		kind = corev1.EventTypeWarning
	}
	c.Events.Eventf(b, nil, kind, active.Reason, "Activate", "%s", base.Clip(active.Message, base.MaxNote))
}

// activate has the store try the revision that is to answer. The error is about reading it.
func (c *Controller) activate(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) error {
	e, wanted := c.ensure(b), toAnswer(b)
	if wanted == nil || e.applied.equal(appliedOf(wanted)) {
		return nil
	}
	content, err := c.content(ctx, b, wanted)
	if errors.Is(err, kept.ErrNone) {
		return fmt.Errorf("%w: %s; the source is read again", err, wanted.Revision)
	}
	if err != nil {
		return err
	}
	e.applied = appliedOf(wanted)
	c.apply(ctx, []bundle.Content{content}, nil)
	return nil
}

// content reads a revision as the control plane keeps it.
func (c *Controller) content(ctx context.Context, b *interpreterv1alpha1.ScriptBundle, r *interpreterv1alpha1.BundleRevision) (bundle.Content, error) {
	dir := source.Folder(b.Name)
	files, err := c.kept.Get(ctx, b.Name, r.Revision, dir)
	if err != nil {
		return bundle.Content{}, err
	}
	parameters := r.Parameters
	if parameters == nil {
		parameters = map[string]string{}
	}
	return bundle.Content{Dir: dir, Origin: "ScriptBundle " + b.Name, Revision: r.Revision, Files: files, Parameters: parameters}, nil
}

// removeNamesake takes out what a ScriptBundle had that was deleted and created again: nothing of the
// new one was active yet.
func (c *Controller) removeNamesake(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) {
	c.mu.Lock()
	e := c.entries[b.Name]
	c.mu.Unlock()
	if e != nil && e.uid != b.UID {
		c.remove(ctx, b.Name)
	}
}

// ensure returns the entry of a ScriptBundle.
func (c *Controller) ensure(b *interpreterv1alpha1.ScriptBundle) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[b.Name]
	if e == nil {
		e = &entry{uid: b.UID}
		c.entries[b.Name] = e
	}
	return e
}

func (c *Controller) statusOf(name string) bundle.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[name]; e != nil {
		return e.status
	}
	return bundle.Status{}
}

// remove takes the rules of a ScriptBundle out of the engine.
func (c *Controller) remove(ctx context.Context, name string) {
	c.mu.Lock()
	_, known := c.entries[name]
	delete(c.entries, name)
	c.mu.Unlock()
	if known {
		c.apply(ctx, nil, []string{source.Folder(name)})
		ctrl.LoggerFrom(ctx).Info("removed a bundle")
	}
}

func (c *Controller) isLeader() bool {
	select {
	case <-c.leads:
		return true
	default:
		return c.leads == nil
	}
}

// now returns the time.
func (c *Controller) now() time.Time {
	if c.Clock == nil {
		return time.Now()
	}
	return c.Clock.Now()
}
