// SPDX-License-Identifier: Apache-2.0

// Package source reads what ScriptBundles name, verifies who signed it, and keeps it in the
// control plane.
//
// Reads ScriptBundles, registries, ConfigMaps and Secrets. Writes ConfigMaps, and of the status of
// ScriptBundles what the source has: status.wanted and the conditions Fetched and Verified. Calls no
// script. Wakes up on ScriptBundles, on the ConfigMaps that they name, and at intervals where they
// name a tag. It runs where the manager leads.
package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/scriptbundle/kept"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// The reasons of the conditions Fetched and Verified.
const (
	// ReasonFetched and ReasonVerified are those of conditions that are True.
	ReasonFetched  = "Fetched"
	ReasonVerified = "Verified"
	// ReasonUnreachable: the source could not be read. It is tried again.
	ReasonUnreachable = "Unreachable"
	// ReasonNoBundle: the source was read, and holds no bundle.
	ReasonNoBundle = "NoBundle"
	// ReasonNotSigned: none of the keys signed it.
	ReasonNotSigned = "NotSigned"
	// ReasonKept: spec.revision names a revision that is kept, whatever the source has.
	ReasonKept = "Kept"
	// ReasonNotKept: spec.revision names one that is not kept.
	ReasonNotKept = "NotKept"
	// ReasonTooLarge: the archive is larger than the control plane keeps.
	ReasonTooLarge = "TooLarge"
	// ReasonPending: the condition waits for one before it.
	ReasonPending = "Pending"
)

const (
	// defaultInterval is that of an OCI source, and retry is after how long one that could not be
	// read is read again at most.
	defaultInterval = 5 * time.Minute
	retry           = 30 * time.Second
)

// Folder is the folder of a ScriptBundle in messages, and in a store of bundles.
func Folder(name string) string { return FolderPrefix + name }

// FolderPrefix is what Folder begins with.
const FolderPrefix = "scriptbundle/"

// Controller reconciles ScriptBundles.
type Controller struct {
	base.Deps
	kept    kept.Store
	maps    *configMaps
	fetches *fetches

	mu sync.Mutex
	// settled is what was read last of each ScriptBundle, by name.
	settled map[string]settled
}

// settled is what was read of a registry, and led to a status that only another content or another
// spec changes.
type settled struct {
	uid        types.UID
	generation int64
	digest     string
}

// New returns the controller.
func New(d base.Deps) *Controller {
	return &Controller{Deps: d, kept: kept.Store{Client: d.Client, Reader: d.Reader}, settled: map[string]settled{}}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "scriptbundle.source" }

// Register adds the controller to the manager.
func (c *Controller) Register(_ context.Context, mgr ctrl.Manager) error {
	w := &waker{}
	c.fetches, c.maps = newFetches(w), newConfigMaps(w, mgr, c.Watcher, mgr.GetLogger().WithName(c.Name()))
	err := ctrl.NewControllerManagedBy(mgr).Named(c.Name()).
		For(&interpreterv1alpha1.ScriptBundle{}, builder.WithPredicates(predicate.Or(base.GenerationChanged{}, predicate.AnnotationChangedPredicate{}, needsOthers()))).
		WatchesRawSource(w.source()).
		WithOptions(c.Options(mgr, c.Name(), "scriptBundle")).
		Complete(c)
	if err != nil {
		return err
	}
	return mgr.Add(sweeper{c})
}

// sweeper drops what was kept of ScriptBundles that were deleted while nobody watched.
type sweeper struct{ *Controller }

// Start runs once.
func (s sweeper) Start(ctx context.Context) error {
	var list interpreterv1alpha1.ScriptBundleList
	err := s.Reader.List(ctx, &list)
	if err == nil {
		there := sets.New[string]()
		for i := range list.Items {
			there.Insert(list.Items[i].Name)
		}
		err = s.kept.Sweep(ctx, there)
	}
	if err != nil {
		ctrl.LoggerFrom(ctx).WithName(s.Name()).Error(err, "could not drop what was kept of deleted ScriptBundles; the next start does")
	}
	return nil
}

