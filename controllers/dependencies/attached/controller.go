// SPDX-License-Identifier: Apache-2.0

// Package attached keeps the bindings of objects that templates depend on, which follow
// these to their clusters.
//
// Reads bindings, Works, and objects of the kinds that some template depends on. Writes
// attached bindings. Asks the engine nothing. Wakes up on these objects, on bindings that
// depend on others or are attached, and on Works that are gone. It watches no kind by
// itself: the controllers of dependencies, which must run in the same process, have the
// kinds watched.
package attached

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	corev1 "k8s.io/api/core/v1"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// reasonConflict is the reason of the event about parents that disagree.
const reasonConflict = "DependencyPolicyConflict"

// Controller reconciles the objects that others depend on, whether they exist or not, so
// that the binding of one that many templates depend on is written once.
type Controller struct{ base.Deps }

// New returns the controller.
func New(d base.Deps) *Controller { return &Controller{d} }

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "dependencies.attached" }

// Register adds the controller to the manager.
func (c *Controller) Register(ctx context.Context, mgr ctrl.Manager) error {
	options := base.OptionsOf(c.Deps, mgr, c.Name(), "dependency", templates.Key.String, templates.Key.Tenant)
	options.Reconciler = c
	watcher, err := controller.NewTyped(c.Name(), mgr, options)
	if err != nil {
		return err
	}
	cache, onBinding := mgr.GetCache(), c.onBinding(mgr.GetCache())
	needed, err := newNeeded(ctx, cache)
	if err != nil {
		return err
	}
	return errors.Join(
		watcher.Watch(source.TypedFunc[templates.Key](func(ctx context.Context, q queue) error {
			c.Templates.Listen(func(k templates.Key, cause templates.Cause) {
				if needed.may(ctx, k) {
					enqueue(q, k, cause)
				}
			})
			return nil
		})),
		watcher.Watch(source.TypedKind[workv1alpha2.Binding](cache, &workv1alpha2.ResourceBinding{}, onBinding)),
		watcher.Watch(source.TypedKind[workv1alpha2.Binding](cache, &workv1alpha2.ClusterResourceBinding{}, onBinding)),
		watcher.Watch(source.TypedKind(cache, &workv1alpha1.Work{}, onWork(cache))),
	)
}

// Reconcile keeps the binding of one object that others depend on, or depended on.
func (c *Controller) Reconcile(ctx context.Context, key templates.Key) (reconcile.Result, error) {
	if c.Skipped.Object(key.GroupVersionKind, key.Namespace, key.Name) {
		return reconcile.Result{}, nil
	}
	object, exists, err := c.read(ctx, key)
	if err != nil || object == nil {
		return reconcile.Result{}, err
	}
	b, bound, err := index.BindingFor(ctx, c.Client, object)
	if err != nil {
		return reconcile.Result{}, err
	}
	parents, err := c.parents(ctx, object, b)
	if err != nil {
		return reconcile.Result{}, err
	}
	exists = exists && object.GetDeletionTimestamp() == nil
	switch {
	case bound:
		err = c.update(ctx, b, object, exists, parents)
	case exists && len(parents) > 0:
		err = c.create(ctx, b, object, parents)
	}
	return requeue.OnConflict(reconcile.Result{}, client.IgnoreNotFound(err))
}

// read returns an object, or one without content if it does not exist. It returns nil for
// an object of a kind that has not been listed yet: it is enqueued once it has been.
func (c *Controller) read(ctx context.Context, key templates.Key) (*unstructured.Unstructured, bool, error) {
	absent := &unstructured.Unstructured{}
	absent.SetGroupVersionKind(key.GroupVersionKind)
	absent.SetNamespace(key.Namespace)
	absent.SetName(key.Name)
	if !c.Templates.Watched(key.GroupVersionKind) {
		wanted, err := index.AnyDependent(ctx, c.Client, key.GroupKind())
		if err != nil || wanted {
			return nil, false, err
		}
		return absent, false, nil
	}
	object, err := c.Templates.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return absent, false, nil
	}
	return object, err == nil, err
}

// parents returns the bindings whose objects depend on an object. Without the gate there
// come no new ones.
func (c *Controller) parents(ctx context.Context, object *unstructured.Unstructured, attached workv1alpha2.Binding) ([]binding.Parent, error) {
	found, err := index.Dependents(ctx, c.Client, object)
	if err != nil {
		return nil, err
	}
	known, on := binding.ParentsOf(attached), c.Gates.Enabled(features.PropagateDeps)
	var all []binding.Parent
	for _, b := range found {
		key := client.ObjectKeyFromObject(b)
		if !on && !slices.Contains(known, key) {
			continue
		}
		works, err := index.Works(ctx, c.Client, key, client.DisableReadYourWritesConsistency)
		if err != nil {
			return nil, err
		}
		all = append(all, binding.Parent{Binding: b, PermanentID: b.GetLabels()[scope.BindingIDLabel(b)], Works: works})
	}
	return all, nil
}

