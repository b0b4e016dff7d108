// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/controllers/internal/objects"
	"github.com/dragoman-io/dragoman/engine"
)

// apply creates the object in the member cluster or updates it.
func (c *Controller) apply(ctx context.Context, m *member.Member, w *workv1alpha1.Work, desired *unstructured.Unstructured) error {
	kind := desired.GroupVersionKind()
	if err := m.Watch(ctx, kind); err != nil {
		return err
	}
	rules := c.applied.rulesVersion(kind)
	observed, err := c.observe(ctx, m, desired)
	if err != nil {
		return err
	}
	if observed == nil {
		var created *unstructured.Unstructured
		if created, observed, err = c.create(ctx, m, desired); err != nil {
			return err
		}
		if created != nil {
			c.applied.record(client.ObjectKeyFromObject(w), desired, created, rules)
			return nil
		}
	}
	if ended, err := base.Finished(c.Interpreter.Snapshot(), observed); err != nil {
		return err
	} else if ended {
		c.finished.add(client.ObjectKeyFromObject(w), observed)
	}
	if observed.GetDeletionTimestamp() != nil {
		if c.finished.has(client.ObjectKeyFromObject(w), desired) {
			return nil // it is not created again
		}
		return deletionError(desired, observed, m.Name)
	}
	if c.applied.current(client.ObjectKeyFromObject(w), desired, observed) {
		return nil
	}
	if observed, err = c.update(ctx, m, desired, observed); err != nil {
		return err
	}
	c.applied.record(client.ObjectKeyFromObject(w), desired, observed, rules)
	return nil
}

// create creates the object. Where one of its name is there already, which is not
// managed or which the watch has not shown yet, it returns that as found.
func (c *Controller) create(ctx context.Context, m *member.Member, desired *unstructured.Unstructured) (created, found *unstructured.Unstructured, err error) {
	created = desired.DeepCopy()
	err = m.Client.Create(ctx, created)
	if err == nil {
		loggerOf(ctx, m, desired).Info("created object in member")
		return created, nil, nil
	}
	failed := fmt.Errorf("create %s in cluster %s: %w", describe(desired), m.Name, err)
	if !apierrors.IsAlreadyExists(err) {
		return nil, nil, failed
	}
	if found, err = getLive(ctx, m, desired); err != nil {
		return nil, nil, err
	}
	if found == nil {
		return nil, nil, failed // it was removed meanwhile
	}
	return nil, found, nil
}

// update writes the object where what the kind's script retains leaves a difference, and
// returns it as it is then.
func (c *Controller) update(ctx context.Context, m *member.Member, desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if err := mayWrite(desired, observed, m.Name); err != nil {
		return nil, err
	}
	next, err := c.merged(desired.GroupVersionKind(), desired, observed)
	if err != nil {
		return nil, err
	}
	if objects.Same(next, observed) {
		return observed, nil
	}
	if err := m.Client.Update(ctx, next); err != nil {
		return nil, fmt.Errorf("update %s in cluster %s: %w", describe(desired), m.Name, err)
	}
	if next.GetResourceVersion() != observed.GetResourceVersion() {
		loggerOf(ctx, m, desired).Info("updated object in member")
	}
	return next, nil
}

// loggerOf returns the logger of what is done to an object in a member.
func loggerOf(ctx context.Context, m *member.Member, desired *unstructured.Unstructured) logr.Logger {
	return ctrl.LoggerFrom(ctx).WithValues("cluster", m.Name, "kind", desired.GetKind(), "object", client.ObjectKeyFromObject(desired))
}

// deletionError returns why an object that is being deleted in a cluster is not written.
func deletionError(desired, observed *unstructured.Unstructured, cluster string) error {
	if err := mayWrite(desired, observed, cluster); err != nil {
		return err
	}
	// The event of its deletion enqueues the Work, which creates the object again.
	return fmt.Errorf("%w: %s in cluster %s; it is created again once it is gone", errDeleting, describe(desired), cluster)
}

// observe reads the object in the member: from the watch, or directly as long as the
// watch has not read its kind. Nil means that it is not there, or not managed.
func (c *Controller) observe(ctx context.Context, m *member.Member, desired *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	observed, err := m.Get(desired.GroupVersionKind(), client.ObjectKeyFromObject(desired))
	switch {
	case err == nil:
		return observed, nil
	case errors.Is(err, member.ErrNotSynced):
		return getLive(ctx, m, desired)
	case apierrors.IsNotFound(err):
		return nil, nil
	}
	return nil, fmt.Errorf("read %s in cluster %s: %w", describe(desired), m.Name, err)
}

// getLive reads the object from the member's API server; nil where it is not there.
func getLive(ctx context.Context, m *member.Member, desired *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	observed := &unstructured.Unstructured{}
	observed.SetGroupVersionKind(desired.GroupVersionKind())
	err := m.Client.Get(ctx, client.ObjectKeyFromObject(desired), observed)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil, nil // of a kind that is not served there is no object
	}
	if err != nil {
		return nil, fmt.Errorf("read %s in cluster %s: %w", describe(desired), m.Name, err)
	}
	return observed, nil
}

// mayWrite refuses an object that is not ours, unless the Work may overwrite it.
func mayWrite(desired, observed *unstructured.Unstructured, cluster string) error {
	wanted, found := desired.GetAnnotations(), observed.GetAnnotations()
	if wanted[workv1alpha2.ConflictResolutionAnnotation] == workv1alpha2.ConflictResolutionOverwrite {
		return nil
	}
	if observed.GetLabels()[workv1alpha2.ManagedLabel] != workv1alpha2.ManagedLabelValue {
		return fmt.Errorf("%s is in cluster %s already and is not managed from here; to take it over, set spec.conflictResolution: Overwrite in the policy, or the annotation %s: overwrite on the template",
			describe(desired), cluster, workv1alpha2.ConflictResolutionAnnotation)
	}
	for _, key := range []string{workv1alpha2.WorkNamespaceAnnotation, workv1alpha2.WorkNameAnnotation} {
		if found[key] != "" && found[key] != wanted[key] {
			return fmt.Errorf("%s in cluster %s belongs to work %s/%s; two works must not write one object", describe(desired), cluster,
				found[workv1alpha2.WorkNamespaceAnnotation], found[workv1alpha2.WorkNameAnnotation])
		}
	}
	return nil
}

// merged returns the object to write: the desired one with what the member's API
// server keeps, with labels and annotations that others put on it, and with what its
// kind retains.
func (c *Controller) merged(kind schema.GroupVersionKind, desired, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
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
	if !scripts.Supports(kind, engine.Retain) {
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
