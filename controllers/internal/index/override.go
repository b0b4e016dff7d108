// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/override"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
)

// anyKind is the index key of an override policy without selectors.
var anyKind = selectorKey("", "", "")

// OverridesFor lists the override policies that have a selector of an object's kind, for
// its name or for all names, and those without selectors: the cluster-wide ones and those
// of its namespace. They must not be changed.
func OverridesFor(ctx context.Context, c client.Reader, object *unstructured.Unstructured) (override.Policies, error) {
	var p override.Policies
	version, kind, namespace := object.GetAPIVersion(), object.GetKind(), object.GetNamespace()
	for _, key := range []string{selectorKey(version, kind, object.GetName()), selectorKey(version, kind, ""), anyKind} {
		match := client.MatchingFields{overrideSelector: key}
		wide, err := List[*policyv1alpha1.ClusterOverridePolicy](ctx, c, &policyv1alpha1.ClusterOverridePolicyList{}, match)
		if err != nil {
			return p, fmt.Errorf("list the cluster override policies: %w", err)
		}
		p.ClusterWide = appendNew(p.ClusterWide, wide)
		if namespace == "" {
			continue
		}
		spaced, err := List[*policyv1alpha1.OverridePolicy](ctx, c, &policyv1alpha1.OverridePolicyList{}, match, client.InNamespace(namespace))
		if err != nil {
			return p, fmt.Errorf("list the override policies: %w", err)
		}
		p.Namespaced = appendNew(p.Namespaced, spaced)
	}
	return p, nil
}

// appendNew appends the policies that are not in the list: one that has several selectors
// is found by each. All are of one namespace.
func appendNew[P policyv1alpha1.Override](list, more []P) []P {
	for _, p := range more {
		if !slices.ContainsFunc(list, func(has P) bool { return has.GetName() == p.GetName() }) {
			list = append(list, p)
		}
	}
	return list
}

// BindingsOfSelector lists the bindings of type B whose templates have the kind, the
// namespace and the name of a selector; whether the labels of the template match is left
// to the caller. Those of one namespace, where it is not empty. They must not be changed.
func BindingsOfSelector[B workv1alpha2.Binding](ctx context.Context, c client.Reader, s *policyv1alpha1.ResourceSelector, namespace string) ([]B, error) {
	if namespace == "" {
		namespace = s.Namespace
	} else if s.Namespace != "" && s.Namespace != namespace {
		return nil, nil
	}
	match := client.MatchingFields{bindingKind: schema.FromAPIVersionAndKind(s.APIVersion, s.Kind).String()}
	if s.Name != "" {
		match = client.MatchingFields{bindingTemplate: selectorKey(s.APIVersion, s.Kind, s.Name)}
	}
	return bindingsIn[B](ctx, c, namespace, match)
}

// BindingsIn lists the bindings of type B, those of one namespace where it is not empty.
// They must not be changed.
func BindingsIn[B workv1alpha2.Binding](ctx context.Context, c client.Reader, namespace string) ([]B, error) {
	return bindingsIn[B](ctx, c, namespace)
}

func bindingsIn[B workv1alpha2.Binding](ctx context.Context, c client.Reader, namespace string, options ...client.ListOption) ([]B, error) {
	if namespace == "" {
		return ListBindings[B](ctx, c, options...)
	}
	if scope.IsWideBinding[B]() {
		return nil, nil // templates without namespace are in none
	}
	return ListBindings[B](ctx, c, append(options, client.InNamespace(namespace))...)
}

// BindingsTargeting lists the bindings of type B that have a copy in a cluster or should
// have one, also because other bindings require it. They must not be changed.
func BindingsTargeting[B workv1alpha2.Binding](ctx context.Context, c client.Reader, cluster string) ([]B, error) {
	return ListBindings[B](ctx, c, client.MatchingFields{bindingTarget: cluster})
}

func overrideSelectorsOf(o client.Object) []string {
	selectors := o.(policyv1alpha1.Override).GetSpec().ResourceSelectors
	if len(selectors) == 0 {
		return []string{anyKind}
	}
	keys := make([]string, 0, len(selectors))
	for _, s := range selectors {
		keys = append(keys, selectorKey(s.APIVersion, s.Kind, s.Name))
	}
	return keys
}

func templateOf(o client.Object) []string {
	r := &o.(workv1alpha2.Binding).GetSpec().Resource
	return []string{selectorKey(r.APIVersion, r.Kind, r.Name)}
}

// selectorKey returns the index key of a selector; the empty name stands for all names.
func selectorKey(apiVersion, kind, name string) string { return apiVersion + "|" + kind + "|" + name }
