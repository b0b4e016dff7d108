// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// Reasons of the events on a template.
const (
	reasonFailed    = "ApplyPolicyFailed"
	reasonApplied   = "ApplyPolicySucceed"
	reasonPreempted = "PreemptPolicySucceed"
)

// applying is one policy that is applied to one template.
type applying struct {
	object *unstructured.Unstructured
	policy policyv1alpha1.Policy
	// preempted is the policy that had the template before, if it still selects it.
	preempted policyv1alpha1.Policy
	// binding is that of the template; if it does not exist, it has nothing but its name.
	binding workv1alpha2.Binding
	exists  bool
	// fingerprint is that of the template.
	fingerprint string
	// edited means that a user changed the template, or created it, while the policy was
	// there.
	edited bool
	// refused means that a quota does not admit what the template needs now.
	refused bool
}

// propagate claims a template for its policy and keeps its binding, or releases it if it
// has none. It reports whether it did, and not for a policy that has to wait. The error is
// errUnseen where a better policy may be there that no watch has shown.
func (c *Controller) propagate(ctx context.Context, object *unstructured.Unstructured, edited bool) (done bool, _ error) {
	candidates := c.Policies.Candidates(object)
	choice, waits, err := c.choose(ctx, candidates, object)
	if err == nil && claims(choice, object) {
		if err := c.awaitSeen(ctx, object); err != nil {
			return false, err
		}
		candidates = c.Policies.Candidates(object)
		choice, waits, err = c.choose(ctx, candidates, object)
	}
	switch {
	case err != nil:
		return false, fmt.Errorf("find the policy of %s: %w", templates.KeyOf(object), err)
	case choice.Policy == nil:
		return true, c.release(ctx, object)
	case waits != nil:
		return false, c.refuse(ctx, object, choice.Policy, waits)
	case scope.PolicyID(choice.Policy) == "":
		return false, nil // it is enqueued again once the policy has its id
	}
	if err := nameable(object); err != nil {
		return false, c.refuse(ctx, object, choice.Policy, err)
	}
	a := &applying{object: object, policy: choice.Policy, preempted: choice.Preempted}
	a.edited = edited || createdSince(object, candidates, choice.Policy)
	return c.applyOrWarn(ctx, a)
}

// applyOrWarn applies a policy to a template, and has an event tell what fails for good. It
// reports whether it is done.
func (c *Controller) applyOrWarn(ctx context.Context, a *applying) (done bool, _ error) {
	err := c.apply(ctx, a)
	if err == nil || apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || base.Pending(err) {
		return err == nil && !a.refused, err
	}
	c.Warn(a.object, reasonFailed, "Propagate", err)
	if apierrors.IsInvalid(err) {
		err = reconcile.TerminalError(err) // a retry cannot mend it
	}
	return false, err
}

// claims reports whether a policy is to claim a template that it does not have.
func claims(choice claim.Choice, object *unstructured.Unstructured) bool {
	return choice.Policy != nil && !claim.Names(object, choice.Policy)
}

// choose returns the policy of a template, and why that has to wait, or nil. A policy that
// has to wait preempts no other.
func (c *Controller) choose(ctx context.Context, candidates []selection.Candidate, object *unstructured.Unstructured) (claim.Choice, error, error) {
	all := make([]policyv1alpha1.Policy, len(candidates))
	for i, candidate := range candidates {
		all[i] = candidate.Policy
	}
	choice := claim.Select(all, object, c.Gates.Enabled(features.PropagationPolicyPreemption))
	if choice.Policy == nil {
		return choice, nil, nil
	}
	waits, err := c.waits(ctx, choice.Policy)
	if err == nil && waits != nil && choice.Preempted != nil {
		choice = claim.Choice{Policy: choice.Preempted}
		waits, err = c.waits(ctx, choice.Policy)
	}
	return choice, waits, err
}

// waits returns why a policy has to wait, or nil.
func (c *Controller) waits(ctx context.Context, policy policyv1alpha1.Policy) (waits, err error) {
	missing, err := index.MissingOverrides(ctx, c.Client, policy)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	return fmt.Errorf("%s", scope.WaitsForOverrides(policy, missing)), nil
}

// refuse reports why a policy is not applied to a template. The claim of another policy,
// which selects the template no longer, is removed.
func (c *Controller) refuse(ctx context.Context, object *unstructured.Unstructured, policy policyv1alpha1.Policy, why error) error {
	c.Warn(object, reasonFailed, "Propagate", why)
	if claim.Names(object, policy) {
		return c.leaveQuotaOf(ctx, templates.KeyOf(object)) // it asks again once the policy is applied
	}
	return c.release(ctx, object)
}

// nameable returns an error if the binding of a template would have a name that is too
// long.
func nameable(object *unstructured.Unstructured) error {
	name := names.Binding(object.GetKind(), object.GetName())
	if over := len(name) - validation.DNS1123SubdomainMaxLength; over > 0 {
		return fmt.Errorf("the binding %s... would have a name of %d characters, and %d are possible: shorten metadata.name by %d",
			name[:32], len(name), validation.DNS1123SubdomainMaxLength, over)
	}
	return nil
}

// apply claims the template and writes its binding.
func (c *Controller) apply(ctx context.Context, a *applying) (err error) {
	if a.fingerprint, err = claim.Fingerprint(a.object); err != nil {
		return err
	}
	if a.binding, a.exists, err = index.BindingFor(ctx, c.Client, a.object); err != nil {
		return err
	}
	marks, deferred := claim.Of(a.policy), deferred(a)
	if deferred && !a.exists {
		marks = marks.Deferred(a.fingerprint)
	}
	claimed, err := writeClaim(ctx, c.Client, a.object, marks)
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	a.object = claimed.(*unstructured.Unstructured)
	if a.preempted != nil {
		c.Events.Eventf(a.object, nil, corev1.EventTypeNormal, reasonPreempted, "Preempt", "%s took the template from %s",
			scope.PolicyTitle(a.policy), scope.PolicyTitle(a.preempted))
	}
	if deferred && !a.exists {
		return nil
	}
	return c.bind(ctx, a, deferred)
}

// claimedInOtherVersion reports whether the policy that claimed the template selects it
// in another version of its kind, which is watched too: its binding is decided there.
func (c *Controller) claimedInOtherVersion(object *unstructured.Unstructured) bool {
	named := claim.Policy(object)
	if named == nil {
		return false
	}
	holder := c.Policies.Get(types.NamespacedName{Namespace: named.GetNamespace(), Name: named.GetName()})
	return holder != nil && claim.InOtherVersion(holder, object)
}