// Reconcile reads the source of one ScriptBundle.
func (c *Controller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	b := &interpreterv1alpha1.ScriptBundle{}
	err := c.Client.Get(ctx, request.NamespacedName, b)
	if apierrors.IsNotFound(err) || err == nil && b.DeletionTimestamp != nil {
		c.forget(request.Name)
		return reconcile.Result{}, c.kept.Retain(ctx, request.Name, nil)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	c.follow(ctx, b)
	before := b.DeepCopy()
	again, err := c.read(ctx, b)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !equality.Semantic.DeepEqual(before.Status, b.Status) {
		if err := c.PatchStatus(ctx, b, before); err != nil {
			return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("write the status of ScriptBundle %s: %w", b.Name, err)))
		}
		ctrl.LoggerFrom(ctx).Info("read the source of a bundle", "fetched", reasonOf(b, interpreterv1alpha1.ConditionFetched),
			"verified", reasonOf(b, interpreterv1alpha1.ConditionVerified), "revision", revisionOf(b.Status.Wanted))
	}
	return reconcile.Result{RequeueAfter: again}, c.kept.Retain(ctx, b.Name, needed(b))
}

func reasonOf(b *interpreterv1alpha1.ScriptBundle, condition string) string {
	if c := meta.FindStatusCondition(b.Status.Conditions, condition); c != nil {
		return c.Reason
	}
	return ""
}

func revisionOf(r *interpreterv1alpha1.BundleRevision) string {
	if r == nil {
		return ""
	}
	return r.Revision
}

// needed are the revisions that a status names.
func needed(b *interpreterv1alpha1.ScriptBundle) sets.Set[string] {
	all := sets.New(revisionOf(b.Status.Wanted), revisionOf(b.Status.Active))
	for i := range b.Status.History {
		all.Insert(b.Status.History[i].Revision)
	}
	return all
}

// needsOthers passes ScriptBundles whose status names other revisions than before: what is not needed
// any more is dropped.
func needsOthers() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false }, DeleteFunc: func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return !needed(e.ObjectOld.(*interpreterv1alpha1.ScriptBundle)).Equal(needed(e.ObjectNew.(*interpreterv1alpha1.ScriptBundle)))
		},
	}
}

// follow watches the ConfigMap that a bundle names, and ends what is asked of a registry that it names
// no longer.
func (c *Controller) follow(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) {
	pinned := b.Spec.Revision != ""
	if b.Spec.Source.OCI == nil || pinned {
		c.fetches.drop(b.Name)
	}
	if o := b.Spec.Source.ConfigMap; o != nil && !pinned {
		c.maps.follow(ctx, b.Name, types.NamespacedName{Namespace: o.Namespace, Name: o.Name})
		return
	}
	c.maps.drop(b.Name)
}

// read brings the status up to what the source has, and keeps that. It returns after how long the
// source is read again, if no event comes before: what was kept may have been deleted. The error is
// about keeping what was read.
func (c *Controller) read(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) (again time.Duration, err error) {
	var f found
	dir := Folder(b.Name)
	switch s := b.Spec.Source; {
	case b.Spec.Revision != "":
		pin(b)
		return defaultInterval, nil
	case s.OCI != nil:
		return c.readRegistry(ctx, b)
	case s.ConfigMap != nil:
		f, err = readConfigMap(ctx, c.Reader, s.ConfigMap, dir)
	case s.Inline != nil:
		f, err = readInline(s.Inline, dir)
	default:
		err = errors.New("spec.source: give one of oci, configMap and inline")
	}
	if !report(b, err) {
		return defaultInterval, nil // an event comes before
	}
	return defaultInterval, c.take(ctx, b, f)
}

