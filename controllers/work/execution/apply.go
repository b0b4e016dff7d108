// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/engine"
)

// application applies one manifest of a Work.
type application struct {
	*Controller
	member  *member.Member
	work    *workv1alpha1.Work
	ordinal int
	// desired is the manifest with the mark of its owner.
	desired *unstructured.Unstructured
	began   time.Time
}

func (c *Controller) application(m *member.Member, w *workv1alpha1.Work, ordinal int, manifest *unstructured.Unstructured) *application {
	if c.Owner != "" {
		base.SetAnnotation(manifest, workv1alpha2.OwnerAnnotation, c.Owner)
	}
	return &application{Controller: c, member: m, work: w, ordinal: ordinal, desired: manifest, began: time.Now()}
}

func (a *application) key() types.NamespacedName     { return client.ObjectKeyFromObject(a.work) }
func (a *application) kind() schema.GroupVersionKind { return a.desired.GroupVersionKind() }

// manifest identifies what is desired.
func (a *application) manifest() string { return digestOf(a.desired.Object) }

// apply creates the object in the member cluster or updates it.
func (a *application) apply(ctx context.Context) error {
	if err := a.member.Watch(ctx, a.kind()); err != nil {
		return a.missing(err)
	}
	observed, err := a.observe(ctx)
	if err != nil {
		return err
	}
	if observed == nil {
		if err := a.namespaceFirst(ctx); err != nil {
			return err
		}
		if observed, err = a.create(ctx); err != nil || observed == nil {
			return a.missing(err)
		}
	}
	if ended, err := base.Finished(a.Interpreter.Snapshot(), observed); err != nil {
		return err
	} else if ended {
		a.finished.add(a.key(), observed)
	}
	if a.usesForeign(observed) {
		return nil
	}
	if err := a.mayWrite(ctx, a.desired, observed, a.member.Name); err != nil {
		return err
	}
	if observed.GetDeletionTimestamp() != nil {
		if a.finished.has(a.key(), a.desired) {
			return nil // it is not created again
		}
		// The event of its deletion enqueues the Work, which creates the object again.
		return fmt.Errorf("%w: %s in cluster %s; it is created again once it is gone", errDeleting, describe(a.desired), a.member.Name)
	}
	return a.update(ctx, observed)
}

// create creates the object. Where one of its name is there already, which is not
// managed or which the watch has not shown yet, it returns that as found.
func (a *application) create(ctx context.Context) (found *unstructured.Unstructured, err error) {
	id, manifest, now := identityOf(a.desired), a.manifest(), a.Clock.Now()
	if pause := a.fights.pause(a.key(), id, manifest, []string{whole}, now); pause > 0 {
		return nil, pausedError(pause)
	}
	created := &unstructured.Unstructured{Object: a.desired.Object} // the answer replaces the map
	answered := func(types.UID) {}
	if a.finishes() {
		answered = a.present.creates(a.key(), id)
	}
	if err = a.member.Client.Create(ctx, created, client.FieldOwner(fieldManager)); err != nil {
		answered("")
	} else {
		answered(created.GetUID())
		a.logger(ctx).Info("created object in member")
		a.Succeeded(a.work, applied("created", a.desired, a.member.Name))
		a.wrote(created)
		a.fights.wrote(a.key(), id, manifest, []string{whole}, now)
		_, err = a.accept(created, nil)
		return nil, err
	}
	failed := fmt.Errorf("create %s in cluster %s: %w", describe(a.desired), a.member.Name, err)
	if !apierrors.IsAlreadyExists(err) {
		return nil, failed
	}
	if found, err = a.live(ctx, a.desired); err == nil && found == nil {
		err = failed // it was removed meanwhile
	}
	return found, err
}

// applied is the event of success of a write to a member, under its published reason.
func applied(how string, object *unstructured.Unstructured, cluster string) base.Success {
	return base.Success{Reason: "SyncSucceed", Action: "Apply", Note: "%s is %s in cluster %s.", Args: []any{describe(object), how, cluster}}
}

// update writes the object where it differs from what is desired, beyond the differences
// that are accepted.
func (a *application) update(ctx context.Context, observed *unstructured.Unstructured) error {
	left := leftFields(&a.work.Status, a.ordinal, a.manifest)
	next, err := a.merged(a.desired, observed)
	if err != nil {
		return err
	}
	incomplete := a.incomplete(next)
	if err := a.writeOver(ctx, next, observed, left); err != nil {
		return err
	}
	return incomplete
}

// writeOver writes the object if it differs from what is desired.
func (a *application) writeOver(ctx context.Context, next, observed *unstructured.Unstructured, left []workv1alpha1.LeftField) error {
	differences := compare(next, observed, pathsOf(left))
	if digest(differences) == acceptedDigest(&a.work.Status, a.ordinal) {
		return nil
	}
	if len(differences) == 0 {
		setDifferences(&a.work.Status, workv1alpha1.ManifestDifferences{Ordinal: a.ordinal, LeftFields: left, Manifest: a.manifestOf(left)})
		return nil
	}
	id, manifest, now := identityOf(a.desired), a.manifest(), a.Clock.Now()
	if lost := a.fights.lost(a.key(), id, manifest, paths(differences), now); len(lost) > 0 {
		return a.leave(ctx, left, slices.DeleteFunc(differences, func(d difference) bool { return !slices.Contains(lost, d.Path) }), observed)
	}
	if pause := a.fights.pause(a.key(), id, manifest, paths(differences), now); pause > 0 {
		return pausedError(pause)
	}
	written, err := a.put(ctx, next, observed)
	if err != nil {
		return err
	}
	if written.GetResourceVersion() != observed.GetResourceVersion() {
		a.logger(ctx).Info("updated object in member", "fields", describeDifferences(paths(differences)))
		a.Succeeded(a.work, applied("updated", a.desired, a.member.Name))
		a.wrote(written)
	}
	remaining, err := a.accept(written, left)
	if written.GetResourceVersion() != observed.GetResourceVersion() {
		a.fights.wrote(a.key(), id, manifest, changed(differences, remaining), now)
	}
	return err
}

