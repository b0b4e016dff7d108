// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// bindingConcern is the index of bindings by the changes of clusters that concern them.
const bindingConcern = "binding.concern"

// BindingsConcerned lists the bindings of type B that a change of a cluster concerns, each
// once; they must not be changed. It looks at those that the change may concern.
func BindingsConcerned[B workv1alpha2.Binding](ctx context.Context, c client.Reader, change placement.Change) ([]B, error) {
	var matches []client.MatchingFields
	for _, key := range change.Keys() {
		matches = append(matches, client.MatchingFields{bindingConcern: key})
	}
	if change.IsLoss() {
		matches = append(matches, client.MatchingFields{bindingCluster: change.Before.Name})
	}
	var concerned []B
	seen := sets.New[client.ObjectKey]()
	for _, match := range matches {
		found, err := ListBindings[B](ctx, c, match)
		if err != nil {
			return nil, fmt.Errorf("list the bindings that a cluster concerns: %w", err)
		}
		for _, b := range found {
			key := client.ObjectKeyFromObject(b)
			if !seen.Has(key) && change.Concerns(b.GetSpec(), b.GetStatus()) {
				seen.Insert(key)
				concerned = append(concerned, b)
			}
		}
	}
	return concerned, nil
}

func concernsOf(o client.Object) []string {
	b := o.(workv1alpha2.Binding)
	return placement.Keys(b.GetSpec(), b.GetStatus())
}