// readRegistry is read for an OCI source: it has the registry asked beside this, and takes the answer
// when it is called again. What has the digest of the last time is not pulled again.
func (c *Controller) readRegistry(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) (time.Duration, error) {
	s := b.Spec.Source.OCI
	interval := defaultInterval
	if s.Interval != nil {
		interval = max(s.Interval.Duration, interpreterv1alpha1.MinInterval)
	}
	q := question{b.UID, b.Generation, fmt.Sprint(b.Annotations)}
	a, running := c.fetches.take(b.Name, q)
	switch {
	case a != nil:
		return c.readAnswer(ctx, b, *a, interval)
	case running:
		return interval, nil
	}
	r, err := registryOf(ctx, c.Reader, s)
	if err != nil {
		report(b, err)
		return min(interval, retry), nil
	}
	then := b.DeepCopy()
	c.fetches.begin(b.Name, q, r.reference.Registry, func(ctx context.Context) answer { return c.ask(ctx, r, then) })
	return interval, nil
}

// ask asks a registry for what a ScriptBundle names.
func (c *Controller) ask(ctx context.Context, r registry, b *interpreterv1alpha1.ScriptBundle) answer {
	digest, err := r.digest(ctx)
	if err != nil {
		return answer{err: err}
	}
	if c.isSettled(ctx, b, digest) {
		return answer{digest: digest, settled: true}
	}
	f, err := r.pull(ctx, digest)
	return answer{digest: digest, found: f, err: err}
}

// readAnswer is readRegistry for what a registry answered.
func (c *Controller) readAnswer(ctx context.Context, b *interpreterv1alpha1.ScriptBundle, a answer, interval time.Duration) (time.Duration, error) {
	if !report(b, a.err) {
		if errors.As(a.err, new(wrongError)) {
			c.settle(b, a.digest)
			return interval, nil
		}
		return min(interval, retry), nil
	}
	if a.settled {
		return interval, nil
	}
	if err := c.take(ctx, b, a.found); err != nil {
		return 0, err
	}
	c.settle(b, a.digest)
	return interval, nil
}

// isSettled reports whether the artifact of a digest led to the status that is there.
func (c *Controller) isSettled(ctx context.Context, b *interpreterv1alpha1.ScriptBundle, digest string) bool {
	c.mu.Lock()
	known := c.settled[b.Name]
	c.mu.Unlock()
	verified := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionVerified)
	if verified == nil || verified.ObservedGeneration != b.Generation {
		return false
	}
	if verified.Status != metav1.ConditionTrue {
		return known == settled{b.UID, b.Generation, digest}
	}
	return b.Status.Wanted != nil && b.Status.Wanted.Digest == digest && c.isKept(ctx, b)
}

// isKept reports whether the wanted revision is kept as it was: what somebody deleted or changed is
// pulled again.
func (c *Controller) isKept(ctx context.Context, b *interpreterv1alpha1.ScriptBundle) bool {
	_, err := c.kept.Get(ctx, b.Name, b.Status.Wanted.Revision, Folder(b.Name))
	return err == nil
}

func (c *Controller) settle(b *interpreterv1alpha1.ScriptBundle, digest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled[b.Name] = settled{b.UID, b.Generation, digest}
}

func (c *Controller) forget(name string) {
	c.maps.drop(name)
	c.fetches.drop(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.settled, name)
}

