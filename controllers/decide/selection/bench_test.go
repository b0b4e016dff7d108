// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"fmt"
	"testing"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// filled returns an index of n policies of one kind: a third each select by name and by
// label in one namespace, and by label in the whole cluster.
func filled(n int) *Index {
	index := &Index{}
	for i := range n {
		index.Set(numbered(i), "")
	}
	return index
}

func numbered(i int) policyv1alpha1.Policy {
	kind, name := fixture.GadgetKind, fmt.Sprintf("app-%d", i)
	switch i % 3 {
	case 0:
		return fixture.Policy("space", name, fixture.Named(kind, name))
	case 1:
		return fixture.Policy("space", name, fixture.Labelled(kind, "app", name))
	default:
		return fixture.Policy("", name, fixture.Labelled(kind, "app", name))
	}
}

// sizes are numbers of policies; the cost of an event must not grow with them.
var sizes = []int{100, 1000, 10000}

func BenchmarkTemplateEvent(b *testing.B) {
	for _, n := range sizes {
		index, object := filled(n), fixture.Gadget("space", "app-0", nil)
		object.SetLabels(map[string]string{"app": "app-1", "tier": "web", "team": "a", "version": "1"})
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if found := len(index.Candidates(object)); found != 2 {
					b.Fatalf("found %d policies", found)
				}
			}
		})
	}
}

func BenchmarkPolicyEvent(b *testing.B) {
	for _, n := range sizes {
		index, changed := filled(n), numbered(1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				index.Set(changed, "")
			}
		})
	}
}
