// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// errDeleting is the error of an object that is being deleted and still there.
var errDeleting = errors.New("object is being deleted")

// cleanup removes what a deleted Work applied, then the finalizer of the Work, but not
// before the object is gone: whoever waits for the Work waits for that. In a cluster that
// is gone nothing is removed.
func (c *Controller) cleanup(ctx context.Context, w *workv1alpha1.Work, cluster string) error {
	m, err := c.ready(ctx, cluster)
	if errors.Is(err, errClusterGone) {
		return c.finish(ctx, w, cluster)
	}
	if err != nil {
		return err
	}
	cleanup := (*application).remove
	if w.Spec.PreserveResourcesOnDeletion != nil && *w.Spec.PreserveResourcesOnDeletion {
		cleanup = (*application).orphan
	}
	var left []error
	for i := range w.Spec.Workload.Manifests {
		object, err := decode(w, i)
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "skipped a manifest that cannot be read")
			continue
		}
		left = append(left, unanswered(cleanup(c.application(m, w, i, object), ctx), "clean up", object, m.Name))
	}
	if err := errors.Join(left...); err != nil {
		return c.reportCleanup(ctx, w, err)
	}
	m.StopAwaiting(client.ObjectKeyFromObject(w))
	return c.finish(ctx, w, cluster)
}

// remove deletes the object, if it is the one that this Work applied.
func (a *application) remove(ctx context.Context) error {
	observed, err := a.applied(ctx)
	if err != nil {
		return err
	}
	if observed == nil {
		return a.awaitWatch()
	}
	if kept, err := a.keepsContent(ctx, observed); err != nil || kept {
		return err
	}
	a.leaving.begin(observed.GetUID(), a.Clock.Now())
	if err := a.member.Watch(ctx, observed.GroupVersionKind()); err != nil { // for the event of its end
		return err
	}
	if observed.GetDeletionTimestamp() == nil {
		uid := observed.GetUID()
		err := a.member.Client.Delete(ctx, observed, client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &uid})
		if client.IgnoreNotFound(err) != nil {
			return a.wrapped("delete", err)
		}
		a.answered()
		a.logger(ctx).Info("deleted object in member")
	}
	if observed, err = a.live(ctx, observed); err != nil {
		return err
	}
	if observed == nil || !a.owns(observed) {
		return a.awaitWatch()
	}
	if a.leaving.since(observed.GetUID(), a.Clock.Now()) >= waitForEnd {
		return heldError{object: describe(a.desired), cluster: a.member.Name, by: holdersOf(observed)}
	}
	return a.deleting()
}

// awaitWatch returns errDeleting as long as the watch shows an object that is gone: whoever
// reads it would take it for that of the next Work of this name. A watch that does not come to
// show its end in waitForEnd holds nothing up; the next Work does not read that object then.
func (a *application) awaitWatch() error {
	shown, err := a.member.Get(a.kind(), client.ObjectKeyFromObject(a.desired))
	if err != nil || !a.owns(shown) {
		return nil //nolint:nilerr // it is not shown
	}
	if a.leaving.end(shown.GetUID(), a.Clock.Now()) >= waitForEnd {
		return nil
	}
	return a.deleting()
}

func (a *application) deleting() error {
	return fmt.Errorf("%w: %s in cluster %s", errDeleting, describe(a.desired), a.member.Name)
}

// orphan leaves the object in the cluster and removes our labels and annotations from it.
// A missing object is not an error.
func (a *application) orphan(ctx context.Context) error {
	observed, err := a.applied(ctx)
	if err != nil || observed == nil {
		return err
	}
	before := observed.DeepCopy()
	observed.SetLabels(withoutMarks(observed.GetLabels()))
	observed.SetAnnotations(withoutMarks(observed.GetAnnotations()))
	if err := a.member.Client.Patch(ctx, observed, client.MergeFrom(before), client.FieldOwner(fieldManager)); client.IgnoreNotFound(err) != nil {
		return a.wrapped("orphan", err)
	}
	a.logger(ctx).Info("left object in member")
	return nil
}

// applied returns the object that this Work applied, as it is in the member; nil where it
// is not there. A version of its kind that the member does not serve any more does not
// matter: the object is there in another.
func (a *application) applied(ctx context.Context) (*unstructured.Unstructured, error) {
	kind := a.kind()
	observed := &unstructured.Unstructured{}
	observed.SetGroupVersionKind(kind)
	err := a.member.Client.Get(ctx, client.ObjectKeyFromObject(a.desired), observed)
	if meta.IsNoMatchError(err) || member.Unserved(err) {
		served, found, failed := a.member.Served(ctx, kind.GroupKind())
		if failed != nil || !found {
			return nil, failed // of a kind that is not served there is no object
		}
		observed.SetGroupVersionKind(served)
		err = a.member.Client.Get(ctx, client.ObjectKeyFromObject(a.desired), observed)
	}
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, a.wrapped("read", err)
	}
	if !a.owns(observed) {
		return nil, nil
	}
	return observed, nil
}

// owns reports whether a managed object was applied by this Work.
func (a *application) owns(observed *unstructured.Unstructured) bool {
	found := marksOf(observed)
	return found.managed && judge(marks{owner: a.Owner, work: a.key()}, found) == mine && found.work == a.key()
}

// markPrefixes are the groups of the labels and annotations that tie an object to the
// control plane.
var markPrefixes = []string{
	"work.karmada.io/", "resourcebinding.karmada.io/", "clusterresourcebinding.karmada.io/",
	"propagationpolicy.karmada.io/", "clusterpropagationpolicy.karmada.io/",
}

// markKeys are the other keys that do.
var markKeys = []string{
	workv1alpha2.ManagedLabel, workv1alpha2.TemplateUIDAnnotation, workv1alpha2.TemplateGenerationAnnotation,
	workv1alpha2.ManagedLabelsAnnotation, workv1alpha2.ManagedAnnotationsAnnotation, policyv1alpha1.ClaimedByLabel,
	workv1alpha2.OwnerAnnotation,
}

func withoutMarks(m map[string]string) map[string]string {
	kept := map[string]string{}
next:
	for k, v := range m {
		for _, prefix := range markPrefixes {
			if strings.HasPrefix(k, prefix) {
				continue next
			}
		}
		for _, mark := range markKeys {
			if k == mark {
				continue next
			}
		}
		kept[k] = v
	}
	return kept
}
