// SPDX-License-Identifier: Apache-2.0

package dependencies

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine/script"
)

// maxMessage bounds the message of the condition: a script may raise any text.
const maxMessage = 4096

// advice ends the message of the condition.
const advice = "; what was attached before stays; mend the script or the object, which is tried again then"

// unresolved returns the condition of a binding whose script failed; nil where none did.
func unresolved(b workv1alpha2.Binding) *metav1.Condition {
	return meta.FindStatusCondition(b.GetStatus().Conditions, workv1alpha2.DependenciesResolved)
}

// fail reports that the script of a template failed. What was noted before holds. The same
// script answers the same again, so another version of it or of the template enqueues the
// binding, unless it was too slow.
func (c *Controller[B]) fail(ctx context.Context, b B, object *unstructured.Unstructured, err error) (reconcile.Result, error) {
	if base.Pending(err) {
		return reconcile.Result{}, nil // the event of the rules enqueues the binding
	}
	err = fmt.Errorf("find what %s depends on: %w", templates.KeyOf(object), err)
	if again, failed := requeue.OnConflict(reconcile.Result{}, c.report(ctx, b, object, err)); again.RequeueAfter > 0 || failed != nil {
		return again, failed
	}
	if rule := (*script.Error)(nil); errors.As(err, &rule) && (rule.Code == script.Deadline || rule.Code == script.Internal) {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, reconcile.TerminalError(err)
}

// report writes the condition of a binding if it changed, and then events about the
// binding and its template if there is an error. Nil ends the condition.
func (c *Controller[B]) report(ctx context.Context, b B, object *unstructured.Unstructured, err error) error {
	previous := unresolved(b)
	if err == nil && previous == nil {
		return nil
	}
	before, status := b.DeepCopyObject().(B), b.GetStatus()
	if err == nil {
		meta.RemoveStatusCondition(&status.Conditions, workv1alpha2.DependenciesResolved)
	} else {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: workv1alpha2.DependenciesResolved, Status: metav1.ConditionFalse, Reason: workv1alpha2.GetDependenciesFailedReason,
			ObservedGeneration: b.GetGeneration(), Message: base.Clip(err.Error(), maxMessage-len(advice)) + advice,
		})
	}
	if equality.Semantic.DeepEqual(before.GetStatus().Conditions, status.Conditions) {
		return nil
	}
	if failed := c.PatchStatus(ctx, b, before); client.IgnoreNotFound(failed) != nil {
		return fmt.Errorf("write the condition %s of binding %s: %w", workv1alpha2.DependenciesResolved, b.GetName(), failed)
	}
	if err == nil || previous != nil && previous.Message == unresolved(b).Message {
		return nil
	}
	c.Warn(b, workv1alpha2.GetDependenciesFailedReason, "GetDependencies", err)
	c.Warn(object, workv1alpha2.GetDependenciesFailedReason, "GetDependencies", err)
	return nil
}

// reasonForeign is the reason of the event about dependencies in other namespaces.
const reasonForeign = "DependencyNeedsGrant"

// maxNamed is how many references an event names.
const maxNamed = 10

// reportForeign records an event about a template that depends on objects of other
// namespaces. It is the same whether they exist, or grant it: what there is in another
// namespace is none of its author's business.
func (c *Controller[B]) reportForeign(b B, object *unstructured.Unstructured, foreign []binding.Reference) {
	if len(foreign) == 0 {
		return
	}
	c.Warn(object, reasonForeign, "GetDependencies", fmt.Errorf(
		"it depends on objects of other namespaces, which go where it goes only if they have the annotation %s with the namespace %s: %s",
		binding.GrantAnnotation, b.GetNamespace(), list(foreign)))
}

// list returns the first references as a text.
func list(references []binding.Reference) string {
	var named []string
	for _, r := range references[:min(len(references), maxNamed)] {
		named = append(named, strings.TrimSpace(fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name)))
	}
	if more := len(references) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return strings.Join(named, ", ")
}
