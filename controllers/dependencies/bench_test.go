// SPDX-License-Identifier: Apache-2.0

package dependencies_test

import (
	"fmt"
	"testing"

	toolscache "k8s.io/client-go/tools/cache"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// BenchmarkDependents finds who depends on one ConfigMap among many bindings, as each event
// of a ConfigMap does: the time must not grow with the bindings.
func BenchmarkDependents(b *testing.B) {
	for _, n := range []int{50, 500, 5000} {
		b.Run(fmt.Sprintf("bindings=%d", n), func(b *testing.B) {
			indexer := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{"dependency": func(o any) ([]string, error) {
				return binding.DependencyKeys(o.(workv1alpha2.Binding)), nil
			}})
			for i := range n {
				p := fixture.Binding(fixture.Gadget("space", fmt.Sprintf("p-%d", i), nil))
				p.GetSpec().PropagateDeps = true
				on := binding.Reference{APIVersion: "v1", Kind: "ConfigMap", Namespace: "space", Name: fmt.Sprintf("c-%d", i)}
				if err := binding.SetDependencies(p, []binding.Reference{on}); err != nil {
					b.Fatal(err)
				}
				if err := indexer.Add(p); err != nil {
					b.Fatal(err)
				}
			}
			object := fixture.Object(configMap, "space", "c-7", nil)
			object.SetLabels(map[string]string{"app": "x", "tier": "back"})
			for b.Loop() {
				if found := dependents(b, indexer, binding.LookupKeys(object)); found != 1 {
					b.Fatalf("found %d bindings, want 1", found)
				}
			}
		})
	}
}

// dependents counts the bindings that an index has for some keys.
func dependents(b *testing.B, indexer toolscache.Indexer, keys []string) int {
	found := 0
	for _, key := range keys {
		all, err := indexer.ByIndex("dependency", key)
		if err != nil {
			b.Fatal(err)
		}
		found += len(all)
	}
	return found
}
