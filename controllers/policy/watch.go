// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// Reasons of the events on a policy that selects or waits for something that is not there.
const (
	reasonKindSkipped   = "KindNotPropagated"
	reasonKindNotServed = "KindNotServed"
	reasonOverrides     = "DependentOverridesMissing"
)

// kinds returns the kinds that a policy selects, each once. Those that are never
// propagated are reported in an event.
func (c *Controller[P]) kinds(policy P) []schema.GroupVersionKind {
	kinds, skipped := c.selected(policy)
	c.warn(policy, reasonKindSkipped, skipped)
	return kinds
}

// selected returns the kinds that a policy selects, each once, and for each selector of one
// that is never propagated a message.
func (c *Controller[P]) selected(policy P) (kinds []schema.GroupVersionKind, skipped []string) {
	for i := range policy.GetSpec().ResourceSelectors {
		kind := kindOf(&policy.GetSpec().ResourceSelectors[i])
		switch {
		case c.Skipped.Kind(kind):
			skipped = append(skipped, fmt.Sprintf("spec.resourceSelectors[%d]: %s of %s is never propagated; remove the selector", i, kind.Kind, kind.GroupVersion()))
		case !slices.Contains(kinds, kind):
			kinds = append(kinds, kind)
		}
	}
	return kinds, skipped
}

func kindOf(s *policyv1alpha1.ResourceSelector) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(s.APIVersion, s.Kind)
}

// watch has kinds watched for a policy. What it has to wait for is reported in events.
func (c *Controller[P]) watch(ctx context.Context, policy P, selected []schema.GroupVersionKind) error {
	unserved, err := c.Templates.Want(ctx, c.owner(client.ObjectKeyFromObject(policy)), selected...)
	var waits []string
	for i := range policy.GetSpec().ResourceSelectors {
		if kind := kindOf(&policy.GetSpec().ResourceSelectors[i]); slices.Contains(unserved, kind) {
			waits = append(waits, fmt.Sprintf("spec.resourceSelectors[%d]: the control plane does not serve %s of %s; its objects are propagated once its CRD is installed", i, kind.Kind, kind.GroupVersion()))
		}
	}
	c.warn(policy, reasonKindNotServed, waits)
	if err != nil {
		c.Warn(policy, reasonKindNotServed, "Watch", err)
		return fmt.Errorf("watch the templates of policy %s: %w", policy.GetName(), err)
	}
	missing, err := index.MissingOverrides(ctx, c.Client, policy)
	if err == nil && len(missing) > 0 {
		c.warn(policy, reasonOverrides, []string{scope.WaitsForOverrides(policy, missing)})
	}
	return err
}

// warn records what a policy waits for, if there is anything.
func (c *Controller[P]) warn(policy P, reason string, waits []string) {
	if len(waits) > 0 {
		c.Events.Eventf(policy, nil, corev1.EventTypeWarning, reason, "Select", "%s", base.Clip(strings.Join(waits, "; "), base.MaxNote))
	}
}

// outside returns the templates of kinds that a policy selects no longer.
func outside(kinds []schema.GroupVersionKind, keys []templates.Key) []templates.Key {
	return slices.DeleteFunc(keys, func(k templates.Key) bool { return slices.Contains(kinds, k.GroupVersionKind) })
}
