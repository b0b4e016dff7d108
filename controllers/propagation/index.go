// SPDX-License-Identifier: Apache-2.0

package propagation

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

const (
	policySelects = "policy.selects"
	bindingPolicy = "binding.policy"
)

// registerIndexes lets a template find the policies that may select it, and a policy
// the bindings that it made.
func registerIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	selected := func(o client.Object) []string {
		var keys []string
		for _, s := range o.(policyv1alpha1.Policy).GetSpec().ResourceSelectors {
			keys = append(keys, selectKey(s.APIVersion, s.Kind, s.Name))
		}
		return keys
	}
	claimed := func(o client.Object) []string {
		if id := claimID(o); id != "" {
			return []string{id}
		}
		return nil
	}
	for _, add := range []struct {
		object client.Object
		field  string
		keys   client.IndexerFunc
	}{
		{&policyv1alpha1.PropagationPolicy{}, policySelects, selected},
		{&policyv1alpha1.ClusterPropagationPolicy{}, policySelects, selected},
		{&workv1alpha2.ResourceBinding{}, bindingPolicy, claimed},
		{&workv1alpha2.ClusterResourceBinding{}, bindingPolicy, claimed},
	} {
		if err := indexer.IndexField(ctx, add.object, add.field, add.keys); err != nil {
			return fmt.Errorf("add index %s: %w", add.field, err)
		}
	}
	return nil
}

// selectKey is what a selector is found by; the empty name stands for all names.
func selectKey(apiVersion, kind, name string) string { return apiVersion + "|" + kind + "|" + name }

// candidates lists the policies whose selectors may name an object.
func candidates(ctx context.Context, c client.Reader, object *unstructured.Unstructured) ([]policyv1alpha1.Policy, error) {
	var all []policyv1alpha1.Policy
	for _, name := range []string{object.GetName(), ""} {
		match := client.MatchingFields{policySelects: selectKey(object.GetAPIVersion(), object.GetKind(), name)}
		var wide policyv1alpha1.ClusterPropagationPolicyList
		if err := c.List(ctx, &wide, match, client.UnsafeDisableDeepCopy); err != nil {
			return nil, err
		}
		for i := range wide.Items {
			all = append(all, &wide.Items[i])
		}
		if object.GetNamespace() == "" {
			continue
		}
		var spaced policyv1alpha1.PropagationPolicyList
		if err := c.List(ctx, &spaced, match, client.InNamespace(object.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
			return nil, err
		}
		for i := range spaced.Items {
			all = append(all, &spaced.Items[i])
		}
	}
	return all, nil
}

// templatesWithClaim lists the templates of the bindings that carry the id of a policy.
func templatesWithClaim(ctx context.Context, c client.Reader, id string) ([]templates.Key, error) {
	var keys []templates.Key
	match := client.MatchingFields{bindingPolicy: id}
	var spaced workv1alpha2.ResourceBindingList
	if err := c.List(ctx, &spaced, match, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for i := range spaced.Items {
		keys = append(keys, templates.KeyOfReference(&spaced.Items[i].Spec.Resource))
	}
	var wide workv1alpha2.ClusterResourceBindingList
	if err := c.List(ctx, &wide, match, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for i := range wide.Items {
		keys = append(keys, templates.KeyOfReference(&wide.Items[i].Spec.Resource))
	}
	return keys, nil
}