// take verifies and keeps what was found, and makes it the wanted revision. An error is about
// keeping it, and is tried again.
func (c *Controller) take(ctx context.Context, b *interpreterv1alpha1.ScriptBundle, f found) error {
	key, err := verify(b, f)
	if err != nil {
		set(b, interpreterv1alpha1.ConditionVerified, metav1.ConditionFalse, ReasonNotSigned, err.Error())
		return nil
	}
	dir := Folder(b.Name)
	outline, err := bundle.ReadOutline(f.archive.FS(dir), dir)
	if err != nil {
		set(b, interpreterv1alpha1.ConditionVerified, metav1.ConditionFalse, ReasonNoBundle, err.Error())
		return nil
	}
	revision, err := bundle.Revision(f.archive.FS(dir), dir)
	if err != nil {
		return err
	}
	if err := c.kept.Put(ctx, b, revision, f.archive); err != nil {
		if errors.As(err, new(*kept.TooLargeError)) {
			set(b, interpreterv1alpha1.ConditionVerified, metav1.ConditionFalse, ReasonTooLarge, err.Error())
			return nil
		}
		return err
	}
	message := "its files are those of a bundle; no key is asked for"
	if key != "" {
		message = "it is signed by the key " + key
	}
	set(b, interpreterv1alpha1.ConditionVerified, metav1.ConditionTrue, ReasonVerified, message)
	wanted := interpreterv1alpha1.BundleRevision{Revision: revision, Version: outline.Version, Digest: f.digest, SignedBy: key, Since: metav1.Time{Time: c.now()}}
	if w := b.Status.Wanted; w != nil && w.Revision == wanted.Revision {
		wanted.Since = w.Since
	}
	b.Status.Wanted = &wanted
	return nil
}

// pin makes the revision of the spec the wanted one, if it is kept.
func pin(b *interpreterv1alpha1.ScriptBundle) {
	var known []string
	for i := range b.Status.History {
		h := b.Status.History[i]
		if h.Revision == b.Spec.Revision {
			b.Status.Wanted = &h
			set(b, interpreterv1alpha1.ConditionFetched, metav1.ConditionTrue, ReasonKept, "spec.revision names a revision that was active; the source is not read")
			set(b, interpreterv1alpha1.ConditionVerified, metav1.ConditionTrue, ReasonKept, "it was verified when it was fetched")
			return
		}
		known = append(known, h.Revision)
	}
	message := "spec.revision: no revision was active yet"
	if len(known) > 0 {
		message = fmt.Sprintf("spec.revision: %s is not kept; want one of %s", b.Spec.Revision, strings.Join(known, ", "))
	}
	set(b, interpreterv1alpha1.ConditionFetched, metav1.ConditionFalse, ReasonNotKept, message)
	set(b, interpreterv1alpha1.ConditionVerified, metav1.ConditionUnknown, ReasonPending, "nothing was fetched")
}

// report writes what reading the source led to, and reports whether there is something to verify.
func report(b *interpreterv1alpha1.ScriptBundle, err error) bool {
	switch {
	case err == nil:
		set(b, interpreterv1alpha1.ConditionFetched, metav1.ConditionTrue, ReasonFetched, "the source was read")
		return true
	case errors.As(err, new(wrongError)):
		set(b, interpreterv1alpha1.ConditionFetched, metav1.ConditionTrue, ReasonFetched, "the source was read")
		set(b, interpreterv1alpha1.ConditionVerified, metav1.ConditionFalse, ReasonNoBundle, err.Error())
	default:
		message := err.Error()
		if b.Status.Active != nil {
			message += "\nwhat is active stays, and the source is read again"
		}
		set(b, interpreterv1alpha1.ConditionFetched, metav1.ConditionFalse, ReasonUnreachable, message)
		if v := meta.FindStatusCondition(b.Status.Conditions, interpreterv1alpha1.ConditionVerified); v == nil || v.ObservedGeneration != b.Generation {
			set(b, interpreterv1alpha1.ConditionVerified, metav1.ConditionUnknown, ReasonPending, "nothing was fetched")
		}
	}
	return false
}

// maxMessage is less than what the API server accepts.
const maxMessage = 4000

func set(b *interpreterv1alpha1.ScriptBundle, condition string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
		Type: condition, Status: status, Reason: reason, Message: base.Clip(message, maxMessage), ObservedGeneration: b.Generation,
	})
}

// now returns the time.
func (c *Controller) now() time.Time {
	if c.Clock == nil {
		return time.Now()
	}
	return c.Clock.Now()
}
