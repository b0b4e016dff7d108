// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"fmt"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// TestInventoryIsSafeForManyGoroutines changes an inventory while views of others read the
// groups that they share with it: by shape, by a label and by node.
func TestInventoryIsSafeForManyGoroutines(t *testing.T) {
	i := setNodes(New(), nodes(20, "n", "cpu", "8")...)
	byZone, byName := claim(t, map[string]string{"zone": "a"}, nil), claim(t, map[string]string{"kubernetes.io/hostname": "n-1"}, nil)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for round := range 50 {
				name := fmt.Sprintf("n-%d", (g*7+round)%20)
				i.SetNode(labelled(newNode(name, "cpu", fmt.Sprint(4+round%5)), "zone", []string{"a", "b"}[round%2]))
				p := newPod(fmt.Sprintf("p-%d", g), name, "cpu", "1")
				setPods(i, p)
				if round%5 == 0 {
					i.DeletePod(types.NamespacedName{Namespace: p.Namespace, Name: p.Name})
					i.DeleteNode(fmt.Sprintf("n-%d", round%20))
				}
			}
		})
		wait.Go(func() {
			for range 50 {
				v := i.Assume(Workload{Namespace: "team", Components: []Component{component("assumed", 3, "cpu", "1")}})
				for _, c := range []*Claim{nil, byZone, byName} {
					v.Replicas("team", Requirements{Requests: list("cpu", "1"), Claim: c}, 0)
				}
				v.Sets("team", []Component{component("a", 1, "cpu", "1"), component("b", 2, "cpu", "2")}, 10)
				i.Nodes()
			}
		})
	}
	wait.Wait()
}