// changed lists the paths of the differences that a write has changed, by those that remain after it.
// The others are what an API server fills in: nobody sets them again.
func changed(before, after []difference) []string {
	return paths(slices.DeleteFunc(slices.Clone(before), func(b difference) bool {
		return slices.ContainsFunc(after, func(a difference) bool {
			return a.Path == b.Path && equality.Semantic.DeepEqual(a.Have, b.Have)
		})
	}))
}

// put writes the object and returns it as it is then. If the watch lags behind, it is
// written once more, over what is there.
func (a *application) put(ctx context.Context, next, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	err := a.member.Client.Update(ctx, next, client.FieldOwner(fieldManager))
	if !apierrors.IsConflict(err) {
		return next, a.wrapped("update", err)
	}
	live, failed := a.live(ctx, a.desired)
	if failed != nil || live == nil || live.GetResourceVersion() == observed.GetResourceVersion() {
		return nil, a.wrapped("update", errors.Join(err, failed))
	}
	if err := a.mayWrite(ctx, a.desired, live, a.member.Name); err != nil {
		return nil, err
	}
	if next, err = a.merged(a.desired, live); err != nil {
		return nil, err
	}
	_ = a.incomplete(next) // it is reported after the next event of the object
	compare(next, live, pathsOf(leftFields(&a.work.Status, a.ordinal, a.manifest)))
	return next, a.wrapped("update", a.member.Client.Update(ctx, next, client.FieldOwner(fieldManager)))
}

// wrapped returns what was done to the object with an error of it.
func (a *application) wrapped(did string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s in cluster %s: %w", did, describe(a.desired), a.member.Name, err)
}

// accept records the differences that remain after a write, and returns them.
func (a *application) accept(written *unstructured.Unstructured, left []workv1alpha1.LeftField) ([]difference, error) {
	next, err := a.merged(a.desired, written)
	if err != nil {
		return nil, err
	}
	_ = a.incomplete(next)
	remaining := compare(next, written, pathsOf(left))
	setDifferences(&a.work.Status, workv1alpha1.ManifestDifferences{
		Ordinal: a.ordinal, Digest: digest(remaining), LeftFields: left, Manifest: a.manifestOf(left),
	})
	a.reflect(written)
	return remaining, nil
}

// logger returns the logger of what is done to the object in the member.
func (a *application) logger(ctx context.Context) logr.Logger {
	return ctrl.LoggerFrom(ctx).WithValues("cluster", a.member.Name, "kind", a.desired.GetKind(), "object", client.ObjectKeyFromObject(a.desired))
}

// observe reads the object in the member: from the watch, or directly as long as the
// watch has not read its kind. Nil means that it is not there, or not managed. The error is
// errUnshown for one that is gone and may have finished.
func (a *application) observe(ctx context.Context) (*unstructured.Unstructured, error) {
	observed, err := a.member.Get(a.kind(), client.ObjectKeyFromObject(a.desired))
	switch {
	case err == nil && a.leaving.ended(observed.GetUID()):
		return nil, nil // the watch is late
	case err == nil:
		return observed, nil
	case errors.Is(err, member.ErrNotSynced):
		return a.unshown(a.live(ctx, a.desired))
	case apierrors.IsNotFound(err):
		return a.unseen(ctx)
	}
	return nil, a.wrapped("read", err)
}

// live reads an object of the kind and name of another from the member's API server; nil
// where it is not there.
func (a *application) live(ctx context.Context, of *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	observed := &unstructured.Unstructured{}
	observed.SetGroupVersionKind(of.GroupVersionKind())
	err := a.member.Client.Get(ctx, client.ObjectKeyFromObject(of), observed)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil, nil // of a kind that is not served there is no object
	}
	return observed, a.wrapped("read", err)
}

// merged returns the object to write: the desired one with what the member's API
// server keeps, with labels and annotations that others put on it, and with what its
// kind retains.
func (c *Controller) merged(desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	next := desired.DeepCopy()
	next.SetResourceVersion(observed.GetResourceVersion())
	next.SetUID(observed.GetUID())
	next.SetFinalizers(observed.GetFinalizers())
	next.SetOwnerReferences(observed.GetOwnerReferences())
	recorded := observed.GetAnnotations()
	next.SetLabels(overlay(observed.GetLabels(), desired.GetLabels(), recorded[workv1alpha2.ManagedLabelsAnnotation]))
	next.SetAnnotations(overlay(recorded, desired.GetAnnotations(), recorded[workv1alpha2.ManagedAnnotationsAnnotation]))
	if status, ok := observed.Object["status"]; ok {
		next.Object["status"] = status
	}
	scripts := c.Interpreter.Snapshot()
	if !scripts.Supports(desired.GroupVersionKind(), engine.Retain) {
		return next, nil
	}
	return scripts.Retain(next, observed)
}

// overlay puts the desired keys over the observed ones, and drops those that we once
// wrote, by the recorded list, and do not want any more.
func overlay(observed, desired map[string]string, recorded string) map[string]string {
	all := maps.Clone(observed)
	if all == nil {
		all = map[string]string{}
	}
	for key := range strings.SplitSeq(recorded, ",") {
		delete(all, key)
	}
	maps.Copy(all, desired)
	if len(all) == 0 {
		return nil
	}
	return all
}

func describe(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetKind() + " " + o.GetName()
	}
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}