// create creates the attached binding of an object.
func (c *Controller) create(ctx context.Context, b workv1alpha2.Binding, object *unstructured.Unstructured, parents []binding.Parent) error {
	n, disagreement := binding.Attach(b, parents, false)
	if n == 0 {
		return nil // no parent has a cluster yet
	}
	if err := refer(b, object); err != nil {
		return err
	}
	base.SetLabel(b, scope.BindingIDLabel(b), string(c.NewID()))
	controllerutil.AddFinalizer(b, scope.BindingFinalizer(b))
	b.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(object, object.GroupVersionKind())})
	err := c.Client.Create(ctx, b)
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil // the object goes with its namespace
	}
	if err != nil {
		return fmt.Errorf("create the attached binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("attached a dependency", "binding", b.GetName(), "parents", n)
	c.notifyParents(b, parents)
	c.reportConflict(b, disagreement)
	return nil
}

// update brings the binding of an object up to date. One that nothing depends on any more
// is deleted, unless a policy selects its object.
func (c *Controller) update(ctx context.Context, b workv1alpha2.Binding, object *unstructured.Unstructured, exists bool, parents []binding.Parent) error {
	if stays(b, object, exists, parents) {
		return nil
	}
	ownPolicy := b.GetSpec().Placement != nil || claim.ID(b) != ""
	before := b.DeepCopyObject().(workv1alpha2.Binding)
	n, disagreement := binding.Attach(b, parents, ownPolicy)
	if n == 0 && !ownPolicy {
		return c.remove(ctx, before)
	}
	if exists && !ownPolicy {
		if err := refer(b, object); err != nil {
			return err
		}
	}
	if equality.Semantic.DeepEqual(before, b) {
		return nil
	}
	if err := c.Patch(ctx, b, before); err != nil {
		return fmt.Errorf("update the attached binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("updated an attached binding", "binding", b.GetName(), "parents", n)
	c.notifyParents(b, parents)
	c.reportConflict(b, disagreement)
	return nil
}

// stays reports whether the binding of an object is not to be changed.
func stays(b workv1alpha2.Binding, object *unstructured.Unstructured, exists bool, parents []binding.Parent) bool {
	owner := metav1.GetControllerOf(b)
	switch {
	case b.GetDeletionTimestamp() != nil:
		return true // its deletion enqueues the object
	case len(parents) == 0 && !binding.IsAttached(b):
		return true
	case exists && owner != nil && owner.UID != object.GetUID():
		return true // it belongs to an earlier object of this name, and is being removed
	}
	return !exists && len(parents) > 0 // it is deleted with its owner
}

// remove deletes an attached binding, unless it was written since.
func (c *Controller) remove(ctx context.Context, b workv1alpha2.Binding) error {
	version := b.GetResourceVersion()
	if err := c.Client.Delete(ctx, b, client.Preconditions{ResourceVersion: &version}); err != nil {
		return fmt.Errorf("delete the attached binding %s: %w", b.GetName(), err)
	}
	ctrl.LoggerFrom(ctx).Info("deleted an attached binding that nothing depends on", "binding", b.GetName())
	return nil
}

// notifyParents records about each parent that the object of an attached binding goes where it goes.
func (c *Controller) notifyParents(b workv1alpha2.Binding, parents []binding.Parent) {
	r := &b.GetSpec().Resource
	for i := range parents {
		c.Succeeded(parents[i].Binding, base.Success{
			Reason: "SyncScheduleResultToDependenciesSucceed", Action: "Attach", Note: "Dependencies go to the same clusters, such as %s %s.", Args: []any{r.Kind, r.Name},
		})
	}
}

// reportConflict records what the policies of parents disagree about.
func (c *Controller) reportConflict(b workv1alpha2.Binding, disagreement string) {
	if disagreement != "" {
		c.Warn(b, reasonConflict, "Attach", errors.New(disagreement))
	}
}

// refer makes an attached binding refer to its object. The version changes only if the
// content of the object did, because each change renders the Works again. A binding of the
// published control plane, which notes no hash of the content, stays while it has the
// version of the object.
func refer(b workv1alpha2.Binding, object *unstructured.Unstructured) error {
	old := b.GetSpec().Resource
	r := workv1alpha2.ObjectReference{
		APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(),
	}
	if old.UID == r.UID && old.ResourceVersion == r.ResourceVersion {
		return nil
	}
	fingerprint, err := claim.Fingerprint(object)
	if err != nil || old.UID == r.UID && b.GetAnnotations()[workv1alpha2.TemplateFingerprintAnnotation] == fingerprint {
		return err
	}
	base.SetAnnotation(b, workv1alpha2.TemplateFingerprintAnnotation, fingerprint)
	b.GetSpec().Resource = r
	return nil
}
