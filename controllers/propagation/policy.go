// SPDX-License-Identifier: Apache-2.0

package propagation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/controllers/selector"
)

// policies reconciles one kind of policy: it returns each its permanent id and its
// finalizer, watches the kinds that it selects and wakes their templates.
type policies[P policyv1alpha1.Policy] struct {
	c         *Controller
	kind      client.Object
	finalizer string
}

func (p *policies[P]) register(mgr ctrl.Manager) error {
	name := "propagation.policy"
	if p.finalizer == policyv1alpha1.ClusterPropagationPolicyFinalizer {
		name = "propagation.clusterpolicy"
	}
	changed := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{},
		predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetDeletionTimestamp() != nil }))
	return ctrl.NewControllerManagedBy(mgr).Named(name).
		For(p.kind, builder.WithPredicates(changed)).
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, handler.EnqueueRequestsFromMapFunc(p.all)).
		WithLogConstructor(base.For(mgr, name, "policy")).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[P](p)))
}

// all lists the policies of this kind: a new CRD may be what one of them waits for.
func (p *policies[P]) all(ctx context.Context, _ client.Object) []reconcile.Request {
	var requests []reconcile.Request
	add := func(o client.Object) {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)})
	}
	var err error
	if _, wide := p.kind.(*policyv1alpha1.ClusterPropagationPolicy); wide {
		var list policyv1alpha1.ClusterPropagationPolicyList
		err = p.c.Client.List(ctx, &list, client.UnsafeDisableDeepCopy)
		for i := range list.Items {
			add(&list.Items[i])
		}
	} else {
		var list policyv1alpha1.PropagationPolicyList
		err = p.c.Client.List(ctx, &list, client.UnsafeDisableDeepCopy)
		for i := range list.Items {
			add(&list.Items[i])
		}
	}
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list policies")
	}
	return requests
}

// Reconcile prepares a policy and wakes its templates, or lets them go when it is
// deleted.
func (p *policies[P]) Reconcile(ctx context.Context, policy P) (reconcile.Result, error) {
	return requeue.OnConflict(reconcile.Result{}, p.reconcile(ctx, policy))
}

func (p *policies[P]) reconcile(ctx context.Context, policy P) error {
	if policy.GetDeletionTimestamp() != nil {
		return p.finalize(ctx, policy)
	}
	prepared, err := p.prepare(ctx, policy)
	if err != nil || !prepared {
		return err
	}
	held, err := templatesWithClaim(ctx, p.c.Client, policy.GetLabels()[idLabel(policy)])
	if err != nil {
		return err
	}
	p.c.enqueue(ctx, held)
	selected, err := p.selected(ctx, policy)
	p.c.enqueue(ctx, selected)
	return err
}

// prepare returns the policy its id and finalizer. It returns false when it gave an id: the
// event of that write brings the policy back.
func (p *policies[P]) prepare(ctx context.Context, policy P) (bool, error) {
	label := idLabel(policy)
	changed := policy.DeepCopyObject().(P)
	named := changed.GetLabels()[label] != ""
	if !named {
		labels := maps.Clone(changed.GetLabels())
		if labels == nil {
			labels = map[string]string{}
		}
		labels[label] = string(uuid.NewUUID())
		changed.SetLabels(labels)
	}
	if !controllerutil.AddFinalizer(changed, p.finalizer) && named {
		return true, nil
	}
	err := p.c.Client.Patch(ctx, changed, client.MergeFromWithOptions(policy, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return false, fmt.Errorf("give policy %s its id: %w", policy.GetName(), err)
	}
	return named, nil
}

// selected lists the templates that the policy's selectors name, and watches their
// kinds. A kind that the API server does not serve is an error, which is tried again
// after the other kinds were done.
func (p *policies[P]) selected(ctx context.Context, policy P) ([]templates.Key, error) {
	var (
		keys   []templates.Key
		missed []error
	)
	for i := range policy.GetSpec().ResourceSelectors {
		s := &policy.GetSpec().ResourceSelectors[i]
		kind := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
		namespace := s.Namespace
		if policy.GetNamespace() != "" {
			namespace = policy.GetNamespace()
		}
		found, err := p.c.Templates.List(ctx, kind, namespace)
		if err != nil {
			if meta.IsNoMatchError(err) {
				err = fmt.Errorf("spec.resourceSelectors[%d]: the control plane does not serve %s of %s; install its CRD: %w", i, s.Kind, s.APIVersion, err)
			}
			missed = append(missed, err)
			continue
		}
		for k := range found {
			if by, err := selector.Match(s, &found[k]); err == nil && by != selector.NoMatch {
				keys = append(keys, templates.KeyOf(&found[k]))
			}
		}
	}
	return keys, errors.Join(missed...)
}

// finalize takes the claim of a deleted policy from its bindings and templates, which
// stay, wakes them for the policy that may select them next, and lets the policy end.
func (p *policies[P]) finalize(ctx context.Context, policy P) error {
	if !controllerutil.ContainsFinalizer(policy, p.finalizer) {
		return nil
	}
	held, err := p.claimedTemplates(ctx, policy)
	if err != nil {
		return err
	}
	for _, key := range held {
		object, err := p.c.Templates.Get(ctx, key)
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			continue // its kind or the template is gone, and its claim with it
		}
		if err == nil {
			err = p.c.release(ctx, object, policy.GetLabels()[idLabel(policy)])
		}
		if err != nil {
			return err
		}
	}
	changed := policy.DeepCopyObject().(P)
	controllerutil.RemoveFinalizer(changed, p.finalizer)
	err = p.c.Client.Patch(ctx, changed, client.MergeFromWithOptions(client.Object(policy), client.MergeFromWithOptimisticLock{}))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("let policy %s end: %w", policy.GetName(), err)
	}
	p.c.enqueue(ctx, held)
	return nil
}

// claimedTemplates lists the templates that carry the claim of a policy: those of its bindings,
// and those that it selects and that have no binding yet.
func (p *policies[P]) claimedTemplates(ctx context.Context, policy P) ([]templates.Key, error) {
	id := policy.GetLabels()[idLabel(policy)]
	if id == "" {
		return nil, nil
	}
	held, err := templatesWithClaim(ctx, p.c.Client, id)
	if err != nil {
		return nil, err
	}
	// A kind that cannot be read holds up no deletion: it has nothing to let go.
	selected, _ := p.selected(ctx, policy)
	for _, key := range selected {
		object, err := p.c.Templates.Get(ctx, key)
		if err == nil && claimID(object) == id && !slices.Contains(held, key) {
			held = append(held, key)
		}
	}
	return held, nil
}
