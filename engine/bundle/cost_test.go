// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"fmt"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
)

// TestCostOfAChangeIsItsOwn counts what a change allocates among few and among many
// bundles that do not change. It must not grow with them; a list of all would.
func TestCostOfAChangeIsItsOwn(t *testing.T) {
	few, many := costOfChange(t, 10), costOfChange(t, 300)
	if slack := few / 20; many > few+slack {
		t.Errorf("a change among 300 bundles needs %.0f allocations; want those among 10, %.0f", many, few)
	}
}

// costOfChange returns the allocations of a change of one bundle among n others.
func costOfChange(t *testing.T, n int) float64 {
	t.Helper()
	store := NewStore(Options{Loader: newLoader(t), Rules: engine.NewInterpreter(engine.Options{})})
	var all []Content
	for i := range n {
		all = append(all, contentOf(t, fmt.Sprintf("b%d", i), []string{fmt.Sprintf("kind=Kind%d", i)}))
	}
	store.Apply(all, nil)
	of := [][]Content{{contentOf(t, "web", nil)}, {contentOf(t, "web", []string{"answer=false"})}}
	turn := 0
	cost := testing.AllocsPerRun(20, func() {
		turn++
		store.Apply(of[turn%2], nil)
	})
	statuses := store.Statuses()
	for _, s := range statuses {
		if s.Stage != Active {
			t.Fatalf("got %+v", s)
		}
	}
	if got, want := statuses[n].Active, of[turn%2][0].Revision; len(statuses) != n+1 || got != want {
		t.Fatalf("got %d statuses, the last with revision %s; want %d and %s", len(statuses), got, n+1, want)
	}
	return cost
}
