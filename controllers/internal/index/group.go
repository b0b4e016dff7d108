// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// BindingsInGroups lists the bindings of the namespace of a binding that share a group of
// workload affinity with it, itself included; one that shares both is there twice. They must
// not be changed.
func BindingsInGroups(ctx context.Context, c client.Reader, b workv1alpha2.Binding) ([]workv1alpha2.Binding, error) {
	var all []workv1alpha2.Binding
	for _, group := range groupsOf(b) {
		found, err := List[workv1alpha2.Binding](ctx, c, &workv1alpha2.ResourceBindingList{}, client.InNamespace(b.GetNamespace()), client.MatchingFields{bindingGroup: group})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// groupsOf returns the groups of a binding, those of affinity and of anti-affinity apart.
func groupsOf(o client.Object) []string {
	groups := o.(workv1alpha2.Binding).GetSpec().WorkloadAffinityGroups
	if groups == nil {
		return nil
	}
	var keys []string
	if groups.AffinityGroup != "" {
		keys = append(keys, "together:"+groups.AffinityGroup)
	}
	if groups.AntiAffinityGroup != "" {
		keys = append(keys, "apart:"+groups.AntiAffinityGroup)
	}
	return keys
}
