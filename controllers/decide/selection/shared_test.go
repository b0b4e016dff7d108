// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"fmt"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestIndexIsSafeForManyGoroutines(t *testing.T) {
	var index Index
	template := labelled(fixture.Gadget("space", "one", nil), map[string]string{"app": "one"})
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for round := range 100 {
				name := fmt.Sprintf("p-%d", (g+round)%5)
				index.Set(fixture.Policy("space", name, fixture.Named(fixture.GadgetKind, "one"), fixture.Labelled(fixture.GadgetKind, "app", "one")), "1")
				index.Remove(types.NamespacedName{Namespace: "space", Name: fmt.Sprintf("p-%d", round%5)})
			}
		})
		wait.Go(func() {
			for range 100 {
				for _, c := range index.Candidates(template) {
					index.Get(Key(c.Policy))
				}
				index.DependentOn(types.NamespacedName{Namespace: "space", Name: "o"})
				index.WithPriorityClass("high")
			}
		})
	}
	wait.Wait()
}
